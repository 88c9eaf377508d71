import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'purchases'

/** A buyer's checkouts are found also when they are finished; those that a bank is to pay are asked after. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('intents_by_claim')
    .on('intents')
    .columns(['claim', 'created_at'])
    .where('claim' as never, 'is not', null),
  db.schema
    .createIndex('intents_processing')
    .on('intents')
    .column('id')
    .where('status' as never, '=', 'processing'),
]
