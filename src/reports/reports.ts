import { setMaxListeners } from 'node:events'
import { MembershipError } from '../core/errors.ts'
import { createCallers } from '../core/http/callers.ts'
import { createRateLimit } from '../core/http/rate-limit.ts'
import { createDocument } from './answers/openapi.ts'
import { createReady } from './answers/ready.ts'
import { createAudit } from './audit.ts'
import { createAfterListing } from './crawl/after-listing.ts'
import { createCandidates } from './crawl/candidates.ts'
import { createCrawler } from './crawl/crawler.ts'
import { createSlots } from './crawl/database-slots.ts'
import { createCrawlHistory } from './crawl/history.ts'
import { createQueue } from './crawl/queue.ts'
import { createRobotsStore } from './crawl/robots-store.ts'
import { createChecks } from './entries/check.ts'
import { createEntries } from './entries/entries.ts'
import { createExclusions } from './entries/exclusions.ts'
import { createPictures } from './entries/pictures.ts'
import { createRequests } from './entries/requests.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createIdempotency } from './idempotency.ts'
import { createImportLines } from './import-lines.ts'
import { createImports } from './imports.ts'
import { createKeys } from './keys/keys.ts'
import { createPartners } from './keys/partners.ts'
import { createImportList } from './operator/import-list.ts'
import { createOperator } from './operator/operator.ts'
import { createWebsites } from './operator/websites.ts'
import type { ReportsOptions } from './options.ts'
import { openPartnerPages, type PartnerGround } from './partner-pages.ts'
import { createImages, createUploads } from './preview/index.ts'
import { reportsRoutes } from './router.ts'
import { contactOf, findFingerprints } from './setup.ts'
import { createStatements, type Statements } from './statements/index.ts'
import {
  type AddressPolicy,
  createNetwork,
  createVisits,
  ForbiddenAddress,
  maxDelaySeconds,
  publicOnly,
  toSiteAddress,
} from './visit/index.ts'

/** What the index is built on; below its folder may be fingerprints of its own, in config/. */
export interface ReportsDeps extends PartnerGround {
  readonly options: ReportsOptions
}

