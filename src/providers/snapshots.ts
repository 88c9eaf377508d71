import type { Customer, SubscriptionData } from '../core/dto/index.ts'

/** Stage of an object's life that a message reports: decides between two of one moment. */
export type Stage = 'created' | 'updated' | 'deleted'

/**
 * What a money object is to the payment that it folds into; ids are unique within a kind.
 * `checkout`: what a page for buyers says. `payment`: the provider's own word on money that is to come or came, be it
 * called payment, transaction, capture, charge, invoice or order. `refund`, `dispute`: money that goes back. `link`: only
 * that others belong together, or what a payment was for.
 */
export type MoneyKind = 'checkout' | 'payment' | 'refund' | 'dispute' | 'link'

/**
 * Which of several `payment` objects of one payment this is, where a provider has more than the one that money moves
 * with: a `bill` asks for the whole (an invoice; an order with captures), a `collection` gathers it over several tries
 * (Stripe's payment intent). The payment takes its id from the collection, else from the object without a part, else from
 * the bill.
 */
export type PaymentPart = 'collection' | 'bill'

/** Purpose of money. `recurring`: a subscription's, whether or not it is named; it opens nothing by itself. */
export type Purpose = 'one_time' | 'recurring' | 'unknown'

/** A named provider object: `{ kind: 'payment', id: 'ch_1' }`. */
export interface Ref {
  readonly kind: 'subscription' | 'customer' | MoneyKind
  readonly id: string
  /** Payment object's own part: the same wherever it is named. */
  readonly part?: PaymentPart
  /** The object below which it is found, where its id alone is not enough: the customer of a subscription of Mollie's. */
  readonly parent?: string
}

/** Common fields of every whole object in a message: its id, its moment, and its stage. */
export interface Snapshot {
  readonly id: string
  /** The object's own revision, ISO 8601 of any width; absent, the event's time is taken. */
  readonly at?: string
  readonly stage: Stage
}

/** Part of a long list that a message shows. */
export interface Excerpt {
  /** The message shows the first of its `items` only; the others are asked for. */
  readonly cut?: true
}

/** A subscription as a provider says it; what the ledger alone knows is left out. */
export type SubscriptionSnapshot = Omit<
  SubscriptionData,
  'provider' | 'account' | 'updated_at' | 'past_due_since' | 'livemode'
> &
  Excerpt & {
    /** Absent where a message cannot say it: then the configured mode counts. */
    readonly livemode?: boolean
  }

/** The whole subscription as of this message. */
export interface SubscriptionChange extends Snapshot {
  readonly type: 'subscription'
  readonly data: SubscriptionSnapshot
  /** The same object before this message, where the message tells (Stripe's `previous_attributes`). */
  readonly before?: SubscriptionSnapshot
  /** Payer's contact, where the provider has no messages about customers. */
  readonly contact?: Pick<Customer, 'email' | 'name'>
}

/** The whole customer as of this message. */
export interface CustomerChange extends Snapshot {
  readonly type: 'customer'
  readonly data: Pick<Customer, 'id' | 'email' | 'name' | 'deleted'> & Partial<Pick<Customer, 'livemode'>>
  /** True if their subscriptions are paid with another card or account than before, where the message tells. */
  readonly pays_otherwise?: true
}

/** Facts that one money object states about the payment that it belongs to. Absent means: this object cannot say. */
export interface MoneyFact extends Excerpt {
  readonly id: string
  /** Every object this one names, itself left out; they join facts into one payment. */
  readonly refs: readonly Ref[]
  readonly customer_id?: string | null
  readonly subscription_id?: string | null
  readonly price_id?: string | null
  readonly items?: readonly { price_id: string | null; product_id: string | null; quantity: number | null }[]
  readonly quantity?: number | null
  /** Minor units; of a refund or dispute, its own amount. */
  readonly amount?: number
  /** A charge's running total. */
  readonly amount_refunded?: number
  readonly currency?: string | null
  /** pending, paid or failed for what is paid; succeeded, pending, failed, canceled for refunds; open, won, lost for disputes. */
  readonly state: 'pending' | 'paid' | 'failed' | 'succeeded' | 'canceled' | 'open' | 'won' | 'lost'
  readonly paid_at?: string | null
  readonly invoice_url?: string | null
  /** When the provider tries by itself to collect what is open. */
  readonly next_try_at?: string | null
  /** The last month of the card that paid, `2027-08`. */
  readonly card_expires?: string | null
  /** Disputes only: deadline for an answer to the provider. */
  readonly due_at?: string | null
  readonly email?: string | null
  readonly name?: string | null
  readonly livemode?: boolean
  readonly metadata?: Readonly<Record<string, string>>
  /** Checkouts only: our intent's id or its signed text, as it stands there. It counts for the checkout that we opened for
   *  it, by its id; signed, for another object too whose items are what was asked for. */
  readonly intent_id?: string | null
  readonly checkout_status?: 'open' | 'complete' | 'expired'
  /** Absent and `unknown` are one: this message does not tell. What another object of the payment tells counts then, and
   *  `recurring` before `one_time` where two disagree. Who names a subscription need not say it. */
  readonly purpose?: Purpose
  /** Links that the site's own people made: it says what a payment is for only while no object of the provider's does. */
  readonly assigned?: { readonly by: string; readonly at: string; readonly member_id: string | null }
  /** The provider changes the object no more: of two snapshots of one moment this one is the later. */
  readonly final?: true
}

/** The whole money object as of this message. */
export interface MoneyChange extends Snapshot {
  readonly type: 'money'
  readonly kind: MoneyKind
  readonly part?: PaymentPart
  readonly data: MoneyFact
}

/** The message only mentions the object: it is asked for where the provider can be asked. */
export interface TouchChange {
  readonly type: 'touch'
  readonly ref: Ref
}

/** Statement of an event: the whole of one object, or only that another one is worth asking for. */
export type Change = SubscriptionChange | CustomerChange | MoneyChange | TouchChange
