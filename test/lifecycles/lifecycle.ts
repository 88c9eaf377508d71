import type { ClosedCode } from '../../src/core/access/index.ts'
import type { PaymentStatus, SubscriptionStatus } from '../../src/core/dto/index.ts'
import type { MailKind } from '../../src/memberships/mails/index.ts'

/** The providers whose lives are played here: all that sell to people. */
export const played = [
  'apple',
  'chargebee',
  'creem',
  'dodo',
  'google',
  'lemonsqueezy',
  'mollie',
  'paddle',
  'paypal',
  'polar',
  'revenuecat',
  'stripe',
] as const
export type Played = (typeof played)[number]

/** Situations of a membership, by the names that `situations.ts` gives them. */
export type SituationKey =
  | 'first-fails'
  | 'second-factor'
  | 'debit-paid'
  | 'debit-fails'
  | 'trial-paid'
  | 'trial-unpaid'
  | 'trial-cardless'
  | 'trial-paused'
  | 'retry-recovers'
  | 'dunning-cancels'
  | 'dunning-unpaid'
  | 'dunning-past-due'
  | 'dunning-pauses'
  | 'dunning-stopped'
  | 'invoice-paid-late'
  | 'invoice-voided'
  | 'extra-charge-fails'
  | 'cancel-at-end'
  | 'cancel-undone'
  | 'cancel-now'
  | 'cancel-credited'
  | 'change-now'
  | 'change-later'
  | 'change-unpaid'
  | 'quantity'
  | 'pause-now'
  | 'pause-later'
  | 'pause-collection'
  | 'refund-full'
  | 'refund-part'
  | 'refund-pending'
  | 'refund-failed'
  | 'dispute'
  | 'inquiry'
  | 'dispute-won'
  | 'dispute-lost'
  | 'reversed'
  | 'customer-deleted'
  | 'customer-merged'
  | 'last-payment'
  | 'free-months'
  | 'paused-where'
  | 'retired'
  | 'events-late'
  | 'events-twice'
  | 'events-never'
  | 'secrets'

/** What a provider does in one situation, by its documentation, and what a site must then do. */
export interface Lifecycle {
  readonly provider: Played
  /** One sentence without its full stop. */
  readonly situation: string
  /** The situations of `situations.ts` that it plays; `own` is what only this provider has. */
  readonly plays: readonly (SituationKey | 'own')[]
  readonly fact: Fact
  /** Settings of the provider's account on which the situation depends. */
  readonly setting?: string
  /** What the operator can do, in one or two sentences of the provider's page. */
  readonly help: string
  /** `membership.providers.{provider}.plans` of the site. */
  readonly plans: Readonly<Record<string, unknown>>
  readonly steps: readonly Step[]
  /** The fault because of which this does not hold yet. The test fails once it holds, so that this line goes. */
  readonly fails?: string
}

/** What the documentation says, in our own words, and where; or that no page says it. */
export interface Fact {
  readonly says: string
  readonly source: 'unknown' | { readonly address: string; readonly read: string }
}

/** Messages in the order in which they are sent, and what holds after them. */
export interface Step {
  /** When `sees` is looked at; the messages come before it. */
  readonly at: string
  readonly happens: string
  readonly sends?: readonly Message[]
  /** The nightly comparison runs, because no message says it. */
  readonly compares?: true
  /** What the provider's API answers from then on, where no message comes with it. */
  readonly answers?: Readonly<Record<string, unknown>>
  readonly sees?: Sight
}

/**
 * One message, with the moment at which the provider sends it. `$ANN` and `$BOB` stand for the ids that an
 * app gives to its users.
 */
export interface Message {
  readonly at: string
  /** The whole message, as it is posted; what is inside its envelope, where a store signs or encodes one. */
  readonly event: unknown
  /** What the provider's API answers from then on, by the end of its address; an object's id at Mollie. */
  readonly answers?: Readonly<Record<string, unknown>>
}

/** What holds after a step. Fields that are not named are not looked at. */
export interface Sight {
  readonly open?: Readonly<Record<string, boolean>>
  /** The same for Bob. */
  readonly openForBob?: Readonly<Record<string, boolean>>
  readonly status?: SubscriptionStatus
  /** Until when the gate of the plan `pro` is open, as far as it is known. */
  readonly until?: string | null
  /** When the purchase ends, where that is announced. */
  readonly ends?: string | null
  /** How many of it were bought. */
  readonly quantity?: number | null
  readonly payments?: readonly `${number} ${PaymentStatus}`[]
  /** The mails to the member since the step before, in any order. */
  readonly mails?: readonly MailKind[]
  /** Words that one of these mails has. */
  readonly mailSays?: RegExp
  /** Words that none of these mails has. */
  readonly mailSaysNot?: RegExp
  /** Words of the account page's first card. */
  readonly page?: RegExp
  readonly pageNot?: RegExp
  /** Why `pro` is closed, as the pages for operators name it. */
  readonly operator?: ClosedCode
  /** The purchases that the site acknowledged at the store so far. */
  readonly acknowledged?: readonly string[]
}

/** A documented fact of a page, and the day on which it was read. */
export function from(address: string, read = '2026-11-22'): Fact['source'] {
  return { address, read }
}

/** Unix seconds of a moment. */
export function seconds(at: string): number {
  return Math.floor(Date.parse(at) / 1000)
}

/** The same day and time so many months later. */
export function monthsAfter(at: string, months: number): string {
  const date = new Date(at)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString()
}
