import type { Compilable } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'merged-counts'

/** Remembers, in the counts of a merged account, what the account that stayed could use by itself. */
export function up(db: SchemaBuilder): Compilable[] {
  return [db.schema.alterTable('limit_usage').addColumn('kept_own', 'integer')]
}
