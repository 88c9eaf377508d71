import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'intent-accounts'

/** The provider's account at which a checkout was opened: only that one is asked about it, and closes it. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema.alterTable('intents').addColumn('account', 'text', (column) => column.notNull().defaultTo('')),
]
