import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'buyers'

/**
 * Keeps with each payment whom it names as its buyer, so that an owner's name and address follow from the payments and
 * the customer's own fact. What was only typed at a checkout is taken over from the owner's row: as from long ago, so
 * that whatever a payment says from now on is newer.
 */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const list = sql.raw(dialect === 'sqlite' ? 'json_array' : 'json_build_array')
  return [
    db.schema.alterTable('payments').addColumn('buyer', 'text'),
    db
      .updateTable('payments')
      .set({
        buyer: sql<string>`(
          select cast(${list}('1970-01-01T00:00:00.000Z', c.email, c.name) as text) from customers c where ${isOwner}
        )`,
      })
      .where(
        sql<boolean>`exists (
          select 1 from customers c where ${isOwner} and c.email is not null and not exists (
            select 1 from facts f
            where f.provider = c.provider and f.account = c.account and f.kind = 'customer' and f.id = c.customer_id
              and lower(f.data) like '%' || c.email || '%'
          )
        )`,
      ),
  ]
}

const isOwner = sql.raw(
  'c.provider = payments.provider and c.account = payments.account and c.customer_id = payments.owner_id',
)
