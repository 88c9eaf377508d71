import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'group-reminders'

/** Remembers when the managers of a group are asked once more to take it over, and why. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema.alterTable('groups').addColumn('asks_at', ordered),
    db.schema.alterTable('groups').addColumn('asks_for', 'text'),
  ]
}
