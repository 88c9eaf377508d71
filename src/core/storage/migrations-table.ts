import { type Compilable, type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** The number and the first name of a database that is up to date: a start that finds them loads no migration. */
export const newestMigration = 1
const firstMigration = 'baseline'

/** The commit of this package's repository whose program is the last to open what was made before the baseline. */
export const lastBeforeBaseline = '10fa981c'

/** True for a database whose tables are of a time before the baseline. */
export const isOlder = ({ first }: Applied): boolean => first !== null && first !== firstMigration

/** True where nothing is to be done. */
export const isUpToDate = ({ applied, first }: Applied): boolean =>
  applied === newestMigration && first === firstMigration

/** The migrations that a database names as applied. */
export interface Applied {
  /** The number of the newest; null where there is none. */
  readonly applied: number | null
  /** The name of the first. */
  readonly first: string | null
}

export const noneApplied: Applied = { applied: null, first: null }

/** The table of the applied migrations. */
export const migrationsTable = (db: Kysely<Tables>): Compilable =>
  db.schema
    .createTable('membership_migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('applied_at', 'text', (c) => c.notNull())

/** Asks for the number of the newest applied migration and the name of the first; both null where none was. */
export const appliedMigrations = (db: Kysely<Tables>): Compilable<Applied> =>
  db
    .selectFrom('membership_migrations')
    .select((eb) => [
      eb.fn.max('number').as('applied'),
      sql<string | null>`max(case when number = 1 then name end)`.as('first'),
    ]) as Compilable<Applied>
