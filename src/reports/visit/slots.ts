/** The party that the crawler's own visits count for; partners count by their id. */
export const crawlerParty = 'crawler'

/** Target of a visit: the registered domain, the address that its name stands for, and the party that it is for. */
export interface Whom {
  readonly domain: string
  /** IPv4 or IPv6. */
  readonly address: string
  /** Parties take turns at an address. */
  readonly party: string
}

/** Grants visits their turn. A domain is asked by one visit at a time and left alone after it, for as long as it wishes;
 *  an address, which strangers share, only bears so many visits at a time. */
export interface Slots {
  /** Waits for the domain and for a place at the address. The function that it gives lets go of both; the domain's next
   *  visit comes no sooner than `pauseMs` after. @throws AbortError */
  take(whom: Whom, signal?: AbortSignal): Promise<(pauseMs: number) => Promise<void>>
}

/** Takes everything at once: for `detect`, and for tests that ask only themselves. */
export const noSlots: Slots = { take: async () => async () => {} }
