import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'imported'

/** Until when what happened to a member is no news: what an import brings, nobody is told of. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('tell')
    .addColumn('known_at', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]
