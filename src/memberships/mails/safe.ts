import { oneLine, safeAddress } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { isUrl } from '../../core/url.ts'

/** The name for a greeting, or null. Anybody can sign up with a stranger's address and a name of their choice, and
 *  the mail would carry it to the stranger: what reads as an address of the web is no name. */
export const greetableName = (name: string | null | undefined): string | null => {
  const line = oneLine(name ?? '', 1000)
  const isAddress = /:\/\/|@|www\.|[\p{L}\p{N}-][.\u3002\uff0e\uff61][\p{L}\p{N}]{2,}/iu.test(line)
  return line === '' || isAddress || [...line].length > 60 ? null : line
}

/** The one bare address that a mail goes to. @throws ERR_FORM for anything that a mailer could read as more. */
export const toRecipient = (to: string): string => {
  const isAddress = to.length <= 254 && [to, to.normalize('NFKC')].every((form) => bareAddress.test(form))
  if (isAddress) return to
  throw new MembershipError('ERR_FORM', 'The mail has no recipient that is one plain e-mail address.', {
    action: 'Give the address alone, such as ann@example.com: no name, no brackets, no list.',
  })
}

const bareAddress = /^[^\s\p{C}@<>()[\]\\,;:"]+@[^\s\p{C}@<>()[\]\\,;:"]+$/u

/** The address of a link, unchanged. @throws ERR_FORM when it is not http or https, or no address at all. */
export const toLink = (url: string, what: string): string => {
  if (isLink(url)) return url
  throw new MembershipError(
    'ERR_FORM',
    `${what} of the mail is no address that begins with https:// or http://.`,
    {
      action: 'Give the full address, percent-encoded.',
    },
  )
}

/** The same for what a provider said: a link that is none is left out, so that its mail is sent all the same. */
export const findLink = safeAddress

/** The same for an invoice, which may be a page of this site: a path of it then. */
export const findInvoice = (url: string | null, siteUrl: string): string | null =>
  url?.startsWith('/membership/') ? findOwnLink(`${siteUrl}${url}`) : safeAddress(url)

/** The same for a link to this site, which may be tried out without https. */
export const findOwnLink = (url: string | null): string | null => (url !== null && isLink(url) ? url : null)

// URL.canParse would drop line breaks silently; what is written into the mail must be what was checked.
const isLink = (url: string): boolean => /^https?:\/\/[^\s\p{C}<>"\\]+$/iu.test(url) && isUrl(url)
