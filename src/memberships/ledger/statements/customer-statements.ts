import type { Storage } from '../../../core/storage/index.ts'
import { buyerStatements } from './member-statements.ts'
import type { CustomerRow } from './rows.ts'
import { versioned } from './versioned.ts'

const updated = ['member_id', 'email', 'name', 'deleted', 'purchased', 'moved_from'] as const

/** Statements for owners: customers and their members. */
export const customerStatements = (storage: Storage) => {
  const customers = versioned<CustomerRow, 'provider' | 'account' | 'customer_id'>(storage, {
    name: 'customer',
    lock: 'customers',
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
    ...buyerStatements(storage),
  }
}
