import type { Compilable, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export const name = 'password-hash'

/** Where an imported account keeps the hash of its password; never read back by this package. */
export const up = (db: Kysely<Tables>): Compilable[] => [
  db.schema.alterTable('members').addColumn('password_hash', 'text'),
]
