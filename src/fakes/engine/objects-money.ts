import type { Base, Metadata, Price } from './objects-goods.ts'

/** From one moment to another. */
export interface Period {
  readonly start: number
  readonly end: number
}
/** Line of an invoice. */
export interface Line {
  readonly id: string
  readonly item: string
  readonly price: Price
  readonly quantity: number
  readonly amount: number
  readonly period: Period
  readonly text: string
  /** The line waited for this invoice; only what is prorated does. */
  readonly waiting: string | null
}
/** A line that waits for the next invoice. */
export interface Waiting extends Base<'waiting'> {
  readonly customer: string
  readonly subscription: string
  readonly currency: string
  readonly line: Line
  readonly invoice: string | null
  readonly dropped: boolean
}
/** A bill of a subscription. */
export interface Invoice extends Base<'invoice'> {
  readonly customer: string
  readonly email: string | null
  readonly name: string | null
  readonly subscription: string
  readonly metadata: Metadata
  readonly currency: string
  readonly reason: 'start' | 'cycle' | 'change' | 'upcoming'
  readonly period: Period
  readonly lines: readonly Line[]
  readonly subtotal: number
  readonly discount: { readonly id: string; readonly amount: number } | null
  readonly tax: number
  readonly total: number
  readonly due: number
  readonly paid: number
  readonly remaining: number
  readonly starting_balance: number
  readonly ending_balance: number | null
  readonly number: number | null
  readonly status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
  /** Until when it may still be changed; null for one that somebody finalizes. */
  readonly draft_until: number | null
  readonly is_automatic: boolean
  readonly attempts: number
  readonly was_tried: boolean
  readonly next_try: number | null
  readonly first_failure: number | null
  readonly finalized_at: number | null
  readonly paid_at: number | null
  readonly voided_at: number | null
  readonly given_up_at: number | null
  /** The payment that is to pay it. */
  readonly payment: string | null
}
/** Money that is to come, in one try or in several. */
export interface Payment extends Base<'payment'> {
  readonly customer: string | null
  readonly invoice: string | null
  readonly amount: number
  readonly currency: string
  readonly description: string | null
  readonly metadata: Metadata
  readonly status: 'open' | 'asks' | 'processing' | 'paid'
  readonly method: string | null
  /** The newest try. */
  readonly charge: string | null
  /** When the bank answers, and about which account. */
  readonly debit: { readonly at: number; readonly number: string } | null
  readonly refusal: Refused | null
}
/** Why a card is refused. */
export type Refused = 'generic' | 'funds'
/** One try to get a payment's money. */
export interface Charge extends Base<'charge'> {
  readonly payment: string
  readonly customer: string | null
  readonly amount: number
  readonly refunded: number
  readonly currency: string
  readonly description: string | null
  readonly metadata: Metadata
  readonly number: string
  readonly method: string | null
  readonly email: string | null
  readonly name: string | null
  readonly status: 'paid' | 'pending' | 'failed'
  readonly refusal: Refused | null
  readonly disputed: boolean
}
/** Money that went back. */
export interface Refund extends Base<'refund'> {
  readonly charge: string
  readonly payment: string
  readonly amount: number
  readonly currency: string
  readonly reason: string | null
  readonly metadata: Metadata
}
/** A payment that its buyer’s bank takes back. */
export interface Dispute extends Base<'dispute'> {
  readonly charge: string
  readonly payment: string
  readonly amount: number
  readonly currency: string
  readonly reason: string
  readonly status: 'open' | 'won' | 'lost'
}
