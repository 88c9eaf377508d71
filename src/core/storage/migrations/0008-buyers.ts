import { type Compilable, CompiledQuery, type Kysely } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'buyers'

/**
 * Keeps with each payment whom it names as its buyer, so that an owner's name and address follow from the payments and
 * the customer's own fact. What was only typed at a checkout is taken over from the owner's row: as from long ago, so
 * that whatever a payment says from now on is newer.
 */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const column = db.schema.alterTable('payments').addColumn('buyer', 'text')
  if (dialect === 'sqlite')
    return [column, toRaw(`update payments set buyer = ${typed('json_array')} where ${isUntold}`)]
  // Looked for before the table is locked, which adding a column does: every payment is read for it.
  return [
    toRaw(
      `create temporary table buyers_found on commit drop as
        select provider, account, id, ${typed('json_build_array')} as buyer from payments where ${isUntold}`,
    ),
    column,
    toRaw(
      `update payments set buyer = f.buyer from buyers_found f
        where f.provider = payments.provider and f.account = payments.account and f.id = payments.id`,
    ),
  ]
}

const toRaw = (text: string): Compilable => ({ compile: () => CompiledQuery.raw(text) })

const isOwner =
  'c.provider = payments.provider and c.account = payments.account and c.customer_id = payments.owner_id'

const typed = (list: string): string =>
  `(select cast(${list}('1970-01-01T00:00:00.000Z', c.email, c.name) as text) from customers c where ${isOwner})`

const isUntold = `exists (
  select 1 from customers c where ${isOwner} and c.email is not null and not exists (
    select 1 from facts f
    where f.provider = c.provider and f.account = c.account and f.kind = 'customer' and f.id = c.customer_id
      and lower(f.data) like '%' || c.email || '%'
  )
)`
