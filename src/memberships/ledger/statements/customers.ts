import type { Storage } from '../../../core/storage/index.ts'
import type { CustomerRow } from './rows.ts'
import { versioned } from './versioned.ts'

const updated = ['member_id', 'email', 'name', 'deleted', 'purchased'] as const

/** Who owns what: customers, and the members behind them. */
export const customerStatements = (storage: Storage) => {
  const customers = versioned<CustomerRow, 'provider' | 'account' | 'customer_id'>(storage, {
    name: 'customer',
    order: 2,
    table: 'customers',
    key: ['provider', 'account', 'customer_id'],
    columns: ['provider', 'account', 'customer_id', 'guest', ...updated, 'revision'],
    updated,
  })
  return {
    customer: customers.find,
    customerInsert: customers.insert,
    customerUpdate: customers.update,
    customerDelete: customers.remove,
    memberByEmail: storage.prepare<{ email: string }, { id: string; email_verified: number }>(
      'member-by-email',
      (db, p) => db.selectFrom('members').select(['id', 'email_verified']).where('email', '=', p.email),
    ),
    memberInsert: storage.prepareMany<{
      id: string
      email: string | null
      email_verified: number
      name: string | null
      roles: string
      language: string | null
      content: string
      created_by: string | null
      created_at: string
      updated_at: string
    }>(
      '1-member-insert',
      {
        all: [
          'id',
          'email',
          'email_verified',
          'name',
          'roles',
          'language',
          'content',
          'created_by',
          'created_at',
          'updated_at',
        ],
        key: ['email'],
      },
      (db, rows) =>
        db
          .insertInto('members')
          .values(rows)
          .onConflict((c) => c.doNothing()),
    ),
  }
}
