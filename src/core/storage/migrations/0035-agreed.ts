import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'agreed'

/** What a buyer agreed to before something began, word for word, with its version and the moment. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('intents')
    .addColumn('consent', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]
