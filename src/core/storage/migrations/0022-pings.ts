import { type Compilable, type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'pings'

/** Whose word asks for an object: what nobody vouches for waits behind everything else. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .alterTable('fetches')
    .addColumn('precedence', 'integer', (c) => c.notNull().defaultTo(sql.lit(0))),
  db.schema.alterTable('fetches').addColumn('caller', 'text'),
  db.schema.createIndex('fetches_turn').on('fetches').columns(['precedence', 'due_at']),
]
