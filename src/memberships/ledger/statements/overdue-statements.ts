import type { Storage } from '../../../core/storage/index.ts'

/** A moment at which a subscription was overdue, as its provider told it. */
export interface OverdueRow {
  provider: string
  account: string
  subscription_id: string
  at: string
}

const columns = ['provider', 'account', 'subscription_id', 'at'] as const

/** When subscriptions were overdue: a set that only grows, so that no order of messages makes another of it. What a row of
 *  a subscription says is gone when it is paid. */
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
