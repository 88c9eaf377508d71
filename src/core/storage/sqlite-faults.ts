import { isMembershipError, MembershipError } from '../errors.ts'

/** Runs a query; trouble of the database as a whole becomes ERR_STORAGE. */
export const guard = <T>(run: () => T): T => {
  try {
    return run()
  } catch (error) {
    if (isStorageFault(error)) throw storageError(error)
    throw error
  }
}

// What says that the database as a whole cannot be used, as opposed to one statement being wrong.
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
/** True if the database as a whole cannot be used. */
export const isStorageFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && faults.some((code) => String(error.code).startsWith(code))

/** ERR_STORAGE for what the database said. */
export const storageError = (
  error: unknown,
  what = 'The database did not take the write',
): MembershipError =>
  isMembershipError(error)
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

/** The advice for an error of the file system or of SQLite: https://www.sqlite.org/rescode.html */
const adviceFor = (error: unknown): string => {
  const code = String((error as { code?: unknown } | null)?.code)
  if (['ENOTDIR', 'EEXIST', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'SQLITE_CANTOPEN'].includes(code))
    return 'Let the user of this process make and write files in that folder, or name another file: membership.database.url = sqlite:data/membership.db'
  if (code.startsWith('SQLITE_CORRUPT'))
    return 'Stop the site and put a copy back with `membership restore FILE`, which leaves the damaged file beside it: docs/operating.md, Backups.'
  if (code === 'SQLITE_NOTADB')
    return 'The file is not a database of this package. Name another file in membership.database.url.'
  return 'Check free disk space, permissions, and that no other program holds the database.'
}

/** Node loads a package's binary only where it was built for a Node of its own kind:
 *  https://nodejs.org/docs/latest-v20.x/api/errors.html#err_dlopen_failed */
const otherNode = (error: unknown): MembershipError | null => {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  // What `bindings` says where no binary was built: pnpm, and npm with --ignore-scripts, run no install scripts.
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
