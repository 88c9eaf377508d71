import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { GateId, Names } from '../core/register.ts'
import type { GateTerms, View } from '../memberships/members/index.ts'
import { noteHost } from '../site/identify-input.ts'
import type { Membership } from '../site/membership.ts'
import type { FormInput } from '../site/membership-api.ts'
import { openedOnce } from './opened-once.ts'
import { createGates, createRouteGates, noVisitor, prerenderedGate, type RouteGates } from './route-gates.ts'

declare global {
  namespace App {
    interface Locals {
      /** The visitor's view, set by `handle`. */
      membership: View
    }
  }
  interface MembershipHosts {
    sveltekit: SvelteKitEvent
  }
}

/** The parts of SvelteKit's event used here: https://svelte.dev/docs/kit/@sveltejs-kit#RequestEvent */
export interface SvelteKitEvent {
  readonly request: Request
  readonly url: URL
  readonly locals: App.Locals
  readonly route: { readonly id: string | null }
  /** True for the data of a page, which the browser fetches when it changes pages or prefetches one. */
  readonly isDataRequest: boolean
  getClientAddress(): string
}

/** Options of `svelteKitHost`. */
export interface SvelteKitOptions {
  /** Gates of whole routes, by the id of the route or of a folder above it: `{ '/(members)': 'pro' }`. */
  readonly gates?: RouteGates
  /**
   * The ids of all routes, as `['/', '/(members)/archive']`. By default they are read from `src/routes`,
   * below the folder in which Vite or the server runs. A key of `gates` that is no route is refused. Where
   * routes are not known, a key also closes each address that it matches, and each below the part before its
   * first parameter.
   */
  readonly routes?: readonly string[]
}

/** Connects an instance to SvelteKit. The instance opens when the server starts, not while Vite builds. */
export function svelteKitHost(
  open: () => Promise<Membership<Names>>,
  { gates: gatesOfRoutes = {}, routes }: SvelteKitOptions = {},
) {
  const instance = openedOnce(open)
  const { gateOf, ofRoute } = createGates(instance)
  const gatesOf = createRouteGates(gatesOfRoutes, routes ?? routesIn('src/routes'))
  const answerTo = (event: SvelteKitEvent) => ({
    request: requestOf(event),
    // SvelteKit shows its error page with this message: https://svelte.dev/docs/kit/errors
    onDenied: event.isDataRequest ? deniedData : undefined,
  })

  /** For `src/hooks.server.js`: opens the instance with the server, so that its jobs run before the first request. */
  const init = async (): Promise<void> => {
    if (!isBuilding()) await instance()
  }

  /** For `src/hooks.server.js`: handles all routes, sets `locals.membership`, and closes the routes in `gates`. */
  const handle = async <E extends SvelteKitEvent>({
    event,
    resolve,
  }: {
    readonly event: E
    readonly resolve: (event: E) => Response | Promise<Response>
  }): Promise<Response> => {
    const address = addressOf(event)
    const gates = gatesOf(event.route.id, event.url.pathname)
    if (address === prerendering) {
      if (gates !== undefined) throw new TypeError(prerenderedGate(event.route.id ?? ''))
      Object.defineProperty(event.locals, 'membership', { get: noVisitor, configurable: true })
      return resolve(event)
    }
    noteHost(event.request, { kind: 'sveltekit', request: event })
    return (await instance()).fetch(event.request, {
      address,
      next: async (view) => {
        event.locals.membership = view
        const page = async () => resolve(event)
        return gates === undefined ? page() : ofRoute(gates)({ ...answerTo(event), page })
      },
    })
  }

  /**
   * Wraps an endpoint of `+server.js` so that it admits only members with any of the gates. With `free` among
   * the terms, some pages are open to others.
   */
  const gated = <E extends SvelteKitEvent>(
    gates: GateId | readonly GateId[],
    handler: (event: E) => Response | Promise<Response>,
    terms: GateTerms = {},
  ) => {
    const gate = gateOf(gates, terms)
    return (event: E): Promise<Response> => gate({ ...answerTo(event), page: () => handler(event) })
  }

  /** Returns the hidden field `token` for a form on this page. */
  const formToken = async ({ request }: Pick<SvelteKitEvent, 'request'>): Promise<string> =>
    (await instance()).pages.formToken(request).token
  /** Returns a complete form with one button. */
  const form = async ({ request }: Pick<SvelteKitEvent, 'request'>, input: FormInput): Promise<string> =>
    (await instance()).pages.form(request, input).html

  return { instance, init, handle, gated, formToken, form }
}

function deniedData(): Response {
  return Response.json({ message: 'This page is for members.' }, { status: 403 })
}

// A page and its data are one page for gates that count free ones.
function requestOf(event: SvelteKitEvent): Request {
  if (!event.isDataRequest) return event.request
  const page = new Request(event.url, { headers: event.request.headers })
  noteHost(page, { kind: 'sveltekit', request: event })
  return page
}

/** The ids of the routes in a folder, as SvelteKit makes them from its folders; null where it is not there. */
function routesIn(folder: string): readonly string[] | null {
  try {
    const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    const folders = found.filter((entry) => entry.isDirectory())
    return [
      '/',
      ...folders.map(({ parentPath, name }) => join('/', relative(folder, join(parentPath, name)))),
    ].map((route) => route.replaceAll('\\', '/'))
  } catch {
    return null
  }
}

// SvelteKit starts the server to prerender pages, in a worker with this variable.
function isBuilding(): boolean {
  return process.env.SVELTEKIT_FORK !== undefined
}

const prerendering = Symbol('prerendering')

// SvelteKit says it by an error only: https://svelte.dev/docs/kit/page-options#prerender
function addressOf(event: SvelteKitEvent): string | undefined | typeof prerendering {
  try {
    return event.getClientAddress()
  } catch (error) {
    return /prerender/i.test(String(error)) ? prerendering : undefined
  }
}
