/** Party of the crawler's own visits; partners count by their id. */
export const crawlerParty = 'crawler'

/** Target of a visit: the registered domain, the address of its name, and the party that visits. */
export interface Whom {
  readonly domain: string
  /** IPv4 or IPv6. */
  readonly address: string
  /** Parties take turns at an address. */
  readonly party: string
}

/**
 * Grants visits their turn. A domain gets one visit at a time, followed by the pause that it asks for. An
 * address, which many websites share, gets a limited number of visits at once.
 */
export interface Slots {
  /**
   * Waits for the domain and for a place at the address. The returned function releases both; the domain's
   * next visit starts `pauseMs` later at the earliest.
   * @throws AbortError
   */
  take(whom: Whom, signal?: AbortSignal): Promise<(pauseMs: number) => Promise<void>>
}

/** Grants everything at once: for `detect`, and for tests that visit only themselves. */
export const noSlots: Slots = { take: async () => async () => {} }
