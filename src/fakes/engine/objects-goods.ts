import type { Rhythm } from './periods.ts'

/** Metadata that a site wrote on an object. */
export type Metadata = Readonly<Record<string, string>>

/**
 * Common fields of every object. Moments are Unix seconds, amounts are in minor units. `own` holds fields
 * that only the fake server uses.
 */
export interface Base<K extends string> {
  readonly kind: K
  readonly id: string
  readonly created: number
  readonly own?: Readonly<Record<string, unknown>>
}

/** A product, without its price. */
export interface Product extends Base<'product'> {
  readonly name: string
  readonly description: string | null
  readonly active: boolean
  readonly metadata: Metadata
}
/** Price of a product, one-time or recurring. */
export interface Price extends Base<'price'> {
  readonly product: string
  readonly nickname: string | null
  readonly lookup_key: string | null
  readonly active: boolean
  readonly amount: number
  readonly currency: string
  /** Amounts in other currencies. */
  readonly amounts: Readonly<Record<string, number>>
  /** null for a one-time price. */
  readonly rhythm: Rhythm | null
  /** Free days that belong to the price, at providers where they do. */
  readonly trial_days: number | null
  /** Price of the trial; null means free. */
  readonly trial_amount: number | null
  readonly metadata: Metadata
}
export interface Coupon extends Base<'coupon'> {
  readonly percent_off: number | null
  readonly amount_off: number | null
  readonly currency: string | null
  readonly duration: 'once' | 'repeating' | 'forever'
  readonly months: number | null
}
/** A code that buyers type. */
export interface Code extends Base<'code'> {
  readonly code: string
  readonly coupon: string
}
/** A coupon that applies to a subscription. */
export interface Discount extends Base<'discount'> {
  readonly coupon: string
  readonly code: string | null
  readonly customer: string
  readonly subscription: string
  readonly end: number | null
}
