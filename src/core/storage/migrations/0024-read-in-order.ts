import { type Compilable, sql } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'read-in-order'

export const up = (): Compilable[] => []

/** What is read page by page, in the order of the pages. Otherwise each page reads or sorts what other rows there are. */
export const indexes = (db: SchemaBuilder): Compilable[] => [
  // Members without an address, as apps have them.
  db.schema.createIndex('members_addressless').on('members').column('id').where(sql<boolean>`email is null`),
  db.schema
    .createIndex('payments_waiting_pages')
    .on('payments')
    .columns(['provider', 'account', 'id'])
    .where(sql<boolean>`status = 'waiting'`),
]
