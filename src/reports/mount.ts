import type { Context, Middleware } from 'koa'
import { MembershipError } from '../core/errors.ts'
import type { Addresses } from '../core/http/addresses.ts'
import type { Job } from '../core/jobs/schedule.ts'
import type { Log } from '../core/log.ts'
import { errorTexts } from '../core/pages/error-texts.ts'
import type { Reports, ReportsDeps } from './reports.ts'
import type { ReportsApi } from './reports-api.ts'

/**
 * Mounts the index of an instance. Without `membership.reports.system` there is none, and none of its code is
 * loaded.
 */
export async function mountReports(deps: ReportsDeps) {
  const { reports: settings } = deps.config
  const reports = settings.system === null ? null : (await import('./reports.ts')).createReports(deps)
  // Serves the pages that a problem's `type` links to, even if nothing else of the package is mounted.
  const texts = errorTexts()
  const routes: Middleware | undefined =
    reports === null
      ? undefined
      : (ctx, next) =>
          ctx.path.startsWith('/membership/')
            ? texts(ctx, next)
            : reports.routes(ctx as Context, async () => reports.partnerPages(ctx as Context, next))
  return {
    api: apiOf(reports, routes, deps.addresses.below),
    middleware: routes ?? ((_, next) => next()),
    isOurs: (url = '') => reports !== null && /^\/(?:reports|partner)(?:[/?]|$)/.test(url),
    /** Session that each of the partners' pages requires. */
    listing: reports?.partnerPages.listing ?? [],
    jobs: reports === null ? [] : jobsOf(reports, deps),
    close: async () => reports?.close(),
  }
}

/** The index for code and the office. Without a configured index, each part throws when used. */
function apiOf(
  reports: Reports | null,
  routes: Middleware | undefined,
  below: Addresses['below'],
): ReportsApi {
  return {
    koa: () => (routes === undefined ? absent() : below(routes)),
    get partners() {
      return (reports ?? absent()).partners
    },
    get keys() {
      return (reports ?? absent()).keys
    },
    get operator() {
      return (reports ?? absent()).operator
    },
    get audit() {
      return (reports ?? absent()).audit
    },
    get crawl() {
      return (reports ?? absent()).crawl
    },
    get websites() {
      return (reports ?? absent()).websites
    },
    get imports() {
      return (reports ?? absent()).imports
    },
    get importOf() {
      return (reports ?? absent()).importOf
    },
    get detect() {
      return (reports ?? absent()).detect
    },
  }
}

function absent(): never {
  throw new MembershipError(
    'ERR_CONFIG',
    'There is no website index: membership.reports.system is not set.',
    {
      action: 'Set membership.reports.system, such as kirby, and membership.reports.contact.',
    },
  )
}

function jobsOf(reports: Reports, { config, log }: ReportsDeps): Job[] {
  return [
    { name: 'work off imports', everyMs: 1000, run: reports.runImports },
    { name: 'work on relink requests', everyMs: 300_000, run: reports.runRelinkRequests },
    { name: 'tidy the index', everyMs: 3_600_000, run: reports.housekeeping },
    ...(config.reports.crawl.enabled
      ? [{ name: 'crawl', everyMs: 5000, run: () => crawl(reports, log) }]
      : []),
  ]
}

async function crawl(reports: Reports, log: Log): Promise<void> {
  const { stopped } = await reports.crawl.run({ limit: visitsAtOnce })
  if (stopped === 'own-network') log('many websites failed at once: the crawler stopped and marked nothing')
}

/** Most visits of a run before it checks again what is due, because the process has other work. */
const visitsAtOnce = 500
