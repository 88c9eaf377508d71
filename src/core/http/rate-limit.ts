import type { RateLimiterRes } from 'rate-limiter-flexible'
import { MembershipError } from '../errors.ts'
import { type Counters, inMemory } from './counters.ts'

/** The rest of a minute, as the `RateLimit` fields say it. */
export interface RateLimitState {
  /** The name under which the caller is told of it. */
  readonly policy: string
  readonly limit: number
  readonly remaining: number
  /** Seconds until the window starts anew. */
  readonly resetSeconds: number
}

/** The limit of a minute, and its name in a refusal. */
export interface RateLimitOptions {
  /** Requests per minute. */
  readonly limit: number
  /** The name of what is counted; its own in every store. Unless given, the policy. */
  readonly name?: string
  readonly policy?: string
  readonly counters?: Counters
  /** The party that is counted, in the words of the answer. */
  readonly who?: string
  /** The configuration key that raises it; null where none does. */
  readonly setting?: string | null
}

/** Counts requests in windows of a minute, per address or key; in this process's memory unless told where. */
export const createRateLimit = ({
  limit,
  policy = 'default',
  name = policy,
  counters = inMemory,
  who = 'your address',
  setting = 'membership.ratelimit.limit',
}: RateLimitOptions) => {
  const limiter = counters.of(name, limit)
  const toState = (result: RateLimiterRes): RateLimitState => ({
    policy,
    limit,
    remaining: result.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  })

  /** Counts one request. @throws ERR_RATE_LIMIT when the minute is used up */
  const consume = async (subject: string): Promise<RateLimitState> => {
    try {
      return toState(await limiter.consume(subject))
    } catch (refused) {
      // The library throws what is left of the minute, which is no error, where it is used up.
      throw refused instanceof Error ? refused : usedUp(refused as RateLimiterRes)
    }
  }

  /** Counts nothing. @throws ERR_RATE_LIMIT when the minute is used up */
  const assertLeft = async (subject: string): Promise<void> => {
    const known = await limiter.get(subject)
    if (known && known.consumedPoints >= limit) throw usedUp(known)
  }

  const usedUp = (result: RateLimiterRes): MembershipError => {
    const { resetSeconds } = toState(result)
    return new MembershipError(
      'ERR_RATE_LIMIT',
      `More than ${limit} requests in a minute came from ${who}.`,
      {
        retryAfterSeconds: resetSeconds,
        action: `Wait ${resetSeconds} seconds.${setting === null ? '' : ` Site owners raise it with ${setting}.`}`,
      },
    )
  }

  /** Takes one request back. */
  const giveBack = async (subject: string): Promise<void> => {
    await limiter.reward(subject)
  }

  return { limit, consume, assertLeft, giveBack }
}
export type RateLimit = ReturnType<typeof createRateLimit>

/** The `RateLimit` and `RateLimit-Policy` header fields (IETF draft, structured fields). */
export const rateLimitFields = ({
  policy,
  limit,
  remaining,
  resetSeconds,
}: RateLimitState): Record<string, string> => ({
  'RateLimit-Policy': `"${policy}";q=${limit};w=60`,
  RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
})
