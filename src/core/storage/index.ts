import { MembershipError } from '../errors.ts'
import type { Storage } from './contract.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export { type Claim, createClaim, type Queue } from './claim.ts'
export * from './contract.ts'
export { createLeaving, type Leave, type Leaving, leavingStatement, partSize } from './leaving.ts'
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
export { createDocuments } from './documents.ts'
