import type { PaymentData, Price, SubscriptionData, SubscriptionItem } from '../core/dto/index.ts'

/** A call that changes something. The provider executes calls with the same key only once. */
export interface Call {
  readonly idempotencyKey: string
}

/** An amount that a buyer chose, in minor units, and how often it is paid; a null interval means once. */
export interface ChosenAmount {
  readonly amount: number
  readonly currency: string
  readonly interval: Price['interval']
  readonly interval_count: number | null
}

/** The purchase, and the page that the buyer returns to. `intentId` is the idempotency key. */
export interface CheckoutRequest {
  readonly intentId: string
  /** The intent id with our signature, for providers whose events do not name their checkout. */
  readonly signedIntent: string
  readonly mode: 'subscription' | 'payment'
  readonly priceId: string
  readonly quantity: number
  /**
   * The amount per period that the buyer chose, in place of the price's own; absent for other prices. It is
   * set only for providers with the flag `choose_amount`.
   */
  readonly chosen?: ChosenAmount | null
  /** ISO 4217 code, for a price in several currencies; null uses the price's own. */
  readonly currency: string | null
  /** Promotion code as the buyer typed it. */
  readonly code: string | null
  /** 0 means no trial, even if the site's additions set one; null leaves it to them. */
  readonly trialDays: number | null
  /**
   * Price of the trial per piece in minor units, as shown to the buyer. A provider that would charge another
   * amount refuses.
   */
  readonly trialAmount?: number
  /**
   * End of a paid period elsewhere, ISO 8601 UTC; nothing is charged before it. `trialDays` is the same in
   * whole days, for providers that accept only days. It is set only for providers with the flag
   * `starts_later`.
   */
  readonly startsAt?: string | null
  /**
   * The end of a sale, after which nobody shall pay the checkout, and when it was ordered; ISO 8601 UTC. A
   * provider whose pages close by themselves gets the moment; elsewhere a call closes the checkout.
   */
  readonly closes?: { readonly at: string; readonly orderedAt: string }
  readonly email: string | null
  readonly customerId: string | null
  readonly returnUrl: string
  readonly cancelUrl: string
  /** Address at which this process reaches the site, for an in-process provider that calls back. */
  readonly localUrl: string
  /** The site's own additions (`providers.{p}.checkout` and `.metadata`), resolved. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, string>>
}

/** A checkout that its buyer may have agreed to meanwhile. */
export interface CompleteRequest extends Call {
  readonly checkoutId: string
  /** Request that `checkout` received for it. */
  readonly request: CheckoutRequest
  /**
   * True if the buyer chose something else meanwhile. No new payment may be taken for it, but one that was
   * made is completed.
   */
  readonly isClosed: boolean
}

/**
 * Settlement of the time already paid when a subscription changes: charged or credited at once, with the next
 * invoice, or not at all.
 */
export type Proration = 'now' | 'next' | 'none'

/** Changes a subscription's price, quantity or both, now. */
export interface SwapRequest extends Call {
  readonly subscription: SubscriptionData
  readonly priceId: string
  readonly quantity: number
  /** The chosen amount of the price, where members choose it. */
  readonly chosen?: ChosenAmount | null
  readonly proration: Proration
  /** Moment that the preview was computed for, so that its amounts hold; ISO 8601 UTC. */
  readonly prorationAt: string | null
}

/** Schedules the same change; until `at`, ISO 8601 UTC, nothing changes. */
export interface ScheduleRequest extends Call {
  readonly subscription: SubscriptionData
  readonly priceId: string
  readonly quantity: number
  /** The chosen amount of the price, where members choose it. */
  readonly chosen?: ChosenAmount | null
  readonly at: string
}

/**
 * Pauses charges from the end of the paid period until another moment, both ISO 8601 UTC; null means until
 * somebody ends the pause.
 */
export interface PauseRequest extends SubscriptionCall {
  readonly from: string
  readonly until: string | null
}

/** Reduces the next payment of a subscription by a percentage from 1 to 100. */
export interface DiscountRequest extends SubscriptionCall {
  readonly percentOff: number
  /** The provider's own coupon, which must promise the same; null for a provider that needs none. */
  readonly coupon: string | null
  /** Note to add to the subscription's metadata, where it must stay. */
  readonly metadata: Readonly<Record<string, string>>
}

/** A call about one subscription, by the provider's id. */
export interface SubscriptionCall extends Call {
  readonly subscriptionId: string
}

/** Removes some of a subscription's items. */
export interface RemoveRequest extends SubscriptionCall {
  readonly items: readonly SubscriptionItem[]
}

/** Refunds `amount` minor units of what is left of a payment. */
export interface RefundRequest extends Call {
  readonly payment: PaymentData
  readonly amount: number
}

/** Requests the provider's page on which a member manages the subscription. */
export interface PortalRequest extends Call {
  readonly customerId: string
  readonly returnUrl: string
  readonly localUrl: string
}

/** Changes a customer's address or name; absent fields stay. */
export interface CustomerUpdate extends Call {
  readonly customerId: string
  readonly email?: string
  readonly name?: string | null
}

/** A price as the provider stores it. */
export interface CataloguePrice extends Omit<Price, 'plan' | 'provider' | 'retired' | 'trial_amount'> {
  /**
   * Price of the trial in minor units; 0 by default. null means a price that cannot be read, so the price is
   * not sold.
   */
  readonly trial_amount?: number | null
  /** The other currencies in which it is sold; absent where the provider has none or does not say. */
  readonly currencies?: readonly string[]
  /**
   * Says if the amount contains the tax. `account`: a setting of the account decides, and no price says it.
   * Absent where the provider adds none by itself.
   */
  readonly tax?: 'included' | 'excluded' | 'account'
  readonly lookup_key: string | null
  readonly product_id: string | null
  readonly product_name: string | null
  readonly active: boolean
}

/** Capabilities that no method expresses, such as quantities, one-time purchases and delayed payment. */
export interface Flags {
  readonly quantity?: boolean
  readonly one_time?: boolean
  /** Subscriptions may start any number of days after the purchase; default false. */
  readonly starts_later?: boolean
  /** A cancellation at the period's end can be undone until then; default true. */
  readonly takes_back_end?: boolean
  /** A new price applies as soon as it is paid, not only from the next payment on; default true. */
  readonly changes_now?: boolean
  /** Every change of a price waits for the buyer's approval on the provider's page. Default false. */
  readonly asks_buyer?: boolean
  /**
   * May cancel during the paid period and keep the money; access then stays until the period's end. Default
   * false.
   */
  readonly cancels_early?: boolean
  /** A discount needs a coupon of the provider, by its id. Default false. */
  readonly needs_coupon?: boolean
  /** Buyers may choose the amount of a price. `once` means only for a price that is paid once. Default false. */
  readonly choose_amount?: boolean | 'once'
  /** Members may change the amount that they chose; default true where they may choose it. */
  readonly changes_amount?: boolean
}

/** Payer of a subscription, as far as the provider can tell. */
export interface Payer {
  /**
   * Equal text for the same card or bank account, whoever uses it; empty while no payment method is known.
   */
  readonly methods: readonly string[]
  readonly isOnTrial: boolean
  /** True if a buyer began it on a checkout page. Trials begun by the site's staff are intended. */
  readonly isBuyers: boolean
}
