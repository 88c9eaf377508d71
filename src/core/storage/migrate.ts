import { type Compilable, CompiledQuery, type CreateIndexNode, type Kysely } from 'kysely'
import { MembershipError } from '../errors.ts'
import type { Dialect } from './contract.ts'
import { migrations } from './migrations/index.ts'
import type { Rewriting } from './migrations/rewriting.ts'
import type { Tables } from './tables.ts'

/** The statements that bring a database from migration `applied` (0 for an empty one) to the newest, those of each by
 *  themselves. What PostgreSQL rewrites in parts is not among them; indexes that it makes while others write are only for
 *  an empty database, and for SQLite.
 *  @throws ERR_STORAGE when the database is newer than this program. */
export const pendingMigrations = (input: {
  db: Kysely<Tables>
  dialect: Dialect
  applied: number
  now: string
}): Compilable[][] => {
  const { db, dialect, applied, now } = input
  if (applied > migrations.length)
    throw new MembershipError(
      'ERR_STORAGE',
      `The database has migration ${applied}, this version of membership knows ${migrations.length}.`,
      { action: 'Install the newer version of membership again, or restore the backup that fits this one.' },
    )
  return migrations
    .slice(applied)
    .map((migration, offset) => [
      ...(dialect === 'sqlite' ? allAtOnce(migration.rewrites?.(dialect) ?? []) : []),
      ...migration.up(db, dialect),
      ...(applied === 0 || dialect === 'sqlite' ? (migration.indexes?.(db, dialect) ?? []) : []),
      ...(applied === 0 && dialect === 'postgres'
        ? (migration.outgrown ?? []).map((index) => db.schema.dropIndex(index))
        : []),
      db
        .insertInto('membership_migrations')
        .values({ number: applied + offset + 1, name: migration.name, applied_at: now }),
    ])
}

const allAtOnce = (rewritings: readonly Rewriting[]): Compilable[] =>
  rewritings.flatMap(({ texts }) => texts('true').map((text) => ({ compile: () => CompiledQuery.raw(text) })))

/** What is rewritten before the migration that comes after so many. */
export const rewritingsAfter = (applied: number): Rewriting[] =>
  migrations[applied]?.rewrites?.('postgres') ?? []

/** The indexes that are made while others write, by name. */
export const laterIndexes = (db: Kysely<Tables>): ReadonlyMap<string, string> =>
  new Map(
    migrations
      .flatMap((migration) => migration.indexes?.(db, 'postgres') ?? [])
      .map((index) => {
        const { sql, query } = index.compile()
        return [(query as CreateIndexNode).name.name, sql]
      }),
  )

/** The names of indexes that go when those stand that are made while others write. */
export const outgrownIndexes = (): string[] => migrations.flatMap((migration) => migration.outgrown ?? [])
