import { type ColumnDefinitionBuilder, type Compilable, type CreateTableBuilder, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'walls'

function required(column: ColumnDefinitionBuilder) {
  return column.notNull()
}

/** Creates the table of metered walls: the pages that each visitor and member opened. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  const table = db.schema.createTable('wall_counts') as CreateTableBuilder<string, string>
  return [
    table
      .addColumn('owner', ordered, required)
      .addColumn('wall', ordered, required)
      .addColumn('pages', 'text', required)
      .addColumn('used', 'integer', required)
      .addColumn('starts_at', ordered, required)
      .addColumn('ends_at', ordered, required)
      .addColumn('counted_at', ordered, required)
      .addColumn('joined_at', ordered)
      .addPrimaryKeyConstraint('wall_counts_key', ['owner', 'wall']),
    db.schema.createIndex('wall_counts_ends').on('wall_counts').column('ends_at'),
  ]
}
