import { statSync } from 'node:fs'

/** Larger files are not written anew by a site that runs: half a second of waiting for everybody at this size. */
const vacuumedUpTo = 32 * 1024 ** 2
/** Not more often, however many leave: whoever makes accounts and deletes them does not hold everybody else up. */
const restMs = 60_000

/**
 * Leaves what was deleted in no place of the file: at once, or a minute after the last time. `secure_delete` zeroes the
 * places of deleted rows, and not the copies that a page keeps in its gaps when its rows moved to a neighbour; only a file
 * that is written anew has none. A file above 32 MiB is left to its operator (docs/privacy.md). Somebody else at work
 * holds it up; then it is tried again a minute later.
 */
export const createForgetting = (database: Connection, file: string) => {
  let last = Number.NEGATIVE_INFINITY
  let waiting: NodeJS.Timeout | null = null
  let isClosed = false

  const vacuum = (): void => {
    if (waiting) clearTimeout(waiting)
    waiting = null
    last = performance.now()
    if (statSync(file).size > vacuumedUpTo) return
    try {
      database.exec('vacuum')
      database.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // Another process is at work.
      if (!isClosed) waiting = setTimeout(vacuumLater, restMs).unref()
    }
  }

  return {
    forget: (): void => {
      if (file === ':memory:') return
      database.pragma('wal_checkpoint(TRUNCATE)')
      const rest = last + restMs - performance.now()
      if (rest <= 0) vacuum()
      else waiting ??= setTimeout(vacuumLater, rest).unref()
    },
    /** Before the connection is closed. */
    close: (): void => {
      isClosed = true
      if (waiting) vacuumLater()
    },
  }

  function vacuumLater(): void {
    try {
      vacuum()
    } catch {
      // The file is gone; whoever reads next hears of it.
    }
  }
}

interface Connection {
  pragma(source: string): unknown
  exec(sql: string): unknown
}
