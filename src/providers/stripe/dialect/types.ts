import type { Interval } from '../../../merchant/index.ts'
import type { Base, List, Metadata } from './types-base.ts'
import type {
  Charge,
  Dispute,
  Invoice,
  InvoiceItem,
  InvoicePayment,
  PaymentIntent,
  Refund,
} from './types-money.ts'

export type * from './types-base.ts'
export type * from './types-money.ts'

export interface Customer extends Base<'customer'> {
  balance: number
  created: number
  deleted?: true
  email: string | null
  invoice_settings: { default_payment_method: string | null }
  metadata: Metadata
  name: string | null
}
export interface Product extends Base<'product'> {
  active: boolean
  created: number
  name: string
}
export interface Price extends Base<'price'> {
  active: boolean
  created: number
  currency: string
  currency_options: Record<string, { unit_amount: number }>
  lookup_key: string | null
  nickname: string | null
  product: string
  recurring: { interval: Interval; interval_count: number } | null
  type: 'recurring' | 'one_time'
  unit_amount: number
}
export interface Coupon extends Base<'coupon'> {
  amount_off: number | null
  created: number
  currency: string | null
  duration: 'once' | 'repeating' | 'forever'
  duration_in_months: number | null
  percent_off: number | null
}
export interface PromotionCode extends Base<'promotion_code'> {
  active: boolean
  code: string
  coupon: string
  created: number
}
export interface Discount extends Base<'discount'> {
  coupon: string
  end: number | null
  start: number
}
export interface PaymentMethod extends Base<'payment_method'> {
  card?: { brand: string; fingerprint: string; last4: string }
  sepa_debit?: { country: string; fingerprint: string; last4: string }
  type: 'card' | 'sepa_debit'
  created: number
  customer: string | null
}
export interface CheckoutSession extends Base<'checkout.session'> {
  amount_total: number
  created: number
  currency: string
  customer: string | null
  customer_details: { email: string | null; name: string | null; [field: string]: unknown } | null
  customer_email: string | null
  expires_at: number
  invoice: string | null
  metadata: Metadata
  mode: 'payment' | 'subscription'
  payment_intent: string | null
  payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  status: 'open' | 'complete' | 'expired'
  subscription: string | null
  success_url: string | null
  url: string | null
}
export interface SubscriptionItem extends Base<'subscription_item'> {
  current_period_start: number
  current_period_end: number
  price: Price
  quantity: number
  subscription: string
}
export type SubscriptionStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'canceled'
export interface Subscription extends Base<'subscription'> {
  billing_cycle_anchor: number
  cancel_at: number | null
  cancel_at_period_end: boolean
  canceled_at: number | null
  cancellation_details: { comment: string | null; feedback: string | null; reason: string | null }
  created: number
  currency: string
  customer: string
  default_payment_method: string | null
  discounts: string[]
  ended_at: number | null
  items: List<SubscriptionItem>
  latest_invoice: string | null
  metadata: Metadata
  pause_collection: {
    behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'
    resumes_at: number | null
  } | null
  pending_update: { expires_at: number; [field: string]: unknown } | null
  /** The schedule that manages it. */
  schedule: string | null
  status: SubscriptionStatus
  trial_end: number | null
  trial_settings: { end_behavior: { missing_payment_method: 'cancel' | 'create_invoice' | 'pause' } }
  trial_start: number | null
}
export interface SchedulePhase {
  readonly start_date: number
  readonly end_date: number
  readonly items: readonly { readonly price: string; readonly quantity: number }[]
  readonly metadata: Metadata
  readonly trial_end: number | null
  readonly [field: string]: unknown
}
export interface SubscriptionSchedule extends Base<'subscription_schedule'> {
  canceled_at: number | null
  completed_at: number | null
  created: number
  current_phase: { start_date: number; end_date: number } | null
  customer: string
  end_behavior: 'release' | 'cancel'
  phases: readonly SchedulePhase[]
  released_at: number | null
  released_subscription: string | null
  status: 'active' | 'canceled' | 'completed' | 'released'
  subscription: string | null
}
export interface PortalSession extends Base<'billing_portal.session'> {
  created: number
  customer: string
  return_url: string | null
}
export interface PortalConfiguration extends Base<'billing_portal.configuration'> {
  created: number
}

/** A line before it stands on an invoice. */
export interface DraftLine {
  readonly item: string
  readonly price: Price
  readonly quantity: number
  readonly amount: number
  readonly period: { readonly start: number; readonly end: number }
  readonly description: string
  /** The pending item that it comes from; only prorations do. */
  readonly invoiceItem: string | null
}

/** Every kind by the word that its objects say of themselves. */
export interface Objects {
  customer: Customer
  product: Product
  price: Price
  coupon: Coupon
  promotion_code: PromotionCode
  discount: Discount
  payment_method: PaymentMethod
  'checkout.session': CheckoutSession
  subscription: Subscription
  subscription_schedule: SubscriptionSchedule
  invoice: Invoice
  invoiceitem: InvoiceItem
  invoice_payment: InvoicePayment
  payment_intent: PaymentIntent
  charge: Charge
  refund: Refund
  dispute: Dispute
  'billing_portal.session': PortalSession
  'billing_portal.configuration': PortalConfiguration
}
export type Kind = keyof Objects
export type AnyObject = Objects[Kind]

/** One event as it is sent and listed. https://docs.stripe.com/api/events/object */
export interface FakeEvent {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> }
  livemode: false
  pending_webhooks: number
  request: { id: string | null; idempotency_key: string | null }
  type: string
}
