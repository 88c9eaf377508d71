import { type Storage, step } from '../storage/index.ts'
import { historyKeptMs } from './crawl/history.ts'
import type { Entries } from './entries/entries.ts'
import { toEntry } from './entries/record.ts'
import { idempotencyKeptMs } from './idempotency.ts'
import type { Statements } from './statements/index.ts'
import { robotsMaxAgeMs } from './visit/index.ts'

/** Deletes what is over: refused attempts after 30 days, and what was kept for a while only. */
export const createHousekeeping =
  (deps: { storage: Storage; statements: Statements; entries: Entries; now: () => Date }) =>
  async (): Promise<void> => {
    const { storage, statements, entries, now } = deps
    const ago = (ms: number) => new Date(now().getTime() - ms).toISOString()
    for (const row of await storage.all(statements.reportsKeptTill, { now: now().toISOString() }))
      await entries.remove(toEntry(row))
    await storage.commit([
      step(statements.idempotencyForget, { before: ago(idempotencyKeptMs) }),
      step(statements.robotsForget, { before: ago(robotsMaxAgeMs) }),
      step(statements.visitsForget, { before: ago(3_600_000) }),
      step(statements.crawlHoursForget, { before: ago(historyKeptMs) }),
    ])
  }
