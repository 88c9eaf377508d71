import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { ledgerDoorStatements } from './statements/door-statements.ts'

interface Place {
  readonly provider: string
  readonly account: string
}
interface Owner extends Place {
  readonly customer_id: string
  readonly member_id: string
}

/** Makes steps about customers, subscriptions and payments, for the units of other modules. */
export const createLedgerDoors = (storage: Storage) => {
  const statements = ledgerDoorStatements(storage)
  return {
    /** Gives the waiting purchases of an address to the member who proved it. */
    claimWaiting: (member: { member_id: string; email: string }): Step => step(statements.claim, member),
    /** Gives a customer without a member to a member. */
    giveCustomer: (owner: Owner): Step => step(statements.customerLink, owner),
    /** Gives the customer of a store, whose member was deleted, to another member. */
    giveCustomerOfDeleted: (owner: Owner & { from: string }): Step =>
      step(statements.customerFromDeleted, owner, 1),
    /** Records that a subscription was ended here at once, so that nothing of it stays open. */
    endedHere: ({ provider, account, id }: Place & { id: string }): Step =>
      step(statements.endedHere, { provider, account, id }),
    /** Notes how far the handling of a payment of unknown purpose is. Only one process gets past a step. */
    handledUnknown: (payment: Place & { id: string; from: number; to: number }): Step =>
      step(statements.unknownStep, payment, 1),
  }
}
export type LedgerDoors = ReturnType<typeof createLedgerDoors>
