import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'opens-at'

/** Free days that another account paid open nothing before this moment. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('subscriptions')
    .addColumn('opens_at', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]
