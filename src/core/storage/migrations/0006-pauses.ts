import type { Compilable } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'pauses'

/** Remembers when subscriptions were paused, for content that opens after some paid time. */
export function up(db: SchemaBuilder): Compilable[] {
  return [db.schema.alterTable('subscriptions').addColumn('pauses', 'text')]
}
