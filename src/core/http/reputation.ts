import { createRecent } from '../recent.ts'
import type { RateLimit } from './rate-limit.ts'

/**
 * Who sends what nobody can verify, by what becomes of it later. What was false counts against the address. One from
 * which something true came is refused nothing for a day: it is the provider's own, and whoever makes the provider send
 * something false from there, by an account of his own, shall not silence it.
 */
export const createReputation = (ratelimit: RateLimit) => {
  const proven = createRecent<true>(10_000, dayMs)

  return {
    isProven: (address: string): boolean => proven.has(address),
    wasTrue: (address: string): void => void proven.set(address, true),
    wasFalse: async (address: string): Promise<void> => {
      await ratelimit.consume(address).catch(() => undefined)
    },
    /** @throws ERR_RATE_LIMIT when too much of what came from there was false */
    assertWelcome: async (address: string): Promise<void> => {
      if (!proven.has(address)) await ratelimit.assertLeft(address)
    },
  }
}
export type Reputation = ReturnType<typeof createReputation>

const dayMs = 86_400_000
