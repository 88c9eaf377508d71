import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'crawled'

/** Counts what the crawler writes about a partner's websites, so that no process shows an answer from before. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema.alterTable('partners').addColumn('crawled', 'integer', (c) => c.notNull().defaultTo(0)),
]
