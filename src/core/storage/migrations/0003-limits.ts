import { type ColumnDefinitionBuilder, type Compilable, type CreateTableBuilder, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'limits'

function required(column: ColumnDefinitionBuilder) {
  return column.notNull()
}
function key(column: ColumnDefinitionBuilder) {
  return column.primaryKey().notNull()
}

/** Creates the tables of counted allowances: what was used, which keys took it, and what operators added. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const isSqlite = dialect === 'sqlite'
  const ordered = isSqlite ? sql`text` : sql`text collate "C"`
  const big = isSqlite ? sql`integer` : sql`bigint`
  const table = (tableName: string) => db.schema.createTable(tableName) as CreateTableBuilder<string, string>
  const index = (indexName: string) => db.schema.createIndex(indexName)
  return [
    table('limit_usage')
      .addColumn('member_id', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('bucket', 'text', required)
      .addColumn('starts_at', ordered, required)
      .addColumn('ends_at', ordered, required)
      .addColumn('used', big, required)
      .addColumn('amount', big, required)
      .addColumn('at', ordered, required)
      .addColumn('notified', 'integer', (c) => c.notNull().defaultTo(0))
      .addPrimaryKeyConstraint('limit_usage_key', ['member_id', 'name', 'bucket']),
    table('limit_keys')
      .addColumn('member_id', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('key', 'text', required)
      .addColumn('amount', big, required)
      .addColumn('parts', 'text', required)
      .addColumn('taken_at', ordered, required)
      .addColumn('held_until', ordered)
      .addColumn('released_at', ordered)
      .addPrimaryKeyConstraint('limit_keys_key', ['member_id', 'name', 'key']),
    index('limit_keys_held')
      .on('limit_keys')
      .columns(['member_id', 'held_until'])
      .where(sql<boolean>`held_until is not null`),
    index('limit_keys_due').on('limit_keys').column('held_until').where(sql<boolean>`held_until is not null`),
    index('limit_keys_old').on('limit_keys').column('taken_at'),
    table('limit_credits')
      .addColumn('id', 'text', key)
      .addColumn('member_id', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('amount', big, required)
      .addColumn('reason', 'text', required)
      .addColumn('created_by', 'text', required)
      .addColumn('created_at', ordered, required)
      .addColumn('expires_at', ordered)
      .addColumn('moved_from', 'text'),
    index('limit_credits_member').on('limit_credits').column('member_id'),
  ]
}
