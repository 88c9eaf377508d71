import { setTimeout as pause } from 'node:timers/promises'
import { MembershipError } from '../../core/errors.ts'
import type { ClockWatch } from './clock.ts'
import type { Deliveries } from './deliveries.ts'
import { type Endpoint, endpointOf } from './silence.ts'
import type { Trouble, Troubles } from './troubles.ts'

/** The state of a site and its providers, for monitoring tools. It contains no name and no secret. */
export interface Health {
  readonly status: 'ok' | 'trouble'
  /** ISO 8601 UTC. */
  readonly at: string
  /** Current problems, oldest first. */
  readonly troubles: readonly Omit<Trouble, 'id'>[]
  /** Deliveries by account. */
  readonly endpoints: readonly Endpoint[]
}

/** Reports the health. The data is at most a few seconds old, and requests in between share it. */
export function createHealth(deps: {
  deliveries: Pick<Deliveries, 'list'>
  troubles: Pick<Troubles, 'list'>
  /** This process's clock check. */
  clock: Pick<ClockWatch, 'trouble'>
  isWatched: (provider: string) => boolean
  now: () => Date
}) {
  const { deliveries, troubles, clock, isWatched, now } = deps
  let known: { readonly until: number; readonly health: Promise<Health> } | null = null

  const read = async (): Promise<Health> => {
    const [stored, received] = await Promise.all([troubles.list(), deliveries.list()])
    const ofClock = clock.trouble()
    const wrong = ofClock === null ? stored : [...stored, ofClock]
    const watched = received.filter(({ provider }) => isWatched(provider))
    return {
      status: wrong.length === 0 ? 'ok' : 'trouble',
      at: now().toISOString(),
      troubles: wrong.map(({ id: _, ...trouble }) => trouble),
      endpoints: watched.map((item) => endpointOf(item, now())),
    }
  }

  /** @throws ERR_STORAGE when the database does not answer within two seconds */
  return async (): Promise<Health> => {
    if (known === null || known.until <= performance.now())
      known = { until: performance.now() + keptMs, health: inTime(read()) }
    try {
      return await known.health
    } catch (error) {
      known = null
      throw error
    }
  }
}

const keptMs = 5000

/** @throws ERR_STORAGE after two seconds, because a monitoring tool waits no longer */
async function inTime(health: Promise<Health>): Promise<Health> {
  const stop = new AbortController()
  const silence = pause(answerMs, undefined, { signal: stop.signal }).then(() => {
    throw new MembershipError('ERR_STORAGE', `The database did not answer within ${answerMs / 1000} s.`, {
      action: 'See whether the database runs and can be reached.',
    })
  })
  try {
    return await Promise.race([health, silence])
  } finally {
    for (const late of [health, silence]) late.catch(() => undefined)
    stop.abort()
  }
}
const answerMs = 2000
