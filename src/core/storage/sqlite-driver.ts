import type Database from 'better-sqlite3'
import { lazy } from '../lazy.ts'
import { loadFromSite } from '../package-folder.ts'

export type { Database }

/** SQLite's driver, better-sqlite3: the copy that is used here. A site that opens the same file in the same process takes
 *  this one, since of two copies each undoes the other's locks: https://www.sqlite.org/howtocorrupt.html
 *  Its binary belongs to no bundle; that it was built for another Node shows when the first file is opened. Version 12
 *  ends the whole process on Node from 24.19 when an idle moment collects a statement, version 13 does on Node 20 when
 *  it is loaded: https://github.com/WiseLibs/better-sqlite3/issues/1515 */
export const sqliteDriver: () => typeof Database = lazy(() => {
  try {
    if (Number.parseInt(process.versions.node, 10) >= 22)
      return loadFromSite('better-sqlite3-13') as typeof Database
  } catch {
    // It was not installed, or brings nothing for this machine.
  }
  return loadFromSite('better-sqlite3') as typeof Database
})
