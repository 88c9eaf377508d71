import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'merges'

/** Accounts of one person that became one, and of every row that moved, from where: so that it can move back. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema.alterTable('members').addColumn('merged_into', 'text'),
    ...(['customers', 'intents', 'grants'] as const).map((table) =>
      db.schema.alterTable(table).addColumn('moved_from', 'text'),
    ),
    db.schema
      .createTable('merges')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('kept_id', 'text', (c) => c.notNull())
      .addColumn('merged_id', 'text', (c) => c.notNull())
      .addColumn('at', time, (c) => c.notNull())
      .addColumn('until', time, (c) => c.notNull())
      .addColumn('filled', 'text', (c) => c.notNull())
      .addColumn('released_email', 'text')
      .addColumn('undone_at', time),
    db.schema.createIndex('merges_kept').on('merges').column('kept_id'),
    db.schema.createIndex('merges_merged').on('merges').column('merged_id'),
  ]
}

/** Few of all members. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('members_merged')
    .on('members')
    .column('merged_into')
    .where('merged_into' as never, 'is not', null),
]
