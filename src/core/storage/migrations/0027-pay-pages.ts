import type { Compilable } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'pay-pages'

/** Keeps when a member opened the page that pays an overdue invoice, so that the office tells members from retries. */
export function up(db: SchemaBuilder): Compilable[] {
  return [db.schema.alterTable('overdue').addColumn('pay_page_at', 'text')]
}
