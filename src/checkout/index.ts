export { type CheckoutRoom, createCheckout, type Settled } from './checkout.ts'
export { checkoutRouter } from './router.ts'
