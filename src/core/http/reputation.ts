import { createRecent } from '../recent.ts'
import type { RateLimit } from './rate-limit.ts'

/** The store of proofs for other processes and later starts. */
export interface ProofStore {
  /** Every address that is kept, with the moment of its newest proof. */
  readonly list: () => Promise<readonly Proof[]>
  readonly put: (proof: Proof) => Promise<void>
  readonly remove: (address: string) => Promise<void>
}
export interface Proof {
  readonly address: string
  /** ISO 8601 UTC. */
  readonly at: string
}

/**
 * Senders of what nobody can verify, judged by what became of it later. What was false counts against the address. One
 * from which something true came is refused nothing for 35 days, so that a site whose members pay once a month knows its
 * provider's addresses: whoever makes the provider send something false from there, by an account of his own, shall not
 * silence it.
 */
export const createReputation = (
  ratelimit: RateLimit,
  { store, now = () => new Date() }: { store?: ProofStore; now?: () => Date } = {},
) => {
  /** The moment of the newest proof, in ms. */
  const proven = createRecent<number>(10_000)
  const savedAt = createRecent<number>(10_000)
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  const isProven = (address: string): boolean =>
    now().getTime() - (proven.get(address) ?? Number.NEGATIVE_INFINITY) < provenMs

  const read = async (): Promise<void> => {
    readAt = performance.now()
    for (const { address, at } of (await store?.list()) ?? []) {
      const moment = Date.parse(at)
      if (now().getTime() - moment >= provenMs) await store?.remove(address)
      else {
        proven.set(address, Math.max(moment, proven.get(address) ?? moment))
        savedAt.set(address, moment)
      }
    }
  }

  return {
    isProven,
    /** Learns what other processes and earlier starts proved; asks the store once a minute at most. */
    refresh: async (): Promise<void> => {
      if (store === undefined || performance.now() - readAt < readMs) return
      reading ??= read().finally(() => {
        reading = null
      })
      await reading
    },
    /** Answers whether that is new. */
    wasTrue: async (address: string): Promise<boolean> => {
      const isNew = !isProven(address)
      const at = now()
      proven.set(address, at.getTime())
      if (at.getTime() - (savedAt.get(address) ?? Number.NEGATIVE_INFINITY) >= dayMs) {
        savedAt.set(address, at.getTime())
        await store?.put({ address, at: at.toISOString() })
      }
      return isNew
    },
    wasFalse: async (address: string): Promise<void> => {
      await ratelimit.consume(address).catch(() => undefined)
    },
    /** @throws ERR_RATE_LIMIT when too much of what came from there was false */
    assertWelcome: async (address: string): Promise<void> => {
      if (!isProven(address)) await ratelimit.assertLeft(address)
    },
  }
}
export type Reputation = ReturnType<typeof createReputation>

const dayMs = 86_400_000
const provenMs = 35 * dayMs
const readMs = 60_000
