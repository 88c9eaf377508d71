import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'switches'

/** Subscriptions that end at one provider so that their members go on at another. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('switches')
      .addColumn('provider', text, (c) => c.notNull())
      .addColumn('account', text, (c) => c.notNull())
      .addColumn('id', text, (c) => c.notNull())
      .addColumn('to_provider', text, (c) => c.notNull())
      .addColumn('until', text, (c) => c.notNull())
      .addColumn('state', text, (c) => c.notNull())
      .addColumn('round', 'integer', (c) => c.notNull())
      .addColumn('updated_at', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('switches_key', ['provider', 'account', 'id']),
  ]
}
