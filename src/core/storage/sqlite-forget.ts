import { statSync } from 'node:fs'

/** Larger files are not written anew by a site that runs: half a second of waiting for everybody at this size. */
const vacuumedUpTo = 32 * 1024 ** 2

/**
 * Leaves what was deleted in no place of the file. `secure_delete` zeroes the places of deleted rows, and not the copies
 * that a page keeps in its gaps when its rows moved to a neighbour; only a file that is written anew has none.
 * A file above 32 MiB is left to its operator (docs/privacy.md). Somebody else at work holds it up; then the next
 * deletion does it.
 */
export const forgetIn = (database: Connection, file: string): void => {
  if (file === ':memory:') return
  database.pragma('wal_checkpoint(TRUNCATE)')
  if (statSync(file).size > vacuumedUpTo) return
  try {
    database.exec('vacuum')
  } catch {
    return
  }
  database.pragma('wal_checkpoint(TRUNCATE)')
}

interface Connection {
  pragma(source: string): unknown
  exec(sql: string): unknown
}
