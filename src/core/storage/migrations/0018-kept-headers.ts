import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'kept-headers'

/** What reading a received body needs beyond it, and where an object is found whose id alone is not enough. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema.alterTable('events').addColumn('headers', 'text'),
  db.schema.alterTable('fetches').addColumn('parent', 'text'),
]
