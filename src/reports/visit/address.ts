import ipaddr from 'ipaddr.js'
import { parse } from 'tldts'
import { MembershipError } from '../../errors.ts'

/** The address of a website, read once; everything else looks at these parts. */
export interface SiteAddress {
  /** As it is fetched: absolute, without a fragment. */
  readonly url: string
  /** What makes two addresses the same website: host without `www.`, path without its closing slash, and query. */
  readonly key: string
  readonly host: string
  /** The registrable domain, such as `example.co.uk`. */
  readonly domain: string
}

/** Which hosts and addresses may be visited. A host replaces it in code only: no setting opens it. */
export interface AddressPolicy {
  /** A host's name, lower-case, in its ASCII form. */
  allowsHost(host: string): boolean
  /** A resolved IPv4 or IPv6 address of that host. */
  allowsAddress(address: string, host: string): boolean
}

/** The public web alone. */
export const publicOnly: AddressPolicy = {
  allowsHost: (host) => registrableDomain(host) !== null,
  allowsAddress: isPublicAddress,
}

/** Reads what a partner or a redirect names as a website's address.
 *  @throws ERR_URL_NOT_ALLOWED for anything that cannot be a public website; says nothing about what is there */
export const toSiteAddress = (text: string, policy: AddressPolicy): SiteAddress => {
  const url = text.length <= maxLength && URL.canParse(text) ? new URL(text) : null
  // Percent-encoding makes it up to nine times longer.
  if (!url || url.href.length > maxLength || !isWebAddress(url) || !policy.allowsHost(nameOf(url)))
    throw urlNotAllowed(text)
  url.hash = ''
  const host = nameOf(url)
  return {
    url: url.href,
    key: `${host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`,
    host,
    domain: registrableDomain(host) ?? host,
  }
}
const maxLength = 2000

const isWebAddress = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') &&
  url.username === '' &&
  url.password === '' &&
  ['', '80', '443'].includes(url.port)

/** An address as people write it: without a scheme it is `https`. */
export const withScheme = (text: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`

// A name may end in the root's dot; it is the same host without.
const nameOf = (url: URL): string => url.hostname.replace(/\.$/, '')

/** The part of a host's name that somebody registered; null where there is none: addresses, single labels, suffixes
 *  that the public does not use. Names such as `me.github.io` count as registered at their host. */
export const registrableDomain = (host: string): string | null => {
  const isName = host.includes('.') && host.split('.').every((label) => label !== '')
  const found = parse(host, { allowPrivateDomains: true })
  if (!isName || found.isIp || !(found.isIcann || found.isPrivate)) return null
  if (found.domain) return found.domain
  return found.isPrivate ? parse(host).domain : null
}

/** True for an address of the public internet. Sources: the IANA special-purpose registries, as ipaddr.js has them. */
function isPublicAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  // A cloud's platform service on an address that looks public.
  if (parsed.kind() === 'ipv4') return parsed.toString() !== '168.63.129.16'
  return parsed.match(ipaddr.IPv6.parseCIDR('2000::/3'))
}

/** The one answer to every wrong address, whether its text or its name service gives it away. */
export const urlNotAllowed = (text: string) =>
  new MembershipError('ERR_URL_NOT_ALLOWED', `"${text.slice(0, 200)}" is no address of a public website.`, {
    action:
      'Give the full address with a public host name, such as https://example.com, without user or port.',
  })
