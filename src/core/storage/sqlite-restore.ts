import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { MembershipError } from '../errors.ts'
import { sqliteDriver } from './sqlite-driver.ts'

/** The restored copy, and where the previous files are now. */
export interface Restored {
  readonly database: string
  readonly copy: string
  readonly setAside: readonly string[]
}

/**
 * Restores a copy of an SQLite database. The old file's write-ahead log is moved away with it, because SQLite would
 * replay it onto the copy and damage it.
 * https://www.sqlite.org/howtocorrupt.html#backup_or_restore_while_a_transaction_is_active
 * @throws ERR_USAGE for a copy that is missing, damaged, no database of this package or the database itself; ERR_ACTION_REFUSED while a
 * process has the database open. Nothing is changed then.
 */
export function restoreSqlite(database: string, copy: string, now: Date): Restored {
  requireWhole(copy)
  if (existsSync(database) && realpathSync(database) === realpathSync(copy))
    throw new MembershipError('ERR_USAGE', `${copy} is the site’s own database. Nothing was changed.`, {
      action: 'Name the copy. For a copy that already stands in its place: membership after-restore',
    })
  if (existsSync(database)) requireUnused(database)
  // Written beside the target first, so that a full disk changes nothing.
  const fresh = `${database}.restoring`
  rmSync(fresh, { force: true })
  const source = new (sqliteDriver())(copy, { fileMustExist: true })
  try {
    // A copy with its own log beside it is written complete.
    source.prepare('vacuum into ?').run(fresh)
  } finally {
    source.close()
  }
  requireWhole(fresh)
  const suffix = `.before-restore-${now.toISOString().replace(/\D/g, '').slice(0, 14)}`
  const setAside: string[] = []
  for (const end of ['', '-wal', '-shm']) {
    if (!existsSync(`${database}${end}`)) continue
    renameSync(`${database}${end}`, `${database}${suffix}${end}`)
    setAside.push(`${database}${suffix}${end}`)
  }
  renameSync(fresh, database)
  return { database, copy, setAside }
}

/**
 * Copies an SQLite database while the site runs. The copy is one file with everything that is committed.
 * https://www.sqlite.org/lang_vacuum.html#vacuum_with_an_into_clause
 * @throws ERR_USAGE if the database is missing, or if the copy exists already
 */
export function backupSqlite(database: string, copy: string): void {
  if (!existsSync(database))
    throw new MembershipError('ERR_USAGE', `There is no database at ${database}.`, {
      action: 'Correct membership.database.url, or start the site once: the first start makes the database.',
    })
  if (existsSync(copy))
    throw new MembershipError('ERR_USAGE', `${copy} exists already. Nothing was written.`, {
      action: 'Name a file that does not exist yet.',
    })
  // An interrupted copy never carries the final name.
  const fresh = `${copy}.writing`
  rmSync(fresh, { force: true })
  const source = new (sqliteDriver())(database, { fileMustExist: true })
  try {
    source.prepare('vacuum into ?').run(fresh)
  } finally {
    source.close()
  }
  requireWhole(fresh)
  renameSync(fresh, copy)
}

function requireWhole(path: string): void {
  if (!existsSync(path)) throw new MembershipError('ERR_USAGE', `There is no file ${path}.`)
  let found = ''
  try {
    const opened = new (sqliteDriver())(path, { fileMustExist: true })
    try {
      found = String(opened.pragma('integrity_check(1)', { simple: true }))
      opened.prepare('select count(*) from members').get()
    } finally {
      opened.close()
    }
  } catch (error) {
    found = error instanceof Error ? error.message : String(error)
  }
  if (found !== 'ok')
    throw new MembershipError('ERR_USAGE', `${path} is no whole database of this package: ${found}.`, {
      action: 'Take another copy. Nothing was changed.',
    })
}

/**
 * @throws ERR_ACTION_REFUSED while a process has the database open
 * Leaving write-ahead logging needs exclusive access: https://www.sqlite.org/wal.html#use_of_wal_without_shared_memory
 */
export function requireUnused(path: string): void {
  let opened: InstanceType<ReturnType<typeof sqliteDriver>> | undefined
  try {
    opened = new (sqliteDriver())(path, { fileMustExist: true })
    opened.pragma('busy_timeout = 0')
    opened.pragma('journal_mode = delete')
  } catch (error) {
    const code = String((error as { code?: unknown }).code)
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
      throw new MembershipError('ERR_ACTION_REFUSED', `A process has ${path} open.`, {
        reason: 'database_in_use',
        action: 'Stop the site and every command, then run this command again.',
      })
    // A damaged file is a reason to restore, so other errors are ignored.
  } finally {
    opened?.close()
  }
}
