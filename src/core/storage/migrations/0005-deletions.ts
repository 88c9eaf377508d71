import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'deletions'

/** Accounts that are being deleted, or are: the row stays with the empty member. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('deletions')
      .addColumn('member_id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('requested_at', time, (c) => c.notNull())
      .addColumn('step', 'text', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('due_at', time)
      .addColumn('error', 'text')
      .addColumn('done_at', time)
      .addColumn('email_hash', 'text'),
    db.schema
      .createIndex('deletions_due')
      .on('deletions')
      .column('due_at')
      .where('due_at' as never, 'is not', null),
    db.schema
      .createIndex('deletions_email')
      .on('deletions')
      .column('email_hash')
      .where('email_hash' as never, 'is not', null),
    db.schema
      .createIndex('intents_member')
      .on('intents')
      .column('member_id')
      .where('member_id' as never, 'is not', null),
  ]
}
