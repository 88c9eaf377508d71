import { MembershipError } from '../../core/errors.ts'
import { createDocuments, type Storage } from '../../core/storage/index.ts'
import type { Rate } from '../../providers/rate.ts'
import type { Place } from './compare-places.ts'

/** Which part of what a provider takes is used: of what nobody asked for a tenth, of what somebody waits for a fifth. */
export const shares = { byItself: 0.1, byHand: 0.2 } as const

/** The rate where no limit is known: few enough for any. */
export const unknownRate: Rate = { requests: 5, seconds: 1, source: 'none was found' }

/**
 * Paces the requests to a provider, by all processes together: each request waits until it is within its share of
 * what the provider takes. Turns are had from the database, a second's worth at a time.
 */
export const createBudget = (deps: {
  storage: Storage
  /** By provider's key. */
  rates: ReadonlyMap<string, Rate>
  /** Which mode the site runs in. */
  livemode: (provider: string) => boolean | null
  now: () => Date
  wait: (ms: number) => Promise<unknown>
}) => {
  const { storage, rates, livemode, now, wait } = deps
  const documents = createDocuments(storage, 'pace')
  const left = new Map<string, { requests: number; endsAt: number }>()

  /** The time for which one request keeps the next one waiting. */
  const intervalOf = (provider: string, share: number): number => {
    const { requests, seconds, inTest } = rates.get(provider) ?? unknownRate
    const most = livemode(provider) === false ? Math.min(requests, inTest ?? requests) : requests
    return (1000 * seconds) / (most * share)
  }

  /** Waits until one more request may be made of this provider's account.
   *  @throws ERR_BUSY where that would take longer than `patienceMs` */
  const turn = async (
    { key, account }: Pick<Place, 'key' | 'account'>,
    share: number,
    patienceMs = Number.POSITIVE_INFINITY,
  ): Promise<void> => {
    const name = `${key} ${account} ${share}`
    const mine = left.get(name)
    if (mine && mine.requests > 0 && mine.endsAt > now().getTime()) {
      mine.requests--
      return
    }
    const interval = intervalOf(key, share)
    const requests = Math.max(1, Math.floor(1000 / interval))
    const begins = await reserve(name, requests * interval, patienceMs)
    left.set(name, { requests: requests - 1, endsAt: begins + Math.max(1000, requests * interval) })
    const ahead = begins - now().getTime()
    if (ahead > 0) await wait(ahead)
  }

  /** From when on the next so many milliseconds are ours. */
  const reserve = async (name: string, ms: number, patienceMs: number): Promise<number> => {
    for (;;) {
      const was = await documents.get<{ free_at: number }>(name)
      const moment = now().getTime()
      const free = was?.free_at ?? 0
      // Further ahead than anybody waits: it was written by a wrong clock.
      const begins = free > moment + longestMs ? moment : Math.max(moment, free)
      if (begins - moment > patienceMs) throw busy(begins - moment)
      const value = { free_at: begins + ms }
      if (await documents.swap({ key: name, was, value }, new Map())) return begins
    }
  }

  return { turn, intervalOf }
}
export type Budget = ReturnType<typeof createBudget>

const longestMs = 600_000

const busy = (ms: number): MembershipError =>
  new MembershipError('ERR_BUSY', 'The provider is being asked by many at this moment.', {
    action: 'Try again in a minute.',
    retryAfterSeconds: Math.ceil(ms / 1000),
  })
