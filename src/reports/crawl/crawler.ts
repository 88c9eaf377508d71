import { isMembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Checks } from '../entries/check.ts'
import { type Entries, TakenMeanwhile } from '../entries/entries.ts'
import { type Exclusions, excludedChange } from '../entries/exclusions.ts'
import type { Finding } from '../entries/finding.ts'
import { addressOf, type Entry } from '../entries/record.ts'
import { never } from '../hours.ts'
import type { CandidateRow, Statements } from '../statements/index.ts'
import { type AddressPolicy, ForbiddenAddress, type SiteAddress, toSiteAddress } from '../visit/index.ts'
import type { Candidates } from './candidates.ts'
import type { Job, Queue } from './queue.ts'

export interface CrawlerDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly entries: Entries
  readonly exclusions: Exclusions
  readonly checks: Checks
  readonly candidates: Candidates
  readonly queue: Queue
  readonly policy: AddressPolicy
  readonly log: Log
  readonly concurrency: number
  readonly onListed: (entry: Entry, finding: Finding, signal: AbortSignal) => Promise<void>
}

/** Progress of a run. */
export interface CrawlProgress {
  readonly visited: number
  readonly listed: number
  readonly rejected: number
  readonly unreachable: number
  readonly excluded: number
  /** Claimed but not visited yet. */
  readonly queued: number
  readonly running: number
}

/** Limits of a run. */
export interface CrawlOptions {
  readonly limit?: number
  readonly signal?: AbortSignal
  readonly finish?: AbortSignal
  readonly onProgress?: (progress: CrawlProgress) => void
}

/** Result of one run. */
export interface CrawlResult extends CrawlProgress {
  /** `own-network`: too many different websites failed in a row, so their failures were not stored. */
  readonly stopped: 'own-network' | 'aborted' | null
}

interface Result {
  readonly job: Job
  readonly domain: string
  readonly finding: Finding
  readonly save: (finding: Finding) => Promise<void>
}

/** Days until a candidate is visited again that runs another system, or that cannot be reached. */
const otherSystemDays = 90
const unreachableDays = 7
const maxAttempts = 3
const giveBackMs = 900_000
/** Websites claimed ahead. There must be enough that one domain's websites do not block the others. */
const maxWaiting = 1000

export interface Crawler {
  /**
   * Works until nothing is due, `limit` websites were visited, or a signal arrives. `signal` aborts running
   * visits; `finish` waits for them.
   */
  run(options?: CrawlOptions): Promise<CrawlResult>
}

