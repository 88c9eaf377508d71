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
/** Whether the database as a whole cannot be used. */
export const isStorageFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && faults.some((code) => String(error.code).startsWith(code))

/** ERR_STORAGE for what the database said. */
export const storageError = (
  error: unknown,
  what = 'The database did not take the write',
): MembershipError =>
  isMembershipError(error)
    ? error
    : new MembershipError(
        'ERR_STORAGE',
        `${what}: ${error instanceof Error ? error.message : String(error)}`,
        {
          retryAfterSeconds: 10,
          action: 'Check free disk space, permissions, and that no other program holds the database.',
          cause: error,
        },
      )
