import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'untold'

/** Of a member who cannot be told of: how often that was tried, and why it failed. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema.alterTable('tell').addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0)),
  db.schema.alterTable('tell').addColumn('error', 'text'),
]
