import type { Row, Storage } from '../../../core/storage/index.ts'

/** A moment at which a subscription was overdue, as the provider reported it. */
export type OverdueRow = Row<'overdue'>

const columns = ['provider', 'account', 'subscription_id', 'at'] as const

/**
 * The moments at which subscriptions were overdue. The set only grows, so the order of events does not matter. A
 * subscription's own row forgets them once it is paid.
 */
export const overdueStatements = (storage: Storage) => ({
  overdueSeen: storage.prepareMany<OverdueRow>(
    { lock: 'intents', name: 'overdue-seen' },
    { all: columns, key: columns },
    (db, rows) =>
      db
        .insertInto('overdue')
        .values(rows)
        .onConflict((c) => c.columns([...columns]).doNothing()),
  ),
})
