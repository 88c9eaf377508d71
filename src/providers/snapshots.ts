import type { BilledFor, Customer, PaymentItem, SubscriptionData } from '../core/dto/index.ts'

/** Stage of an object's life in an event; it orders two events of the same moment. */
export type Stage = 'created' | 'updated' | 'deleted'

/**
 * Role of a money object in the payment that it folds into; ids are unique within a kind. `checkout`: the
 * state of a checkout page. `payment`: the provider's record of expected or received money, whether it is
 * called payment, transaction, capture, charge, invoice or order. `refund`, `dispute`: money that goes back.
 * `link`: only a relation between other objects, or a payment's purpose.
 */
export type MoneyKind = 'checkout' | 'payment' | 'refund' | 'dispute' | 'link'

/**
 * Part of a `payment` object, at providers where one payment has several. A `bill` requests the total (an
 * invoice; an order with captures). A `collection` gathers it over several tries (Stripe's payment intent).
 * The payment's id is the collection's, else that of the object without a part, else the bill's.
 */
export type PaymentPart = 'collection' | 'bill'

/** Purpose of money. `recurring` belongs to a subscription, named or not, and opens nothing by itself. */
export type Purpose = 'one_time' | 'recurring' | 'unknown'

/** Reference to a provider object: `{ kind: 'payment', id: 'ch_1' }`. */
export interface Ref {
  readonly kind: 'subscription' | 'customer' | MoneyKind
  readonly id: string
  /** Part of a payment object; always the same for the same object. */
  readonly part?: PaymentPart
  /** Parent object, if the id alone is not enough: for example the customer of a Mollie subscription. */
  readonly parent?: string
}

/** Common fields of every whole object in an event: its id, its moment, and its stage. */
export interface Snapshot {
  readonly id: string
  /** The object's own revision, ISO 8601 with any precision; without it, the event's time counts. */
  readonly at?: string
  readonly stage: Stage
}

/** The home of a buyer, as far as a law asks. An address becomes one of these words and is not stored. */
export type Place = 'california' | 'elsewhere'

/** The place of a buyer, where an object tells it. */
export interface Placed {
  /** Absent where the object names no address, or one in the United States without its state. */
  readonly place?: Place
}

/** Mark for a list that an event shows only in part. */
export interface Excerpt {
  /** Only the first `items` are included; the others must be fetched. */
  readonly cut?: true
}

/** A subscription as its provider describes it, without the fields that only the ledger knows. */
export type SubscriptionSnapshot = Omit<
  SubscriptionData,
  'provider' | 'account' | 'updated_at' | 'past_due_since' | 'livemode'
> &
  Excerpt & {
    /** Absent if an event cannot say it; the configured mode counts then. */
    readonly livemode?: boolean
  }

/** The whole subscription as of this event. */
export interface SubscriptionChange extends Snapshot {
  readonly type: 'subscription'
  readonly data: SubscriptionSnapshot
  /** The same object before this event, if the event contains it (Stripe's `previous_attributes`). */
  readonly before?: SubscriptionSnapshot
  /** The id of the site of this package at which it was bought, where the event names it beside the object. */
  readonly site?: string
  /**
   * The object states no amount, and `data` has that of the site's own price. It is no part of the object's
   * content: the price may be read later, or change.
   */
  readonly amount_listed?: true
  /** Payer's contact, if the provider sends no events about customers. */
  readonly contact?: Pick<Customer, 'email' | 'name'> & Placed
}

/** The whole customer as of this event. */
export interface CustomerChange extends Snapshot {
  readonly type: 'customer'
  readonly data: Pick<Customer, 'id' | 'email' | 'name' | 'deleted'> &
    Partial<Pick<Customer, 'livemode'>> &
    Placed
  /** True if the event says that their subscriptions are now paid with another card or account. */
  readonly pays_otherwise?: true
}

/**
 * Facts that one money object states about its payment. An absent field means that this object cannot say.
 */
