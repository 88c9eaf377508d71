import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'
import { MembershipError } from '../core/errors.ts'
import { fingerprint } from '../core/http/tokens.ts'
import { type Storage, step, UnitConflict, unlessConflict } from '../core/storage/index.ts'
import type { OperatorStatements } from './operator-statements.ts'

export interface Sealing {
  seal(text: string): string
  /** Returns the text, or null where it was not encrypted here. */
  open(sealed: string): string | null
}

/** Encrypts a text so that only the site's secret can read it. The first secret encrypts, any of them decrypts. */
export function createSealing(secrets: () => readonly string[]): Sealing {
  const keys = () => secrets().map((secret) => createHmac('sha256', secret).update('office').digest())
  const seal = (text: string): string => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', keys()[0]!, nonce)
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
  }
  const open = (sealed: string): string | null => {
    const bytes = Buffer.from(sealed, 'base64url')
    for (const key of keys())
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
        decipher.setAuthTag(bytes.subarray(12, 28))
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
      } catch {
        // It may be encrypted with another key.
      }
    return null
  }
  return { seal, open }
}

/** The secret to enter in an authenticator. */
export interface Enrolment {
  /** The secret for typing, in groups of four. */
  readonly typed: string
  /** The secret as a QR code to scan, in SVG. */
  readonly picture: string
  /** Returned with the first code. */
  readonly sealed: string
}

export interface SecondFactor {
  /** Offers a secret without storing it. */
  offer(email: string): Enrolment
  /**
   * Stores the offered secret with its first code. Returns the recovery codes, which are never shown again.
   * @throws ERR_OFFICE_CODE, ERR_LINK where the offer is too old or somebody enrolled meanwhile
   */
  enrol(email: string, given: { sealed: string; code: string }): Promise<string[]>
  /**
   * Uses up a code.
   * @throws ERR_OFFICE_CODE for a wrong or used code, ERR_RATE_LIMIT after too many
   */
  pass(email: string, given: string): Promise<void>
}

/**
 * The second factor: an authenticator's code by RFC 6238, or one of ten recovery codes. Each works once across all
 * processes. Wrong codes lock the login, longer each time.
 */
export function createSecondFactor(deps: {
  storage: Storage
  statements: OperatorStatements
  sealing: Sealing
  siteName: string
  now: () => Date
}): SecondFactor {
  const { storage, statements, sealing, now } = deps

  const offer = (email: string): Enrolment => {
    const secret = new Secret({ size: 20 })
    const { base32 } = secret
    const sealed = sealing.seal(JSON.stringify({ email, base32, until: now().getTime() + offeredMs }))
    const picture = renderSVG(totpOf(email, base32).toString(), { border: 2, whiteColor: '#fff' })
    return { typed: base32.match(/.{1,4}/g)!.join(' '), picture, sealed }
  }

  const enrol = async (email: string, given: { sealed: string; code: string }): Promise<string[]> => {
    const offered = readOffer(given.sealed)
    if (offered === null || offered.email !== email || offered.until < now().getTime()) throw gone()
    const used = stepOf(email, offered.base32, given.code)
    if (used === null) throw wrongCode()
    const codes = Array.from({ length: codeCount }, newCode)
    try {
      await storage.commit([
        step(statements.enrol, { email, secret: sealing.seal(offered.base32), step: used }, 1),
        step(statements.dropCodes, { email }),
        ...codes.map((code) => step(statements.addCode, { email, hash: hashOf(email, code), used_at: null })),
      ])
    } catch (error) {
      if (error instanceof UnitConflict) throw gone()
      throw error
    }
    return codes
  }

  const pass = async (email: string, given: string): Promise<void> => {
    const secret = await countTry(email)
    const code = given.replace(/[\s-]/g, '').toUpperCase()
    const right = /^\d{6}$/.test(code) ? await passTotp(email, secret, code) : await passRecovery(email, code)
    if (!right) throw wrongCode()
  }

  const passTotp = async (email: string, secret: string, code: string): Promise<boolean> => {
    const used = stepOf(email, secret, code)
    return used !== null && done([step(statements.passed, { email, step: used }, 1)])
  }

  const passRecovery = (email: string, code: string): Promise<boolean> => {
    const used_at = now().toISOString()
    return done([
      step(statements.useCode, { email, hash: hashOf(email, code), used_at }, 1),
      step(statements.calm, { email }),
    ])
  }

  const done = (steps: Parameters<Storage['commit']>[0]): Promise<boolean> =>
    unlessConflict(storage.commit(steps))

  /** Counts the try, then returns the secret. */
  const countTry = async (email: string): Promise<string> => {
    for (;;) {
      const [row] = await storage.all(statements.byEmail, { email })
      const secret = row?.secret ? sealing.open(row.secret) : null
      if (!row || secret === null) throw gone()
      const waitMs = Date.parse(row.locked_until ?? '') - now().getTime()
      if (waitMs > 0) throw tooMany(waitMs)
      const tries = row.tries + 1
      const locked_until =
        tries % triesAtOnce === 0 ? new Date(now().getTime() + lockMs(tries)).toISOString() : null
      if (await done([step(statements.tried, { email, known: row.tries, tries, locked_until }, 1)]))
        return secret
    }
  }

  const totpOf = (email: string, base32: string): TOTP =>
    new TOTP({ issuer: deps.siteName, label: email, secret: Secret.fromBase32(base32), ...method })

  /** Returns a code's half minute, or null. The previous and the next one are accepted, because clocks differ. */
  const stepOf = (email: string, base32: string, code: string): number | null => {
    const timestamp = now().getTime()
    const delta = totpOf(email, base32).validate({ token: code.replace(/\s/g, ''), timestamp, window: 1 })
    return delta === null ? null : Math.floor(timestamp / 1000 / method.period) + delta
  }

  const readOffer = (sealed: string): { email: string; base32: string; until: number } | null => {
    const text = sealing.open(sealed)
    return text === null ? null : JSON.parse(text)
  }

  return { offer, enrol, pass }
}

// Settings that every authenticator supports. https://datatracker.ietf.org/doc/html/rfc6238
const method = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const offeredMs = 30 * 60_000
const codeCount = 10
const triesAtOnce = 5
const minuteMs = 60_000
// A quarter of an hour, then twice as long each time, at most a day.
function lockMs(tries: number): number {
  return Math.min(24 * 60 * minuteMs, 15 * minuteMs * 2 ** (tries / triesAtOnce - 1))
}

// Without letters and digits that look alike.
const alphabet = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
function newCode(): string {
  const letters: string[] = []
  while (letters.length < 10)
    for (const byte of randomBytes(16))
      if (byte < 240 && letters.length < 10) letters.push(alphabet[byte % alphabet.length]!)
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`
}

function hashOf(email: string, code: string): string {
  return fingerprint(`${email} ${code.replace('-', '')}`)
}

function wrongCode() {
  return new MembershipError('ERR_OFFICE_CODE', 'This code is wrong, or was used already.', {
    action: 'Take the code that your authenticator shows now, or one of your recovery codes.',
  })
}
function gone() {
  return new MembershipError('ERR_LINK', 'This page is too old, or the second factor was set up meanwhile.', {
    action: 'Open /membership/office again.',
  })
}
function tooMany(waitMs: number) {
  return new MembershipError('ERR_RATE_LIMIT', 'Too many wrong codes.', {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
    action: 'Wait, then take the code that your authenticator shows.',
  })
}
