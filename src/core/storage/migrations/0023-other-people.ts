import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'other-people'

/** Notes of stored names and addresses of people who are not known to have bought here. They find those to drop. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('other_people')
      .addColumn('provider', ordered, (c) => c.notNull())
      .addColumn('account', ordered, (c) => c.notNull())
      .addColumn('role', ordered, (c) => c.notNull())
      .addColumn('id', ordered, (c) => c.notNull())
      .addColumn('since', ordered, (c) => c.notNull())
      .addColumn('due_at', ordered, (c) => c.notNull())
      .addPrimaryKeyConstraint('other_people_key', ['provider', 'account', 'role', 'id'] as never),
    db.schema.createIndex('other_people_due').on('other_people').columns(['provider', 'due_at']),
  ]
}
