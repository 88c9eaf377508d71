import { setTimeout as pause } from 'node:timers/promises'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible'
import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { loadFromSite } from '../package-folder.ts'
import type { Storage } from '../storage/index.ts'
import { type Counters, duration } from './counters.ts'
import { repeated } from './repeated.ts'

/** Options of every shared store. A caller who used up the limit is refused from memory, to spare the store. */
function shared(name: string, points: number) {
  return {
    points,
    duration,
    keyPrefix: name,
    inMemoryBlockOnConsumed: points,
    insuranceLimiter: new RateLimiterMemory({ points, duration }),
  }
}

/**
 * Counts in PostgreSQL.
 * @throws ERR_CONFIG on SQLite
 */
export function inDatabase({ send }: Pick<Storage, 'send'>, log: Log): Counters {
  if (send === undefined)
    throw new MembershipError(
      'ERR_CONFIG',
      'membership.ratelimit.store is "database", and SQLite keeps no counts.',
      {
        action:
          'Leave membership.ratelimit.store out: one process counts in its memory; several need PostgreSQL or Redis.',
      },
    )
  const ask = patiently(send, log)
  // The library uses named statements. Behind a pooler in transaction mode, names of other connections would collide.
  const storeClient = { query: ({ text, values }: Sent) => ask(text, values) }
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

type Send = NonNullable<Storage['send']>

/** Waits a moment for an answer. After a silence nothing is asked for a while, so that pages do not wait in turn. */
function patiently(send: Send, log: Log): Send {
  let silentUntil = 0
  return async (text, values) => {
    if (performance.now() < silentUntil) throw new Error('PostgreSQL was silent a moment ago.')
    const stop = new AbortController()
    const silence = pause(patienceMs, undefined, { signal: stop.signal }).then(() => {
      silentUntil = performance.now() + silentMs
      repeated(log)('PostgreSQL does not answer: each process counts requests by itself')
      throw new Error(`PostgreSQL did not answer within ${patienceMs} ms.`)
    })
    try {
      return await Promise.race([send(text, values), silence])
    } finally {
      silence.catch(() => undefined)
      stop.abort()
    }
  }
}

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Counts in Redis.
 * @throws ERR_CONFIG where its client is missing
 */
export function inRedis(url: string, log: Log): Counters {
  const { Redis } = loadRedis()
  // A command that cannot be sent now is counted in memory instead of waiting. A hanging Redis is dropped after a
  // moment, so that only the requests of that moment wait.
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

/** How long a request waits for a hanging Redis, in milliseconds. */
const answerMs = 250

/** The patience of a request with PostgreSQL, in milliseconds. It is longer, because the pool also serves pages. */
const patienceMs = 500

/** The rest of a silent PostgreSQL before it is asked again, in milliseconds. */
const silentMs = 5000

function loadRedis(): typeof import('ioredis') {
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
