import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'looks'

/** When a started checkout is looked at again whose provider leaves something to do once the buyer has agreed. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('intents')
    .addColumn('look_at', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
]

/** Few at any time, looked for every few seconds. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('intents_look')
    .on('intents')
    .column('look_at')
    .where('look_at' as never, 'is not', null),
]
