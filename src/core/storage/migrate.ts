import { type Compilable, CompiledQuery, type CreateIndexNode, type Kysely } from 'kysely'
import { MembershipError } from '../errors.ts'
import type { Dialect } from './contract.ts'
import { type Migration, migrations, type Rewriting } from './migrations/index.ts'
import { type Applied, lastBeforeBaseline, noneApplied } from './migrations-table.ts'
import type { Tables } from './tables.ts'

function olderTables(): MembershipError {
  return new MembershipError(
    'ERR_STORAGE',
    'The tables of this database are older than 2.0.0-rc.1, and this version does not read them. Nothing was changed.',
    {
      action: `Open it with commit ${lastBeforeBaseline} of this package, the last that can. Or start this version with an empty database and import from the provider.`,
    },
  )
}

/**
 * Returns the number of the newest applied migration; 0 for an empty database.
 * @throws ERR_STORAGE for tables from before the baseline, or from a newer version
 */
export function appliedNumber(
  { applied, first }: Applied = noneApplied,
  all: readonly Migration[] = migrations,
): number {
  if (first !== null && first !== all[0]?.name) throw olderTables()
  if ((applied ?? 0) > all.length)
    throw new MembershipError(
      'ERR_STORAGE',
      `The database has migration ${applied}, this version of membership knows ${all.length}.`,
      { action: 'Install the newer version of membership again, or restore the backup that fits this one.' },
    )
  return applied ?? 0
}

/**
 * Builds the statements from migration `applied` (0 for an empty database) to the newest, migration by migration.
 * Tables that PostgreSQL rewrites in parts are not included. Indexes that PostgreSQL builds while others write are
 * included only for an empty database, and for SQLite.
 */
export function pendingMigrations(input: {
  db: Kysely<Tables>
  dialect: Dialect
  applied: number
  now: string
  migrations?: readonly Migration[] | undefined
}): Compilable[][] {
  const { db, dialect, applied, now, migrations: all = migrations } = input
  return all
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

function allAtOnce(rewritings: readonly Rewriting[]): Compilable[] {
  return rewritings.flatMap(({ texts }) =>
    texts('true').map((text) => ({ compile: () => CompiledQuery.raw(text) })),
  )
}

/** The tables to rewrite before the migration that follows number `applied`. */
export function rewritingsAfter(applied: number, all: readonly Migration[] = migrations): Rewriting[] {
  return all[applied]?.rewrites?.('postgres') ?? []
}

/** The indexes that are built while others write, by name. */
export function laterIndexes(
  db: Kysely<Tables>,
  all: readonly Migration[] = migrations,
): ReadonlyMap<string, string> {
  return new Map(
    all
      .flatMap((migration) => migration.indexes?.(db, 'postgres') ?? [])
      .map((index) => {
        const { sql, query } = index.compile()
        return [(query as CreateIndexNode).name.name, sql]
      }),
  )
}

/** The names of indexes to drop once the ones built while others write exist. */
export function outgrownIndexes(all: readonly Migration[] = migrations): string[] {
  return all.flatMap((migration) => migration.outgrown ?? [])
}
