import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'relink-requests'

/** Requests of partners for websites that are in the index already, and what partners are told of their websites. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('relink_requests')
      .addColumn('id', text, (c) => c.primaryKey().notNull())
      .addColumn('report_id', text, (c) => c.notNull())
      .addColumn('partner_id', text, (c) => c.notNull())
      .addColumn('holder_id', text)
      .addColumn('url', text, (c) => c.notNull())
      .addColumn('host', text, (c) => c.notNull())
      .addColumn('file_name', text, (c) => c.notNull())
      .addColumn('secret', text, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('reason', text)
      .addColumn('proof', text)
      .addColumn('last_check', text)
      .addColumn('created_at', text, (c) => c.notNull())
      .addColumn('proven_at', text)
      .addColumn('object_until', text)
      .addColumn('confirmed_by', text)
      .addColumn('batch', text)
      .addColumn('due_at', text)
      .addColumn('revision', 'integer', (c) => c.notNull()),
    db.schema
      .createIndex('relink_requests_of_partner')
      .on('relink_requests')
      .columns(['partner_id', 'created_at']),
    db.schema
      .createIndex('relink_requests_of_holder')
      .on('relink_requests')
      .columns(['holder_id', 'created_at']),
    db.schema
      .createIndex('relink_requests_open')
      .unique()
      .on('relink_requests')
      .columns(['report_id', 'partner_id'])
      .where('due_at' as never, 'is not', null),
    db.schema
      .createIndex('relink_requests_due')
      .on('relink_requests')
      .column('due_at')
      .where('due_at' as never, 'is not', null),
    db.schema.createIndex('relink_requests_batch').on('relink_requests').column('batch'),
    db.schema
      .createTable('report_notices')
      .addColumn('id', text, (c) => c.primaryKey().notNull())
      .addColumn('partner_id', text, (c) => c.notNull())
      .addColumn('at', text, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('report_id', text, (c) => c.notNull())
      .addColumn('url', text, (c) => c.notNull())
      .addColumn('details', text, (c) => c.notNull()),
    db.schema
      .createIndex('report_notices_of_partner')
      .on('report_notices')
      .columns(['partner_id', 'at', 'id']),
    db.schema.createIndex('report_notices_age').on('report_notices').column('at'),
  ]
}
