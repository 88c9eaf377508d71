import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'read-in-order'

export function up(): Compilable[] {
  return []
}

/** Indexes in the order of pages. Without them, each page of few rows reads or sorts many others. */
export function indexes(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  // Members without an address, as apps have them.
  const addressless = db.schema
    .createIndex('members_addressless')
    .on('members')
    .column('id')
    .where(sql<boolean>`email is null`)
  // PostgreSQL would take it for look-ups by subscription, too, which an older index serves better.
  if (dialect === 'postgres') return [addressless]
  const waiting = db.schema
    .createIndex('payments_waiting_pages')
    .on('payments')
    .columns(['provider', 'account', 'id'])
    .where(sql<boolean>`status = 'waiting'`)
  return [addressless, waiting]
}
