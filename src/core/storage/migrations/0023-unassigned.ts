import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'unassigned'

/** Since when a payment is there of which nobody says what it is for, and what was done about it. What is there already
 *  begins to count with the next word on it. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .alterTable('payments')
    .addColumn('unknown_since', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`),
  db.schema.alterTable('payments').addColumn('unknown_step', 'integer', (c) => c.notNull().defaultTo(0)),
]

/** Very few at any time, looked for every minute. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('payments_unknown')
    .on('payments')
    .column('unknown_since')
    .where('unknown_since' as never, 'is not', null),
]
