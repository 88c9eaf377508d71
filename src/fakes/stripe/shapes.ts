import type { Kind as EngineKind } from '../engine/index.ts'
import { configuration, toCustomer, toMethod, toPortal, toSession } from './shapes-buying.ts'
import { toCoupon, toDiscount, toPrice, toProduct, toPromotionCode } from './shapes-catalogue.ts'
import { toInvoice, toInvoiceItem, type toInvoiceLine, type toInvoicePayment } from './shapes-invoice.ts'
import { toCharge, toDispute, toIntent, toRefund } from './shapes-money.ts'
import { toSchedule, toSubscription } from './shapes-subscription.ts'

export { configuration }

/** Stripe's names, ids and views of the engine's objects. */
export const shapes = {
  product: { as: 'product', id: ['prod', 14], show: toProduct },
  price: { as: 'price', id: ['price'], show: toPrice },
  coupon: { as: 'coupon', id: ['coupon', 8], show: toCoupon },
  code: { as: 'promotion_code', id: ['promo'], show: toPromotionCode },
  discount: { as: 'discount', id: ['di'], show: toDiscount },
  customer: { as: 'customer', id: ['cus', 14], show: toCustomer },
  method: { as: 'payment_method', id: ['pm'], show: toMethod },
  checkout: { as: 'checkout.session', id: ['cs_test', 58], show: toSession },
  subscription: { as: 'subscription', id: ['sub'], show: toSubscription },
  schedule: { as: 'subscription_schedule', id: ['sub_sched'], show: toSchedule },
  waiting: { as: 'invoiceitem', id: ['ii'], show: toInvoiceItem },
  invoice: { as: 'invoice', id: ['in'], show: toInvoice },
  payment: { as: 'payment_intent', id: ['pi'], show: toIntent },
  charge: { as: 'charge', id: ['ch'], show: toCharge },
  refund: { as: 'refund', id: ['re'], show: toRefund },
  dispute: { as: 'dispute', id: ['dp'], show: toDispute },
  portal: { as: 'billing_portal.session', id: ['bps'], show: toPortal },
} as const satisfies Record<EngineKind, { as: string; id: readonly [string, number?]; show: unknown }>

export type Shapes = typeof shapes
/** Adds the fields that only this fake server keeps. */
export type Open<T> = T & { readonly [field: string]: unknown }
/** Stripe's view of each kind of object. */
export type StripeViews = { readonly [E in EngineKind]: Open<ReturnType<Shapes[E]['show']>> }
/** Every kind, by the value of its `object` field. */
export type Objects = {
  [E in EngineKind as Shapes[E]['as']]: StripeViews[E]
} & {
  invoice_payment: ReturnType<typeof toInvoicePayment>
  'billing_portal.configuration': typeof configuration
}
export type Kind = keyof Objects
export type AnyObject = Objects[Kind]
export type Invoice = Objects['invoice']
export type InvoiceLine = ReturnType<typeof toInvoiceLine>
export type Price = Objects['price']
export type Schedule = Objects['subscription_schedule']
export type Subscription = Objects['subscription']
/** One event as sent and listed. https://docs.stripe.com/api/events/object */
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
