import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'other-subscriptions'

/** Subscriptions of the account that this site did not sell, or of which that is not known yet. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('other_subscriptions')
      .addColumn('provider', ordered, (c) => c.notNull())
      .addColumn('account', ordered, (c) => c.notNull())
      .addColumn('id', ordered, (c) => c.notNull())
      .addColumn('owner_id', ordered, (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('price_id', 'text')
      .addColumn('seen', 'text', (c) => c.notNull())
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('items', 'text')
      .addColumn('at', ordered, (c) => c.notNull())
      .addColumn('source', 'integer', (c) => c.notNull())
      .addColumn('marks', 'text', (c) => c.notNull())
      .addColumn('tied', 'text')
      .addColumn('prior_at', ordered)
      .addColumn('prior_marks', 'text')
      .addColumn('contested', 'integer', (c) => c.notNull())
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addColumn('arrears', 'text')
      .addColumn('ending', 'integer', (c) => c.notNull())
      .addColumn('trial_ends_at', ordered)
      .addColumn('begun_at', ordered)
      .addColumn('over_at', ordered)
      .addColumn('pauses', 'text')
      .addColumn('pause_moments', 'text')
      .addPrimaryKeyConstraint('other_subscriptions_key', ['provider', 'account', 'id'] as never),
    db.schema
      .createIndex('other_subscriptions_owner')
      .on('other_subscriptions')
      .columns(['owner_id', 'provider', 'account']),
  ]
}

/** Payments that wait for their subscription, their order or their price. */
export function indexes(db: SchemaBuilder): Compilable[] {
  return [
    db.schema
      .createIndex('payments_waiting')
      .on('payments')
      .columns(['provider', 'account', 'subscription_id', 'id'])
      .where(sql<boolean>`status = 'waiting'`),
  ]
}
