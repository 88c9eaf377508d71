import type { Rhythm } from './periods.ts'

/** Metadata that a site wrote on an object. */
export type Metadata = Readonly<Record<string, string>>

/** Common fields of every object. Moments are Unix seconds, amounts are in the smallest unit of their currency. `own` is what
 *  only the fake server knows of it. */
export interface Base<K extends string> {
  readonly kind: K
  readonly id: string
  readonly created: number
  readonly own?: Readonly<Record<string, unknown>>
}

/** Product, whatever it costs. */
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
  /** Null for what is paid once. */
  readonly rhythm: Rhythm | null
  /** Free days that belong to the price, for providers where they do. */
  readonly trial_days: number | null
  /** Amount of the trial; null: it is free. */
  readonly trial_amount: number | null
  readonly metadata: Metadata
}
/** Coupon. */
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
/** A coupon that counts for a subscription. */
export interface Discount extends Base<'discount'> {
  readonly coupon: string
  readonly code: string | null
  readonly customer: string
  readonly subscription: string
  readonly end: number | null
}
