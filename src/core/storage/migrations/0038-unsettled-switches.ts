import { type Compilable, type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'unsettled-switches'

/** What the office counts for Today of all who were moved to another provider: the few of whom the next step is unknown. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('switches_unsettled')
    .on('switches')
    .columns(['state', 'updated_at'])
    .where(sql<boolean>`state in ('asked', 'unsure')`),
]
