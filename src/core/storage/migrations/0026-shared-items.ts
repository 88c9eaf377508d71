import type { Compilable } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'shared-items'

/** Keeps the items that a subscription had beside others, so that a payment for another shop's item alone is known. */
export function up(db: SchemaBuilder): Compilable[] {
  return [db.schema.alterTable('subscriptions').addColumn('shared', 'text')]
}
