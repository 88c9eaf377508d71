import { type Storage, step } from '../../core/storage/index.ts'
import type { CrawlHourRow, Statements } from '../statements/index.ts'
import type { CrawlResult } from './crawler.ts'

export interface CrawlHistory {
  /** Adds a run to the hour in which it ended, for all processes together. */
  note(result: CrawlResult): Promise<void>
  /** Lists the newest hours with visits, at most `limit`. */
  list(limit: number): Promise<CrawlHourRow[]>
}

/** Records the crawler's work by the hour, and keeps it for a year. */
export function createCrawlHistory(deps: {
  storage: Storage
  statements: Statements
  now: () => Date
}): CrawlHistory {
  const { storage, statements, now } = deps
  return {
    note: async ({
      visited,
      listed,
      rejected,
      unreachable,
      excluded,
      stopped,
    }: CrawlResult): Promise<void> => {
      const stops = stopped === 'own-network' ? 1 : 0
      if (visited + excluded + stops === 0) return
      const hour = `${now().toISOString().slice(0, 13)}:00:00.000Z`
      await storage.commit([
        step(statements.crawlHourAdd, { hour, visited, listed, rejected, unreachable, excluded, stops }),
      ])
    },
    list: (limit: number): Promise<CrawlHourRow[]> =>
      storage.read((db) => db.selectFrom('crawl_hours').selectAll().orderBy('hour', 'desc').limit(limit)),
  }
}

/** Age at which hours are deleted. */
export const historyKeptMs = 365 * 86_400_000
