import type { Compilable, Kysely } from 'kysely'

/** As much of Kysely as a migration uses: no types of tables, which follow the newest one. */
export type SchemaBuilder = Pick<Kysely<never>, 'schema' | 'getExecutor'>
/** In which SQL a migration is written. */
export type MigrationDialect = 'sqlite' | 'postgres'

/** One numbered change of the tables. */
export interface Migration {
  readonly name: string
  up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[]
  /** Comes before `up`. PostgreSQL does it in parts, so that nobody waits long for a row. */
  rewrites?(dialect: MigrationDialect): Rewriting[]
  /** Indexes on tables that can be large. PostgreSQL makes them afterwards, while others write; nothing may count on one
   *  to be there, as what is unique or what an upsert names would. */
  indexes?(db: SchemaBuilder, dialect: MigrationDialect): Compilable[]
  /** Indexes of earlier migrations that PostgreSQL drops when those stand. */
  readonly outgrown?: readonly string[]
}

/** Rewrites the rows of a table that can be large; done again it changes nothing. */
export interface Rewriting {
  readonly table: string
  /** The table's primary key, by whose order the rows are gone through. */
  readonly key: readonly string[]
  /** For the rows of a range of keys, which is a condition on them. A row whose key changes may be met again. */
  readonly texts: (range: string) => string[]
}
