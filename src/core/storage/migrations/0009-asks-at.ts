import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'asks-at'

/** Keeps the moment from which an answer counts for the newest wish, which a fetch that runs must not shorten. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('fetches')
    .addColumn('asks_at', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]
