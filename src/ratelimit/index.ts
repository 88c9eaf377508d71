import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { MembershipError } from '../errors.ts'

export interface RateLimitState {
  readonly limit: number
  readonly remaining: number
  /** Seconds until the window starts anew. */
  readonly resetSeconds: number
}

/** Counts requests per address in windows of a minute, in this process's memory. */
export const createRateLimit = (limit: number) => {
  const limiter = new RateLimiterMemory({ points: limit, duration: 60 })

  /** Counts one request. @throws ERR_RATE_LIMIT when the address has used up its minute */
  const consume = async (address: string): Promise<RateLimitState> => {
    try {
      return toState(limit, await limiter.consume(address))
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused
      const { resetSeconds } = toState(limit, refused)
      throw new MembershipError(
        'ERR_RATE_LIMIT',
        `More than ${limit} requests in a minute came from your address.`,
        {
          retryAfterSeconds: resetSeconds,
          action: `Wait ${resetSeconds} seconds. Site owners raise it with membership.ratelimit.limit.`,
        },
      )
    }
  }

  return { limit, consume }
}
export type RateLimit = ReturnType<typeof createRateLimit>

/** The `RateLimit` and `RateLimit-Policy` header fields (IETF draft, structured fields). */
export const rateLimitFields = ({
  limit,
  remaining,
  resetSeconds,
}: RateLimitState): Record<string, string> => ({
  'RateLimit-Policy': `"default";q=${limit};w=60`,
  RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
})

const toState = (limit: number, result: RateLimiterRes): RateLimitState => ({
  limit,
  remaining: result.remainingPoints,
  resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
})
