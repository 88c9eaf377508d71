import type { Context, Middleware } from 'koa'
import { assets } from '../core/pages/assets.ts'
import { errorTexts } from '../core/pages/error-texts.ts'
import type { View } from '../memberships/members/index.ts'
import { describing } from './api/index.ts'
import type { People } from './assembly/people.ts'
import type { Rooms } from './assembly/rooms.ts'
import type { createRoutes } from './assembly/routes.ts'
import { unsharedOnceAsked } from './hosts/asked.ts'
import { below, chain } from './hosts/chain.ts'

/** What a request goes through, in this order: `middleware` looks up whose it is, `koa` is everything. */
export const createRequestChain = (deps: {
  rooms: Pick<Rooms, 'mailing' | 'reports'>
  people: Pick<People, 'viewOf'>
  routes: ReturnType<typeof createRoutes>
  office: Middleware | null
  scope: <T>(view: View, fn: () => T) => T
}): { middleware: Middleware; koa: Middleware } => {
  const { rooms, people, routes, office, scope } = deps
  const middleware: Middleware = async (ctx, next) => {
    rooms.mailing.noteAddress(ctx.req)
    const view = unsharedOnceAsked(await people.viewOf(ctx), ctx.res)
    ;(ctx as Context & { membership: View }).membership = view
    return scope(view, next)
  }
  const koa = chain([
    below('/membership/', [routes.webhooks, routes.health]),
    // Partners are no visitors: nobody is looked up for them.
    rooms.reports.middleware,
    middleware,
    below('/membership/', [...routes.purchases, ...routes.shop, routes.login, routes.account]),
    ...(office === null ? [] : [below('/membership/office', [office])]),
    ...routes.ofProviders,
    assets('/membership/assets'),
    errorTexts(),
    describing(() => routes.listing),
  ])
  return { middleware, koa }
}
