import type { RateLimiterMemory as Memory, RateLimiterAbstract } from 'rate-limiter-flexible'
// @ts-expect-error: the package has types of its index alone, which loads its limiters for every store
import memoryModule from 'rate-limiter-flexible/lib/RateLimiterMemory.js'

const RateLimiterMemory = memoryModule as typeof Memory

/** Counters of one minute. Counters with the same name and store count together, across all processes of the site. */
export interface Counters {
  of(name: string, points: number): RateLimiterAbstract
  close(): Promise<void>
}

/** Counts in this process's memory. */
export const inMemory: Counters = {
  of: (_name, points) => new RateLimiterMemory({ points, duration }),
  close: async () => {},
}

/** The length of a counting window, in seconds. */
export const duration = 60
