import type { Compilable, Kysely } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'
import { stopping } from './text-search.ts'

export const name = 'office-lists'

export const up = (): Compilable[] => []

/** What the office lists of subscriptions that are to end, in place of every one that is active. */
export const indexes = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .createIndex('subscriptions_stopping')
    .on('subscriptions')
    .columns(['status', 'provider', 'account', 'id'])
    .where(stopping(dialect)),
]
