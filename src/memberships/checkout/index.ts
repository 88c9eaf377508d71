export {
  type ActionDescription,
  type Actions,
  type BoughtAgain,
  createActions,
  type DescribeInput,
} from './actions.ts'
export { actionsRouter } from './actions-router.ts'
export { createCancelAll, createCloseCheckouts } from './cancel-all.ts'
export { type CheckoutService, createCheckout } from './checkout.ts'
export { type CheckoutPolling, createCheckoutPolling } from './checkout-polling.ts'
export { choicesOf } from './chosen-amount.ts'
export { type Consent, ownConsent } from './consent.ts'
export { type Customers, createCustomers } from './customers.ts'
export { createIntentDoor, type IntentDoor } from './door.ts'
export { createLeavingReasons, type LeavingReason, leavingReasons } from './leaving-reasons.ts'
export { checkoutLife, createCheckoutIds } from './life.ts'
export { createMissingCustomers, type MissingCustomers } from './missing-customers.ts'
export { createNewcomers, type Newcomers } from './newcomers.ts'
export { offerTerms, saleTerms, shownOfOffer } from './offer-shown.ts'
export { isLiving } from './offers.ts'
export { createOrderPages, type OrderPages } from './order-pages.ts'
export { type ShopLaw, shopLawOf } from './order-words.ts'
export { createOrders } from './orders.ts'
export { createPaying, type Paying, payingRouter } from './paying.ts'
export { createProofs, oldProofs, type ProofsDeps } from './proofs.ts'
export { confirmedResume } from './prospect.ts'
export type { PaymentKey, RefundEnd, RefundInput } from './refunds.ts'
export type { Asked, CheckoutOrder } from './request.ts'
export { beginFrom, checkoutRouter } from './router.ts'
export { createSettling, type Settled, type Settling } from './settle.ts'
export { type ActionResult, createSingleAction, type Once as SingleAction } from './single-action.ts'
export { doneIntents, unpaidIntents } from './statements.ts'
