/** Who may be asked when: one connection at a time, and a pause after it, for each registrable domain and address. */
export interface Slots {
  /** Waits until all of these are free and takes them. The function that it gives lets go; the next visit comes no
   *  sooner than `pauseMs` after. @throws AbortError */
  take(keys: readonly string[], signal?: AbortSignal): Promise<(pauseMs: number) => Promise<void>>
}

/** Takes every key at once: for `detect`, and for tests that ask only themselves. */
export const noSlots: Slots = { take: async () => async () => {} }
