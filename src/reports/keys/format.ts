import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'mk_'

/** A new API key: `mk_`, 40 random characters, and 6 that check them, so that a mistyped key is known without asking
 *  the database, and found by scanners of leaked secrets. */
export const makeKey = (): string => {
  const random = Array.from({ length: 40 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${prefix}${random}${checksum(random)}`
}

/** True for what may be a key. */
export const isWellFormed = (key: string): boolean =>
  /^mk_[0-9A-Za-z]{46}$/.test(key) && checksum(key.slice(3, 43)) === key.slice(43)

/** Hash that is stored in place of a key. */
export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('hex')

const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = alphabet[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
