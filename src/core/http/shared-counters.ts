import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible'
import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { loadFromSite } from '../package-folder.ts'
import type { Storage } from '../storage/index.ts'
import { type Counters, duration } from './counters.ts'
import { repeated } from './repeated.ts'

/** The options of every shared store: whoever used the minute up is refused from memory, and spares it. */
const shared = (name: string, points: number) => ({
  points,
  duration,
  keyPrefix: name,
  inMemoryBlockOnConsumed: points,
  insuranceLimiter: new RateLimiterMemory({ points, duration }),
})

/** Counts on PostgreSQL. @throws ERR_CONFIG on SQLite */
export const inDatabase = ({ send }: Storage): Counters => {
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

/** Counts in a Redis. @throws ERR_CONFIG where its client is missing */
export const inRedis = (url: string, log: Log): Counters => {
  const { Redis } = loadRedis()
  // A command that cannot be sent now is counted in memory instead of waiting.
  // A Redis that hangs is dropped after a moment, so that only the requests of that moment wait.
  const storeClient = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerMs,
    socketTimeout: answerMs,
  })
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

/** Milliseconds within which a Redis answers; a request waits this long for one that hangs. */
const answerMs = 250

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
