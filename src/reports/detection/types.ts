/** Places where a sign of a system can show. `probe` holds what was asked for beyond the page, which a page alone never
 *  fills. */
export const channels = ['header', 'cookie', 'meta', 'script', 'link', 'asset', 'dom', 'probe'] as const

/** One of {@link channels}. */
export type Channel = (typeof channels)[number]

/** A page as it was fetched. */
export interface FetchedPage {
  /** The final address, after redirects. */
  readonly url: string
  /** Names in lower case; a header that came more than once is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Decoded; what lies beyond 1 MB is not read. */
  readonly html: string
  /** The end of a head that goes on beyond it. */
  readonly headTail?: string
  /** There is more of the page than `html`. */
  readonly isCut?: boolean
}

/** A page's own description. Texts are on one line, without control characters; addresses are http(s). */
export interface Metadata {
  /** At most 300 characters. */
  readonly title: string | null
  /** At most 500 characters. */
  readonly description: string | null
  /** A canonical BCP 47 tag, such as `pt-BR`. */
  readonly language: string | null
  /** The first icon the page names; null says nothing about a `/favicon.ico` that nobody names. */
  readonly favicon_url: string | null
  readonly icons: readonly string[]
  /** The image that the page offers to social networks. */
  readonly image_url: string | null
}

/** Why a page was not read to its end: too deeply nested, too many tags, or more than 1 MB. */
export type Stop = 'depth' | 'tags' | 'size'

/** The signs of a page by channel, and what else one pass over it gives. */
export interface Scan {
  /** Distinct, in the order of the page; at most 2 000 in all, each at most 500 characters. */
  readonly signs: Readonly<Record<Channel, readonly string[]>>
  readonly metadata: Metadata
  /** Address that the page itself names as its own: an absolute http(s) address. */
  readonly canonical: string | null
  /** A digest of what a reader sees: title and text; of the page as it is where there is no text. */
  readonly content: string
  /** Targets of the page's links: absolute http(s) addresses, one per host, at most 200. */
  readonly links: readonly string[]
  readonly stopped: Stop | null
  /** The end of the head was read although the page was cut before it. */
  readonly isHeadTailRead: boolean
}
