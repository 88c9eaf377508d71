import { setMaxListeners } from 'node:events'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { Audit } from '../audit.ts'
import type { Caller } from '../keys/keys.ts'
import type { Statements } from '../statements/index.ts'
import {
  type AddressPolicy,
  type SiteAddress,
  toSiteAddress,
  urlNotAllowed,
  type VisitOptions,
} from '../visit/index.ts'
import type { Checks } from './check.ts'
import { type Entries, leaseMs, TakenMeanwhile } from './entries.ts'
import { alone, type Exclusions, excludedChange } from './exclusions.ts'
import type { Finding } from './finding.ts'
import { addressOf, type Entry } from './record.ts'
import { notYours, throwForState } from './refusals.ts'

/** State of a website that was to be checked, or that its check is still running. */
export interface Checked {
  readonly entry: Entry
  readonly isRunning: boolean
}
/** Result of adding a website; `isNew` is false if it existed already. */
export interface Added extends Checked {
  readonly isNew: boolean
}

export interface RequestsDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly entries: Entries
  readonly exclusions: Exclusions
  readonly checks: Checks
  readonly policy: AddressPolicy
  readonly audit: Audit
  readonly now: () => Date
  readonly log: Log
  readonly contact: string
  /** Called after a website was found to run the system, to take its picture and note its links. */
  readonly onListed: (entry: Entry, finding: Finding, signal: AbortSignal) => Promise<void>
}

/** Time that the crawler ignores a deleted website. */
const forgetMs = 30 * 86_400_000

export interface Requests {
  /**
   * Adds a website and waits `waitMs` for its check. `robots` is used if the known robots.txt forbids the
   * visit, because the person asking may have just corrected it.
   * @throws ERR_URL_NOT_ALLOWED, ERR_SITE_EXCLUDED, ERR_REPORT_EXISTS, ERR_SYSTEM_NOT_DETECTED,
   *   ERR_SITE_UNREACHABLE
   */
  add(caller: Caller, url: string, rest: { waitMs: number; robots?: VisitOptions['robots'] }): Promise<Added>
  /**
   * Checks a website again. The returned entry is another one if the address came into the index meanwhile.
   * @throws ERR_NOT_FOUND, ERR_PRECONDITION, ERR_SITE_EXCLUDED, ERR_URL_NOT_ALLOWED
   */
  refresh(
    caller: Caller,
    id: string,
    options: { ifMatch?: (entry: Entry) => void; waitMs: number },
  ): Promise<Checked>
  /** @throws ERR_NOT_FOUND, ERR_PRECONDITION */
  remove(caller: Caller, id: string, ifMatch?: (entry: Entry) => void): Promise<void>
  own(caller: Caller, id: string): Promise<Entry>
  /** Aborts running checks, and resolves when all have ended. */
  close(): Promise<void>
}

