import { type Stats, statSync } from 'node:fs'
import { MembershipError } from '../errors.ts'

/**
 * Checks that the opened files are still at their paths. SQLite continues with missing files without an error, so
 * commits to a deleted write-ahead log are lost with the process.
 * https://www.sqlite.org/howtocorrupt.html#unlinking_or_renaming_a_database_file_while_in_use
 */
export function createPlace(file: string, pages: () => { readonly count: number; readonly bytes: number }) {
  const isInMemory = file === ':memory:'
  const opened = isInMemory ? null : identityOf(look(file))
  const log = `${file}-wal`
  let openedLog: string | null = null
  let size = isInMemory ? 0 : (look(file)?.size ?? 0)

  /** @throws ERR_STORAGE when a file was deleted, replaced, or overwritten in place */
  function check(): void {
    if (opened === null) return
    const found = look(file)
    if (identityOf(found) !== opened) throw gone(file, found === undefined)
    checkSize(found!.size)
    const foundLog = look(log)
    const there = identityOf(foundLog)
    if (openedLog !== null && there !== openedLog) throw gone(log, foundLog === undefined)
    openedLog = there
  }

  /** Only `vacuum` shrinks a file, and its size then matches the pages that its readers see. */
  function checkSize(found: number): void {
    if (found < size) {
      const { count, bytes } = pages()
      if (found !== count * bytes) throw overwritten(file)
    }
    size = found
  }

  return { check }
}

function look(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function identityOf(found: Stats | undefined): string | null {
  return found ? `${found.dev}:${found.ino}` : null
}

function overwritten(file: string) {
  return new MembershipError('ERR_STORAGE', `The database file ${file} was overwritten while it was in use`, {
    retryAfterSeconds: 60,
    action: 'Stop the site, put the copy back with `membership restore FILE`, and start it again.',
  })
}

function gone(file: string, isDeleted: boolean) {
  return new MembershipError(
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
}
