import { isMembershipError, MembershipError } from '../errors.ts'
import { UnitConflict } from './contract.ts'
import { isNameFault } from './naming.ts'

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** True for a serialization failure, a deadlock, or a lost statement name. The same statements may work now. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error)) || isNameFault(error)
}

/** True if another transaction holds a row longer than the wait. */
export function isHeld(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

/**
 * True for trouble of the server or the connection, not of a statement: no SQLSTATE, or one of these classes. The
 * connection was lost (08), refused (28, 3D, 55) or is in a wrong state (25). Or the server has no room (53), stops
 * (57), is broken (58, XX), or does not know a statement's name. Source:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isConnectionFault(error: unknown): boolean {
  if (error instanceof UnitConflict || error instanceof TypeError) return false
  const code = codeOf(error)
  // A socket's EPIPE looks like an SQLSTATE.
  const isSockets = error instanceof Error && 'syscall' in error
  return (
    isSockets ||
    isNameFault(error) ||
    !/^[0-9A-Z]{5}$/.test(code) ||
    /^(08|25|28|3D|53|55|57|58|XX)/.test(code)
  )
}

/** Runs a query. Trouble of the connection becomes ERR_STORAGE. */
export async function guard<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw isConnectionFault(error) ? storageError(error) : error
  }
}

/** Wraps an error of the server or the connection as ERR_STORAGE. */
export function storageError(error: unknown): MembershipError {
  return isMembershipError(error)
    ? error
    : new MembershipError(
        'ERR_STORAGE',
        `The database did not answer: ${error instanceof Error ? error.message : String(error)}`,
        {
          retryAfterSeconds: 10,
          action: 'Check that PostgreSQL runs and that membership.database.url is right.',
          cause: error,
        },
      )
}
