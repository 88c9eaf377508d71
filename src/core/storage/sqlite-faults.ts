import { isMembershipError, MembershipError } from '../errors.ts'

/** Runs a query. Trouble of the whole database becomes ERR_STORAGE. */
export function guard<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (isStorageFault(error)) throw storageError(error)
    throw error
  }
}

// Codes of errors that make the whole database unusable, as opposed to one wrong statement.
const faults = [
  'SQLITE_BUSY',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CORRUPT',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_NOTADB',
  'SQLITE_LOCKED',
]
/** True if the whole database is unusable. */
export function isStorageFault(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && faults.some((code) => String(error.code).startsWith(code))
  )
}

/** Wraps a database error as ERR_STORAGE. */
export function storageError(error: unknown, what = 'The database did not take the write'): MembershipError {
  return isMembershipError(error)
    ? error
    : (otherNode(error) ??
        new MembershipError(
          'ERR_STORAGE',
          `${what}: ${error instanceof Error ? error.message : String(error)}`,
          {
            retryAfterSeconds: 10,
            action: adviceFor(error),
            cause: error,
          },
        ))
}

/** The advice for an error of the file system or of SQLite: https://www.sqlite.org/rescode.html */
function adviceFor(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code)
  if (['ENOTDIR', 'EEXIST', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'SQLITE_CANTOPEN'].includes(code))
    return 'Let the user of this process make and write files in that folder, or name another file: membership.database.url = sqlite:data/membership.db'
  if (code.startsWith('SQLITE_CORRUPT'))
    return 'Stop the site and put a copy back with `membership restore FILE`, which leaves the damaged file beside it: docs/backups.md.'
  if (code === 'SQLITE_NOTADB')
    return 'The file is not a database of this package. Name another file in membership.database.url.'
  return 'Check free disk space, permissions, and that no other program holds the database.'
}

/**
 * Explains a binary that was built for another kind of Node, which Node refuses to load:
 * https://nodejs.org/docs/latest-v20.x/api/errors.html#err_dlopen_failed
 */
function otherNode(error: unknown): MembershipError | null {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  // The message of `bindings` without a binary: pnpm, and npm with --ignore-scripts, run no install scripts.
  if (message.startsWith('Could not locate the bindings file'))
    return new MembershipError(
      'ERR_STORAGE',
      'better-sqlite3 was installed without its binary: its install script did not run.',
      {
        action:
          'Run npm rebuild better-sqlite3 (pnpm: pnpm approve-builds, then pnpm rebuild better-sqlite3).',
        cause: error,
      },
    )
  if (code !== 'ERR_DLOPEN_FAILED' && !message.includes('NODE_MODULE_VERSION')) return null
  return new MembershipError(
    'ERR_STORAGE',
    `better-sqlite3 was not built for this Node (${process.version}): it was installed with another one.`,
    { action: 'Run npm rebuild better-sqlite3 with the Node that starts the site.', cause: error },
  )
}
