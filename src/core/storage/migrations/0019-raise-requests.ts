import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'raise-requests'

/** A call of a raise that is on its way, the revision of each row, and amounts of currencies without minor units. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const big = sql`bigint`
  const wider = ['from_amount', 'to_amount'].map((column) =>
    db.schema.alterTable('price_raise_members').alterColumn(column, (c) => c.setDataType(big)),
  )
  return [
    db.schema.alterTable('price_raise_members').addColumn('request_id', 'text'),
    db.schema.alterTable('price_raise_members').addColumn('revision', sql`integer not null default 0`),
    // SQLite's integers have 64 bits.
    ...(dialect === 'postgres' ? wider : []),
    // One raise at a time holds a subscription, also while its call is on the way.
    db.schema.dropIndex('price_raise_members_open'),
    db.schema
      .createIndex('price_raise_members_held')
      .unique()
      .on('price_raise_members')
      .columns(['provider', 'account', 'subscription_id'])
      .where(sql<boolean>`state in ('noticed', 'agreed', 'requested', 'planned', 'paused')`),
  ]
}
