import { sql } from 'kysely'
import type { Row, Storage } from '../../../core/storage/index.ts'

/** A moment at which a subscription was overdue, as the provider reported it. */
export type OverdueRow = Row<'overdue'>

/** The last terms of a subscription in one month. */
export type RecurringRow = Row<'recurring_months'>

const recurringKey = ['provider', 'account', 'subscription_id', 'month'] as const
const columns = ['provider', 'account', 'subscription_id', 'at'] as const

/**
 * The moments at which subscriptions were overdue, and the terms by month. Events only add to both, so their order does
 * not matter. A subscription's own row forgets them.
 */
export function overdueStatements(storage: Storage) {
  return {
    overdueSeen: storage.prepareMany<Omit<OverdueRow, 'pay_page_at'>>(
      'overdue-seen',
      { all: columns, key: columns },
      (db, rows) =>
        db
          .insertInto('overdue')
          .values(rows)
          .onConflict((c) => c.columns([...columns]).doNothing()),
    ),
    /** Keeps the first moment at which the member opened the page that pays what is overdue. */
    payPageOpened: storage.prepare<OverdueRow>('pay-page-opened', (db, p) =>
      db
        .updateTable('overdue')
        .set({ pay_page_at: p.pay_page_at })
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('subscription_id', '=', p.subscription_id)
        .where('at', '<=', p.at)
        .where('pay_page_at', 'is', null),
    ),
    /**
     * Keeps the last terms of a subscription in each month. The newest snapshot of the month wins, then the greater rank,
     * then the greater text, so the order of events does not matter.
     */
    recurringSeen: storage.prepareMany<RecurringRow>(
      'recurring-seen',
      { all: [...recurringKey, 'at', 'rank', 'terms'], key: recurringKey },
      (db, rows) =>
        db
          .insertInto('recurring_months')
          .values(rows)
          .onConflict((c) =>
            c
              .columns([...recurringKey])
              .doUpdateSet((eb) => ({
                at: eb.ref('excluded.at'),
                rank: eb.ref('excluded.rank'),
                terms: eb.ref('excluded.terms'),
              }))
              .where(
                sql<boolean>`(excluded.at, excluded.rank, excluded.terms) > (recurring_months.at, recurring_months.rank, recurring_months.terms)`,
              ),
          ),
    ),
  }
}
