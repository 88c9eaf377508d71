import { statSync } from 'node:fs'
import { MembershipError } from '../errors.ts'

/** Looks whether the file that was opened still lies at its path; SQLite goes on with one that is gone as if it were there. */
export const createPlace = (file: string) => {
  const identityOf = (): string | null => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found ? `${found.dev}:${found.ino}` : null
  }
  const opened = file === ':memory:' ? null : identityOf()

  /** @throws ERR_STORAGE when the file was deleted, or another lies in its place */
  const check = (): void => {
    if (opened === null) return
    const there = identityOf()
    if (there !== opened) throw gone(file, there === null)
  }
  return { check }
}

const gone = (file: string, isDeleted: boolean) =>
  new MembershipError(
    'ERR_STORAGE',
    isDeleted
      ? `The database file ${file} was deleted while it was in use`
      : `Another file lies in the place of the database ${file} while it is in use`,
    {
      retryAfterSeconds: 60,
      action: isDeleted
        ? 'Put the file back, or restore a backup, and restart: nothing is taken until then.'
        : 'Restart, so that the file that is there now is used: nothing is taken until then.',
    },
  )
