import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'email-changes'

/** Changes of an address, so that they can be voided and taken back; and when a purchase has opened its session. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('email_changes')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('member_id', 'text', (c) => c.notNull())
      .addColumn('email_from', 'text')
      .addColumn('email_to', 'text', (c) => c.notNull())
      .addColumn('correction', 'integer', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('expires_at', time, (c) => c.notNull())
      .addColumn('confirmed_at', time)
      .addColumn('void_at', time),
    db.schema.createIndex('email_changes_member').on('email_changes').column('member_id'),
    db.schema.createIndex('login_links_email').on('login_links').column('email'),
    db.schema.alterTable('intents').addColumn('entered_at', time),
    db.schema.alterTable('sessions').addColumn('since', time),
  ]
}
