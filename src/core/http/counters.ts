import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
} from 'rate-limiter-flexible'
import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { loadFromSite } from '../package-folder.ts'
import type { Storage } from '../storage/index.ts'
import { repeated } from './repeated.ts'

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

const duration = 60

/** `memory`, `database` (PostgreSQL), or the address of a Redis; null takes the database where it is PostgreSQL. While
 *  the store is away each process counts by itself. @throws ERR_CONFIG for a store that is not there */
export const openCounters = async (
  store: string | null,
  { storage, log }: { storage: Storage; log: Log },
): Promise<Counters> => {
  if (store === 'memory' || (store === null && storage.send === undefined)) return inMemory
  if (store === null || store === 'database') return inDatabase(storage)
  return inRedis(store, log)
}

/** What every shared store is given: whoever used the minute up is refused from memory, and spares it. */
const shared = (name: string, points: number) => ({
  points,
  duration,
  keyPrefix: name,
  inMemoryBlockOnConsumed: points,
  insuranceLimiter: new RateLimiterMemory({ points, duration }),
})

const inDatabase = ({ send }: Storage): Counters => {
  if (send === undefined)
    throw new MembershipError(
      'ERR_CONFIG',
      'membership.ratelimit.store is "database", and SQLite keeps no counts.',
      {
        action:
          'Leave membership.ratelimit.store out: one process counts in its memory; several need PostgreSQL or Redis.',
      },
    )
  // The library names its statements, and a pooler in transaction mode would meet names of other connections.
  const storeClient = { query: ({ text, values }: Sent) => send(text, values) }
  let isFirst = true
  return {
    of: (name, points) => {
      const clearExpiredByTimeout = isFirst
      isFirst = false
      return new RateLimiterPostgres({
        ...shared(name, points),
        storeClient,
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout,
      })
    },
    close: async () => {},
  }
}

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

const inRedis = (url: string, log: Log): Counters => {
  const { Redis } = loadRedis()
  // A command that cannot be sent now is counted in memory instead of waiting.
  const storeClient = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 })
  const tell = repeated(log)
  storeClient.on('error', (error: Error) =>
    tell('the Redis of membership.ratelimit.store is away: each process counts by itself', {
      error: error.message,
    }),
  )
  return {
    of: (name, points) =>
      new RateLimiterRedis({
        ...shared(`membership:${name}`, points),
        storeClient,
        rejectIfRedisNotReady: true,
      }),
    close: async () => storeClient.disconnect(),
  }
}

const loadRedis = (): typeof import('ioredis') => {
  try {
    return loadFromSite('ioredis') as typeof import('ioredis')
  } catch (cause) {
    throw new MembershipError(
      'ERR_CONFIG',
      'membership.ratelimit.store names a Redis, and the package ioredis is missing.',
      { action: 'npm install ioredis', cause },
    )
  }
}