/** Requests of partners: add, refresh, delete. */
export function createRequests(deps: RequestsDeps): Requests {
  const { storage, statements, entries, exclusions, checks, policy, audit, now, log } = deps
  const running = new Map<string, { readonly url: string; readonly work: Promise<Entry> }>()
  const closing = new AbortController()
  // Every running check adds a listener.
  setMaxListeners(0, closing.signal)

  const add = async (
    caller: Caller,
    url: string,
    { waitMs, robots = 'newest' }: { waitMs: number; robots?: VisitOptions['robots'] },
  ): Promise<Added> => {
    const site = toSiteAddress(url, policy)
    await exclusions.check(site)
    const known = await entries.findIndexed(site.key)
    if (known) {
      const entry = existing(caller, known)
      if (entry.row.status === 'listed' || entry.row.url === site.url)
        return { entry, isNew: false, isRunning: false }
      // Its own address fails, and this is another spelling: if this one works, the entry takes it.
      return { ...(await within(waitMs, entry, run(entry, site, robots))), isNew: false }
    }
    const entry = await attemptOf(caller, site)
    const outcome = await within(waitMs, entry, run(entry, site, robots))
    if (outcome.isRunning) return { ...outcome, isNew: true }
    throwForState(outcome.entry)
    // If two requests add the website at once, the second gets the entry of the first.
    return { ...outcome, isNew: outcome.entry.row.id === entry.row.id }
  }

  // Each partner has one attempt per website: simultaneous requests share it, also across processes.
  const attempts = new Map<string, Promise<Entry>>()
  const attemptOf = (caller: Caller, site: SiteAddress): Promise<Entry> => {
    const key = `${caller.partnerId} ${site.key}`
    const attempt = attempts.get(key) ?? findOrCreate(caller, site).finally(() => attempts.delete(key))
    attempts.set(key, attempt)
    return attempt
  }
  const findOrCreate = async ({ partnerId }: Caller, site: SiteAddress): Promise<Entry> => {
    for (;;) {
      const known = await entries.findTried(partnerId, site.key)
      if (known) return known
      try {
        return await entries.create(site, { source: 'partner', partnerId, actor: `partner:${partnerId}` })
      } catch (error) {
        if (!(error instanceof UnitConflict)) throw error
      }
    }
  }

  const refresh = async (
    caller: Caller,
    id: string,
    options: { ifMatch?: (entry: Entry) => void; waitMs: number },
  ): Promise<Checked> => {
    const entry = await own(caller, id)
    options.ifMatch?.(entry)
    const site = addressOf(entry, policy)
    await exclusions.check(site)
    return within(options.waitMs, entry, run(entry, site, 'newest'))
  }

  const remove = async (caller: Caller, id: string, ifMatch?: (entry: Entry) => void): Promise<void> => {
    for (;;) {
      const entry = await own(caller, id)
      ifMatch?.(entry)
      const until = new Date(now().getTime() + forgetMs).toISOString()
      const { url, url_key } = entry.row
      const isGone = await entries.remove(entry, [
        exclusions.put({
          pattern: alone(url_key),
          against: 'crawler',
          reason: 'deleted by its partner',
          until,
        }),
        audit.step({
          actor: `partner:${caller.partnerId}`,
          action: 'report-delete',
          subject: id,
          details: { url },
        }),
      ])
      if (isGone) return
    }
  }

  const own = async (caller: Caller, id: string): Promise<Entry> => {
    const entry = await entries.findOf(caller.partnerId, id)
    if (entry) return entry
    throw notYours(id)
  }

  // This process runs one check of a website at a time. Requests in between wait for the same check; one with
  // another spelling of the address is tried afterwards if the first did not work.
  const run = async (entry: Entry, site: SiteAddress, robots: VisitOptions['robots']): Promise<Entry> => {
    const { id } = entry.row
    const known = running.get(id)
    if (known) {
      const checked = await known.work
      const isDone = known.url === site.url || checked.row.status === 'listed' || closing.signal.aborted
      return isDone ? checked : run(checked, site, robots)
    }
    const work = checkNow(entry, site, robots).finally(() => running.delete(id))
    running.set(id, { url: site.url, work })
    // The caller may have stopped waiting, so the failure is logged here.
    work.catch((error: unknown) => {
      if (!isMembershipError(error)) log('a check failed', { report: id, reason: String(error) })
    })
    return work
  }

  const checkNow = async (
    entry: Entry,
    site: SiteAddress,
    robots: VisitOptions['robots'],
  ): Promise<Entry> => {
    const { id, due_at } = entry.row
    const until = new Date(now().getTime() + leaseMs).toISOString()
    // The lease keeps the crawler away. If another process holds it, the later answer wins.
    await storage.commit([step(statements.reportLease, { id, due_at, until })])
    let finding: Finding
    try {
      const party = entry.row.partner_id ?? undefined
      finding = await checks.check(site, { signal: closing.signal, robots, party })
    } catch (error) {
      if (isMembershipError(error, 'ERR_SITE_EXCLUDED')) await exclude(entry)
      throw (error as Error).name === 'ForbiddenAddress' ? await refuseAddress(entry) : error
    }
    try {
      const saved = await entries.saveCheck(id, site, finding, 'owner')
      if (!saved) throw notYours(id)
      if (finding.kind === 'listed') await deps.onListed(saved, finding, closing.signal)
      return finding.kind === 'listed' ? ((await entries.find(id)) ?? saved) : saved
    } catch (error) {
      if (!(error instanceof TakenMeanwhile)) throw error
      const stale = await entries.find(id)
      if (stale) await entries.remove(stale)
      return existing({ partnerId: entry.row.partner_id ?? '' }, error.entry)
    }
  }

  // A redirect leads to an excluded website. A new attempt is deleted; a listed website leaves the index.
  const exclude = async (entry: Entry): Promise<void> => {
    const current = (await entries.find(entry.row.id)) ?? entry
    if (current.row.indexed === 0) await entries.remove(current)
    else await entries.change(current.row.id, async (newest) => excludedChange(newest))
  }

  // The name resolves to a private address. Nothing is stored, and the answer is the one for any invalid
  // address.
  const refuseAddress = async (entry: Entry): Promise<MembershipError> => {
    if (entry.row.indexed === 0) await entries.remove((await entries.find(entry.row.id)) ?? entry)
    return urlNotAllowed(entry.row.url)
  }

  const existing = (caller: Pick<Caller, 'partnerId'>, entry: Entry): Entry => {
    if (entry.row.partner_id === caller.partnerId) return entry
    throw new MembershipError(
      'ERR_REPORT_EXISTS',
      `${entry.row.url} is in the index already and is not linked to your account.`,
      { action: `Send its address to the operator, who links it to you: ${deps.contact}` },
    )
  }

  return {
    add,
    refresh,
    remove,
    own,
    close: async () => {
      closing.abort()
      await Promise.allSettled([...running.values()].map(({ work }) => work))
    },
  }
}

async function within(ms: number, entry: Entry, work: Promise<Entry>): Promise<Checked> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((done) => {
    timer = setTimeout(() => done(null), ms)
  })
  try {
    const done = await Promise.race([work, late])
    return done ? { entry: done, isRunning: false } : { entry, isRunning: true }
  } finally {
    clearTimeout(timer)
  }
}
