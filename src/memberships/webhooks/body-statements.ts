import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'

/** A place in the list of events with a body. */
export interface Place {
  received_at: string
  seq: number
}
/** An event with its body. */
export interface StoredBody extends Place {
  provider: string
  account: string
  object_id: string | null
  body: Buffer
}

/** Statements about the bodies of events when an account goes. */
export function bodyStatements(storage: Storage) {
  return {
    /** Failed events keep their bodies until they are applied, because the body may describe a payment. */
    bodyDrop: storage.prepare<{ seq: number }>('event-erase', (db, p) =>
      db
        .updateTable('events')
        .set({ body: null })
        .where('seq', '=', p.seq)
        .where('status', '!=', sql.lit('failed')),
    ),
    /** The next events that have a body, by the index of those alone: numbers without a row cost nothing. */
    bodies: storage.prepare<Place, StoredBody>('erase-bodies', (db, p) =>
      db
        .selectFrom('events')
        .select(['seq', 'provider', 'account', 'object_id', 'received_at', 'body'])
        .where('body', 'is not', null)
        .where('received_at', '>=', p.received_at)
        .where(({ eb, or }) => or([eb('received_at', '>', p.received_at), eb('seq', '>', p.seq)]))
        .where('status', '!=', sql.lit('failed'))
        .orderBy('received_at')
        .orderBy('seq')
        .limit(200)
        .$narrowType<{ body: Buffer }>(),
    ),
  }
}
