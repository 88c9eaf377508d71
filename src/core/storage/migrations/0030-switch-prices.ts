import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'switch-prices'

/** What a member who goes on at another provider buys there. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('switches')
    .addColumn('price_id', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]
