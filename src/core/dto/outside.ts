import { isUrl } from '../url.ts'

/**
 * Texts of strangers (buyers, providers' objects, signed events), made fit to be shown: the one place for addresses,
 * and the one for names.
 */

/** The address of a link, unchanged, or null for anything but plain https: a signed event can name `javascript:`, too. */
export const safeAddress = (url: string | null): string | null =>
  url !== null && isAddress.test(url) && isUrl(url) ? url : null

/** The page of this site for the invoice of a payment, for a provider that has no pages of its own elsewhere. */
export const invoicePath = (paymentId: string): string => `/membership/invoices/${paymentId}`

/** The address of a payment's invoice, unchanged: plain https, or this site's own page of that very payment. */
export const invoiceAddress = ({ id, invoice_url: url }: { id: string; invoice_url: string | null }) =>
  isPlainId.test(id) && url === invoicePath(id) ? url : safeAddress(url)

// An id of dots would lead elsewhere.
const isPlainId = /^[\w-]+$/

// URL.canParse would drop line breaks silently; what is shown must be what was checked.
const isAddress = /^https:\/\/[^\s\p{C}<>"\\]+$/iu

/** Text without control characters and without marks that turn the direction of what stands beside it; lines stay. */
export const printable = (text: string): string =>
  text
    .replace(turning, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')

// Embeddings, overrides and isolates: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** One line that is safe in a listing, a greeting or a header: no control characters, line separators, lone surrogates or
 *  marks that turn the direction of writing. The joiners of Persian, Hindi and emoji stay. At most `limit` characters. */
export const oneLine = (text: string, limit = 200): string => {
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

/** Text without the addresses in it: what a mailer or a provider says of a failure often names somebody. */
export const withoutAddresses = (text: string): string =>
  text.replace(/[^\s@<>()"',;:=]{1,64}(?:@|%40)[^\s@<>()"',;:]{1,255}/g, '…@…')
