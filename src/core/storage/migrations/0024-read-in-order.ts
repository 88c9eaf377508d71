import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'read-in-order'

export const up = (): Compilable[] => []

/** What is read page by page, in the order of the pages. Otherwise each page reads or sorts what other rows there are. */
export const indexes = (db: SchemaBuilder, dialect: MigrationDialect): Compilable[] => {
  // Members without an address, as apps have them.
  const addressless = db.schema
    .createIndex('members_addressless')
    .on('members')
    .column('id')
    .where(sql<boolean>`email is null`)
  // PostgreSQL takes the index of waiting payments that there is, and would take this one where that one serves better.
  if (dialect === 'postgres') return [addressless]
  const waiting = db.schema
    .createIndex('payments_waiting_pages')
    .on('payments')
    .columns(['provider', 'account', 'id'])
    .where(sql<boolean>`status = 'waiting'`)
  return [addressless, waiting]
}
