import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'california'

/**
 * Remembers where a buyer lives, as far as the law of California asks, the second notice of a raise, and the proofs of
 * consent.
 */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  // Compared byte by byte, in both databases.
  const ordered = dialect === 'postgres' ? sql`text collate "C"` : sql`text`
  return [
    db.schema.alterTable('customers').addColumn('place', ordered),
    db.schema.alterTable('price_raise_members').addColumn('reminded_at', ordered),
    db.schema
      .createTable('consent_proofs')
      .addColumn('id', ordered, (c) => c.primaryKey().notNull())
      .addColumn('member_id', ordered)
      .addColumn('moved_from', ordered)
      .addColumn('email', ordered)
      .addColumn('provider', ordered, (c) => c.notNull())
      .addColumn('plan', ordered, (c) => c.notNull())
      .addColumn('price_id', ordered, (c) => c.notNull())
      .addColumn('quantity', 'integer', (c) => c.notNull())
      .addColumn('consent', 'text')
      .addColumn('agreed_at', ordered, (c) => c.notNull())
      .addColumn('keep_until', ordered),
    db.schema.createIndex('consent_proofs_member').on('consent_proofs').columns(['member_id']),
    db.schema.createIndex('consent_proofs_over').on('consent_proofs').columns(['keep_until']),
  ]
}

export function indexes(db: SchemaBuilder): Compilable[] {
  return [
    db.schema
      .createIndex('customers_california')
      .on('customers')
      .columns(['place'])
      .where(sql<boolean>`place = 'california'`),
  ]
}
