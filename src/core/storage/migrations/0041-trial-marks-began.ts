import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'trial-marks-began'

/** When a purchase without a trial began, so that it never ends a trial that began before it. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('trials')
    .addColumn('began_at', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]
