import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'office'

/** Who may enter the operator's office, and what proves it is they. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('operators')
      .addColumn('email', text, (c) => c.primaryKey().notNull())
      .addColumn('role', text, (c) => c.notNull())
      .addColumn('added_at', text, (c) => c.notNull())
      .addColumn('added_by', text, (c) => c.notNull())
      .addColumn('secret', text)
      .addColumn('last_step', 'integer', (c) => c.notNull())
      .addColumn('tries', 'integer', (c) => c.notNull())
      .addColumn('locked_until', text),
    db.schema
      .createTable('operator_codes')
      .addColumn('email', text, (c) => c.notNull())
      .addColumn('hash', text, (c) => c.notNull())
      .addColumn('used_at', text)
      .addPrimaryKeyConstraint('operator_codes_key', ['email', 'hash']),
    db.schema
      .createTable('office_entries')
      .addColumn('session_id', text, (c) => c.primaryKey().notNull())
      .addColumn('email', text, (c) => c.notNull())
      .addColumn('expires_at', text, (c) => c.notNull()),
  ]
}

/** What the office's lists read along, in place of every member and subscription. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('subscriptions_status')
    .on('subscriptions')
    .columns(['status', 'provider', 'account', 'id']),
  db.schema.createIndex('members_found').on('members').columns(['email', 'name', 'id']),
  db.schema.createIndex('members_newest').on('members').columns(['created_at', 'id']),
]