/** The website index: its partner API, its crawler, and what the operator does. @throws ERR_CONFIG */
export const createReports = (deps: ReportsDeps) => {
  const { config, storage, options, root, render, now, randomId, log } = deps
  const settings = config.reports
  const { wanted, others } = findFingerprints(settings.system, root)
  const contact = contactOf(config)
  const policy = options.policy ?? publicOnly

  const statements = createStatements(storage)
  const base = { storage, statements, now, randomId, log, contact }
  const audit = createAudit(base)
  const partners = createPartners({ ...base, audit, onStatus: () => keys.forget() })
  const keys = createKeys({ ...base, audit, partners })
  const exclusions = createExclusions(base)
  const visits = visitsOf(deps, { statements, contact, policy })
  const checks = createChecks({ visits, policy, wanted, others })
  const daySeconds = 86_400
  const entries = createEntries({
    ...base,
    audit,
    systemName: wanted.name,
    rules: {
      baseSeconds: settings.crawl.interval_days * daySeconds,
      maxSeconds: settings.crawl.max_interval_days * daySeconds,
    },
    chance: options.chance ?? Math.random,
  })
  const candidates = createCandidates({ ...base, policy })
  const images = createImages()
  const pictures = createPictures({ ...base, entries, audit })
  const onListed = createAfterListing({
    candidates,
    pictures,
    images,
    screenshot: options.screenshot,
    followsLinks: settings.crawl.follow_links,
    log,
  })

  const requests = createRequests({ ...base, entries, exclusions, checks, policy, audit, onListed })
  const imports = createImports({ ...base, policy, audit })
  const queue = createQueue(base)
  const crawler = createCrawler({
    ...base,
    entries,
    exclusions,
    checks,
    candidates,
    queue,
    policy,
    concurrency: settings.crawl.concurrency,
    onListed,
  })
  const operator = createOperator({ ...base, audit, partners, entries, exclusions, policy })
  const ready = createReady({ storage, statements, now, cacheBytes: settings.cache_mb * 1_048_576 })
  const limits = limitsOf(deps)
  const history = createCrawlHistory(base)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const importLines = createImportLines({
    ...base,
    requests,
    policy,
    limit: limits.visits,
    closing: closing.signal,
  })
  const [uploads, strangers] = [createUploads(), strangersOf(deps)]
  const partnerPages = openPartnerPages({
    ...{ deps, statements, keys, strangers, ready, requests, pictures, uploads, images },
    perKey: limits.default,
  })
  const routes = reportsRoutes({
    storage,
    statements,
    keys,
    ready,
    requests,
    pictures,
    imports,
    idempotency: createIdempotency(base),
    uploads,
    images,
    document: createDocument({ contact, limits: settings, systemName: wanted.name }),
    render,
    limits,
    strangers,
    waitMs: settings.wait_seconds * 1000,
    publicUrl: config.url,
    log,
  })

  const crawl: typeof crawler.run = async (given = {}) => {
    await candidates.noteSeeds(settings.crawl.seeds)
    const signal = given.signal ? AbortSignal.any([given.signal, closing.signal]) : closing.signal
    const result = await crawler.run({ ...given, signal })
    await history.note(result)
    return result
  }

  return {
    routes,
    partnerPages,
    partners,
    keys,
    operator,
    audit,
    crawl: { run: crawl, status: operator.crawlStatus, retry: operator.retry, history: history.list },
    /** Every website that fits, whoever's it is: see {@link WebsiteFilter}. */
    websites: createWebsites({ ...base, partners, base: config.url ?? '' }),
    ...createImportList({ ...base, partners }),
    /** Visits an address and says which signs of the system are there; nothing is written down. `probe` also asks for
     *  the system's own pages. @throws ERR_URL_NOT_ALLOWED */
    detect: (url: string, options: { probe?: boolean } = {}) =>
      checks.explain(toSiteAddress(url, policy), { ...options, robots: 'newest' }).catch(toNotAllowed),
    housekeeping: createHousekeeping({ ...base, entries }),
    runImports: importLines.runDue,
    close: async () => {
      closing.abort()
      await requests.close()
    },
  }
}
/** The website index of one instance. */
export type Reports = ReturnType<typeof createReports>

/** Going out to websites, as politely as this site is configured. */
const visitsOf = (
  { config, storage, options, now, randomId, log }: ReportsDeps,
  { statements, contact, policy }: { statements: Statements; contact: string; policy: AddressPolicy },
) => {
  const base = { storage, statements, now, randomId, log }
  const pauseMs = config.reports.crawl.pause_seconds * 1000
  return createVisits({
    network: createNetwork({ policy, resolve: options.resolve, ca: options.ca }),
    policy,
    slots: createSlots({ ...base, longestPauseMs: Math.max(pauseMs, maxDelaySeconds * 1000) }),
    robots: createRobotsStore(base),
    userAgent: `membership-index/2 (+${contact})`,
    pauseMs,
    now,
  })
}

/** What one key may ask for in a minute. */
const limitsOf = ({ config: { reports: settings }, counters }: ReportsDeps) => {
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

/** Who comes without a key that counts. */
const strangersOf = ({ config, counters, log }: ReportsDeps) => {
  const who = 'your address, with wrong keys'
  const ratelimit = createRateLimit({ limit: wrongKeysPerMinute, policy: 'keys', counters, who })
  return createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
}

// Which address the name stands for is not said.
const toNotAllowed = (error: unknown): never => {
  if (!(error instanceof ForbiddenAddress)) throw error
  throw new MembershipError('ERR_URL_NOT_ALLOWED', 'The name does not lead to a public website.', {
    action: 'Give the address at which everybody reaches the website.',
  })
}

const wrongKeysPerMinute = 60
