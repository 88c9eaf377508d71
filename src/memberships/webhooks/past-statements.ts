import { type Kysely, sql } from 'kysely'
import { inAccount, partSize, type Storage, type Tables } from '../../core/storage/index.ts'

interface Place {
  provider: string
  account: string
}

const eventKey = ['provider', 'account', 'event_id'] as const

/** Statements about the remains of applied events, and their removal. */
export function pastStatements(storage: Storage) {
  return {
    find: storage.prepare<Place & { event_id: string }, { received_at: string }>('past-event', (db, p) =>
      db
        .selectFrom('past_events')
        .select('received_at')
        .where(inAccount(p))
        .where('event_id', '=', p.event_id),
    ),
    placeAfter: storage.prepare<Place, Place>('past-event-place-after', (db, p) =>
      db
        .selectFrom('past_events')
        .select(['provider', 'account'])
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('provider', 'account'), '>', tuple(p.provider, p.account)),
        )
        .orderBy('provider')
        .orderBy('account')
        .limit(1),
    ),
    /** Looks for a removed event. A unit that expects none must change no row. */
    unless: storage.prepareMany<Place & { event_id: string }>(
      'past-event-unless',
      { all: eventKey, key: eventKey },
      (db, rows) =>
        db
          .updateTable('past_events')
          .set({ event_id: sql.ref('event_id') })
          .where((w) =>
            w.or(
              rows.map((p) =>
                w.and([
                  w('provider', '=', p.provider),
                  w('account', '=', p.account),
                  w('event_id', '=', p.event_id),
                ]),
              ),
            ),
          ),
    ),
    /** Copies a batch of the oldest applied events. */
    remember: storage.prepare<{ before: string }>('past-event-remember', (db, p) =>
      db
        .insertInto('past_events')
        .columns(['provider', 'account', 'event_id', 'body_hash', 'received_at'])
        .expression(
          over(db, p).select(['o.provider', 'o.account', 'o.event_id', 'o.body_hash', 'o.received_at']),
        )
        .onConflict((c) => c.columns(['provider', 'account', 'event_id']).doNothing()),
    ),
    /** Deletes those that were copied. */
    leave: storage.prepare<{ before: string }, { seq: number }>('event-leave', (db, p) =>
      db
        .deleteFrom('events')
        .where(
          'seq',
          'in',
          over(db, p)
            .select('o.seq')
            .where(({ exists, selectFrom }) =>
              exists(
                selectFrom('past_events as k')
                  .select('k.event_id')
                  .whereRef('k.provider', '=', 'o.provider')
                  .whereRef('k.account', '=', 'o.account')
                  .whereRef('k.event_id', '=', 'o.event_id'),
              ),
            ),
        )
        .returning('seq'),
    ),
  }
}

function over(db: Kysely<Tables>, { before }: { before: string }) {
  return db
    .selectFrom('events as o')
    .where('o.received_at', '<', before)
    .where('o.body', 'is', null)
    .where('o.status', 'in', [sql.lit('processed'), sql.lit('ignored')])
    .orderBy('o.received_at')
    .orderBy('o.seq')
    .limit(sql.lit(partSize))
}
