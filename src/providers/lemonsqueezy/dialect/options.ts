import type { Kind, Merchant } from '../../../merchant/index.ts'

/** What Lemon Squeezy shows of its objects. */
export type Json = Record<string, unknown>

/** An object with its type and its id: https://jsonapi.org/format/#document-resource-objects */
export interface Resource extends Json {
  readonly type: string
  readonly id: string
  readonly attributes: Json
}

/** What Lemon Squeezy shows of each kind. */
export type LemonSqueezyViews = { readonly [K in Kind]: Json }

/** One store of Lemon Squeezy, with its API on loopback. */
export interface FakeLemonSqueezy extends Merchant<LemonSqueezyViews> {
  /** What it keeps, as its API shows it, oldest first. */
  readonly objects: {
    list(kind: 'customers' | 'checkouts' | 'orders' | 'subscriptions' | 'subscription-invoices'): Resource[]
  }
}
