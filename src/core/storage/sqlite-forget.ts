import { statSync } from 'node:fs'

/** A running site does not rewrite a larger file: at this size everybody waits half a second. */
const vacuumedUpTo = 32 * 1024 ** 2
/** The shortest interval, so that creating and deleting many accounts does not delay everybody. */
const restMs = 60_000

/**
 * Removes deleted data from every place in the file, at once or a minute after the last time. `secure_delete` zeroes
 * deleted rows, but not the copies that remain in a page's gaps after its rows moved to another page. Only a rewritten
 * file has none. A file above 32 MiB is left to its operator: docs/reference/what-happens-to-personal-data.md. If another
 * connection is busy, it is tried again a minute later.
 */
export function createForgetting(database: Connection, { file, onSmaller }: ForgettingOptions) {
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
      onSmaller()
    } catch {
      // Another process is busy.
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
    /** Call it before the connection is closed. */
    close: (): void => {
      isClosed = true
      if (waiting) vacuumLater()
    },
  }

  function vacuumLater(): void {
    try {
      vacuum()
    } catch {
      // The file is gone. The next reader gets the error.
    }
  }
}

interface ForgettingOptions {
  readonly file: string
  /** Notes the file's new size, before a write adds pages that are in the write-ahead log alone. */
  readonly onSmaller: () => void
}

interface Connection {
  pragma(source: string): unknown
  exec(sql: string): unknown
}
