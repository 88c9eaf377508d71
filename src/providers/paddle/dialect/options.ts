import type { Merchant } from '../../../merchant/index.ts'

/** What Paddle shows of its objects. */
export type Json = Record<string, unknown>

/** What Paddle shows of each kind; what it has no word for stays hidden. */
export interface PaddleViews {
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

/** One account of Paddle, with its API on loopback. */
export interface FakePaddle extends Merchant<PaddleViews> {
  /** What it keeps, as its API shows it, oldest first. */
  readonly objects: {
    list(kind: 'customer' | 'subscription' | 'transaction' | 'adjustment'): Json[]
  }
}
