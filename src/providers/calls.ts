import type { PaymentData, Price, SubscriptionData } from '../core/dto/index.ts'

/** A call that changes something. The same key is the same call: a provider does it once, however often it is asked. */
export interface Call {
  readonly idempotencyKey: string
}

/** The purchase, and the page to which the buyer comes back. `intentId` is the idempotency key. */
export interface CheckoutRequest {
  readonly intentId: string
  /** The same with our signature: what a provider keeps whose messages do not name the checkout that they are of. */
  readonly signedIntent: string
  readonly mode: 'subscription' | 'payment'
  readonly priceId: string
  readonly quantity: number
  /** ISO 4217, for a price that has several; null takes the price's own. */
  readonly currency: string | null
  /** A promotion code as the buyer typed it. */
  readonly code: string | null
  /** 0: none, whatever the site's additions say; null: as they say. */
  readonly trialDays: number | null
  /** Minor units of one piece that the buyer was told the trial costs; a provider that charges another amount refuses. */
  readonly trialAmount?: number
  /** When what was paid elsewhere for the same ends, ISO 8601 UTC: nothing is charged before. `trialDays` says the same in
   *  whole days, for who can do no better. Of providers whose flag `starts_later` is set alone. */
  readonly startsAt?: string | null
  readonly email: string | null
  readonly customerId: string | null
  readonly returnUrl: string
  readonly cancelUrl: string
  /** The site as this process reaches it: for a provider that lives here and calls back. */
  readonly localUrl: string
  /** The site's own additions (`providers.{p}.checkout` and `.metadata`), resolved. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, string>>
}

/** A checkout of ours that its buyer may have agreed to meanwhile. */
export interface CompleteRequest extends Call {
  readonly checkoutId: string
  /** The request that `checkout` was given for it. */
  readonly request: CheckoutRequest
  /** The buyer chose something else meanwhile: no money may be taken for it any more. What is paid is finished all the
   *  same. */
  readonly isClosed: boolean
}

/** Handling of what is paid already when a subscription changes: charged or credited at once, with the next invoice,
 *  or not at all. */
export type Proration = 'now' | 'next' | 'none'

/** A subscription with another price, another quantity, or both; now. */
export interface SwapRequest extends Call {
  readonly subscription: SubscriptionData
  readonly priceId: string
  readonly quantity: number
  readonly proration: Proration
  /** The moment that a preview counted from, so that its amounts hold; ISO 8601 UTC. */
  readonly prorationAt: string | null
}

/** The same for later: until `at`, ISO 8601 UTC, everything stays as it is. */
export interface ScheduleRequest extends Call {
  readonly subscription: SubscriptionData
  readonly priceId: string
  readonly quantity: number
  readonly at: string
}

/** A pause in which nothing is charged: from the end of what is paid until another moment, both ISO 8601 UTC; null is
 *  until somebody ends it. */
export interface PauseRequest extends SubscriptionCall {
  readonly from: string
  readonly until: string | null
}

/** A call about one subscription, by its id at the provider. */
export interface SubscriptionCall extends Call {
  readonly subscriptionId: string
}

/** Money that goes back: `amount` minor units of what is left of a payment. */
export interface RefundRequest extends Call {
  readonly payment: PaymentData
  readonly amount: number
}

/** Request for the provider's page on which a member manages the membership. */
export interface PortalRequest extends Call {
  readonly customerId: string
  readonly returnUrl: string
  readonly localUrl: string
}

/** Another address or name of a customer; what is absent stays as it is. */
export interface CustomerUpdate extends Call {
  readonly customerId: string
  readonly email?: string
  readonly name?: string | null
}

/** A price as the provider keeps it. */
export interface CataloguePrice extends Omit<Price, 'plan' | 'provider' | 'retired' | 'trial_amount'> {
  /** Minor units that the trial costs; null: it costs something that cannot be read, and the price is not sold. Free
   *  unless given. */
  readonly trial_amount?: number | null
  readonly lookup_key: string | null
  readonly product_id: string | null
  readonly product_name: string | null
  readonly active: boolean
}

/** Flags that no method can express: whether more than one of something is sold, and things that are paid once, and what is paid
 *  later than it is bought. */
export interface Flags {
  readonly quantity?: boolean
  readonly one_time?: boolean
  /** Its subscriptions may begin to be paid any number of days after they were bought; false unless said. */
  readonly starts_later?: boolean
  /** A cancellation for the end of what is paid can be taken back until then; true unless said. */
  readonly takes_back_end?: boolean
  /** Another price counts as soon as it is paid, and not from the next payment on only; true unless said. */
  readonly changes_now?: boolean
  /** It may cancel in the middle of what is paid, and keep the money: access then stays until the end of what is paid;
   *  false unless said. */
  readonly cancels_early?: boolean
}

/** Payer of a subscription, as far as its provider can tell. */
export interface Payer {
  /** The same text for the same card or bank account, whoever shows it; none while no way to pay is known. */
  readonly methods: readonly string[]
  readonly isOnTrial: boolean
  /** A buyer began it on a page for buyers; what the site's own people began, they meant. */
  readonly isBuyers: boolean
}
