/** The terms of a metered wall: how many pages are free, for how long, and to whom. */
export interface WallTerms {
  /** The gate that the wall stands before; all gates of that name share one allowance. */
  readonly name: string
  /** Free pages of a visitor who is not logged in. */
  readonly free: number
  /** Free pages of a member whose plans do not open the gate. */
  readonly loggedIn: number
  /** The length of a period, which begins with its first page. */
  readonly everySeconds: number
}

/** The pages that one visitor or member opened in a period. */
export interface WallCount {
  /** The mark of each page. */
  readonly pages: readonly string[]
  readonly starts_at: string
  readonly ends_at: string
  readonly counted_at: string
  /** When a login took these pages along; null while none did. */
  readonly joined_at: string | null
}

/** A metered wall as one visitor has it now. */
export interface Wall {
  /** The pages that are free in a period. */
  readonly free: number
  /** The pages that are left of them. */
  readonly left: number
  /** When the allowance begins anew, ISO 8601 UTC; null before the first page. */
  readonly resets_at: string | null
}

/** The counts that matter to one visitor: the member's, and the browser's from before the login. */
export interface WallCounts {
  readonly member: WallCount | null
  readonly visitor: WallCount | null
}

/** The state of a wall for banners. Pages read before the login count. Pure. */
export function wallOf(terms: WallTerms, counts: WallCounts, isMember: boolean, now: Date): Wall {
  const at = now.toISOString()
  const free = isMember ? terms.loggedIn : terms.free
  const count = isMember
    ? (joinedCount(counts, at) ?? currentOf(counts.member, at))
    : currentOf(counts.visitor, at)
  return count === null
    ? { free, left: free, resets_at: null }
    : { free, left: Math.max(0, free - count.pages.length), resets_at: count.ends_at }
}

/** The count while its period runs, else null. Pure. */
export function currentOf(count: WallCount | null, at: string): WallCount | null {
  return count !== null && count.ends_at > at ? count : null
}

/**
 * The member's count with the pages that this browser opened before the login; null where there is nothing to add. The
 * member's own period goes on, so that logging in begins no new one. Pure.
 */
export function joinedCount({ member, visitor }: WallCounts, at: string): WallCount | null {
  const added = currentOf(visitor, at)
  if (added === null || (added.joined_at !== null && added.joined_at >= added.counted_at)) return null
  const own = currentOf(member, at)
  if (own === null) return { ...added, joined_at: null }
  return { ...own, pages: [...new Set([...own.pages, ...added.pages])] }
}

// Parameters that say where a visitor came from. They never choose a page.
const trackingParameters = /^(?:utm_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|mc_[ce]id|igshid|ref_src)$/

/**
 * The page of an address, as a wall counts it: its path and its query. The order of parameters and those of trackers
 * make no other page. Pure.
 */
export function pageOf(url: URL): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== wallParameter && !trackingParameters.test(name))
    // Only names are sorted: of a repeated parameter, the first value may choose the page.
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const path = url.pathname.length > 1 ? url.pathname.replace(/\/+$/, '') : url.pathname
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** The parameter of the address to which a first visit is sent, to see if its cookie comes back. */
export const wallParameter = 'membership_wall'

/**
 * The data by which search engines tell a wall from a trick:
 * https://developers.google.com/search/docs/appearance/structured-data/paywalled-content
 */
export function paywallData(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    '@context': 'https://schema.org',
    '@type': 'WebPage',
    isAccessibleForFree: false,
    hasPart: { '@type': 'WebPageElement', isAccessibleForFree: false, cssSelector: '.paywall' },
    ...more,
  }
}

/** The same as a script element. A text cannot end the element early. Pure. */
export function paywallScript(more?: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(paywallData(more)).replace(/</g, '\\u003c')
  return `<script type="application/ld+json">${json}</script>`
}

/** Adds that element to a page that has none of its own. Pure. */
export function withPaywallScript(html: string, more?: Readonly<Record<string, unknown>>): string {
  if (html.includes('isAccessibleForFree')) return html
  const head = /<\/head\s*>/i.exec(html)
  if (head === null) return `${html}${paywallScript(more)}`
  return `${html.slice(0, head.index)}${paywallScript(more)}${html.slice(head.index)}`
}
