import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'declarations'

/** Cancellations and withdrawals of the public pages in a table of their own; the choice to get no courtesy mails stands
 *  at its member. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('declarations')
      .addColumn('id', text, (c) => c.primaryKey().notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('nature', text)
      .addColumn('reason', text)
      .addColumn('ends_on', text)
      .addColumn('name', text)
      .addColumn('contract', text)
      .addColumn('email', text)
      .addColumn('received_at', text, (c) => c.notNull())
      .addColumn('due_on', text, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('member_id', text)
      .addColumn('subscription_id', text)
      .addColumn('done_at', text)
      .addColumn('done_by', text)
      .addColumn('forgets', 'integer', (c) => c.notNull().defaultTo(0)),
    db.schema.createIndex('declarations_of_status').on('declarations').columns(['status', 'id']),
    db.schema.createIndex('declarations_of_member').on('declarations').column('member_id'),
    db.schema.createIndex('declarations_of_address').on('declarations').column('email'),
    db.schema.alterTable('members').addColumn('mails_off_at', text),
    db.schema
      .createIndex('members_mails_off')
      .on('members')
      .column('merged_into')
      .where(sql.ref('mails_off_at'), 'is not', null),
  ]
}

/** Disputes are few among many facts. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('facts_disputes')
    .on('facts')
    .columns(['at', 'id'])
    .where(sql.ref('kind'), '=', sql.lit('dispute')),
]
