import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'

/** Statements about the notified state in the life of an account. */
export function hookLifeStatements(storage: Storage) {
  return {
    told: storage.prepare<{ member_id: string }>('told-erase', (db, p) =>
      db.deleteFrom('member_snapshots').where('member_id', '=', p.member_id),
    ),
    /** The messages about a member that hooks and receivers did not take yet. */
    waiting: storage.prepare<{ hooks: string; events: string }, { payload: string }>(
      'told-waiting',
      (db, p) =>
        db
          .selectFrom('outbox')
          .select('payload')
          .where(({ eb, or }) =>
            or([
              eb('lane', '=', p.hooks),
              sql<boolean>`substr(lane, 1, length(cast(${p.events} as text))) = ${p.events}`,
            ]),
          ),
    ),
    /** Deletes the notified states. Without them, anything that began before notifications did is already known. */
    toldEvery: storage.prepare<object>('restored-told', (db) => db.deleteFrom('member_snapshots')),
    /** Queues every member for one comparison after the start, so that later changes are notified. */
    look: storage.prepare<{ at: string }>('restored-look', (db, p) =>
      db
        .insertInto('notify_queue')
        .columns(['provider', 'account', 'owner_id', 'wishes', 'due_at'])
        .expression((eb) =>
          eb
            .selectFrom('members')
            .select([sql.lit('').as('provider'), sql.lit('').as('account'), 'id as owner_id'])
            .select([sql.lit(1).as('wishes'), sql<string>`cast(${p.at} as text)`.as('due_at')])
            // Without a condition, SQLite reads the conflict clause as part of a join.
            .where('id', '<>', ''),
        )
        .onConflict((c) => c.columns(['provider', 'account', 'owner_id']).doNothing()),
    ),
  }
}
