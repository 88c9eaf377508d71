import { type Claim, createClaim, type Step, type Storage, step } from '../../core/storage/index.ts'
import { customerStatements } from './statements/customer-statements.ts'
import { ledgerDoorStatements } from './statements/door-statements.ts'
import { factStatements } from './statements/facts.ts'
import { type FetchRow, fetchQueue, type Precedence } from './statements/fetch-statements.ts'
import type { CustomerRow, SubscriptionRow } from './statements/rows.ts'

interface Place {
  readonly provider: string
  readonly account: string
}
interface Owner extends Place {
  readonly customer_id: string
  readonly member_id: string
}

export interface LedgerDoors {
  /** Gives the waiting purchases of an address to the member who proved it. */
  claimWaiting(member: { member_id: string; email: string }): Step
  /** Gives a customer without a member to a member. */
  giveCustomer(owner: Owner): Step
  /** Gives the customer of a store, whose member was deleted, to another member. */
  giveCustomerOfDeleted(owner: Owner & { from: string }): Step
  /** Records that a subscription was ended here at once, so that nothing of it stays open. */
  endedHere(subscription: Place & { id: string }): Step
  /** Notes how far the handling of a payment of unknown purpose is. Only one process gets past a step. */
  handledUnknown(payment: Place & { id: string; from: number; to: number }): Step
}

/** Makes steps about customers, subscriptions and payments, for the units of other modules. */
export function createLedgerDoors(storage: Storage): LedgerDoors {
  const statements = ledgerDoorStatements(storage)
  return {
    claimWaiting: (member: { member_id: string; email: string }): Step => step(statements.claim, member),
    giveCustomer: (owner: Owner): Step => step(statements.customerLink, owner),
    giveCustomerOfDeleted: (owner: Owner & { from: string }): Step =>
      step(statements.customerFromDeleted, owner, 1),
    endedHere: ({ provider, account, id }: Place & { id: string }): Step =>
      step(statements.endedHere, { provider, account, id }),
    handledUnknown: (payment: Place & { id: string; from: number; to: number }): Step =>
      step(statements.unknownStep, payment, 1),
  }
}

/** Reads purchases as they are stored, for the rules of other modules. */
export interface PurchaseReader {
  /** Finds a subscription; its content is JSON. */
  findSubscription(key: Place & { id: string }): Promise<Pick<SubscriptionRow, 'status' | 'data'> | undefined>
  /** Finds a customer; its member is null while it has none. */
  findCustomer(key: Place & { customer_id: string }): Promise<Pick<CustomerRow, 'member_id'> | undefined>
}

/** Prepares the reader. */
export function createPurchaseReader(storage: Storage): PurchaseReader {
  const { subscription } = factStatements(storage)
  const { customer } = customerStatements(storage)
  return {
    findSubscription: async (key) => (await storage.all(subscription, key))[0],
    findCustomer: async (key) => (await storage.all(customer, key))[0],
  }
}

/** Makes steps about customers that no event brings, for migrations and previews. */
export interface CustomerDoor {
  /** Adds a customer that is not stored yet. */
  add(row: CustomerRow): Step
  /** Copies a customer of another database. */
  copy(row: CustomerRow): Step
}

/** Prepares the door. */
export function createCustomerDoor(storage: Storage): CustomerDoor {
  const { customerInsert } = customerStatements(storage)
  return {
    add: (row) => step(customerInsert, row, 1),
    copy: (row) => step(customerInsert, row),
  }
}

/** An object to fetch, as a claim returns it. */
export type DueFetch = FetchRow

/** Claims the due fetches of one priority. A claim holds each of them for `leaseMs`. */
export function createFetchClaim(storage: Storage, leaseMs: number, rank: Precedence): Claim<DueFetch> {
  return createClaim(storage, fetchQueue(leaseMs, rank))
}
