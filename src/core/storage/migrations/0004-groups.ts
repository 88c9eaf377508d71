import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'groups'

/** Groups of members whose seats one subscription pays for. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('groups')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('subscription_id', 'text', (c) => c.notNull())
      .addColumn('manager_id', ordered)
      .addColumn('seats', 'integer', (c) => c.notNull())
      .addColumn('holds_until', ordered)
      .addColumn('open_until', ordered)
      .addColumn('look_at', ordered)
      .addColumn('revision', 'integer', (c) => c.notNull().defaultTo(0))
      .addPrimaryKeyConstraint('groups_key', ['provider', 'account', 'subscription_id'] as never),
    db.schema
      .createIndex('groups_look')
      .on('groups')
      .column('look_at')
      .where(sql<boolean>`look_at is not null`),
    db.schema
      .createTable('group_seats')
      .addColumn('id', ordered, (c) => c.primaryKey().notNull())
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('subscription_id', 'text', (c) => c.notNull())
      .addColumn('place', 'integer', (c) => c.notNull())
      .addColumn('email', ordered)
      .addColumn('member_id', ordered)
      .addColumn('moved_from', ordered)
      .addColumn('role', ordered, (c) => c.notNull())
      .addColumn('status', ordered, (c) => c.notNull())
      .addColumn('language', ordered)
      .addColumn('created_at', ordered, (c) => c.notNull())
      .addColumn('expires_at', ordered)
      .addColumn('joined_at', ordered)
      .addColumn('ended_at', ordered)
      .addColumn('ended_for', ordered),
    db.schema.createIndex('group_seats_member').on('group_seats').column('member_id'),
    db.schema
      .createIndex('group_seats_group')
      .unique()
      .on('group_seats')
      .columns(['subscription_id', 'provider', 'account', 'place']),
  ]
}
