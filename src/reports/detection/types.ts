/**
 * Places where a sign of a system can appear. `probe` holds signs of further pages, so a page alone never
 * fills it.
 */
export const channels = ['header', 'cookie', 'meta', 'script', 'link', 'asset', 'dom', 'probe'] as const

/** One of {@link channels}. */
export type Channel = (typeof channels)[number]

export interface FetchedPage {
  /** Final address, after redirects. */
  readonly url: string
  /** Headers by lower-case name; a header that occurred more than once is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Decoded text; anything beyond 1 MB is not read. */
  readonly html: string
  /** End of a head that continues beyond `html`. */
  readonly headTail?: string
  /** True if the page is longer than `html`. */
  readonly isCut?: boolean
}

/** A page's own description. Texts have one line without control characters; addresses are http(s). */
export interface Metadata {
  /** At most 300 characters. */
  readonly title: string | null
  /** At most 500 characters. */
  readonly description: string | null
  /** Canonical BCP 47 tag, such as `pt-BR`. */
  readonly language: string | null
  /**
   * First icon that the page names. null does not rule out a `/favicon.ico` that the page does not mention.
   */
  readonly favicon_url: string | null
  readonly icons: readonly string[]
  /** Image that the page offers to social networks. */
  readonly image_url: string | null
}

/** Limit at which reading a page stopped: nesting, number of tags, or 1 MB. */
export type Stop = 'depth' | 'tags' | 'size'

/** Signs of a page by channel, and everything else that one pass over it yields. */
export interface Scan {
  /** Distinct signs in page order; at most 2 000 in all, each at most 500 characters. */
  readonly signs: Readonly<Record<Channel, readonly string[]>>
  readonly metadata: Metadata
  /** Address that the page declares as canonical: an absolute http(s) address. */
  readonly canonical: string | null
  /** Digest of the visible title and text; without text, of the page's source. */
  readonly content: string
  /** Targets of the page's links: absolute http(s) addresses, one per host, at most 200. */
  readonly links: readonly string[]
  readonly stopped: Stop | null
  /** True if the end of the head was read although the page was cut before it. */
  readonly isHeadTailRead: boolean
}
