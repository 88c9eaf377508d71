import { fileURLToPath } from 'node:url'
import type { GateId, Names } from '../core/register.ts'
import type { GateTerms, View } from '../memberships/members/index.ts'
import { noteHost } from '../site/identify-input.ts'
import type { Membership } from '../site/membership.ts'
import { openedOnce } from './opened-once.ts'
import { createGates, createRouteGates, noVisitor, prerenderedGate, type RouteGates } from './route-gates.ts'

declare global {
  namespace App {
    interface Locals {
      /** The visitor's view, set by the middleware. */
      membership: View
    }
  }
  interface MembershipHosts {
    astro: AstroContext
  }
}

/** The parts of Astro's context used here: https://docs.astro.build/en/reference/api-reference/ */
export interface AstroContext {
  readonly request: Request
  readonly locals: App.Locals
  readonly routePattern: string
  readonly isPrerendered: boolean
  readonly clientAddress: string
}

/** The integration's options. */
export interface AstroOptions {
  /**
   * File whose default export is the options of `createMembership`, from the project's folder;
   * `./membership.config` by default.
   */
  readonly config?: string
  /** Gates of whole routes: `{ '/archive': 'pro' }` closes `/archive` and every route below. */
  readonly gates?: RouteGates
}

/** Options of `astroHost`. */
export interface AstroHostOptions extends Pick<AstroOptions, 'gates'> {
  /**
   * The patterns of all routes. A key of `gates` that is none of them is refused. Without them, a key also
   * closes each address that it matches, and each below the part before its first parameter.
   */
  readonly routes?: readonly string[]
}

interface Setup {
  readonly config: { readonly root: URL }
  injectRoute(route: { pattern: string; entrypoint: string; prerender: boolean }): void
  addMiddleware(middleware: { order: 'pre'; entrypoint: string }): void
  updateConfig(config: { vite: { plugins: ReturnType<typeof middlewarePlugin>[] } }): unknown
}

/**
 * Returns the integration for `astro.config.mjs`. It mounts our routes, and its middleware sets
 * `Astro.locals.membership` and closes the routes in `gates`.
 */
function membership({ config: file = './membership.config', gates = {} }: AstroOptions = {}) {
  // Astro names its routes before it loads the middleware.
  let known: readonly string[] | undefined
  return {
    name: 'membership',
    hooks: {
      'astro:config:setup': ({ config, injectRoute, addMiddleware, updateConfig }: Setup): void => {
        const path = fileURLToPath(new URL(file, config.root))
        updateConfig({ vite: { plugins: [middlewarePlugin(path, () => ({ gates, routes: known }))] } })
        addMiddleware({ order: 'pre', entrypoint: middlewareName })
        // Astro runs a middleware only for routes that it knows.
        injectRoute({
          pattern: '/membership/[...path]',
          entrypoint: 'membership/astro/route',
          prerender: false,
        })
      },
      'astro:config:done': (done: {
        injectTypes(types: { filename: string; content: string }): unknown
      }): void => {
        done.injectTypes({ filename: 'membership.d.ts', content: "import 'membership/astro'" })
      },
      'astro:routes:resolved': ({
        routes,
      }: {
        routes: readonly { readonly pattern: string; readonly isPrerendered: boolean }[]
      }): void => {
        known = routes.map(({ pattern }) => pattern)
        const gatesOf = createRouteGates(gates, known)
        const written = routes.find(
          ({ pattern, isPrerendered }) => isPrerendered && gatesOf(pattern, pattern) !== undefined,
        )
        if (written) throw new TypeError(prerenderedGate(written.pattern))
      },
    },
  }
}
export default membership

const middlewareName = 'virtual:membership/middleware'

/** Vite's plugin that joins the middleware with the site's own configuration. */
function middlewarePlugin(path: string, options: () => AstroHostOptions) {
  return {
    name: 'membership',
    resolveId: (id: string) => (id === middlewareName ? `\0${middlewareName}` : undefined),
    load: (id: string) =>
      id === `\0${middlewareName}`
        ? `import { createMembership } from 'membership'
import { astroHost } from 'membership/astro'
import options from ${JSON.stringify(path)}
export const { onRequest } = astroHost(() => createMembership(options), ${JSON.stringify(options())})`
        : undefined,
  }
}

/**
 * Connects an instance to Astro by hand, for a `src/middleware.js` of your own. The instance opens with the
 * first request, not while Astro builds.
 */
export function astroHost(
  open: () => Promise<Membership<Names>>,
  { gates: gatesOfRoutes = {}, routes }: AstroHostOptions = {},
) {
  const instance = openedOnce(open)
  const { gateOf, ofRoute } = createGates(instance)
  const gatesOf = createRouteGates(gatesOfRoutes, routes ?? null)

  const onRequest = async (context: AstroContext, next: () => Promise<Response>): Promise<Response> => {
    if (context.isPrerendered) {
      Object.defineProperty(context.locals, 'membership', { get: noVisitor, configurable: true })
      return next()
    }
    noteHost(context.request, { kind: 'astro', request: context })
    const gates = gatesOf(context.routePattern, new URL(context.request.url).pathname)
    return (await instance()).fetch(context.request, {
      address: context.clientAddress,
      next: (view) => {
        context.locals.membership = view
        return gates === undefined ? next() : ofRoute(gates)({ request: context.request, page: next })
      },
    })
  }

  /**
   * Wraps an endpoint so that it admits only members with any of the gates. With `free` among the terms, some
   * pages are open to others.
   */
  const gated = <C extends AstroContext>(
    gates: GateId | readonly GateId[],
    handler: (context: C) => Response | Promise<Response>,
    terms: GateTerms = {},
  ) => {
    const gate = gateOf(gates, terms)
    return (context: C): Promise<Response> => gate({ request: context.request, page: () => handler(context) })
  }

  return { instance, onRequest, gated }
}
