import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'bodies'

/** Finds the bodies that are old enough to go, without reading every event each hour. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('events_bodies')
    .on('events')
    .column('received_at')
    .where('body' as never, 'is not', null as never),
]
