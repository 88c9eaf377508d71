import { type Compilable, type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** The number and first name of an up-to-date database. A start that finds them loads no migration. */
export const newestMigration = 27
const firstMigration = 'baseline'

/** The last commit of this package's repository that opens a database from before the baseline. */
export const lastBeforeBaseline = '10fa981c'

/** True for a database with tables from before the baseline. */
export function isOlder({ first }: Applied): boolean {
  return first !== null && first !== firstMigration
}

/** True where no migration is pending. */
export function isUpToDate({ applied, first }: Applied): boolean {
  return applied === newestMigration && first === firstMigration
}

/** The migrations that a database lists as applied. */
export interface Applied {
  /** The number of the newest; null where there is none. */
  readonly applied: number | null
  /** The name of the first. */
  readonly first: string | null
}

export const noneApplied: Applied = { applied: null, first: null }

/** Creates the table of applied migrations. */
export function migrationsTable(db: Kysely<Tables>): Compilable {
  return db.schema
    .createTable('membership_migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('applied_at', 'text', (c) => c.notNull())
}

/** Reads the number of the newest applied migration and the name of the first; both null without any. */
export function appliedMigrations(db: Kysely<Tables>): Compilable<Applied> {
  return db
    .selectFrom('membership_migrations')
    .select((eb) => [
      eb.fn.max('number').as('applied'),
      sql<string | null>`max(case when number = 1 then name end)`.as('first'),
    ]) as Compilable<Applied>
}
