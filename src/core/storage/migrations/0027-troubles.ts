import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'troubles'

/** What is wrong now between the site and its providers; few at any time. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('troubles')
      .addColumn('id', ordered, (c) => c.primaryKey().notNull())
      .addColumn('provider', ordered, (c) => c.notNull())
      .addColumn('account', ordered, (c) => c.notNull())
      .addColumn('respect', ordered, (c) => c.notNull())
      .addColumn('kind', ordered, (c) => c.notNull())
      .addColumn('message', ordered, (c) => c.notNull())
      .addColumn('action', ordered, (c) => c.notNull())
      .addColumn('since', ordered, (c) => c.notNull()),
  ]
}
