import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'merge-wishes'

/** Members who want two accounts to be one: asked for, confirmed by each address, done, taken back. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('merge_wishes')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('member_id', 'text', (c) => c.notNull())
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('other_id', 'text')
      .addColumn('other_email', 'text', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('expires_at', time, (c) => c.notNull())
      .addColumn('confirmed_at', time)
      .addColumn('done_at', time)
      .addColumn('void_at', time),
    db.schema.createIndex('merge_wishes_member').on('merge_wishes').column('member_id'),
    db.schema.createIndex('merge_wishes_other').on('merge_wishes').column('other_id'),
  ]
}
