import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { MembershipError } from '../errors.ts'
import type { Storage } from './contract.ts'
import { isEmptyPostgres, openPostgres } from './postgres.ts'
import { withoutPassword } from './postgres-migrate.ts'
import { openSqlite } from './sqlite.ts'

export { type Claim, createClaim, type Queue } from './claim.ts'
export * from './contract.ts'
export { createLeaving, type Leave, type Leaving, leavingStatement, partSize } from './leaving.ts'
export { picked } from './picked.ts'
export type { Tables } from './tables.ts'

export interface StorageOptions {
  /** `sqlite:data/site.db`, `sqlite::memory:` or `postgres://…` */
  url: string
  synchronous: 'full' | 'normal'
  pool: number
  now: () => Date
}

/** Opens the database that `url` names and brings it to the newest migration.
 *  @throws ERR_CONFIG for an address of no known kind; ERR_STORAGE when it cannot be opened */
export const openStorage = async ({ url, synchronous, pool, now }: StorageOptions): Promise<Storage> => {
  if (url.startsWith('sqlite:')) return openSqlite({ path: url.slice('sqlite:'.length), synchronous, now })
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres({ url, pool, now })
  throw new MembershipError('ERR_CONFIG', 'membership.database.url names no known kind of database.', {
    action: 'Use sqlite:path/to/file.db, sqlite::memory: or postgres://user@host/database.',
  })
}
/** What a database is called that holds nothing of the package: a file that is not there or has no byte, a PostgreSQL
 *  database without its tables. Nothing is made by looking. null where there is something, or what is there cannot be
 *  told: opening it says why. */
export const emptyDatabase = async (url: string): Promise<string | null> => {
  if (url === 'sqlite::memory:') return null
  if (url.startsWith('sqlite:')) {
    const file = resolve(url.slice('sqlite:'.length))
    return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0 ? file : null
  }
  const isEmpty = /^postgres(ql)?:\/\//.test(url) && (await isEmptyPostgres(url).catch(() => false))
  return isEmpty ? `PostgreSQL at ${withoutPassword(url)}` : null
}
export { createDocuments } from './documents.ts'
