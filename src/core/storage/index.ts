import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Storage } from './contract.ts'
import type { Migration } from './migrations/index.ts'
import { type Applied, isOlder, newestMigration, noneApplied } from './migrations-table.ts'
import type { copyFromPostgres as copying } from './postgres-copy.ts'
import { appliedInSqlite, openSqlite } from './sqlite.ts'
import { sqliteFallback } from './sqlite-driver.ts'
import { requireUnused } from './sqlite-restore.ts'
import { withoutPassword } from './without-password.ts'

export { type Claim, createClaim, type Queue } from './claim.ts'
export * from './contract.ts'
export { createLeaving, type Leave, type Leaving, leavingStatement, partSize } from './leaving.ts'
export { lastBeforeBaseline } from './migrations-table.ts'
export { nextTurn, pagesOf } from './paging.ts'
export { picked } from './picked.ts'
export { laterThan, retryOnConflict, retryPatiently } from './retry-on-conflict.ts'
export { inAccount, sameAccount } from './same-account.ts'
export { type Database, sqliteDriver, sqliteFallback } from './sqlite-driver.ts'
export { backupSqlite, type Restored, restoreSqlite } from './sqlite-restore.ts'
export type { Row, Tables } from './tables.ts'
export { memberWords } from './trigrams.ts'

/** The database to open, with its options. */
export interface StorageOptions {
  /** `sqlite:data/site.db`, `sqlite::memory:` or `postgres://…` */
  url: string
  synchronous: 'full' | 'normal'
  pool: number
  now: () => Date
  /** Receives messages about a long upgrade. */
  log?: Log
  /** Default: the package's own migrations. Tests of upgrades pass others. */
  migrations?: readonly Migration[]
}

/**
 * Opens the database at `url` and applies the pending migrations.
 * @throws ERR_CONFIG for an unknown kind of address; ERR_STORAGE when it cannot be opened
 */
export async function openStorage({
  url,
  synchronous,
  pool,
  now,
  log,
  migrations,
}: StorageOptions): Promise<Storage> {
  if (url.startsWith('sqlite:')) {
    const fallback = sqliteFallback()
    if (fallback && !process.versions.bun && !process.versions.deno)
      log?.('better-sqlite3 cannot be loaded here; node:sqlite is used instead', fallback)
    return openSqlite({ path: url.slice('sqlite:'.length), synchronous, now, migrations })
  }
  // A site with a file loads no server driver.
  if (/^postgres(ql)?:\/\//.test(url))
    return (await import('./postgres.ts')).openPostgres({ url, pool, now, log, migrations })
  throw new MembershipError('ERR_CONFIG', 'membership.database.url names no known kind of database.', {
    action: 'Use sqlite:path/to/file.db, sqlite::memory: or postgres://user@host/database.',
  })
}

/**
 * Refuses a database that somebody else has open.
 * @throws ERR_ACTION_REFUSED
 */
export async function requireStopped(url: string): Promise<void> {
  if (url === 'sqlite::memory:') return
  if (url.startsWith('sqlite:')) return requireUnused(resolve(url.slice('sqlite:'.length)))
  const others = await (await import('./postgres.ts')).othersInPostgres(url)
  if (others === 0) return
  const place = `PostgreSQL at ${withoutPassword(url)}`
  throw new MembershipError(
    'ERR_ACTION_REFUSED',
    `${others === 1 ? 'One other connection is' : `${others} other connections are`} open to ${place}.`,
    {
      reason: 'database_in_use',
      action:
        'Stop the site and every command, then run this command again. Where the connections are no site’s, such as a pooler’s: --site-is-stopped',
    },
  )
}

/** The schema version of a database. */
export interface Age {
  /** The database's name, without a password. */
  readonly place: string
  /** The newest applied migration; 0 without tables of the package. */
  readonly applied: number
  /** The newest known migration. */
  readonly newest: number
  /** True for tables from before the baseline, which this version cannot open. */
  readonly isOlder: boolean
}

/**
 * Reads the schema version of the database at `url`. A missing or empty file has none. Nothing is created or changed.
 * Null where the version is unknown; opening the database then gives the reason.
 */
export async function ageOf(url: string): Promise<Age | null> {
  if (url === 'sqlite::memory:') return null
  const of = (place: string, found: Applied): Age => ({
    place,
    applied: found.applied ?? 0,
    newest: newestMigration,
    isOlder: isOlder(found),
  })
  try {
    if (!url.startsWith('sqlite:')) {
      const { appliedInPostgres } = await import('./postgres.ts')
      return of(`PostgreSQL at ${withoutPassword(url)}`, await appliedInPostgres(url))
    }
    const file = resolve(url.slice('sqlite:'.length))
    const isThere = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
    return of(file, isThere ? appliedInSqlite(file) : noneApplied)
  } catch {
    return null
  }
}
/** Copies tables of a PostgreSQL database into a SQLite file. A site with a file loads no server driver. */
export const copyFromPostgres: typeof copying = async (input) =>
  (await import('./postgres-copy.ts')).copyFromPostgres(input)

export { createDocuments, type Documents } from './documents.ts'
