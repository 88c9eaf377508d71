import { hash } from 'node:crypto'
import { domainToASCII } from 'node:url'

/**
 * The one form in which an address is stored and compared: without surrounding space, in lower case, composed (NFC), and
 * with the domain as DNS has it, so that `Bücher.example` and `xn--bcher-kva.example` are one. Null for an empty text; text
 * that is no address stays as it is and fails `isEmail`.
 */
export function normalEmail(email: string | null | undefined): string | null {
  const plain = email?.trim().toLowerCase().normalize('NFC')
  if (!plain) return null
  const at = plain.lastIndexOf('@')
  const domain = plain.slice(at + 1)
  if (at < 0 || !isForeignDomain(domain)) return plain
  return `${plain.slice(0, at + 1)}${domainToASCII(domain) || domain}`
}

// node:url reads a host of a URL and drops what stands behind a slash or a colon: those belong in no domain.
const isForeignDomain = (domain: string): boolean =>
  /\P{ASCII}/u.test(domain) && !/[^\P{ASCII}a-z\d.-]/u.test(domain)

/** True for a normalised address that a mail can be sent to. Letters beyond ASCII are allowed before the @ (RFC 6531);
 *  the domain is checked as browsers do: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address */
export function isEmail(normal: string | null): normal is string {
  return normal !== null && normal.length <= 254 && wellFormed.test(normal)
}
const label = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?'
const wellFormed = new RegExp(`^[^\\s\\p{Cc}\\p{Cf}@<>,;:"()[\\]\\\\]{1,64}@${label}(?:\\.${label})*$`, 'u')

/** Recognises an address that is no longer kept. */
export function emailHash(email: string): string {
  return hash('sha256', email, 'hex')
}

/** A shortened address that only people who know it recognise: `a…@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '…' : `${email.slice(0, 1)}…${email.slice(at)}`
}
