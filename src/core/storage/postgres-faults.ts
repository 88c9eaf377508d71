import { isMembershipError, MembershipError } from '../errors.ts'
import { UnitConflict } from './contract.ts'
import { isNameFault } from './naming.ts'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Serialization failure, deadlock, or a name that the line did not keep: the same statements may work now. */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error)) || isNameFault(error)

/** Another transaction holds a row for longer than was waited. */
export const isHeld = (error: unknown): boolean => codeOf(error) === '55P03'

/**
 * The server's or the socket's trouble, not a statement's: no SQLSTATE, or one of these classes: a connection that was
 * lost (08), refused (28, 3D, 55) or is in a wrong state (25), a server without room (53), that stops (57) or is broken
 * (58, XX), or one that does not know a statement's name. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const isConnectionFault = (error: unknown): boolean => {
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

/** Runs a query; trouble of the connection becomes ERR_STORAGE. */
export const guard = async <T>(run: () => Promise<T>): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    throw isConnectionFault(error) ? storageError(error) : error
  }
}

/** ERR_STORAGE for what the server or the line said. */
export const storageError = (error: unknown): MembershipError =>
  isMembershipError(error)
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
