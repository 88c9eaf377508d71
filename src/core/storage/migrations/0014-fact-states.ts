import type { Compilable } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'fact-states'

/** The state of each payment, bill and refund, so that the office finds refunds that were not carried out. */
export function up(db: SchemaBuilder): Compilable[] {
  return [db.schema.alterTable('facts').addColumn('state', 'text')]
}
