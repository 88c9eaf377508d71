import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'figures'

/** The last terms of each subscription in each month, and the moments by which the office lists rows. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  const added = (table: string, column: string, type = ordered) =>
    db.schema.alterTable(table).addColumn(column, type)
  // The key sorts like that of `subscriptions`, because both are read by the same ranges.
  return [
    db.schema
      .createTable('recurring_months')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('subscription_id', 'text', (c) => c.notNull())
      .addColumn('month', ordered, (c) => c.notNull())
      .addColumn('at', ordered, (c) => c.notNull())
      .addColumn('rank', 'integer', (c) => c.notNull())
      .addColumn('terms', ordered, (c) => c.notNull())
      .addPrimaryKeyConstraint('recurring_months_key', [
        'provider',
        'account',
        'subscription_id',
        'month',
      ] as never),
    added('subscriptions', 'begun_at'),
    added('subscriptions', 'over_at'),
    added('payments', 'paid_at'),
    added('payments', 'changed_at'),
    added('payments', 'refunded', sql`integer not null default 0`),
  ]
}
