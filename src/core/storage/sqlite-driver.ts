import type Database from 'better-sqlite3'
import { MembershipError, withoutStack } from '../errors.ts'
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
export function sqliteFallback(): { readonly reason: string } | null {
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
    // Asked before it is loaded, because a crash cannot be caught.
    const end = endOfProcess(installedVersion())
    if (end !== null) throw end
    driver = loadFromSite('better-sqlite3') as typeof Database
    new driver(':memory:').close()
    return { driver, reason: null }
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
    return { driver, reason, error }
  }
}

function installedVersion(): string | null {
  try {
    return (loadFromSite('better-sqlite3/package.json') as { version: string }).version
  } catch {
    // Loading the package itself says why.
    return null
  }
}

/**
 * The error of a version that would end the whole process on this Node; null for another. Version 12 ends it from 24.19
 * on, when an idle moment collects a statement: https://github.com/WiseLibs/better-sqlite3/issues/1515
 * Version 13 needs Node-API 10, which came with 22.14, and ends it at the first database:
 * https://github.com/WiseLibs/better-sqlite3/issues/1514
 */
export function endOfProcess(
  version: string | null,
  { node, napi = '0' }: { node: string; napi?: string } = process.versions,
): MembershipError | null {
  if (version === null) return null
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isNew = Number.parseInt(version, 10) >= 13
  if (isNew && Number(napi) < 10)
    return endsIt(version, node, 'Use Node 22.14 or newer, or run: npm install better-sqlite3@12')
  if (!isNew && (major > 24 || (major === 24 && minor >= 19)))
    return endsIt(version, node, 'Run: npm install better-sqlite3@13')
  return null
}

function endsIt(version: string, node: string, action: string): MembershipError {
  return withoutStack(
    new MembershipError(
      'ERR_STORAGE',
      `better-sqlite3 ${version} ends the process on Node ${node}, so it was not loaded.`,
      { action },
    ),
  )
}
