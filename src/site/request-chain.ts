import type { Context, Middleware } from 'koa'
import { withValue } from '../core/awaitable.ts'
import type { BrandConfig } from '../core/brand.ts'
import { isMembershipError, type MembershipError } from '../core/errors.ts'
import type { Addresses } from '../core/http/addresses.ts'
import { wantsPage } from '../core/http/forms.ts'
import { problems } from '../core/http/problems.ts'
import type { Log } from '../core/log.ts'
import { assets } from '../core/pages/assets.ts'
import { errorTexts } from '../core/pages/error-texts.ts'
import { markPrivate, type View } from '../memberships/members/index.ts'
import { describing } from './api/index.ts'
import type { RequestContext } from './assembly/request-context.ts'
import type { createRoutes } from './assembly/routes.ts'
import type { Services } from './assembly/services.ts'
import { unsharedOnceAsked } from './hosts/asked.ts'
import { below, chain } from './hosts/chain.ts'

/** Builds the middleware of a request: `middleware` looks up the visitor, `koa` does everything. */
export function createRequestChain(deps: {
  services: Pick<Services, 'mailing' | 'reports'>
  requestContext: Pick<RequestContext, 'viewIn'>
  routes: ReturnType<typeof createRoutes>
  office: Middleware | null
  brand: BrandConfig
  addresses: Pick<Addresses, 'below' | 'base'>
  log: Log
  scope: <T>(view: View, fn: () => T) => T
}): { middleware: Middleware; koa: Middleware } {
  const { services, requestContext, routes, office, brand, addresses, scope, log } = deps
  const middleware: Middleware = (ctx, next) => {
    services.mailing.noteAddress(ctx.req)
    return withValue(requestContext.viewIn(ctx), (found) => {
      const view = unsharedOnceAsked(found, ctx.res)
      ;(ctx as Context & { membership: View }).membership = view
      return scope(view, next)
    })
  }
  const koa = chain([
    // The address of a file or a feed is its key: the visitor's own view does not matter.
    below('/membership/', [routes.webhooks, routes.health, routes.downloads, routes.audit]),
    // Partners are not visitors, so no member is looked up for them.
    services.reports.middleware,
    middleware,
    limitAnswer(routes.limitPage, log),
    below('/membership/', [...routes.purchases, ...routes.shop, routes.login, routes.account]),
    ...(office === null ? [] : [below('/membership/office', [office])]),
    ...routes.ofProviders,
    assets('/membership/assets', brand),
    errorTexts(),
    describing(() => routes.listing, addresses.base),
  ])
  return { middleware, koa: addresses.below(koa) }
}

/** Renders the page shown when a limit is reached, with the offers that give more. */
type LimitPage = (ctx: Context, error: MembershipError<'ERR_LIMIT'>) => Promise<string>

/** Answers `ERR_LIMIT` of the site's own routes with 402: browsers get the page, programs the problem document. */
function limitAnswer(page: LimitPage, log: Log): Middleware {
  const answer = problems(log)
  return (ctx, next) =>
    next().catch(async (error: unknown) => {
      if (!isMembershipError(error, 'ERR_LIMIT')) throw error
      markPrivate(ctx as Context)
      if (!wantsPage(ctx as Context)) return answer(ctx, () => Promise.reject(error))
      ctx.status = error.status
      ctx.type = 'html'
      ctx.body = await page(ctx as Context, error)
    })
}
