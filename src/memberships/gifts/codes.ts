import { createHmac } from 'node:crypto'
import { fingerprint } from '../../core/http/tokens.ts'
import { lazy } from '../../core/lazy.ts'

// Crockford's alphabet, without U and the letters that look like digits. https://www.crockford.com/base32.html
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
// 20 characters of five bits each.
const length = 20

export interface Codes {
  /** The code of a new gift, with the hash to store. */
  make(id: string): { code: string; hash: string }
  /** Returns a gift's code; null where the secret that derived it is no longer configured. */
  codeOf(id: string, hash: string): string | null
}

/**
 * Creates gift codes of 100 bits. They derive from the gift's id under the site's secret, so only their hash is stored.
 */
export function createCodes(secrets: () => readonly string[]): Codes {
  const keys = lazy(() => secrets().map((secret) => createHmac('sha256', secret).update('gifts').digest()))

  const make = (id: string): { code: string; hash: string } => {
    const code = derive(keys()[0]!, id)
    return { code: grouped(code), hash: fingerprint(code) }
  }

  const codeOf = (id: string, hash: string): string | null => {
    const code = keys()
      .map((key) => derive(key, id))
      .find((item) => fingerprint(item) === hash)
    return code === undefined ? null : grouped(code)
  }

  return { make, codeOf }
}

/** Hashes a typed code; null for an impossible one. */
export function hashOfCode(typed: string): string | null {
  const plain = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  const isCode = plain.length === length && [...plain].every((letter) => alphabet.includes(letter))
  return isCode ? fingerprint(plain) : null
}

function derive(key: Buffer, id: string): string {
  const bytes = createHmac('sha256', key).update(id).digest()
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return Array.from(
    { length },
    (_, at) => alphabet[Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2)]!,
  ).join('')
}

function grouped(code: string): string {
  return code.match(/.{5}/g)!.join('-')
}
