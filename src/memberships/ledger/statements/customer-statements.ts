import { sql } from 'kysely'
import type { Storage } from '../../../core/storage/index.ts'
import { buyerStatements } from './member-statements.ts'
import type { CustomerRow, Key } from './rows.ts'
import { versioned } from './versioned.ts'

const updated = ['member_id', 'email', 'name', 'place', 'deleted', 'purchased', 'moved_from'] as const
const columns = ['provider', 'account', 'customer_id', 'guest', ...updated, 'revision'] as const

/** An owner's row, null in each column where there is none, with one of its buyers. */
export type OwnerRow = { readonly [K in keyof CustomerRow]: CustomerRow[K] | null } & {
  /** The member, if their deletion is complete. */
  readonly left_member: string | null
  /** The customer as the provider described it last. */
  readonly stated: string | null
  readonly payment_id: string | null
  readonly buyer: string | null
}

/** Statements for owners: customers and their members. */
export const customerStatements = (storage: Storage) => {
  const customers = versioned<CustomerRow, 'provider' | 'account' | 'customer_id'>(storage, {
    name: 'customer',
    table: 'customers',
    key: ['provider', 'account', 'customer_id'],
    columns,
    updated,
  })
  return {
    customer: customers.find,
    customerInsert: customers.insert,
    customerUpdate: customers.update,
    customerDelete: customers.remove,
    /**
     * Reads everything that decides an owner's person at once: its row, the provider's customer, and the buyers that its
     * payments name. Returns one row for each buyer, and at least one.
     */
    owner: storage.prepare<Key & { customer_id: string }, OwnerRow>('owner', (db, p) =>
      db
        .selectFrom(sql<object>`(select 1 as asked)`.as('asked'))
        .leftJoin('customers as c', (join) =>
          join
            .on('c.provider', '=', p.provider)
            .on('c.account', '=', p.account)
            .on('c.customer_id', '=', p.customer_id),
        )
        .leftJoin('deletions as d', (join) =>
          join.onRef('d.member_id', '=', 'c.member_id').on('d.done_at', 'is not', null),
        )
        .leftJoin('facts as f', (join) =>
          join
            .on('f.provider', '=', p.provider)
            .on('f.account', '=', p.account)
            .on('f.kind', '=', sql.lit('customer'))
            .on('f.id', '=', p.customer_id),
        )
        .leftJoin('payments as b', (join) =>
          join
            .on('b.provider', '=', p.provider)
            .on('b.account', '=', p.account)
            .on('b.owner_id', '=', p.customer_id)
            .on('b.buyer', 'is not', null),
        )
        .select(columns.map((column) => `c.${column}` as const))
        .select(['d.member_id as left_member', 'f.data as stated', 'b.id as payment_id', 'b.buyer']),
    ),
    ...buyerStatements(storage),
  }
}
