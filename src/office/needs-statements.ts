import { sql } from 'kysely'
import type { Storage } from '../core/storage/index.ts'

/** Counts what waits for an operator, each by index. */
export const needsStatements = ({ read }: Pick<Storage, 'read'>) => {
  const counted = async (rows: Promise<readonly { count: number | string }[]>): Promise<number> =>
    Number((await rows)[0]?.count ?? 0)
  const count = sql<number>`count(*)`.as('count')
  return {
    failedPayments: () =>
      counted(
        read((db) =>
          db.selectFrom('subscriptions').select(count).where('status', 'in', ['past_due', 'unpaid']),
        ),
      ),
    stuckEvents: async (): Promise<ReadonlyMap<string, number>> => {
      const rows = await read((db) =>
        db
          .selectFrom('events')
          .select(['status', count])
          .where(sql<boolean>`status in ('failed', 'dead', 'held')`)
          .groupBy('status'),
      )
      return new Map(rows.map(({ status, count: n }) => [status, Number(n)]))
    },
    deadMessages: () =>
      counted(read((db) => db.selectFrom('outbox').select(count).where('status', '=', sql.lit('dead')))),
    waitingCustomers: () =>
      counted(
        read((db) =>
          db
            .selectFrom('customers')
            .select(count)
            .where('member_id', 'is', null)
            .where('purchased', '=', 1)
            .where('deleted', '=', 0),
        ),
      ),
    stuckDeletions: () =>
      counted(
        read((db) =>
          db
            .selectFrom('deletions')
            .select(count)
            .where('done_at', 'is', null)
            .where('error', 'is not', null),
        ),
      ),
  }
}
