export type { StoredPurchase } from './acceptance.ts'
export { createClaims, type OwnerRules } from './claims.ts'
export { withoutLater } from './digest.ts'
export {
  type CustomerDoor,
  createCustomerDoor,
  createFetchClaim,
  createLedgerDoors,
  createPurchaseReader,
  type DueFetch,
  type LedgerDoors,
  type PurchaseReader,
} from './doors.ts'
export { createErasing } from './erasing.ts'
export { createForgetting } from './forgetting.ts'
export { createFormerMembers, type FormerMembers } from './former-members.ts'
export type { Origin } from './history.ts'
export { bankCheckMs, type Outcome, type SettledIntent } from './intents.ts'
export { createLedger, type Ledger, timeMark, type Waiting } from './ledger.ts'
export { createFreeDays, type FreeDays, ledgerLife } from './life.ts'
export { fetchWindowMs } from './message-order.ts'
export type { Neighbours } from './neighbours.ts'
export { idIn } from './own-checkout.ts'
export { foldPayment, paymentIdOf, roleOf, type StoredFact, splitRef } from './payment-fold.ts'
export type { PaidOnce, SubscriptionPayment } from './payments.ts'
export { createSoldTerms } from './sold.ts'
export { type Precedence, precedence } from './statements/fetch-statements.ts'
export { boughtWith } from './statements/life-statements.ts'
export { storedCustomer, storedProviders } from './stored-providers.ts'
