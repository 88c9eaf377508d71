import type { Compilable, Kysely } from 'kysely'

/** The part of Kysely that a migration uses, without table types, because those follow the newest migration. */
export type SchemaBuilder = Pick<Kysely<never>, 'schema' | 'getExecutor'>
/** The SQL dialect of a migration. */
export type MigrationDialect = 'sqlite' | 'postgres'

/** One numbered change of the tables. */
export interface Migration {
  readonly name: string
  up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[]
  /** Runs before `up`. PostgreSQL does it in parts, so that nobody waits long for a row. */
  rewrites?(dialect: MigrationDialect): Rewriting[]
  /**
   * Indexes on potentially large tables. PostgreSQL builds them afterwards, while others write. No code may depend on
   * them, so they cannot be unique or named by an upsert.
   */
  indexes?(db: SchemaBuilder, dialect: MigrationDialect): Compilable[]
  /** Indexes of earlier migrations that PostgreSQL drops once the new ones exist. */
  readonly outgrown?: readonly string[]
}

/** Rewrites the rows of a potentially large table. A second run changes nothing. */
export interface Rewriting {
  readonly table: string
  /** The table's primary key. Rows are processed in its order. */
  readonly key: readonly string[]
  /** The statements for a range of keys, given as a condition. A row whose key changes may be processed again. */
  readonly texts: (range: string) => string[]
}
