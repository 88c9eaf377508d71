import type { Names, RegisteredNames } from '../core/register.ts'
import type { GateTerms } from '../memberships/members/index.ts'
import type { Membership } from '../site/membership.ts'
import { openedOnce } from './opened-once.ts'
import { createGates } from './route-gates.ts'

/**
 * Connects an instance to React Router in framework mode. The instance opens with the first request, not
 * while Vite builds.
 */
export function reactRouterHost<N extends Names = RegisteredNames>(open: () => Promise<Membership<N>>) {
  const instance = openedOnce(open)
  const { gateOf } = createGates(instance)

  /**
   * For `app/root.jsx`, `export const middleware = [host.middleware]`: handles all routes. Below it,
   * `membership()` answers for the visitor in loaders, actions and components on the server.
   */
  const middleware = async (
    { request }: { readonly request: Request },
    next: () => Promise<Response>,
  ): Promise<Response> => (await instance()).fetch(request, { next: () => next() })

  /**
   * Middleware of a route: `export const middleware = [host.gate('pro')]` closes its page, its data and the
   * routes below it. With `free` among the terms, some pages are open to others.
   */
  const gate = (gates: N['gates'] | readonly N['gates'][], terms: GateTerms = {}) => {
    const answer = gateOf(gates, terms)
    return async (
      { request }: { readonly request: Request },
      next: () => Promise<Response>,
    ): Promise<Response> => {
      const isPage = request.headers.get('accept')?.includes('text/html') ?? false
      // React Router shows the error boundary of the route for what is thrown.
      return answer({ request, page: next, onDenied: isPage ? undefined : closed })
    }
  }

  const unknown = (): Response => new Response(null, { status: 404 })
  return {
    instance,
    middleware,
    gate,
    /** For the route `membership/*`, by which React Router knows our addresses; the middleware answers them. */
    loader: unknown,
    action: unknown,
  }
}

function closed(): never {
  throw new Response('This page is for members.', {
    status: 403,
    headers: { 'Cache-Control': 'private, no-store' },
  })
}
