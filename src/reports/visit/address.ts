import { parse } from 'tldts'
import { MembershipError } from '../../core/errors.ts'
import { isPublicAddress } from '../../core/http/outgoing.ts'
import { isUrl } from '../../core/url.ts'
import { identityOf } from './identity.ts'

/** Address of a website, parsed once; all other code uses these parts. */
export interface SiteAddress {
  /** Address to fetch: absolute, without a fragment. */
  readonly url: string
  /** Key that two addresses of the same website share: see {@link identityOf}. */
  readonly key: string
  /** True if no scheme was given: http is tried if https does not answer. */
  readonly orHttp: boolean
  readonly host: string
  /** Registrable domain, such as `example.co.uk`. */
  readonly domain: string
}

/** Decides which hosts and addresses may be visited. Only code can replace it; no setting does. */
export interface AddressPolicy {
  /** Takes a host's name in lower-case ASCII form. */
  allowsHost(host: string): boolean
  /** Takes a resolved IPv4 or IPv6 address of that host. */
  allowsAddress(address: string, host: string): boolean
}

/** Allows the public web only. */
export const publicOnly: AddressPolicy = {
  allowsHost: (host) => registrableDomain(host) !== null,
  allowsAddress: isPublicAddress,
}

/**
 * Parses a website's address, with or without a scheme. It does not check what is there.
 * @throws ERR_URL_NOT_ALLOWED for anything that cannot be a public website
 */
export function toSiteAddress(text: string, policy: AddressPolicy): SiteAddress {
  const given = text.trim()
  const orHttp = !/^(?:https?:|[a-z][a-z0-9+.-]*:\/\/)/i.test(given)
  const full = orHttp ? `https://${given}` : given
  const url = full.length <= maxLength && isUrl(full) ? new URL(full) : null
  // Percent-encoding makes it up to nine times longer.
  if (!url || url.href.length > maxLength || !isWebAddress(url) || !policy.allowsHost(nameOf(url)))
    throw urlNotAllowed(text)
  url.hash = ''
  const host = nameOf(url)
  return {
    url: url.href,
    key: identityOf(url, host),
    orHttp,
    host,
    domain: registrableDomain(host) ?? host,
  }
}
const maxLength = 2000

function isWebAddress(url: URL): boolean {
  return (
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    ['', '80', '443'].includes(url.port)
  )
}

/** Returns the same address over http, for one that was given without a scheme. */
export function overHttp(site: SiteAddress): SiteAddress {
  return {
    ...site,
    orHttp: false,
    url: site.url.replace(/^https:/, 'http:'),
  }
}

// A name may end in the root's dot; it is the same host without it.
function nameOf(url: URL): string {
  return url.hostname.replace(/\.$/, '')
}

/**
 * Returns the part of a host name that somebody registered. It is null for IP addresses, single labels, and
 * suffixes without public use. Names such as `me.github.io` count as registered at their host.
 */
export function registrableDomain(host: string): string | null {
  const isName = host.includes('.') && host.split('.').every((label) => label !== '') && !isSpecial(host)
  const found = parse(host, { allowPrivateDomains: true })
  if (!isName || found.isIp || !(found.isIcann || found.isPrivate)) return null
  if (found.domain) return found.domain
  return found.isPrivate ? parse(host).domain : null
}

// Names that public DNS does not know as hosts, although suffix lists contain some of them. Source: the IANA
// registry of special-use domain names; everything below arpa is infrastructure (RFC 3172).
function isSpecial(host: string): boolean {
  return /(?:^|\.)(?:alt|arpa|example|internal|invalid|local|localhost|onion|test)$/.test(host)
}

/** Builds the same answer for every refused address, whether its text or its DNS entry is the reason. */
export function urlNotAllowed(text: string) {
  return new MembershipError(
    'ERR_URL_NOT_ALLOWED',
    `"${text.slice(0, 200)}" is no address of a public website.`,
    {
      action:
        'Give the full address with a public host name, such as https://example.com, without user or port.',
    },
  )
}
