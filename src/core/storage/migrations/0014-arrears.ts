import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'arrears'

/** Since when a subscription's payment fails. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema.alterTable('subscriptions').addColumn('arrears', 'text'),
]
