import { type Database as Driver, sqliteDriver } from '../../src/core/storage/sqlite-driver.ts'

/**
 * SQLite by the copy of its driver that the package takes: of two in one process each undoes the other's
 * locks, and version 12 ends the process on newer Nodes.
 */
export const Database = sqliteDriver()
export type Database = Driver.Database
