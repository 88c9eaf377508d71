import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Storage } from './contract.ts'
import type { Migration } from './migrations/index.ts'
import { type Applied, isOlder, newestMigration, noneApplied } from './migrations-table.ts'
import { appliedInSqlite, openSqlite } from './sqlite.ts'
import { sqliteFallback } from './sqlite-driver.ts'
import { withoutPassword } from './without-password.ts'

export { type Claim, createClaim, type Queue } from './claim.ts'
export * from './contract.ts'
export { createLeaving, type Leave, type Leaving, leavingStatement, partSize } from './leaving.ts'
export { lastBeforeBaseline } from './migrations-table.ts'
export { picked } from './picked.ts'
export { type Database, sqliteDriver, sqliteFallback } from './sqlite-driver.ts'
export { type Restored, restoreSqlite } from './sqlite-restore.ts'
export type { Tables } from './tables.ts'
export { memberWords } from './trigrams.ts'

/** Which database is opened, and how. */
export interface StorageOptions {
  /** `sqlite:data/site.db`, `sqlite::memory:` or `postgres://…` */
  url: string
  synchronous: 'full' | 'normal'
  pool: number
  now: () => Date
  /** Told of an upgrade that takes long; unless given, nobody is. */
  log?: Log
  /** The package's own unless given, as the tests of upgrades do. */
  migrations?: readonly Migration[]
}

/** Opens the database that `url` names and brings it to the newest migration.
 *  @throws ERR_CONFIG for an address of no known kind; ERR_STORAGE when it cannot be opened */
export const openStorage = async ({
  url,
  synchronous,
  pool,
  now,
  log,
  migrations,
}: StorageOptions): Promise<Storage> => {
  if (url.startsWith('sqlite:')) {
    const fallback = sqliteFallback()
    if (fallback) log?.('better-sqlite3 cannot be loaded here; node:sqlite is used instead', fallback)
    return openSqlite({ path: url.slice('sqlite:'.length), synchronous, now, migrations })
  }
  // A site with a file loads no driver for a server.
  if (/^postgres(ql)?:\/\//.test(url))
    return (await import('./postgres.ts')).openPostgres({ url, pool, now, log, migrations })
  throw new MembershipError('ERR_CONFIG', 'membership.database.url names no known kind of database.', {
    action: 'Use sqlite:path/to/file.db, sqlite::memory: or postgres://user@host/database.',
  })
}

/** The version of a database's tables. */
export interface Age {
  /** The database's name, without a password. */
  readonly place: string
  /** The newest migration that was applied; 0 where nothing of the package is there. */
  readonly applied: number
  /** The newest that there is. */
  readonly newest: number
  /** Its tables are of a time before the baseline; nothing of this version opens them. */
  readonly isOlder: boolean
}

/**
 * Looks up the version of the database that `url` names: a file that is not there or has no byte has none. Nothing
 * is made and nothing changed by looking. null where it cannot be told: opening it says why.
 */
export const ageOf = async (url: string): Promise<Age | null> => {
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
export { createDocuments } from './documents.ts'
