import type { Base, Code, Coupon, Discount, Metadata, Price, Product } from './objects-goods.ts'
import type { Charge, Dispute, Invoice, Payment, Refund, Waiting } from './objects-money.ts'

export type * from './objects-goods.ts'
export type * from './objects-money.ts'

/** A buyer. */
export interface Customer extends Base<'customer'> {
  readonly email: string | null
  readonly name: string | null
  readonly metadata: Metadata
  /** A negative balance is a credit, which invoices use up. */
  readonly balance: number
  /** Stored payment method, charged without its owner. */
  readonly method: string | null
  readonly deleted: boolean
  /** True if the next payment is declined, whatever the card. */
  readonly fails_next: boolean
}
/** A stored card or account. */
export interface Method extends Base<'method'> {
  readonly customer: string
  readonly email: string | null
  /** Number of a test card or test account. */
  readonly number: string
  /** Days that the bank takes for a debit. */
  readonly days: number | null
}

/** Line of a payment page. */
export interface CheckoutLine {
  readonly id: string
  readonly price: string
  readonly quantity: number
  /** Amount of one piece that the buyer chose, in place of the price's own. */
  readonly amount?: number | undefined
}
/** A payment page. */
export interface Checkout extends Base<'checkout'> {
  readonly mode: 'payment' | 'subscription'
  readonly lines: readonly CheckoutLine[]
  readonly currency: string
  readonly subtotal: number
  readonly discount: number
  readonly tax: number
  readonly total: number
  readonly coupon: string | null
  readonly code: string | null
  readonly allows_codes: boolean
  readonly customer: string | null
  /** Known address, which the page does not ask for. */
  readonly email: string | null
  readonly buyer: { readonly email: string | null; readonly name: string | null } | null
  /** True if a one-time buyer gets no customer. */
  readonly allows_guests: boolean
  /** True if the payment method is stored for later payments. */
  readonly needs_method: boolean
  readonly trial: { readonly days: number } | { readonly until: number } | null
  readonly without_method: WithoutMethod
  readonly metadata: Metadata
  readonly subscription_metadata: Metadata
  readonly payment_metadata: Metadata
  readonly success_url: string | null
  readonly cancel_url: string | null
  readonly expires_at: number
  readonly status: 'open' | 'complete' | 'expired'
  readonly paid: 'paid' | 'unpaid' | 'free'
  readonly subscription: string | null
  readonly invoice: string | null
  readonly payment: string | null
}
/** Behaviour at a trial's end without a payment method. */
export type WithoutMethod = 'cancel' | 'bill' | 'pause'

/** One price of a subscription, with its current period. */
export interface Item {
  readonly id: string
  readonly created: number
  readonly price: Price
  readonly quantity: number
  readonly start: number
  readonly end: number
}
/** Status of a subscription. */
export type SubscriptionStatus =
  | 'incomplete'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'canceled'
  | 'expired'
/** Reason for the end of a subscription. */
export interface Cancellation {
  readonly reason: 'asked' | 'unpaid' | null
  readonly comment: string | null
  readonly feedback: string | null
}
/** A change that waits for its payment. */
export type PendingChange = Pick<Subscription, 'anchor' | 'items' | 'status' | 'trial_start' | 'trial_end'>
export interface Subscription extends Base<'subscription'> {
  readonly customer: string
  readonly currency: string
  readonly status: SubscriptionStatus
  readonly items: readonly Item[]
  /** Start of the cycle: periods are whole intervals from here. */
  readonly anchor: number
  readonly metadata: Metadata
  readonly method: string | null
  readonly discounts: readonly string[]
  readonly invoice: string | null
  readonly trial_start: number | null
  readonly trial_end: number | null
  /** True if the end of the trial was announced. */
  readonly warned: boolean
  readonly without_method: WithoutMethod
  readonly cancel_at: number | null
  readonly cancel_at_period_end: boolean
  readonly canceled_at: number | null
  readonly cancellation: Cancellation
  readonly ended_at: number | null
  readonly paused_at: number | null
  /** Start of a planned pause, and end of a planned or current one. */
  readonly pause_at: number | null
  readonly resumes_at: number | null
  /** Set while it runs without collecting its invoices. */
  readonly collection: {
    readonly pause: 'draft' | 'uncollectible' | 'void'
    readonly resumes_at: number | null
  } | null
  readonly pending: {
    readonly invoice: string
    readonly expires_at: number
    readonly change: PendingChange
  } | null
  /** Schedule that manages it. */
  readonly schedule: string | null
  readonly fails_next: boolean
}
/** A part of a schedule. */
export interface Phase {
  readonly start: number
  readonly end: number
  readonly items: readonly { readonly price: string; readonly quantity: number }[]
  readonly metadata: Metadata
  readonly trial_end: number | null
}
/** Schedule of a subscription's future phases. */
export interface Schedule extends Base<'schedule'> {
  readonly customer: string
  readonly subscription: string | null
  readonly phases: readonly Phase[]
  readonly current: { readonly start: number; readonly end: number } | null
  readonly ends: 'release' | 'cancel'
  readonly status: 'active' | 'canceled' | 'completed' | 'released'
  readonly ended_at: number | null
  readonly released: string | null
}

/** A customer's access to their own page. */
export interface Portal extends Base<'portal'> {
  readonly customer: string
  readonly return_url: string | null
}

/** Every kind of object. */
export interface Objects {
  product: Product
  price: Price
  coupon: Coupon
  code: Code
  discount: Discount
  customer: Customer
  method: Method
  checkout: Checkout
  subscription: Subscription
  schedule: Schedule
  waiting: Waiting
  invoice: Invoice
  payment: Payment
  charge: Charge
  refund: Refund
  dispute: Dispute
  portal: Portal
}
/** Kind of an object. */
export type Kind = keyof Objects
/** An object of any kind. */
export type AnyObject = Objects[Kind]
