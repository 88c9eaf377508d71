import { createCallers } from '../core/http/callers.ts'
import { createRateLimit } from '../core/http/rate-limit.ts'
import type { Storage } from '../core/storage/index.ts'
import { createDocument } from './answers/openapi.ts'
import { createReady } from './answers/ready.ts'
import type { Pictures } from './entries/pictures.ts'
import type { Requests } from './entries/requests.ts'
import { createIdempotency } from './idempotency.ts'
import type { Imports } from './imports.ts'
import type { Keys } from './keys/keys.ts'
import type { Notices } from './notices.ts'
import { openPartnerPages, type PartnerServices } from './partner-pages.ts'
import { createUploads, type Images } from './preview/index.ts'
import type { RelinkRequests } from './relink-requests.ts'
import { reportsRoutes } from './router.ts'
import type { Statements } from './statements/index.ts'

export interface PartnerSideDeps {
  readonly services: PartnerServices
  readonly storage: Storage
  readonly statements: Statements
  readonly keys: Keys
  readonly requests: Requests
  readonly pictures: Pictures
  readonly images: Images
  readonly imports: Imports
  readonly notices: Notices
  readonly relinkRequests: RelinkRequests
  readonly contact: string
  /** Name of the system in the OpenAPI document. */
  readonly systemName: string
  readonly limits: KeyLimits
}

/** Builds the API and the pages of partners, which share their limits. */
export function openPartnerSide(deps: PartnerSideDeps) {
  const { services, statements, contact, systemName, limits, ...given } = deps
  const { config, now, log, render } = services
  const settings = config.reports
  const cacheBytes = settings.cache_mb * 1_048_576
  const shared = {
    ...given,
    statements,
    strangers: strangersOf(services),
    uploads: createUploads(),
    ready: createReady({ storage: given.storage, statements, now, cacheBytes }),
  }
  return {
    partnerPages: openPartnerPages({ ...shared, deps: services, perKey: limits.default }),
    routes: reportsRoutes({
      ...shared,
      limits,
      render,
      log,
      idempotency: createIdempotency({ storage: given.storage, statements, now }),
      document: createDocument({ contact, limits: settings, systemName }),
      waitMs: settings.wait_seconds * 1000,
      siteOf: services.addresses.siteOf,
    }),
  }
}

/** Limits per key and minute. */
export function keyLimits({ config: { reports: settings }, counters }: PartnerServices) {
  const limit = (name: string, perMinute: number, key: string) =>
    createRateLimit({
      limit: perMinute,
      policy: name,
      name: `reports-${name}`,
      counters,
      who: 'your key',
      setting: `membership.reports.${key}`,
    })
  return {
    default: limit('default', settings.limit, 'limit'),
    visits: limit('visits', settings.limit_visits, 'limit_visits'),
    unchanged: limit('unchanged', settings.limit_unchanged, 'limit_unchanged'),
  }
}

export type KeyLimits = ReturnType<typeof keyLimits>

/** Counts callers without a valid key. */
function strangersOf({ config, counters, log }: PartnerServices) {
  const who = 'your address, with wrong keys'
  const ratelimit = createRateLimit({ limit: wrongKeysPerMinute, policy: 'keys', counters, who })
  return createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
}

const wrongKeysPerMinute = 60
