import { hash } from 'node:crypto'
import { domainToASCII } from 'node:url'

/**
 * Returns the only form in which an address is stored and compared: trimmed, in lower case, composed (NFC), and with
 * the domain as in DNS. `Bücher.example` and `xn--bcher-kva.example` are therefore equal. Null for an empty text. Text
 * that is no address is returned without that conversion, and fails `isEmail`.
 */
export function normalEmail(email: string | null | undefined): string | null {
  const plain = email?.trim().toLowerCase().normalize('NFC')
  if (!plain) return null
  const at = plain.lastIndexOf('@')
  const domain = plain.slice(at + 1)
  if (at < 0 || !isForeignDomain(domain)) return plain
  return `${plain.slice(0, at + 1)}${domainToASCII(domain) || domain}`
}

// node:url reads a URL's host and drops everything behind a slash or a colon, so these must not be in a domain.
function isForeignDomain(domain: string): boolean {
  return /\P{ASCII}/u.test(domain) && !/[^\P{ASCII}a-z\d.-]/u.test(domain)
}

/**
 * True for a normalised address that can receive a mail. Letters beyond ASCII are allowed before the @ (RFC 6531). The
 * domain is checked as in browsers: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
 */
export function isEmail(normal: string | null): normal is string {
  return normal !== null && normal.length <= 254 && wellFormed.test(normal)
}
const label = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?'
const wellFormed = new RegExp(`^[^\\s\\p{Cc}\\p{Cf}@<>,;:"()[\\]\\\\]{1,64}@${label}(?:\\.${label})*$`, 'u')

/** A hash that recognises an address after it was deleted. */
export function emailHash(email: string): string {
  return hash('sha256', email, 'hex')
}

/** Masks an address so that only people who know it recognise it: `a…@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '…' : `${email.slice(0, 1)}…${email.slice(at)}`
}
