import type { Compilable, Kysely } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'narrow-first'

export const up = (): Compilable[] => []

/** Of a table that it has no figures of yet, as on a new site's first day, PostgreSQL may look a row up by the first index
 *  that begins like its key; one that begins with what all rows share made it read all of them. So these begin with what
 *  tells rows apart. SQLite takes the key for such a look-up. */
export const indexes = (db: Kysely<Tables>, dialect: Dialect): Compilable[] =>
  dialect === 'sqlite'
    ? []
    : [
        db.schema
          .createIndex('payment_refs_of_payment')
          .on('payment_refs')
          .columns(['payment_id', 'provider', 'account']),
        db.schema
          .createIndex('payments_of_owner')
          .on('payments')
          .columns(['owner_id', 'provider', 'account']),
        db.schema
          .createIndex('subscriptions_of_owner')
          .on('subscriptions')
          .columns(['owner_id', 'provider', 'account']),
      ]

export const outgrown = ['payment_refs_payment', 'payments_owner', 'subscriptions_owner']
