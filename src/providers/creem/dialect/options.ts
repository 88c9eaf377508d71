import type { Kind, Merchant } from '../../../merchant/index.ts'

/** What Creem shows of its objects. */
export type Json = Record<string, unknown>

/** What Creem shows of each kind. */
export type CreemViews = { readonly [K in Kind]: Json }

/** One store of Creem, with its API on loopback. */
export interface FakeCreem extends Merchant<CreemViews> {
  /** What it keeps, as its API shows it, oldest first. */
  readonly objects: {
    list(kind: 'customer' | 'checkout' | 'subscription' | 'transaction'): Json[]
  }
}
