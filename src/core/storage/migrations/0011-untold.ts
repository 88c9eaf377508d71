import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'untold'

/** Of a member who cannot be told of: how often that was tried, and why it failed. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema.alterTable('tell').addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0)),
  db.schema.alterTable('tell').addColumn('error', 'text'),
]

/** By which the doctor finds them, and messages that were given up, among all that wait. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('tell_untold')
    .on('tell')
    .columns(['provider', 'owner_id'])
    .where('error' as never, 'is not', null),
  db.schema
    .createIndex('outbox_dead')
    .on('outbox')
    .column('seq')
    .where('status' as never, '=', 'dead'),
]
