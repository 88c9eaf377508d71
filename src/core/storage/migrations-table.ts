import type { Compilable, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** How many migrations there are: a start that finds them all applied loads none of them. */
export const newestMigration = 49

/** Where the applied migrations are written down. */
export const migrationsTable = (db: Kysely<Tables>): Compilable =>
  db.schema
    .createTable('membership_migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('applied_at', 'text', (c) => c.notNull())

/** Asks for the number of the newest applied migration; null where none was. */
export const appliedMigrations = (db: Kysely<Tables>): Compilable<{ applied: number | null }> =>
  db.selectFrom('membership_migrations').select((eb) => eb.fn.max('number').as('applied'))
