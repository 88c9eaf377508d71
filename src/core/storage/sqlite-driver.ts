import type Database from 'better-sqlite3'
import { lazy } from '../lazy.ts'
import { loadFromSite } from '../package-folder.ts'
import { nodeSqliteDriver } from './node-sqlite.ts'

export type { Database }

/**
 * The SQLite driver of this process: better-sqlite3, or Node's own `node:sqlite` (22.13 and newer) where better-sqlite3
 * cannot be loaded. A site that opens the same file in this process must use this driver: two copies of SQLite break
 * each other's locks, https://www.sqlite.org/howtocorrupt.html.
 * Without either, opening the first file throws ERR_STORAGE with what to do.
 */
export const sqliteDriver: () => typeof Database = lazy(() => chosen().driver)

/** The reason that `node:sqlite` is used instead of better-sqlite3; null where better-sqlite3 is used. */
export const sqliteFallback = (): { readonly reason: string } | null => {
  const { reason } = chosen()
  return reason === null ? null : { reason }
}

const chosen = lazy((): { driver: typeof Database; reason: string | null } => {
  const better = loadBetterSqlite()
  if (better.reason === null) return { driver: better.driver, reason: null }
  const native = nodeSqliteDriver()
  if (native !== null) return { driver: native, reason: better.reason }
  if (better.driver === null) throw better.error
  return { driver: better.driver, reason: null }
})

type Loaded =
  | { readonly driver: typeof Database; readonly reason: null }
  | { readonly driver: typeof Database | null; readonly reason: string; readonly error: unknown }

// Only opening a file shows whether the binary exists and was built for this Node.
function loadBetterSqlite(): Loaded {
  let driver: typeof Database | null = null
  try {
    // Lets tests use the other driver on a machine that has both.
    if (process.env.MEMBERSHIP_SQLITE === 'node') throw new Error('MEMBERSHIP_SQLITE=node')
    // A native addon for Node may end another runtime, and these have `node:sqlite`.
    if (process.versions.bun || process.versions.deno) throw new Error('this is no Node')
    driver = loadFromSite('better-sqlite3') as typeof Database
    if (endsProcess()) throw new Error('version 12 ends the process on this Node; install version 13')
    new driver(':memory:').close()
    return { driver, reason: null }
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
    return { driver, reason, error }
  }
}

/**
 * True where version 12 would end the whole process: on Node from 24.19 on, when an idle moment collects a statement.
 * https://github.com/WiseLibs/better-sqlite3/issues/1515
 */
function endsProcess(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 24 || (major === 24 && minor < 19)) return false
  const { version } = loadFromSite('better-sqlite3/package.json') as { version: string }
  return Number.parseInt(version, 10) < 13
}
