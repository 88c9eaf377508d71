import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'identities'

/** Which member a host's own login is: remembered apart from the member's address. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('identities')
      .addColumn('key', text, (c) => c.primaryKey().notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('member_id', text, (c) => c.notNull())
      .addColumn('created_at', text, (c) => c.notNull()),
    db.schema.createIndex('identities_of_member').on('identities').column('member_id'),
  ]
}
