import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'spoken'

/** The language in which something was bought: the account that it makes, and its mails, go on in it. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('intents')
    .addColumn('language', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]
