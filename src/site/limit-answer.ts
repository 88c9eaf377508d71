import type { Context, Middleware } from 'koa'
import { isMembershipError, type MembershipError } from '../core/errors.ts'
import { wantsPage } from '../core/http/forms.ts'
import { problems } from '../core/http/problems.ts'
import type { Log } from '../core/log.ts'
import { markPrivate } from '../memberships/members/index.ts'

/** Renders the page shown when a limit is reached, with the offers that give more. */
export type LimitPage = (ctx: Context, error: MembershipError<'ERR_LIMIT'>) => Promise<string>

/** Answers `ERR_LIMIT` of the site's own routes with 402: browsers get the page, programs the problem document. */
export function limitAnswer(page: LimitPage, log: Log): Middleware {
  const answer = problems(log)
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!isMembershipError(error, 'ERR_LIMIT')) throw error
      markPrivate(ctx as Context)
      if (!wantsPage(ctx as Context)) return answer(ctx, () => Promise.reject(error))
      ctx.status = error.status
      ctx.type = 'html'
      ctx.body = await page(ctx as Context, error)
    }
  }
}
