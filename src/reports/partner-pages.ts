import type { Context, Middleware } from 'koa'
import type { Config } from '../core/config/index.ts'
import type { Addresses } from '../core/http/addresses.ts'
import { type Callers, createCallers } from '../core/http/callers.ts'
import type { Counters } from '../core/http/counters.ts'
import type { FormRoutes } from '../core/http/form-router.ts'
import { createRateLimit, type RateLimit } from '../core/http/rate-limit.ts'
import type { Tokens } from '../core/http/tokens.ts'
import type { Log } from '../core/log.ts'
import { assets } from '../core/pages/assets.ts'
import type { Render } from '../core/pages/index.ts'
import type { Storage } from '../core/storage/index.ts'
import type { Keys } from './keys/keys.ts'
import {
  createPartnerPages,
  createPartnerSessions,
  type PartnerRoutesDeps,
  partnerHome,
  partnerRoutes,
} from './partner/index.ts'
import type { Statements } from './statements/index.ts'

/** Parts of the instance that the partners' pages need. */
export interface PartnerServices {
  readonly addresses: Addresses
  readonly config: Config
  readonly storage: Storage
  readonly counters: Counters
  /** Site folder with its own texts; null for none. */
  readonly root: string | null
  readonly render: Render
  /** Signs the forms of the partners' pages. */
  readonly tokens: Pick<Tokens, 'formToken' | 'isFormToken'>
  /** Returns true if a request came over https. */
  readonly secure: (ctx: Context) => boolean
  readonly siteName: string
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

/** Builds the partners' pages with their styles. They are independent of the site's pages, as the API is. */
export function openPartnerPages(given: {
  deps: PartnerServices
  statements: Statements
  keys: Keys
  strangers: Callers
  perKey: RateLimit
  ready: PartnerRoutesDeps['ready']
  requests: PartnerRoutesDeps['requests']
  pictures: PartnerRoutesDeps['pictures']
  uploads: PartnerRoutesDeps['uploads']
  images: PartnerRoutesDeps['images']
}): FormRoutes {
  const { deps } = given
  const { config, counters, log } = deps
  const sessions = createPartnerSessions({ ...deps, ...given, publicUrl: config.url })
  const pages = createPartnerPages({
    ...deps,
    defaultLanguage: config.language,
    formToken: sessions.formToken,
  })
  const ratelimit = createRateLimit({ limit: requestsPerMinute, policy: 'partner', counters })
  const callers = createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
  const limit: Middleware = async (ctx, next) => {
    ctx.set(await callers.count(callers.callerOf(ctx.req)))
    await next()
  }
  const routes = partnerRoutes({ ...given, sessions, pages, limit, log })
  const files = assets(`${partnerHome}/assets`, config.brand)
  const middleware: Middleware = (ctx, next) =>
    isPartnerPath(ctx.path) ? files(ctx, () => routes(ctx, next)) : next()
  return Object.assign(middleware, { listing: routes.listing })
}

/** Returns true for the address of a partners' page. */
export function isPartnerPath(path: string): boolean {
  return /^\/partner(?:\/|$)/.test(path)
}

// Partners who view their websites open page after page.
const requestsPerMinute = 300
