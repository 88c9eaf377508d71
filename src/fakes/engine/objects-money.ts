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
  /** Waiting line that became this one; only prorations wait. */
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
/** Invoice of a subscription. */
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
  /** Time until which it may change; null if somebody finalises it. */
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
  /** Payment of the invoice. */
  readonly payment: string | null
}
/** A payment to collect, in one attempt or several. */
export interface Payment extends Base<'payment'> {
  readonly customer: string | null
  readonly invoice: string | null
  readonly amount: number
  readonly currency: string
  readonly description: string | null
  readonly metadata: Metadata
  readonly status: 'open' | 'asks' | 'processing' | 'paid'
  readonly method: string | null
  /** The newest attempt. */
  readonly charge: string | null
  /** When the bank answers, and the account. */
  readonly debit: { readonly at: number; readonly number: string } | null
  readonly refusal: Refused | null
}
/** Reason for which a card is declined. */
export type Refused = 'generic' | 'funds'
/** One attempt to collect a payment. */
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
  /** The last month of its card. */
  readonly expires: { readonly year: number; readonly month: number }
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
/** A payment that its buyer's bank takes back. */
export interface Dispute extends Base<'dispute'> {
  readonly charge: string
  readonly payment: string
  readonly amount: number
  readonly currency: string
  readonly reason: string
  readonly status: 'open' | 'won' | 'lost'
}
