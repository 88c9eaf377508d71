import { oneLine } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { isUrl, linkable } from '../../core/url.ts'

/**
 * The name for a greeting, or null. Anybody can sign up with a stranger's address and any name, and the mail would
 * carry it. A name that reads like a web address is therefore dropped.
 */
export function greetableName(name: string | null | undefined): string | null {
  const line = oneLine(name ?? '', 1000)
  const isAddress = /:\/\/|@|www\.|[\p{L}\p{N}-][.\u3002\uff0e\uff61][\p{L}\p{N}]{2,}/iu.test(line)
  return line === '' || isAddress || [...line].length > 60 ? null : line
}

/**
 * Returns a mail's single bare address.
 * @throws ERR_FORM for anything that a mailer could read as more
 */
export function toRecipient(to: string): string {
  const isAddress = to.length <= 254 && [to, to.normalize('NFKC')].every((form) => bareAddress.test(form))
  if (isAddress) return to
  throw new MembershipError('ERR_FORM', 'The mail has no recipient that is one plain e-mail address.', {
    action: 'Give the address alone, such as ann@example.com: no name, no brackets, no list.',
  })
}

const bareAddress = /^[^\s\p{C}@<>()[\]\\,;:"]+@[^\s\p{C}@<>()[\]\\,;:"]+$/u

/**
 * Returns a link's address unchanged.
 * @throws ERR_FORM when it is not a valid http or https address
 */
export function toLink(url: string, what: string): string {
  if (isLink(url)) return url
  throw new MembershipError(
    'ERR_FORM',
    `${what} of the mail is no address that begins with https:// or http://.`,
    {
      action: 'Give the full address, percent-encoded.',
    },
  )
}

/** Same as `toLink` for a provider's link. An invalid one is left out, and the mail is sent all the same. */
export const findLink = linkable

/** Same as `findLink` for an invoice, which may also be a path of this site. */
export function findInvoice(url: string | null, siteUrl: string): string | null {
  return url?.startsWith('/membership/') ? findOwnLink(`${siteUrl}${url}`) : linkable(url)
}

/** Same as `findLink` for a link to this site, which may run without https during development. */
export function findOwnLink(url: string | null): string | null {
  return url !== null && isLink(url) ? url : null
}

// URL.canParse would drop line breaks silently. The mail must contain exactly the text that was checked.
function isLink(url: string): boolean {
  return /^https?:\/\/[^\s\p{C}<>"\\]+$/iu.test(url) && isUrl(url)
}