export interface MoneyFact extends Excerpt {
  readonly id: string
  /** All other objects that this one names; they join facts into one payment. */
  readonly refs: readonly Ref[]
  readonly customer_id?: string | null
  readonly subscription_id?: string | null
  readonly price_id?: string | null
  /**
   * What the payment names, credits included. A provider that already gave no items keeps giving none and
   * states the whole payment's period below, so that an older version's rows stay equal.
   */
  readonly items?: readonly PaymentItem[]
  readonly quantity?: number | null
  /** Minor units; for a refund or dispute, its own amount. */
  readonly amount?: number
  /** Refunds only: it gives back the whole payment, and the provider does not name the amount. */
  readonly is_whole?: true
  /** Running total of a charge. */
  readonly amount_refunded?: number
  /** Refunds and charges: the money was taken back by a dispute, which returns it if it is won. */
  readonly reversed?: true
  readonly currency?: string | null
  /**
   * For payments: pending, paid or failed. For refunds: succeeded, pending, failed or canceled. For disputes:
   * open, won or lost.
   */
  readonly state: 'pending' | 'paid' | 'failed' | 'succeeded' | 'canceled' | 'open' | 'won' | 'lost'
  readonly paid_at?: string | null
  readonly invoice_url?: string | null
  /** Time of the provider's next automatic attempt to collect an open amount. */
  readonly next_try_at?: string | null
  /** The last month of the card that paid, `2027-08`. */
  readonly card_expires?: string | null
  /** The last four digits of the card that paid. */
  readonly card_last4?: string | null
  /** Disputes only: deadline for an answer to the provider. */
  readonly due_at?: string | null
  readonly email?: string | null
  readonly name?: string | null
  readonly place?: Place
  readonly livemode?: boolean
  readonly metadata?: Readonly<Record<string, string>>
  /**
   * Checkouts only: our intent's id or its signed text, as found. An id counts only for the checkout that we
   * opened for it. A signed text also counts for another object with the requested items.
   */
  readonly intent_id?: string | null
  readonly checkout_status?: 'open' | 'complete' | 'expired'
  /**
   * Absent and `unknown` mean that this event does not tell. Another object of the payment then decides; if
   * two disagree, `recurring` wins. An object that names a subscription need not set it.
   */
  readonly purpose?: Purpose
  /** What an invoice or payment is for, if its items do not tell one by one. */
  readonly billed_for?: BilledFor
  /** The time that it pays for, if its items do not tell. Absent where the provider does not say. */
  readonly period_start?: string | null
  readonly period_end?: string | null
  /** The payment of a trial's days. */
  readonly trial?: boolean
  /** Bills by hand only: the last day on which the buyer pays in time. */
  readonly due_date?: string | null
  /** The first failed attempt to collect it. */
  readonly failed_at?: string | null
  /** True while a debit is on its way, false where the provider says that none is. */
  readonly in_progress?: boolean
  /** A renewal's bill that was cancelled: nobody pays for that period, and nobody failed to. */
  readonly waived?: boolean
  /**
   * Link made by the site's staff. It decides a payment's purpose only while no object of the provider does.
   */
  readonly assigned?: { readonly by: string; readonly at: string; readonly member_id: string | null }
  /**
   * The provider will not change the object again, so this snapshot is the later of two with the same moment.
   */
  readonly final?: true
}

/** The whole money object as of this event. */
export interface MoneyChange extends Snapshot {
  readonly type: 'money'
  readonly kind: MoneyKind
  readonly part?: PaymentPart
  readonly data: MoneyFact
}

/** The event only mentions the object, so it is fetched if possible. */
export interface TouchChange {
  readonly type: 'touch'
  readonly ref: Ref
}

/** Statement of an event: one whole object, or an object worth fetching. */
export type Change = SubscriptionChange | CustomerChange | MoneyChange | TouchChange
