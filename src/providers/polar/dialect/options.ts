import type { Merchant, Views } from '../../../merchant/index.ts'

/** What Polar shows of its objects. */
export type Json = Record<string, unknown>

/** What Polar shows of each kind; what it has no word for stays hidden. */
export type PolarViews = { readonly [K in keyof Views]: Json }

/** One organization of Polar, with its API on loopback. */
export interface FakePolar extends Merchant<PolarViews> {
  /** What it keeps, as its API shows it, oldest first. */
  readonly objects: {
    list(kind: 'customer' | 'subscription' | 'order' | 'checkout' | 'refund'): Json[]
  }
}
