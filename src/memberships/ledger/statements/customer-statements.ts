import { sql } from 'kysely'
import type { Storage } from '../../../core/storage/index.ts'
import { buyerStatements } from './member-statements.ts'
import type { CustomerRow, Key } from './rows.ts'
import { versioned } from './versioned.ts'

const updated = ['member_id', 'email', 'name', 'place', 'deleted', 'purchased', 'moved_from'] as const
const columns = ['provider', 'account', 'customer_id', 'guest', ...updated, 'revision'] as const

/** An owner's row, null in each column where there is none, with what else decides its person. */
export type OwnerRow = { readonly [K in keyof CustomerRow]: CustomerRow[K] | null } & {
  /** The member, if their deletion is complete. */
  readonly left_member: string | null
  /** The customer as the provider described it last. */
  readonly stated: string | null
  /** The newest buyer that its payments name, but for one of them. */
  readonly buyer: string | null
}

/** Statements for owners: customers and their members. */
export function customerStatements(storage: Storage) {
  const customers = versioned<CustomerRow, 'provider' | 'account' | 'customer_id'>(storage, {
    name: 'customer',
    table: 'customers',
    key: ['provider', 'account', 'customer_id'],
    columns,
    updated,
  })
  const bytewise = storage.dialect === 'sqlite' ? sql`buyer` : sql`buyer collate "C"`
  return {
    customer: customers.find,
    customerInsert: customers.insert,
    customerUpdate: customers.update,
    customerDelete: customers.remove,
    /**
     * Reads everything that decides an owner's person at once: its row, the provider's customer, and the newest buyer
     * that its payments name, but for the payment `except`. Returns one row.
     */
    owner: storage.prepare<Key & { customer_id: string; except: string }, OwnerRow>('owner', (db, p) =>
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
        .select(columns.map((column) => `c.${column}` as const))
        .select(['d.member_id as left_member', 'f.data as stated'])
        .select((where) =>
          where
            .selectFrom('payments')
            .select(sql<string | null>`max(${bytewise})`.as('newest'))
            .where('provider', '=', p.provider)
            .where('account', '=', p.account)
            .where('owner_id', '=', p.customer_id)
            .where('id', '<>', p.except)
            .as('buyer'),
        ),
    ),
    /** Lists the buyers that an owner's payments name. */
    buyers: storage.prepare<Key & { customer_id: string }, { id: string; buyer: string | null }>(
      'owner-buyers',
      (db, p) =>
        db
          .selectFrom('payments')
          .select(['id', 'buyer'])
          .where('provider', '=', p.provider)
          .where('account', '=', p.account)
          .where('owner_id', '=', p.customer_id)
          .where('buyer', 'is not', null),
    ),
    ...buyerStatements(storage),
  }
}
