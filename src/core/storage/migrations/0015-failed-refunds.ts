import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, Rewriting, SchemaBuilder } from './migration.ts'

export const name = 'failed-refunds'

export function up(): Compilable[] {
  return []
}

/** Fills the state of refunds that were there before the column. */
export function rewrites(dialect: MigrationDialect): Rewriting[] {
  return [
    {
      table: 'facts',
      key: ['provider', 'account', 'kind', 'id'],
      texts: (range) => [`update facts set state = ${stateOf[dialect]} where kind = 'refund' and ${range}`],
    },
  ]
}

export const outgrown = ['facts_refunds_failed']

export function indexes(db: SchemaBuilder): Compilable[] {
  return [
    db.schema
      .createIndex('facts_failed_refunds')
      .on('facts')
      .columns(['at', 'id'])
      .where(sql<boolean>`kind = 'refund' and state = 'failed'`),
  ]
}

// PostgreSQL refuses some characters that providers send as escapes, so it reads the text without them.
const stateOf: Record<MigrationDialect, string> = {
  sqlite: "json_extract(data, '$.state')",
  postgres: String.raw`(regexp_replace(regexp_replace(data, '\\\\', '', 'g'), '\\u[0-9a-fA-F]{4}', '', 'g')::json ->> 'state')`,
}
