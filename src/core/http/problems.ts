import type { Context, Middleware } from 'koa'
import { isMembershipError, toProblem } from '../errors.ts'
import type { Log } from '../log.ts'
import { wantsPage } from './forms.ts'
import { repeated } from './repeated.ts'

/** Shows an error as a page for people. */
export type ErrorPage = (ctx: Context, problem: Readonly<Record<string, unknown>>) => Promise<void>

/**
 * Answers this package's errors as RFC 9457 problems, and browsers with a page if there is one. An unexpected error is
 * logged and becomes a plain 500.
 */
export function problems(log: Log, page?: ErrorPage): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { status, body, retryAfterSeconds } = toProblem(error)
      if (!isMembershipError(error))
        log('unexpected error', { error: error instanceof Error ? error.stack : String(error) })
      // One failure can hit many requests, so repetitions are counted.
      else if (status >= 500) repeated(log)(error.message, { code: error.code })
      if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(Math.ceil(retryAfterSeconds)))
      ctx.status = status
      if (page !== undefined && wantsPage(ctx as Context)) return page(ctx as Context, { ...body, status })
      ctx.type = 'application/problem+json'
      ctx.body = JSON.stringify(body)
    }
  }
}
