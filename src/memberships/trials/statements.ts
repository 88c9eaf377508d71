import { sql } from 'kysely'
import type { Leaving, Storage } from '../../core/storage/index.ts'

/** A mark of a subscription of a group of plans: what told who it was, and the first subscription, both hashed. */
export interface TrialMark {
  mark: string
  first: string
  at: string
  /** When the first began, where it began without a trial. */
  began_at: string | null
}

const columns = ['mark', 'first', 'at', 'began_at'] as const

/** Marks whose time is over. */
export const oldMarks: Leaving = { name: 'trials', table: 'trials', key: 'mark', over: 'at' }

/** Marks of who had a subscription; noting one again moves its time on, never back. */
export const trialStatements = (storage: Storage) => ({
  find: storage.prepare<{ mark: string }, TrialMark>('trial-mark', (db, p) =>
    db.selectFrom('trials').select(columns).where('mark', '=', p.mark),
  ),
  /** The trials of a customer that still run. */
  ofCustomer: storage.prepare<{ provider: string; account: string; id: string }, { id: string }>(
    'trials-of-customer',
    (db, p) =>
      db
        .selectFrom('subscriptions')
        .select('id')
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('owner_id', '=', p.id)
        .where('status', '=', sql.lit('trialing')),
  ),
  /** The request of a started checkout to the provider. */
  request: storage.prepare<{ id: string }, { request: string | null }>('trial-request', (db, p) =>
    db.selectFrom('intents').select('request').where('id', '=', p.id),
  ),
  /** Notes a mark: the first subscription stays; of when it was last, the latest counts. */
  note: storage.prepareMany<TrialMark>(
    { lock: 'other', name: 'trial-note' },
    { all: columns, key: ['mark'] },
    (db, rows) =>
      db
        .insertInto('trials')
        .values(rows)
        .onConflict((c) =>
          c.column('mark').doUpdateSet((eb) => ({
            at: eb
              .case()
              .when('excluded.at', '>', eb.ref('trials.at'))
              .then(eb.ref('excluded.at'))
              .else(eb.ref('trials.at'))
              .end(),
          })),
        ),
  ),
})
