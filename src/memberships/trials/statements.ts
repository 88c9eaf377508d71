import { sql } from 'kysely'
import { inAccount, type Leaving, type Row, type Storage } from '../../core/storage/index.ts'

/** A mark of a plan group's subscription: the evidence and the first subscription, both hashed. */
export type TrialMark = Row<'trials'>

const columns = ['mark', 'first', 'at', 'began_at'] as const

/** Expired marks. */
export const oldMarks: Leaving = { name: 'trials', table: 'trials', key: 'mark', over: 'at' }

/** Statements about marks of earlier subscriptions. Noting a mark again only moves its time forwards. */
export function trialStatements(storage: Storage) {
  return {
    find: storage.prepare<{ mark: string }, TrialMark>('trial-mark', (db, p) =>
      db.selectFrom('trials').select(columns).where('mark', '=', p.mark),
    ),
    /** Lists a customer's running trials. */
    ofCustomer: storage.prepare<{ provider: string; account: string; id: string }, { id: string }>(
      'trials-of-customer',
      (db, p) =>
        db
          .selectFrom('subscriptions')
          .select('id')
          .where(inAccount(p))
          .where('owner_id', '=', p.id)
          .where('status', '=', sql.lit('trialing')),
    ),
    /** Reads a started checkout's request to the provider. */
    request: storage.prepare<{ id: string }, { request: string | null }>('trial-request', (db, p) =>
      db.selectFrom('intents').select('request').where('id', '=', p.id),
    ),
    /** Removes the mark of one subscription. */
    forget: storage.prepare<{ mark: string; first: string }>('trial-forget', (db, p) =>
      db.deleteFrom('trials').where('mark', '=', p.mark).where('first', '=', p.first),
    ),
    /** Writes a mark. The first subscription stays, and the latest time counts. */
    note: storage.prepareMany<TrialMark>('trial-note', { all: columns, key: ['mark'] }, (db, rows) =>
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
  }
}
