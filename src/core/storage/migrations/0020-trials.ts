import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'trials'

/** Who had a subscription of a group of plans, as hashes: a trial is given once. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('trials')
      .addColumn('mark', 'text', (c) => c.primaryKey())
      .addColumn('first', 'text', (c) => c.notNull())
      .addColumn('at', time, (c) => c.notNull()),
    db.schema.createIndex('trials_over').on('trials').column('at'),
  ]
}
