import type { Context, Middleware } from 'koa'
import type { Log } from '../core/log.ts'
import { assets } from '../core/pages/assets.ts'
import { errorTexts } from '../core/pages/error-texts.ts'
import type { View } from '../memberships/members/index.ts'
import { describing } from './api/index.ts'
import type { RequestContext } from './assembly/request-context.ts'
import type { createRoutes } from './assembly/routes.ts'
import type { Services } from './assembly/services.ts'
import { unsharedOnceAsked } from './hosts/asked.ts'
import { below, chain } from './hosts/chain.ts'
import { limitAnswer } from './limit-answer.ts'

/** Builds the middleware of a request: `middleware` looks up the visitor, `koa` does everything. */
export const createRequestChain = (deps: {
  services: Pick<Services, 'mailing' | 'reports'>
  requestContext: Pick<RequestContext, 'viewOf'>
  routes: ReturnType<typeof createRoutes>
  office: Middleware | null
  log: Log
  scope: <T>(view: View, fn: () => T) => T
}): { middleware: Middleware; koa: Middleware } => {
  const { services, requestContext, routes, office, scope, log } = deps
  const middleware: Middleware = async (ctx, next) => {
    services.mailing.noteAddress(ctx.req)
    const view = unsharedOnceAsked(await requestContext.viewOf(ctx), ctx.res)
    ;(ctx as Context & { membership: View }).membership = view
    return scope(view, next)
  }
  const koa = chain([
    below('/membership/', [routes.webhooks, routes.health]),
    // Partners are not visitors, so no member is looked up for them.
    services.reports.middleware,
    middleware,
    limitAnswer(routes.limitPage, log),
    below('/membership/', [...routes.purchases, ...routes.shop, routes.login, routes.account]),
    ...(office === null ? [] : [below('/membership/office', [office])]),
    ...routes.ofProviders,
    assets('/membership/assets'),
    errorTexts(),
    describing(() => routes.listing),
  ])
  return { middleware, koa }
}
