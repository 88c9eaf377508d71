import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'
import { askForTrigrams } from '../trigrams.ts'

export const name = 'overdue'

/** When memberships were seen to be overdue, which mails left to whom (never what stands in them), and sessions of the
 *  partners' pages; and PostgreSQL's extension for parts of words, by which members are found. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('overdue')
      .addColumn('provider', text, (c) => c.notNull())
      .addColumn('account', text, (c) => c.notNull())
      .addColumn('subscription_id', text, (c) => c.notNull())
      .addColumn('at', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('overdue_key', ['provider', 'account', 'subscription_id', 'at']),
    db.schema
      .createTable('partner_sessions')
      .addColumn('id', text, (c) => c.primaryKey().notNull())
      .addColumn('key_id', text, (c) => c.notNull())
      .addColumn('expires_at', text, (c) => c.notNull()),
    db.schema.createIndex('partner_sessions_over').on('partner_sessions').column('expires_at'),
    db.schema
      .createTable('sent_mails')
      .addColumn('id', text, (c) => c.primaryKey().notNull())
      .addColumn('member_id', text, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('sent_at', text, (c) => c.notNull()),
    db.schema.createIndex('sent_mails_of').on('sent_mails').columns(['member_id', 'sent_at']),
    db.schema.createIndex('sent_mails_over').on('sent_mails').column('sent_at'),
    ...(dialect === 'postgres' ? [askForTrigrams(db)] : []),
  ]
}
