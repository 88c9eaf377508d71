import { type Expression, sql } from 'kysely'
import type { Storage } from '../../../core/storage/index.ts'
import type { MoneyFactRow, SubscriptionRow } from './rows.ts'
import { versioned } from './versioned.ts'

const factColumns = [
  ...(['data', 'items', 'at', 'source', 'marks', 'tied', 'prior_at', 'prior_marks', 'contested'] as const),
] as const
export const subscriptionKey = ['provider', 'account', 'id'] as const
export const subscriptionData = [
  'owner_id',
  'status',
  'price_id',
  'arrears',
  'ending',
  'trial_ends_at',
  'begun_at',
  'over_at',
  'pauses',
  'pause_moments',
  ...factColumns,
] as const
const subscriptionColumns = [...subscriptionKey, ...subscriptionData, 'sold', 'shared', 'revision'] as const

// A moment has 24 characters, and the last one of the column is the newest that runs.
const moments = sql.ref('subscriptions.pause_moments')
const addedMoment = sql`substr(excluded.pause_moments, 2)`
const addedDay = sql`substr(excluded.pause_moments, 2, 10)`
/** Adds a newer moment that runs, as `withPauses` does: a day keeps its first and its last. */
const withMoment = sql<string>`case
  when ${moments} is null then excluded.pause_moments
  when substr(${moments}, length(${moments}) - 23) = ${addedMoment} then ${moments}
  when substr(${moments}, length(${moments}) - 24, 11) = ',' || ${addedDay}
    and substr(${moments}, length(${moments}) - 48, 10) = ${addedDay}
    then substr(${moments}, 1, length(${moments}) - 24) || ${addedMoment}
  else ${moments} || ',' || ${addedMoment} end`

/** Statements for provider data: subscriptions in a table of their own, everything else as facts. */
export function factStatements(storage: Storage) {
  const subscriptions = versioned<SubscriptionRow, (typeof subscriptionKey)[number]>(storage, {
    name: 'subscription',
    table: 'subscriptions',
    key: subscriptionKey,
    columns: subscriptionColumns,
    updated: [...subscriptionData, 'sold', 'shared'],
  })
  const facts = versioned<MoneyFactRow, 'provider' | 'account' | 'kind' | 'id'>(storage, {
    name: 'fact',
    table: 'facts',
    key: ['provider', 'account', 'kind', 'id'],
    columns: ['provider', 'account', 'kind', 'id', 'state', ...factColumns, 'revision'],
    updated: ['state', ...factColumns],
  })
  return {
    subscription: subscriptions.find,
    subscriptionInsert: subscriptions.insert,
    subscriptionUpdate: subscriptions.update,
    subscriptionDelete: subscriptions.remove,
    fact: facts.find,
    factInsert: facts.insert,
    factUpdate: facts.update,
    /** Moves a fact to the moment of a later event with the same content, without a read. */
    factAgain: storage.prepare<
      Pick<MoneyFactRow, 'provider' | 'account' | 'kind' | 'id' | 'at' | 'data' | 'marks'>
    >('fact-again', (db, p) =>
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
    /** Writes a subscription's snapshot if it is the first, or newer than a stored event's. No read is needed. */
    subscriptionNewer: storage.prepareMany<SubscriptionRow>(
      'subscription-newer',
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
                pause_moments: withMoment,
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
              // The end of a pause needs a read, too.
              .where(sql<boolean>`(subscriptions.pauses is null or subscriptions.pauses not like '%/')`)
              // So does another price, whose terms join the stored ones.
              .where(sql<boolean>`subscriptions.price_id is not distinct from excluded.price_id`)
              // A changed owner needs a read, because the previous owner must be checked.
              .whereRef('subscriptions.owner_id', '=', sql.ref('excluded.owner_id') as Expression<string>)
              .whereRef('subscriptions.at', '<', sql.ref('excluded.at') as Expression<string>),
          ),
    ),
  }
}
