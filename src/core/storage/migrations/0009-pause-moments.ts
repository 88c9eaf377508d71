import type { Compilable } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'pause-moments'

/** Remembers the moments from which a subscription's pauses follow, so that the order of events does not matter. */
export function up(db: SchemaBuilder): Compilable[] {
  return [db.schema.alterTable('subscriptions').addColumn('pause_moments', 'text')]
}
