import type { Middleware } from 'koa'
import { lazy } from '../../core/lazy.ts'
import type { Log } from '../../core/log.ts'
import type { View } from '../../memberships/members/index.ts'
import { isPersonal, notePersonal, noticing, unsharedOnceAsked, withHeaders } from '../hosts/asked.ts'
import { standaloneOf } from '../hosts/standalone.ts'
import { type FetchOrigin, toResponse } from '../hosts/web.ts'
import type { Membership } from './instance.ts'
import type { People } from './people.ts'

/** The routes for hosts that are not Koa: what is ours is answered, everything else goes on with its view in scope. */
export const createServing = (deps: {
  koa: Middleware
  reports: { readonly middleware: Middleware; isOurs(url?: string): boolean }
  people: Pick<People, 'lookUp' | 'noteView' | 'contexts'>
  log: Log
  scope: <T>(view: View, fn: () => T) => T
}): Pick<Membership, 'listener' | 'fetch'> => {
  const { koa, reports, log, scope } = deps
  const { lookUp, noteView, contexts } = deps.people
  const standalone = lazy(() => standaloneOf(koa, log))
  const partners = lazy(() => standaloneOf(reports.middleware, log))
  // Routers know no difference of case.
  const isOurs = (path = '') => /^\/membership\//i.test(path)

  const listener: Membership['listener'] = () => (request, response, next) => {
    if (reports.isOurs(request.url)) return void partners()(request, response)
    if (!next || isOurs(request.url)) return void standalone()(request, response)
    lookUp(request).then((found) => {
      const view = noteView(request, unsharedOnceAsked(found, response))
      Object.assign(request, { membership: view })
      scope(view, () => next())
    }, next)
  }

  const pageOf = async (
    request: Request,
    next: NonNullable<FetchOrigin['next']>,
    address: string | undefined,
  ): Promise<Response> => {
    const { res } = contexts.of(request, undefined, address)
    const view = noteView(
      request,
      noticing(await lookUp(request), () => notePersonal(res)),
    )
    const answer = await scope(view, () => next(view))
    return withHeaders(answer, {
      cookies: contexts.headersFor(request).getSetCookie(),
      isPersonal: () => isPersonal(res),
    })
  }
  // Whoever hands this function to a server as it is gives it something else as the second argument there.
  const fetch: Membership['fetch'] = async (request, { address, next } = {}) => {
    const { pathname } = new URL(request.url)
    if (typeof next !== 'function' || isOurs(pathname) || reports.isOurs(pathname))
      return toResponse(standalone(), request, { address })
    return pageOf(request, next, typeof address === 'string' ? address : undefined)
  }
  return { listener, fetch }
}
