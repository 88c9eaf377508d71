import type { DraftLine, Subscription } from './types.ts'

/** What an object has beside what the API shows. */
export interface Notes {
  /** Test card number by payment method. */
  readonly cards: Map<string, string>
  /** Customers and subscriptions whose next payment fails. */
  readonly failing: Set<string>
  /** The default payment of an invoice, and the invoice of an intent. */
  readonly paymentOf: Map<string, string>
  readonly invoiceOf: Map<string, string>
  /** When an invoice failed first. */
  readonly firstFailure: Map<string, number>
  readonly sessions: Map<string, SessionNotes>
  readonly warnedTrials: Set<string>
  /** When the bank answers about an intent, and the account that is debited. */
  readonly debits: Map<string, { readonly at: number; readonly number: string }>
  /** Days that the bank takes, by account. */
  readonly debitDays: Map<string, number>
  /** The line of each pending invoice item. */
  readonly pendingLines: Map<string, DraftLine>
  /** What a subscription becomes once that invoice is paid. */
  readonly pendingUpdates: Map<string, Partial<Subscription>>
}
export interface SessionNotes {
  readonly lines: readonly { readonly id: string; readonly price: string; readonly quantity: number }[]
  readonly trialEnd: (start: number) => number | null
  readonly subscriptionMetadata: Record<string, string>
  readonly intentMetadata: Record<string, string>
  readonly missingPaymentMethod: 'cancel' | 'create_invoice' | 'pause'
  readonly coupon: string | null
  readonly promotionCode: string | null
}

/** Of a world in which nothing has happened yet. */
export const createNotes = (): Notes => ({
  cards: new Map(),
  failing: new Set(),
  paymentOf: new Map(),
  invoiceOf: new Map(),
  firstFailure: new Map(),
  sessions: new Map(),
  warnedTrials: new Set(),
  debits: new Map(),
  debitDays: new Map(),
  pendingLines: new Map(),
  pendingUpdates: new Map(),
})