/** Visits the websites that are due, and candidates for the index. */
export function createCrawler(deps: CrawlerDeps): Crawler {
  const { storage, statements, entries, exclusions, checks, candidates, queue, policy, log, concurrency } =
    deps

  const run = async (options: CrawlOptions = {}): Promise<CrawlResult> => {
    const { limit = Number.POSITIVE_INFINITY, signal = new AbortController().signal, finish } = options
    const counts = { visited: 0, listed: 0, rejected: 0, unreachable: 0, excluded: 0 }
    const breaker = createBreaker<Result>()
    const brokenOff: Job[] = []
    const isEnding = () => signal.aborted || finish?.aborted === true
    const tell = () =>
      options.onProgress?.({ ...counts, queued: pool.waiting.length, running: pool.running() })

    const look = async (job: Job): Promise<void> => {
      const result = await visit(job, signal)
      if (result === 'excluded') counts.excluded++
      if (result === null || typeof result === 'string') return
      counts.visited++
      counts[result.finding.kind === 'unchanged' ? 'listed' : result.finding.kind]++
      for (const { finding, save } of breaker.pass(result)) await save(finding)
    }
    const pool = createDomainPool<Job>({
      concurrency,
      work: (job) =>
        look(job).catch((error: unknown) => {
          if (signal.aborted) brokenOff.push(job)
          else log('a website could not be checked', { id: job.id, reason: String(error) })
        }),
      after: tell,
    })
    await workOff(pool, { limit, isOver: () => isEnding() || breaker.isOpen })

    const { isOpen } = breaker
    const held = breaker.rest()
    for (const { finding, save } of isOpen ? [] : held) await save(finding)
    for (const job of [...pool.waiting, ...brokenOff, ...(isOpen ? held.map((result) => result.job) : [])])
      await queue.giveBack(job, isOpen ? giveBackMs : 0)
    tell()
    const stopped = isOpen ? 'own-network' : isEnding() ? 'aborted' : null
    return { ...counts, queued: pool.waiting.length, running: 0, stopped }
  }

  /** Visits until the run is stopped or nothing is due, then waits for running visits. */
  const workOff = async (
    pool: DomainPool<Job>,
    { limit, isOver }: { limit: number; isOver: () => boolean },
  ): Promise<void> => {
    let taken = 0
    let isDry = false
    while (!isOver()) {
      // Each domain gets one visit at a time, so the next visit goes to another domain.
      if (pool.startNext()) continue
      const capacity = Math.min(concurrency * 4, maxWaiting - pool.waiting.length, limit - taken)
      if (!isDry && pool.hasRoom() && capacity > 0) {
        const more = await queue.take(capacity)
        taken += more.length
        isDry = more.length === 0
        pool.waiting.push(...more)
      } else if (pool.running() > 0) {
        await pool.oneDone()
        // A visit may have added new candidates.
        isDry = false
      } else break
    }
    await pool.allDone()
  }

  const visit = async (job: Job, signal: AbortSignal): Promise<Result | 'excluded' | null> =>
    job.kind === 'report' ? visitReport(job, signal) : visitCandidate(job, signal)

  const visitReport = async (job: Job, signal: AbortSignal): Promise<Result | 'excluded' | null> => {
    const entry = await entries.find(job.id)
    if (!entry) return null
    const site = addressOf(entry, policy)
    const { data } = entry
    const seen = data.status === 'listed' && !data.accepted ? data.seen : undefined
    // Exclusions are checked before the first request of a visit, and before each redirect.
    const finding = await look(site, signal, seen)
    if (finding === 'excluded') {
      await entries.change(job.id, async (current) => excludedChange(current))
      return 'excluded'
    }
    const save = async (found: Finding) => {
      try {
        const saved = await entries.saveCheck(job.id, site, found, 'crawler', entry)
        if (saved && found.kind === 'listed') await deps.onListed(saved, found, signal)
      } catch (error) {
        // A partner's attempt was left by a process that ended. Meanwhile another entry put the address into
        // the index.
        if (!(error instanceof TakenMeanwhile)) throw error
        const stale = await entries.find(job.id)
        if (stale) await entries.remove(stale)
      }
    }
    return { job, domain: job.domain, finding, save }
  }

  const visitCandidate = async (job: Job, signal: AbortSignal): Promise<Result | 'excluded' | null> => {
    const [candidate] = await storage.all(statements.candidate, { url_key: job.id })
    if (!candidate) return null
    const site = toSiteAddress(candidate.url, policy)
    const rule = await exclusions.find(site, 'crawler')
    if (rule) {
      await candidates.wait(site.key, 'excluded', rule.until ?? never)
      return 'excluded'
    }
    if (await entries.findIndexed(site.key)) {
      await candidates.done(site.key, 'listed', null)
      return null
    }
    const finding = await look(site, signal)
    if (finding === 'excluded') {
      await candidates.done(site.key, 'excluded', otherSystemDays)
      return 'excluded'
    }
    return {
      job,
      domain: job.domain,
      finding,
      save: (found) => saveCandidate(candidate, site, found, signal),
    }
  }

  const saveCandidate = async (
    candidate: CandidateRow,
    site: SiteAddress,
    finding: Finding,
    signal: AbortSignal,
  ): Promise<void> => {
    if (finding.kind === 'rejected') return candidates.done(site.key, 'other-system', otherSystemDays)
    if (finding.kind === 'unreachable')
      return candidates.done(
        site.key,
        'unreachable',
        candidate.attempts + 1 < maxAttempts ? unreachableDays : null,
      )
    const entry = await entries.create(site, { source: 'crawler', partnerId: null, actor: 'crawler' })
    try {
      const saved = await entries.saveCheck(entry.row.id, site, finding, 'crawler', entry)
      if (saved) await deps.onListed(saved, finding, signal)
    } catch (error) {
      if (!(error instanceof TakenMeanwhile)) throw error
      await entries.remove(entry)
    }
    await candidates.done(site.key, 'listed', null)
  }

  // A name that resolves to a private address counts as unreachable. A redirect may lead to an excluded
  // website.
  const look = async (
    site: SiteAddress,
    signal: AbortSignal,
    seen?: Entry['data']['seen'],
  ): Promise<Finding | 'excluded'> => {
    try {
      return await checks.check(site, { signal, seen })
    } catch (error) {
      if (isMembershipError(error, 'ERR_SITE_EXCLUDED')) return 'excluded'
      if (!(error instanceof ForbiddenAddress)) throw error
      return {
        kind: 'unreachable',
        reason: 'dns',
        httpStatus: null,
        retryAfterSeconds: null,
        isUnknownName: false,
      }
    }
  }

  return { run }
}

