import type { RateLimiterAbstract } from 'rate-limiter-flexible'
// The package's own index loads its limiters for every store, which few sites have.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'

/** Where a minute is counted: counters of one name and store count together, in every process of the site. */
export interface Counters {
  of(name: string, points: number): RateLimiterAbstract
  close(): Promise<void>
}

/** Counts in the memory of this process. */
export const inMemory: Counters = {
  of: (_name, points) => new RateLimiterMemory({ points, duration }),
  close: async () => {},
}

/** Seconds in which is counted. */
export const duration = 60
