import type { IncomingMessage } from 'node:http'
import { isMembershipError, MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { clientAddress } from './caller-key.ts'
import { type RateLimit, rateLimitFields } from './rate-limit.ts'

/** The sender of a request for the rate limit. It is still known after the connection ended. */
export interface Caller {
  readonly address: string
  /** True if a proxy named its visitor but no proxy is trusted, so that all visitors may count as one. */
  readonly isSpokenFor: boolean
}

export interface Callers {
  callerOf(request: IncomingMessage): Caller
  /**
   * Counts one request. Returns the header fields with the rest of the limit.
   * @throws ERR_RATE_LIMIT
   */
  count(caller: Caller): Promise<Record<string, string>>
  /** Takes a counted request back, because the failure was ours. */
  giveBack(caller: Caller): Promise<void>
}

/** Counts requests by address, and reports when all visitors seem to share one. */
export function createCallers(deps: { ratelimit: RateLimit; trustProxy: number; log: Log }): Callers {
  const { ratelimit, trustProxy, log } = deps
  let isTold = false

  const callerOf = (request: IncomingMessage): Caller => ({
    address: clientAddress(request, trustProxy),
    isSpokenFor: trustProxy === 0 && request.headers['x-forwarded-for'] !== undefined,
  })

  const count = async (caller: Caller): Promise<Record<string, string>> => {
    try {
      return rateLimitFields(await ratelimit.consume(caller.address))
    } catch (error) {
      throw caller.isSpokenFor && isMembershipError(error, 'ERR_RATE_LIMIT') ? withProxies(error) : error
    }
  }

  const giveBack = (caller: Caller): Promise<void> => ratelimit.giveBack(caller.address)

  const withProxies = (error: MembershipError): MembershipError => {
    if (!isTold) log(`an address used its minute up, and proxies stand in front of this site: ${advice}`)
    isTold = true
    return new MembershipError('ERR_RATE_LIMIT', error.message, {
      action: `${error.action} This request came through a proxy: ${advice}`,
      retryAfterSeconds: error.retryAfterSeconds,
    })
  }

  return { callerOf, count, giveBack }
}

const advice =
  'unless membership.ratelimit.trust_proxy says how many of them are the site’s own, all visitors behind them count as one.'
