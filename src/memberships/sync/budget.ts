import { MembershipError } from '../../core/errors.ts'
import { createDocuments, type Storage } from '../../core/storage/index.ts'
import type { Rate } from '../../providers/contract.ts'
import type { Place } from './compare-places.ts'

/** Shares of a provider's rate limit: a tenth for automatic requests, a fifth while somebody waits. */
export const shares = { byItself: 0.1, byHand: 0.2 } as const

/** Used for an unknown limit; low enough for every provider. */
export const unknownRate: Rate = { requests: 5, seconds: 1, source: 'none was found' }

export interface Budget {
  /**
   * Waits until another request to this provider account is allowed.
   * @throws ERR_BUSY where that would take longer than `patienceMs`
   */
  turn(place: Pick<Place, 'key' | 'account'>, share: number, patienceMs?: number): Promise<void>
  /** The time between two requests. */
  intervalOf(provider: string, share: number): number
}

/**
 * Paces the requests of all processes to a provider, so that they stay within their share of its rate limit. The
 * database hands out turns, a second's worth at a time.
 */
export function createBudget(deps: {
  storage: Storage
  /** By provider: its rate limit. */
  rates: ReadonlyMap<string, Rate>
  /** The site's mode for a provider. */
  livemode: (provider: string) => boolean | null
  now: () => Date
  wait: (ms: number) => Promise<unknown>
}): Budget {
  const { storage, rates, livemode, now, wait } = deps
  const documents = createDocuments(storage, 'pace')
  const left = new Map<string, { requests: number; endsAt: number }>()

  const intervalOf = (provider: string, share: number): number => {
    const { requests, seconds, inTest } = rates.get(provider) ?? unknownRate
    const most = livemode(provider) === false ? Math.min(requests, inTest ?? requests) : requests
    return (1000 * seconds) / (most * share)
  }

  const turn = async (
    { key, account }: Pick<Place, 'key' | 'account'>,
    share: number,
    patienceMs = Number.POSITIVE_INFINITY,
  ): Promise<void> => {
    const name = `${key} ${account} ${share}`
    const reserved = left.get(name)
    if (reserved && reserved.requests > 0 && reserved.endsAt > now().getTime()) {
      reserved.requests--
      return
    }
    const interval = intervalOf(key, share)
    const requests = Math.max(1, Math.floor(1000 / interval))
    const begins = await reserve(name, requests * interval, patienceMs)
    left.set(name, { requests: requests - 1, endsAt: begins + Math.max(1000, requests * interval) })
    const ahead = begins - now().getTime()
    if (ahead > 0) await wait(ahead)
  }

  /** Reserves the next stretch of the given length, and returns its start. */
  const reserve = async (name: string, ms: number, patienceMs: number): Promise<number> => {
    for (;;) {
      const was = await documents.get<{ free_at: number }>(name)
      const moment = now().getTime()
      const free = was?.free_at ?? 0
      // A later moment than anybody waits for was written by a wrong clock.
      const begins = free > moment + longestMs ? moment : Math.max(moment, free)
      if (begins - moment > patienceMs) throw busy(begins - moment)
      const value = { free_at: begins + ms }
      if (await documents.swap({ key: name, was, value }, new Map())) return begins
    }
  }

  return { turn, intervalOf }
}

const longestMs = 600_000

function busy(ms: number): MembershipError {
  return new MembershipError('ERR_BUSY', 'The provider is being asked by many at this moment.', {
    action: 'Try again in a minute.',
    retryAfterSeconds: Math.ceil(ms / 1000),
  })
}
