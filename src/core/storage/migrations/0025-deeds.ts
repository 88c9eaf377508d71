import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'deeds'

/** What operators did to members: who, when, what, and what it was before and after. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('deeds')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('at', time, (c) => c.notNull())
      .addColumn('by', 'text', (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('member_id', 'text')
      .addColumn('subject', 'text')
      .addColumn('before', 'text')
      .addColumn('after', 'text')
      .addColumn('outcome', 'text', (c) => c.notNull())
      .addColumn('error', 'text'),
    db.schema.createIndex('deeds_at').on('deeds').column('at'),
    db.schema.createIndex('deeds_member').on('deeds').columns(['member_id', 'at']),
    db.schema.createIndex('deeds_subject').on('deeds').columns(['subject', 'at']),
  ]
}
