import { type ColumnDefinitionBuilder, type Compilable, type CreateTableBuilder, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'downloads'

function required(column: ColumnDefinitionBuilder) {
  return column.notNull()
}

/** Creates the tables of private feeds, and of what ended before its time. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  const feeds = db.schema.createTable('feeds') as CreateTableBuilder<string, string>
  const clients = db.schema.createTable('feed_clients') as CreateTableBuilder<string, string>
  const ended = db.schema.createTable('ended_links') as CreateTableBuilder<string, string>
  return [
    feeds
      .addColumn('token_hash', ordered, (c) => c.primaryKey().notNull())
      .addColumn('member_id', ordered, required)
      .addColumn('path', ordered, required)
      .addColumn('seed', 'text', required)
      .addColumn('created_at', ordered, required)
      .addColumn('shared_at', ordered)
      .addUniqueConstraint('feeds_of_member', ['member_id', 'path']),
    clients
      .addColumn('token_hash', ordered, required)
      .addColumn('day', ordered, required)
      .addColumn('client', ordered, required)
      .addPrimaryKeyConstraint('feed_clients_key', ['token_hash', 'day', 'client']),
    db.schema.createIndex('feed_clients_day').on('feed_clients').column('day'),
    ended
      .addColumn('member_id', ordered, required)
      .addColumn('kind', ordered, required)
      .addColumn('at', ordered, required)
      .addPrimaryKeyConstraint('ended_links_key', ['member_id', 'kind']),
  ]
}
