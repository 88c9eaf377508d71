import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'raises'

/** Price raises: each as it was ordered, and each subscription that it concerns. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('price_raises')
      .addColumn('id', ordered, (c) => c.primaryKey().notNull())
      .addColumn('provider', ordered, (c) => c.notNull())
      .addColumn('from_price', ordered, (c) => c.notNull())
      .addColumn('to_price', ordered, (c) => c.notNull())
      .addColumn('starts_at', ordered, (c) => c.notNull())
      .addColumn('notice_days', 'integer', (c) => c.notNull())
      .addColumn('needs_consent', 'integer', (c) => c.notNull())
      .addColumn('status', ordered, (c) => c.notNull())
      .addColumn('created_at', ordered, (c) => c.notNull())
      .addColumn('created_by', ordered, (c) => c.notNull()),
    db.schema
      .createTable('price_raise_members')
      .addColumn('raise_id', ordered, (c) => c.notNull())
      .addColumn('provider', ordered, (c) => c.notNull())
      .addColumn('account', ordered, (c) => c.notNull())
      .addColumn('subscription_id', ordered, (c) => c.notNull())
      .addColumn('member_id', ordered)
      .addColumn('state', ordered, (c) => c.notNull())
      .addColumn('reason', ordered)
      .addColumn('from_amount', 'integer')
      .addColumn('to_amount', 'integer')
      .addColumn('currency', ordered)
      .addColumn('noticed_at', ordered)
      .addColumn('agreed_at', ordered)
      .addColumn('applies_at', ordered)
      .addColumn('look_at', ordered)
      .addColumn('updated_at', ordered, (c) => c.notNull())
      .addPrimaryKeyConstraint('price_raise_members_key', [
        ...(['raise_id', 'provider', 'account', 'subscription_id'] as const),
      ]),
    // One raise at a time holds a subscription.
    db.schema
      .createIndex('price_raise_members_open')
      .unique()
      .on('price_raise_members')
      .columns(['provider', 'account', 'subscription_id'])
      .where(sql<boolean>`state in ('noticed', 'agreed', 'planned', 'paused')`),
    db.schema
      .createIndex('price_raise_members_look')
      .on('price_raise_members')
      .column('look_at')
      .where(sql<boolean>`look_at is not null`),
    db.schema.createIndex('price_raise_members_member').on('price_raise_members').column('member_id'),
  ]
}
