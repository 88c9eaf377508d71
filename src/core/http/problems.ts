import type { Middleware } from 'koa'
import { isMembershipError, toProblem } from '../errors.ts'
import type { Log } from '../log.ts'
import { repeated } from './repeated.ts'

/** Answers this package's errors as RFC 9457 problems; what is unexpected goes to the log and becomes a bare 500. */
export const problems =
  (log: Log): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { status, body, retryAfterSeconds } = toProblem(error)
      if (!isMembershipError(error))
        log('unexpected error', { error: error instanceof Error ? error.stack : String(error) })
      // The same trouble meets many requests.
      else if (status >= 500) repeated(log)(error.message, { code: error.code })
      if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(Math.ceil(retryAfterSeconds)))
      ctx.status = status
      ctx.type = 'application/problem+json'
      ctx.body = JSON.stringify(body)
    }
  }
