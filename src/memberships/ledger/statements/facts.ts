import { type Expression, sql } from 'kysely'
import type { Storage } from '../../../core/storage/index.ts'
import type { MoneyFactRow, SubscriptionRow } from './rows.ts'
import { versioned } from './versioned.ts'

const factColumns = [
  ...(['data', 'items', 'at', 'source', 'marks', 'tied', 'prior_at', 'prior_marks', 'contested'] as const),
] as const
const subscriptionKey = ['provider', 'account', 'id'] as const
const subscriptionData = [
  'owner_id',
  'status',
  'price_id',
  'arrears',
  'ending',
  'trial_ends_at',
  'begun_at',
  'over_at',
  ...factColumns,
] as const
const subscriptionColumns = [...subscriptionKey, ...subscriptionData, 'revision'] as const

export interface SubscriptionPause {
  provider: string
  account: string
  id: string
  /** When the snapshot was made. */
  at: string
  /** When the pause began or ended. */
  moment: string
}

// A moment has 24 characters, and the slash of an open pause is the last one.
const openPause = sql<string>`substr(pauses, length(pauses) - 24, 24)`

/** Statements for provider data: subscriptions in a table of their own, everything else as facts. */
export const factStatements = (storage: Storage) => {
  const subscriptions = versioned<SubscriptionRow, (typeof subscriptionKey)[number]>(storage, {
    name: 'subscription',
    lock: 'subscriptions',
    table: 'subscriptions',
    key: subscriptionKey,
    columns: subscriptionColumns,
    updated: subscriptionData,
  })
  const facts = versioned<MoneyFactRow, 'provider' | 'account' | 'kind' | 'id'>(storage, {
    name: 'fact',
    lock: 'facts',
    table: 'facts',
    key: ['provider', 'account', 'kind', 'id'],
    columns: ['provider', 'account', 'kind', 'id', ...factColumns, 'revision'],
    updated: factColumns,
  })
  return {
    subscription: subscriptions.find,
    subscriptionInsert: subscriptions.insert,
    subscriptionUpdate: subscriptions.update,
    fact: facts.find,
    factInsert: facts.insert,
    factUpdate: facts.update,
    /** Moves a fact to the moment of a later event with the same content, without a read. */
    factAgain: storage.prepare<
      Pick<MoneyFactRow, 'provider' | 'account' | 'kind' | 'id' | 'at' | 'data' | 'marks'>
    >({ lock: 'facts', name: 'fact-again' }, (db, p) =>
      db
        .updateTable('facts')
        .set((eb) => ({
          at: p.at,
          marks: p.marks,
          tied: null,
          prior_at: eb.ref('at'),
          prior_marks: eb.ref('marks'),
          contested: 0,
          revision: eb('revision', '+', 1),
        }))
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('source', '=', 0)
        .where('at', '<', p.at)
        .where('data', '=', p.data),
    ),
    /** Remembers the beginning of a pause, unless one goes on. An older snapshot than the stored one tells nothing. */
    pauseBegin: storage.prepare<SubscriptionPause>(
      { lock: 'subscriptions', name: 'subscription-pause' },
      (db, p) =>
        db
          .updateTable('subscriptions')
          .set({ pauses: sql<string>`coalesce(pauses || ',', '') || ${p.moment} || '/'` })
          .where('provider', '=', p.provider)
          .where('account', '=', p.account)
          .where('id', '=', p.id)
          .where('at', '<=', p.at)
          .where(sql<boolean>`(pauses is null or pauses not like '%/')`),
    ),
    /** Remembers its end. A planned pause that was called off leaves nothing. */
    pauseEnd: storage.prepare<SubscriptionPause>(
      { lock: 'subscriptions', name: 'subscription-pause-end' },
      (db, p) =>
        db
          .updateTable('subscriptions')
          .set({
            pauses: sql<string | null>`case
              when ${openPause} < ${p.moment} then pauses || ${p.moment}
              when length(pauses) > 26 then substr(pauses, 1, length(pauses) - 26)
              else null end`,
          })
          .where('provider', '=', p.provider)
          .where('account', '=', p.account)
          .where('id', '=', p.id)
          .where('at', '<=', p.at)
          .where('pauses', 'like', sql.lit('%/')),
    ),
    /** Writes a subscription's snapshot if it is the first, or newer than a stored event's. No read is needed. */
    subscriptionNewer: storage.prepareMany<SubscriptionRow>(
      { lock: 'subscriptions', name: 'subscription-newer' },
      { all: subscriptionColumns, key: ['provider', 'account', 'id'] },
      (db, rows) =>
        db
          .insertInto('subscriptions')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['provider', 'account', 'id'])
              .doUpdateSet((eb) => ({
                status: eb.ref('excluded.status'),
                price_id: eb.ref('excluded.price_id'),
                arrears: null,
                ending: eb.ref('excluded.ending'),
                trial_ends_at: eb.ref('excluded.trial_ends_at'),
                begun_at: eb.ref('excluded.begun_at'),
                over_at: eb.ref('excluded.over_at'),
                data: eb.ref('excluded.data'),
                items: null,
                at: eb.ref('excluded.at'),
                marks: eb.ref('excluded.marks'),
                tied: null,
                prior_at: eb.ref('subscriptions.at'),
                prior_marks: eb.ref('subscriptions.marks'),
                contested: 0,
                revision: eb('subscriptions.revision', '+', 1),
              }))
              .where('subscriptions.source', '=', 0)
              // A changed owner needs a read, because the previous owner must be checked.
              .whereRef('subscriptions.owner_id', '=', sql.ref('excluded.owner_id') as Expression<string>)
              .whereRef('subscriptions.at', '<', sql.ref('excluded.at') as Expression<string>),
          ),
    ),
  }
}
