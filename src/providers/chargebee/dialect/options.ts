import type { Merchant } from '../../../merchant/index.ts'

/** What Chargebee shows of its objects. */
export type Json = Record<string, unknown>

/** What Chargebee shows of each kind; what it has no word for stays hidden. */
export interface ChargebeeViews {
  product: Json
  price: Json
  coupon: Json
  code: Json
  discount: Json
  customer: Json
  method: Json
  checkout: Json
  subscription: Json
  schedule: Json
  waiting: Json
  invoice: Json
  payment: Json
  charge: Json
  refund: Json
  dispute: Json
  portal: Json
}

/** One site of Chargebee, with its API on loopback. */
export interface FakeChargebee extends Merchant<ChargebeeViews> {
  /** What it keeps, as its API shows it, oldest first. */
  readonly objects: {
    list(
      kind: 'customer' | 'subscription' | 'invoice' | 'transaction' | 'credit_note' | 'hosted_page',
    ): Json[]
  }
}
