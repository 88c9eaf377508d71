import { linkable } from '../url.ts'

/**
 * Texts from outside (buyers, providers' objects, signed events), made safe to show. All addresses and names pass here.
 */

/** The path of a payment's invoice on this site, for a provider without pages of its own. */
export function invoicePath(paymentId: string): string {
  return `/membership/invoices/${paymentId}`
}

/** Returns the address of a payment's invoice unchanged: one that is `linkable`, or this site's page of that payment. */
export function invoiceAddress({ id, invoice_url: url }: { id: string; invoice_url?: string | null }) {
  return isPlainId.test(id) && url === invoicePath(id) ? url : linkable(url)
}

// An id of dots would lead to another path.
const isPlainId = /^[\w-]+$/

/** Removes control characters and marks that change the direction of neighbouring text. Line breaks stay. */
export function printable(text: string): string {
  return text
    .replace(turning, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
}

// Embeddings, overrides and isolates: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
const turning = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Makes a single safe line for a listing, a greeting or a header: no control characters, line separators, lone
 * surrogates or direction marks. The joiners of Persian, Hindi and emoji stay. At most `limit` characters.
 */
export function oneLine(text: string, limit = 200): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cs}\p{Cf}]/gu, (mark) => (/[\u200c\u200d]/.test(mark) ? mark : ''))
    .replace(/ {2,}/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length <= limit
    ? line
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
}

/** Masks addresses in a text, because errors of a mailer or a provider often name a person. */
export function withoutAddresses(text: string): string {
  return text.replace(/[^\s@<>()"',;:=]{1,64}(?:@|%40)[^\s@<>()"',;:]{1,255}/g, '…@…')
}
