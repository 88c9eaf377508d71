import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'ending-columns'

/** Columns for what was searched in the stored JSON, where a metadata key called `cancel_at` counted as an announced end. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('subscriptions')
    .addColumn('ending', 'integer', (column) => column.notNull().defaultTo(0)),
  db.schema
    .alterTable('subscriptions')
    .addColumn('trial_ends_at', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]
