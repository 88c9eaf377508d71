import type { Log } from '../core/log.ts'
import { createLeaving, type Leaving, type Storage } from '../core/storage/index.ts'
import { historyKeptMs } from './crawl/history.ts'
import type { Entries } from './entries/entries.ts'
import { toEntry } from './entries/record.ts'
import { idempotencyKeptMs } from './idempotency.ts'
import { noticesKeptMs } from './notices.ts'
import type { Statements } from './statements/index.ts'
import {
  oldCrawlHours,
  oldIdempotencyKeys,
  oldNotices,
  oldPartnerSessions,
  oldRobots,
  oldVisits,
} from './statements/leaving-statements.ts'
import { robotsMaxAgeMs } from './visit/index.ts'

const whatLeaves: readonly { readonly rows: Leaving; readonly afterMs: number }[] = [
  { rows: oldIdempotencyKeys, afterMs: idempotencyKeptMs },
  { rows: oldRobots, afterMs: robotsMaxAgeMs },
  { rows: oldVisits, afterMs: 3_600_000 },
  { rows: oldCrawlHours, afterMs: historyKeptMs },
  { rows: oldNotices, afterMs: noticesKeptMs },
  { rows: oldPartnerSessions, afterMs: 0 },
]

/**
 * Deletes expired rows in batches: refused attempts after 30 days, and everything with a limited lifetime.
 */
export function createHousekeeping(deps: {
  storage: Storage
  statements: Statements
  entries: Entries
  now: () => Date
  log: Log
}) {
  const { storage, statements, entries, now, log } = deps
  const leaving = whatLeaves.map(({ rows, afterMs }) => ({ leave: createLeaving(storage, rows), afterMs }))

  const removeKept = async (): Promise<void> => {
    // Rows that cannot be removed come again, so the loop ends when nothing else is left.
    for (let removed = -1; removed !== 0; ) {
      removed = 0
      for (const row of await storage.all(statements.reportsKeptTill, { now: now().toISOString() }))
        try {
          if (await entries.remove(toEntry(row))) removed += 1
        } catch (error) {
          log('a refused website could not be let go', {
            report: row.id,
            reason: String(error).slice(0, 300),
          })
        }
    }
  }

  return async (): Promise<void> => {
    await removeKept()
    for (const { leave, afterMs } of leaving) await leave(new Date(now().getTime() - afterMs).toISOString())
  }
}
