import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'change-requests'

/** Every request that changes something at a provider: who asked, why, and how it ended. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('change_requests')
      .addColumn('id', text, (c) => c.primaryKey().notNull())
      .addColumn('at', text, (c) => c.notNull())
      .addColumn('provider', text, (c) => c.notNull())
      .addColumn('account', text, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('object_id', text, (c) => c.notNull())
      .addColumn('member_id', text)
      .addColumn('requested_by', text, (c) => c.notNull())
      .addColumn('requester', text)
      .addColumn('reason', text, (c) => c.notNull())
      .addColumn('wish', text)
      .addColumn('outcome', text, (c) => c.notNull())
      .addColumn('answer', text)
      .addColumn('error', text)
      .addColumn('busy_until', text),
    db.schema.createIndex('change_requests_at').on('change_requests').columns(['at', 'id']),
    db.schema
      .createIndex('change_requests_of_object')
      .on('change_requests')
      .columns(['object_id', 'provider', 'account', 'kind']),
  ]
}
