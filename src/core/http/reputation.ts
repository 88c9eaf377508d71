import { createRecent } from '../recent.ts'
import type { RateLimit } from './rate-limit.ts'

/** Stores proofs for other processes and later starts. */
export interface ProofStore {
  /** Lists every stored address with its newest proof. */
  readonly list: () => Promise<readonly Proof[]>
  readonly put: (proof: Proof) => Promise<void>
  readonly remove: (address: string) => Promise<void>
}
export interface Proof {
  readonly address: string
  /** ISO 8601 UTC. */
  readonly at: string
}

export interface Reputation {
  isProven(address: string): boolean
  /** Reads what other processes and earlier starts proved, at most once a minute. */
  refresh(): Promise<void>
  /** Records a genuine ping. Returns true if the address is new. */
  wasTrue(address: string): Promise<boolean>
  wasFalse(address: string): Promise<void>
  /** @throws ERR_RATE_LIMIT when too many pings from the address were false */
  assertWelcome(address: string): Promise<void>
}

/**
 * Judges senders of unsigned pings by their later results. A false ping counts against its address. An address with a
 * genuine ping is never refused for 35 days, so that a site with monthly payments knows its provider's addresses.
 * Otherwise an attacker could silence the provider by making it send false pings from there.
 */
export function createReputation(
  ratelimit: RateLimit,
  { store, now = () => new Date() }: { store?: ProofStore; now?: () => Date } = {},
): Reputation {
  /** By address: its newest proof, in milliseconds of Unix time. */
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
    refresh: async (): Promise<void> => {
      if (store === undefined || performance.now() - readAt < readMs) return
      reading ??= read().finally(() => {
        reading = null
      })
      await reading
    },
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
    assertWelcome: async (address: string): Promise<void> => {
      if (!isProven(address)) await ratelimit.assertLeft(address)
    },
  }
}

const dayMs = 86_400_000
const provenMs = 35 * dayMs
const readMs = 60_000
