import type { RateLimiterRes } from 'rate-limiter-flexible'
import { MembershipError } from '../errors.ts'
import { type Counters, inMemory } from './counters.ts'

/** The rest of a minute's limit for the `RateLimit` fields. */
export interface RateLimitState {
  /** The limit's name in the header fields. */
  readonly policy: string
  readonly limit: number
  readonly remaining: number
  /** Seconds until the window restarts. */
  readonly resetSeconds: number
}

/** The limit per minute, and its wording in a refusal. */
export interface RateLimitOptions {
  /** Requests per minute. */
  readonly limit: number
  /** The counter's name in every store. Default: the policy. */
  readonly name?: string
  readonly policy?: string
  readonly counters?: Counters
  /** The counted party, as the answer words it. */
  readonly who?: string
  /** The configuration key that raises the limit; null where none does. */
  readonly setting?: string | null
}

export interface RateLimit {
  readonly limit: number
  /**
   * Counts one request.
   * @throws ERR_RATE_LIMIT when the limit is used up
   */
  consume(subject: string): Promise<RateLimitState>
  /**
   * Checks the limit without counting.
   * @throws ERR_RATE_LIMIT when the limit is used up
   */
  assertLeft(subject: string): Promise<void>
  /** Takes one request back. */
  giveBack(subject: string): Promise<void>
}

/** Counts requests in one-minute windows, by address or key. Default: in this process's memory. */
export function createRateLimit({
  limit,
  policy = 'default',
  name = policy,
  counters = inMemory,
  who = 'your address',
  setting = 'membership.ratelimit.limit',
}: RateLimitOptions): RateLimit {
  const limiter = counters.of(name, limit)
  const toState = (result: RateLimiterRes): RateLimitState => ({
    policy,
    limit,
    remaining: result.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  })

  const consume = async (subject: string): Promise<RateLimitState> => {
    try {
      return toState(await limiter.consume(subject))
    } catch (refused) {
      // When the limit is used up, the library throws a result that is no Error.
      throw refused instanceof Error ? refused : usedUp(refused as RateLimiterRes)
    }
  }

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

  const giveBack = async (subject: string): Promise<void> => {
    await limiter.reward(subject)
  }

  return { limit, consume, assertLeft, giveBack }
}

/** The `RateLimit` and `RateLimit-Policy` header fields (IETF draft, structured fields). */
export function rateLimitFields({
  policy,
  limit,
  remaining,
  resetSeconds,
}: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};w=60`,
    RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  }
}
