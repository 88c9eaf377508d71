import type { RateLimiterMemory as Memory, RateLimiterAbstract } from 'rate-limiter-flexible'
// @ts-expect-error: the package has types of its index alone, which loads its limiters for every store
import memoryModule from 'rate-limiter-flexible/lib/RateLimiterMemory.js'

const RateLimiterMemory = memoryModule as typeof Memory

/** The counters of a minute: counters of one name and store count together, in every process of the site. */
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
