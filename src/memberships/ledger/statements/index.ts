import type { Storage } from '../../../core/storage/index.ts'
import { customerStatements } from './customer-statements.ts'
import { factStatements } from './facts.ts'
import { fetchStatements } from './fetch-statements.ts'
import { otherStatements } from './other-statements.ts'
import { overdueStatements } from './overdue-statements.ts'
import { paymentStatements } from './payment-statements.ts'

export type {
  CustomerRow,
  FactRow,
  IntentRow,
  OtherSubscriptionRow,
  PaymentRow,
  SubscriptionRow,
} from './rows.ts'

export type LedgerStatements = ReturnType<typeof ledgerStatements>

/** Prepares all statements of the ledger on a storage. */
export function ledgerStatements(storage: Storage) {
  return {
    ...factStatements(storage),
    ...customerStatements(storage),
    ...paymentStatements(storage),
    ...fetchStatements(storage),
    ...overdueStatements(storage),
    ...otherStatements(storage),
  }
}
