import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'leaving-reasons'

/** Counts the answers of members who cancel, and names nobody. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('leaving_reasons')
      .addColumn('month', ordered, (c) => c.notNull())
      .addColumn('plan', ordered, (c) => c.notNull())
      .addColumn('reason', ordered, (c) => c.notNull())
      .addColumn('times', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('leaving_reasons_key', ['month', 'plan', 'reason'] as never),
  ]
}
