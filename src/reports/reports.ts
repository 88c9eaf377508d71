import { resolveTxt } from 'node:dns/promises'
import { setMaxListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../core/config/index.ts'
import { MembershipError } from '../core/errors.ts'
import { lazy } from '../core/lazy.ts'
import { packageFolder } from '../core/pages/index.ts'
import { type Audit, createAudit } from './audit.ts'
import { createAfterListing } from './crawl/after-listing.ts'
import { type Candidates, createCandidates } from './crawl/candidates.ts'
import { type CrawlerDeps, createCrawler } from './crawl/crawler.ts'
import { createSlots } from './crawl/database-slots.ts'
import { createCrawlHistory } from './crawl/history.ts'
import { createQueue } from './crawl/queue.ts'
import { createRobotsStore } from './crawl/robots-store.ts'
import { loadFingerprints } from './detection/index.ts'
import { type Checks, createChecks } from './entries/check.ts'
import { createEntries } from './entries/entries.ts'
import { createExclusions } from './entries/exclusions.ts'
import { createPictures } from './entries/pictures.ts'
import { createRequests } from './entries/requests.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createImportLines } from './import-lines.ts'
import { createImportList, createImports } from './imports.ts'
import { createKeys } from './keys/keys.ts'
import { createPartners } from './keys/partners.ts'
import { createNotices, type Notices } from './notices.ts'
import { createOperator } from './operator/operator.ts'
import { createWebsites } from './operator/websites.ts'
import type { ReportsOptions } from './options.ts'
import type { PartnerServices } from './partner-pages.ts'
import { keyLimits, openPartnerSide } from './partner-side.ts'
import { createImages, warnWithoutSharp } from './preview/index.ts'
import { createRelinkRequests, type RelinkRequests } from './relink-requests.ts'
import { createStatements, type Statements } from './statements/index.ts'
import {
  type AddressPolicy,
  createNetwork,
  createVisits,
  ForbiddenAddress,
  maxDelaySeconds,
  publicOnly,
  type SiteAddress,
  toSiteAddress,
} from './visit/index.ts'

/** Dependencies of the index. The config/ folder below `root` may hold the site's own fingerprints. */
export interface ReportsDeps extends PartnerServices {
  readonly options: ReportsOptions
}

/** Dependencies that most parts share. */
interface Base extends Pick<ReportsDeps, 'storage' | 'now' | 'randomId' | 'log'> {
  readonly statements: Statements
  /** Contact for website owners. */
  readonly contact: string
}

/** Builds the website index: its partner API, its crawler, and the operator's actions. @throws ERR_CONFIG */
export function createReports(deps: ReportsDeps) {
  const { config, storage, options, root, now, randomId, log } = deps
  const { wanted, others } = findFingerprints(config.reports.system, root)
  const contact = contactOf(config)
  const policy = options.policy ?? publicOnly

  const statements = createStatements(storage)
  const base = { storage, statements, now, randomId, log, contact }
  const audit = createAudit(base)
  const partners = createPartners({ ...base, audit, onStatus: () => keys.forget() })
  const keys = createKeys({ ...base, audit, partners })
  const exclusions = createExclusions(base)
  const visits = visitsOf(deps, { statements, contact, policy, permit: exclusions.check })
  const notices = createNotices(base)
  const checks = createChecks({ visits, policy, wanted, others })
  const candidates = createCandidates({ ...base, policy })
  const kept = keptWebsites(deps, { base, audit, notices, candidates, systemName: wanted.name })
  const { entries, onListed } = kept

  const requests = createRequests({ ...base, entries, exclusions, checks, policy, audit, onListed })
  const imports = createImports({ ...base, policy, audit })
  const operator = createOperator({ ...base, audit, partners, entries, exclusions, policy })
  const relinkRequests = createRelinkRequests({
    ...base,
    audit,
    notices,
    partners,
    entries,
    exclusions,
    policy,
    visits,
    operator,
    ...provingOf(deps),
  })
  const limits = keyLimits(deps)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const crawling = crawlingOf(deps, {
    base: { ...base, ...kept, exclusions, checks, candidates, policy },
    closing,
  })
  const importLines = createImportLines({
    ...base,
    requests,
    policy,
    limit: limits.visits,
    closing: closing.signal,
  })
  return {
    ...openPartnerSide({
      services: deps,
      storage,
      statements,
      keys,
      requests,
      imports,
      contact,
      limits,
      notices,
      relinkRequests,
      pictures: kept.pictures,
      images: kept.images,
      systemName: wanted.name,
    }),
    partners,
    keys,
    operator: { ...operator, ...decisionsOf(relinkRequests) },
    audit,
    crawl: { ...crawling, status: operator.crawlStatus, retry: operator.retry },
    /** Lists every matching website of all partners: see {@link WebsiteFilter}. */
    websites: createWebsites({ ...base, partners, base: config.url ?? '' }),
    ...createImportList({ ...base, partners }),
    detect: detectWith(checks, policy),
    housekeeping: createHousekeeping({ ...base, entries }),
    runImports: importLines.runDue,
    runRelinkRequests: relinkRequests.runDue,
    close: async () => {
      closing.abort()
      await requests.close()
    },
  }
}
/** The website index of one instance. */
export type Reports = ReturnType<typeof createReports>

/**
 * Visits an address and lists the signs of the system; nothing is stored. `probe` also requests the system's
 * own pages.
 * @throws ERR_URL_NOT_ALLOWED
 */
function detectWith(checks: Checks, policy: AddressPolicy) {
  return (url: string, options: { probe?: boolean } = {}) =>
    checks
      .explain(toSiteAddress(url, policy), { ...options, robots: 'newest', party: 'operator' })
      .catch(toNotAllowed)
}

/** Returns the settings of relink requests. */
function provingOf({ options, config }: ReportsDeps) {
  return {
    resolveTxt: options.resolveTxt ?? resolveTxt,
    isAutomatic: config.reports.relink_automatically,
  }
}

/** Returns the operator's part of relink requests. */
function decisionsOf(requests: RelinkRequests) {
  return {
    relinkRequests: requests.all,
    confirmRelink: requests.confirm,
    declineRelink: requests.decline,
    /** Renews proofs, and relinks websites when allowed; a job runs it every five minutes. */
    workOnRelinkRequests: requests.runDue,
  }
}

/** Builds the websites of the index with their pictures, and the follow-up when one is listed. */
function keptWebsites(
  { config, options, log }: ReportsDeps,
  given: {
    base: Base
    audit: Audit
    notices: Notices
    candidates: Candidates
    systemName: string
  },
) {
  const { base, audit, notices, candidates, systemName } = given
  const { crawl } = config.reports
  const daySeconds = 86_400
  const entries = createEntries({
    ...base,
    audit,
    notices,
    systemName,
    rules: {
      baseSeconds: crawl.interval_days * daySeconds,
      maxSeconds: crawl.max_interval_days * daySeconds,
    },
    chance: options.chance ?? Math.random,
  })
  if (options.screenshot) warnWithoutSharp(log)
  const images = createImages()
  const pictures = createPictures({ ...base, entries, audit })
  const onListed = createAfterListing({
    candidates,
    pictures,
    images,
    log,
    screenshot: options.screenshot,
    followsLinks: crawl.follow_links,
  })
  return { entries, images, pictures, onListed }
}

/** Builds the crawler, which stops when the index closes, and the history of its runs. */
function crawlingOf(
  { config }: ReportsDeps,
  { base, closing }: { base: Base & Omit<CrawlerDeps, 'queue' | 'concurrency'>; closing: AbortController },
) {
  const { seeds, concurrency } = config.reports.crawl
  const crawler = createCrawler({ ...base, queue: createQueue(base), concurrency })
  const history = createCrawlHistory(base)
  const run: typeof crawler.run = async (given = {}) => {
    await base.candidates.noteSeeds(seeds)
    const signal = given.signal ? AbortSignal.any([given.signal, closing.signal]) : closing.signal
    const result = await crawler.run({ ...given, signal })
    await history.note(result)
    return result
  }
  return { run, history: history.list }
}

/** Builds visits to websites, with the configured politeness. */
function visitsOf(
  { config, storage, options, now, randomId, log }: ReportsDeps,
  given: {
    statements: Statements
    contact: string
    policy: AddressPolicy
    permit: (site: SiteAddress) => Promise<void>
  },
) {
  const { statements, contact, policy, permit } = given
  const base = { storage, statements, now, randomId, log }
  const pauseMs = config.reports.crawl.pause_seconds * 1000
  return createVisits({
    network: createNetwork({ policy, resolve: options.resolve, ca: options.ca }),
    policy,
    slots: createSlots({ ...base, longestPauseMs: Math.max(pauseMs, maxDelaySeconds * 1000) }),
    robots: createRobotsStore(base),
    permit,
    userAgent: `membership-index/2 (+${contact})`,
    pauseMs,
    now,
  })
}

// The error does not reveal the address that the name resolves to.
function toNotAllowed(error: unknown): never {
  if (!(error instanceof ForbiddenAddress)) throw error
  throw new MembershipError('ERR_URL_NOT_ALLOWED', 'The name does not lead to a public website.', {
    action: 'Give the address at which everybody reaches the website.',
  })
}

/** Loads the fingerprints of the index's system, and of the others. @throws ERR_CONFIG */
function findFingerprints(system: string | null, root: string | null) {
  // A site may have no fingerprints of its own.
  const own = root === null || !existsSync(folderOf(root)) ? [] : [folderOf(root)]
  const all = new Map([...shippedFingerprints(), ...loadFingerprints(own)])
  const wanted = system === null ? undefined : all.get(system)
  if (wanted) return { wanted, others: [...all.values()].filter((fingerprint) => fingerprint !== wanted) }
  throw new MembershipError(
    'ERR_CONFIG',
    system === null
      ? 'There is no website index: membership.reports.system is not set.'
      : `membership.reports.system is "${system}"; there are fingerprints of ${[...all.keys()].join(', ')}.`,
    { action: 'Set membership.reports.system to one of them, or add config/fingerprints/{name}.yml.' },
  )
}

function folderOf(place: string) {
  return join(place, 'config', 'fingerprints')
}

// Their patterns take longer to compile than the rest of an instance takes to start.
const shippedFingerprints = lazy(() => loadFingerprints([folderOf(packageFolder())]))

/**
 * Returns the contact for partners and site owners: anybody who finds the crawler in a log must be able to
 * reach somebody.
 * @throws ERR_CONFIG
 */
function contactOf({ reports, url }: Config): string {
  const contact = reports.contact ?? url
  if (contact !== null) return contact
  throw new MembershipError(
    'ERR_CONFIG',
    'The website index has no contact: membership.reports.contact is not set.',
    {
      action: 'Set it to an address or an e-mail where partners and site owners reach you.',
    },
  )
}