/** If this many different domains fail in a row, our own network is the more likely cause. */
const threshold = 10
const ofNetwork: ReadonlySet<string> = new Set([
  'dns',
  'refused',
  'connect-timeout',
  'headers-timeout',
  'body-timeout',
])

/**
 * Holds network failures back until another website is reached; only then are they the websites' own. If too
 * many different domains fail in a row, the breaker opens and none of the failures is stored.
 */
function createBreaker<T extends { readonly domain: string; readonly finding: Finding }>() {
  let suspects: T[] = []
  let isOpen = false

  return {
    get isOpen() {
      return isOpen
    },
    /** Returns the results to store now: this one, and those held back before it. */
    pass: (result: T): T[] => {
      const { finding } = result
      if (isOpen || (finding.kind === 'unreachable' && ofNetwork.has(finding.reason))) {
        suspects.push(result)
        isOpen ||= new Set(suspects.map(({ domain }) => domain)).size >= threshold
        return []
      }
      const held = suspects
      suspects = []
      return [...held, result]
    },
    /**
     * Returns the failures still held back at the end. They may be stored only while the breaker is closed.
     */
    rest: (): T[] => {
      const held = suspects
      suspects = []
      return held
    },
  }
}

type DomainPool<J extends { readonly domain: string }> = ReturnType<typeof createDomainPool<J>>

/** Runs queued work with limited concurrency, and never two jobs of one domain at once. */
function createDomainPool<J extends { readonly domain: string }>({
  concurrency,
  work,
  after,
}: {
  readonly concurrency: number
  /** Never rejects. */
  readonly work: (job: J) => Promise<void>
  readonly after: () => void
}) {
  const waiting: J[] = []
  const running = new Map<Promise<void>, string>()
  const start = (job: J): void => {
    const done = work(job).finally(() => {
      running.delete(done)
      after()
    })
    running.set(done, job.domain)
  }
  return {
    waiting,
    running: () => running.size,
    hasRoom: () => running.size < concurrency,
    /** Starts the first job whose domain is not being visited; false if there is none, or no capacity. */
    startNext: (): boolean => {
      const busy = new Set(running.values())
      const at = running.size < concurrency ? waiting.findIndex(({ domain }) => !busy.has(domain)) : -1
      if (at >= 0) start(waiting.splice(at, 1)[0]!)
      return at >= 0
    },
    oneDone: () => Promise.race(running.keys()),
    allDone: () => Promise.all(running.keys()),
  }
}
