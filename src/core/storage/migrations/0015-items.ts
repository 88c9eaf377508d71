import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'items'

/** The newest whole list of items, beside a snapshot that shows only the first of them. */
export const up = (db: Kysely<Tables>): Compilable[] =>
  (['subscriptions', 'facts'] as const).map((table) => db.schema.alterTable(table).addColumn('items', 'text'))

/** By which the doctor finds subscriptions of which the rest is not known. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('subscriptions_items')
    .on('subscriptions')
    .columns(['provider', 'id'])
    .where('items' as never, 'is not', null),
]
