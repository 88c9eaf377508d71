import { setTimeout as delay } from 'node:timers/promises'
import { isMembershipError } from '../core/errors.ts'
import type { RateLimit } from '../core/http/rate-limit.ts'
import type { Log } from '../core/log.ts'
import { type Storage, step, unlessConflict } from '../core/storage/index.ts'
import type { Requests } from './entries/requests.ts'
import type { importOutcomes } from './schemas.ts'
import type { DueLine, ImportLineRow, Statements } from './statements/index.ts'
import { type AddressPolicy, toSiteAddress } from './visit/index.ts'

type Outcome = (typeof importOutcomes)[number]

/** Longer than any check takes. */
const leaseMs = 300_000
/** Concurrent lines, of all partners together and of one. */
const atOnce = 64
const atOnceEach = 4
/** Lines of one partner that are examined to find one that can start. */
const looksEach = 16
const lookAgainMs = 1000
/** Longest pause of a line before its website is tried again. */
const busyMs = 5000

export interface ImportLinesDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly requests: Requests
  readonly policy: AddressPolicy
  /** Each line is a visit, so it counts against this limit. */
  readonly limit: RateLimit
  readonly now: () => Date
  readonly log: Log
  readonly closing: AbortSignal
}

/**
 * Works off the lines of lists. Each line is independent, and another process takes over when this one dies.
 * Partners take turns. A line waits if its website is being visited or needs a pause. Each counts against its
 * key's limit.
 */
export function createImportLines(deps: ImportLinesDeps) {
  const { storage, statements, requests, policy, limit, now, log, closing } = deps
  const running = new Map<Promise<void>, { partner: string; domain: string }>()
  const limitedUntil = new Map<string, number>()

  // Only one run at a time: two would start two lines of one website.
  let run: Promise<number> | null = null

  /**
   * Works until nothing more can start. Simultaneous callers wait for the same run. Returns the number of
   * lines taken.
   */
  const runDue = (): Promise<number> => {
    run ??= work().finally(() => {
      run = null
    })
    return run
  }

  const work = async (): Promise<number> => {
    for (let taken = 0; ; ) {
      taken += closing.aborted ? 0 : await fill()
      if (running.size === 0) return taken
      // Another partner's list may have arrived meanwhile.
      await Promise.race([...running.keys(), delay(lookAgainMs, undefined, { ref: false })])
    }
  }

  // The partner with the fewest running lines is next, so that no list delays another partner's.
  const fill = async (): Promise<number> => {
    const at = now()
    const lists = byPartner(
      await storage.all(statements.importLinesDue, { now: at.toISOString(), each: looksEach }),
    )
    let taken = 0
    while (lists.size > 0 && running.size < atOnce) {
      const [partner, lines] = [...lists].sort(([a], [b]) => runningOf(a) - runningOf(b))[0]!
      const line = runningOf(partner) < atOnceEach ? lines.shift() : undefined
      if (!line) lists.delete(partner)
      else if (await start(line, at)) taken++
    }
    return taken
  }

  const runningOf = (partner: string): number =>
    [...running.values()].filter((task) => task.partner === partner).length

  const start = async (line: DueLine, at: Date): Promise<boolean> => {
    const partner = line.partner_id
    if ((limitedUntil.get(partner) ?? 0) > at.getTime()) return false
    const domain = domainOf(line)
    const busyUntil = await busyTill(domain, at)
    if (busyUntil > at.getTime()) {
      await move(line, new Date(busyUntil))
      return false
    }
    const until = new Date(at.getTime() + leaseMs)
    if (!(await move(line, until))) return false
    const waitMs = await limitedFor(line)
    if (waitMs > 0) {
      limitedUntil.set(partner, at.getTime() + waitMs)
      await move({ ...line, due_at: until.toISOString() }, new Date(at.getTime() + waitMs))
      return false
    }
    const done = finish(line).finally(() => running.delete(done))
    running.set(done, { partner, domain })
    return true
  }

  // An address that today's rules refuse is answered without a visit.
  const domainOf = ({ url, text }: ImportLineRow): string => {
    try {
      return toSiteAddress(url ?? text, policy).domain
    } catch {
      return ''
    }
  }

  const busyTill = async (domain: string, at: Date): Promise<number> => {
    const latest = at.getTime() + busyMs
    if ([...running.values()].some((task) => task.domain === domain)) return latest
    const [row] = await storage.all(statements.visitFreeAt, { key: `d:${domain}` })
    return row ? Math.min(latest, Date.parse(row.free_at)) : 0
  }

  // Counts the line once this process has it. Returns 0 when it may start.
  const limitedFor = async ({ partner_id, key_id }: DueLine): Promise<number> => {
    try {
      await limit.consume(key_id ?? partner_id)
      return 0
    } catch (error) {
      if (!isMembershipError(error, 'ERR_RATE_LIMIT')) throw error
      return (error.retryAfterSeconds ?? 60) * 1000
    }
  }

  /** Returns false if another process has the line. */
  const move = async ({ import_id, line, due_at }: ImportLineRow, until: Date): Promise<boolean> => {
    return unlessConflict(
      storage.commit([
        step(
          statements.importLineLease,
          { import_id, line, due_at: due_at ?? '', until: until.toISOString() },
          1,
        ),
      ]),
    )
  }

  const finish = async (row: DueLine): Promise<void> => {
    const { import_id, line } = row
    try {
      const found = await outcomeOf(row)
      await storage.commit([step(statements.importLineDone, { import_id, line, ...found })])
    } catch (error) {
      // The line is taken up again after the lease.
      log('a line of an import failed', { import: import_id, line, reason: String(error) })
    }
  }

  const outcomeOf = async (
    row: DueLine,
  ): Promise<Pick<ImportLineRow, 'outcome' | 'detail' | 'report_id'>> => {
    const caller = { partnerId: row.partner_id, keyId: '', scopes: [], version: 0, changedAt: '', crawled: 0 }
    try {
      // A thousand addresses of a website that blocks us must not cause a thousand requests, so the kept
      // robots.txt counts.
      const options = { waitMs: leaseMs, robots: 'kept' } as const
      const { entry, isNew } = await requests.add(caller, row.url ?? row.text, options)
      const report_id = entry.row.id
      if (isNew) return { outcome: 'added', detail: null, report_id }
      const { import_id, line } = row
      const [earlier] = await storage.all(statements.importLineBefore, { import_id, line, report_id })
      return earlier
        ? { outcome: 'duplicate', detail: `line ${earlier.line}`, report_id }
        : { outcome: 'existing', detail: null, report_id }
    } catch (error) {
      if (!isMembershipError(error)) throw error
      const outcome = outcomeByCode[error.code]
      if (!outcome) throw error
      return { outcome, detail: error.message, report_id: (error.extensions.id as string) ?? null }
    }
  }

  return { runDue }
}

function byPartner(lines: readonly DueLine[]): Map<string, DueLine[]> {
  const lists = new Map<string, DueLine[]>()
  for (const line of lines) lists.set(line.partner_id, [...(lists.get(line.partner_id) ?? []), line])
  return lists
}

const outcomeByCode: Partial<Record<string, Outcome>> = {
  ERR_REPORT_EXISTS: 'taken',
  ERR_SITE_EXCLUDED: 'excluded',
  ERR_SYSTEM_NOT_DETECTED: 'rejected',
  ERR_SITE_UNREACHABLE: 'unreachable',
  ERR_URL_NOT_ALLOWED: 'refused',
}
