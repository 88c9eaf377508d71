import type { Storage } from '../../core/storage/index.ts'
import { never } from '../hours.ts'

/** Counts websites and candidates by state, and those that are due; finds the next due time. */
export const createStatus = ({ storage, now }: { storage: Storage; now: () => Date }) => {
  const crawlStatus = async () => {
    const [websites, candidates, due, due_candidates, open] = await Promise.all([
      statesOf(),
      candidateStates(),
      dueOf('reports'),
      dueOf('candidates'),
      storage.read((db) =>
        db
          .selectFrom('reviews')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('resolved_at', 'is', null),
      ),
    ])
    const next = [due.next, due_candidates.next].filter((at) => at !== null && at < never).sort()
    return {
      websites,
      candidates,
      due: due.count,
      due_candidates: due_candidates.count,
      next_due_at: next[0] ?? null,
      reviews: Number(open[0]?.count ?? 0),
    }
  }

  const statesOf = async () => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('reports')
        .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
        .groupBy('status')
        .orderBy('status'),
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
  }

  const candidateStates = async () => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('candidates')
        .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
        .groupBy('state')
        .orderBy('state'),
    )
    return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
  }

  const dueOf = async (table: 'reports' | 'candidates') => {
    const at = now().toISOString()
    const [[due], [upcoming]] = await Promise.all([
      storage.read((db) =>
        db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('due_at', '<=', at),
      ),
      storage.read((db) =>
        db.selectFrom(table).select('due_at').where('due_at', '>', at).orderBy('due_at').limit(1),
      ),
    ])
    return { count: Number(due?.count ?? 0), next: upcoming?.due_at ?? null }
  }

  return crawlStatus
}
