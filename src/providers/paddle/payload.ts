import type { Fields, Listed, Nested, Written } from '../narrow.ts'

// The field names of Paddle's objects, as far as they are read here: https://developer.paddle.com/api-reference

/** The type of each kind of object that concerns purchases. */
export type PaddleObjects = {
  readonly customer: Customer
  readonly subscription: Subscription
  readonly transaction: Transaction
  readonly adjustment: Adjustment
}

/** Revision of an object. */
export type Revised = Fields<'created_at' | 'updated_at'>

/** Currency of an amount. */
export type Priced = Fields<'currency_code'>

export type Customer = Revised & Fields<'id' | 'email' | 'name'>

/** Our note, and the mark of a closed page. */
export type Noted = Fields<'status' | 'custom_data'>

/** The subscription that an object belongs to. */
export type OfSubscription = Fields<'origin' | 'subscription_id'>

/** Price and quantity of a transaction or a subscription. */
export type Item = Fields<'price_id' | 'recurring' | 'quantity'> & {
  readonly price?: Nested<Price>
  readonly product?: Nested<Product>
  readonly trial_dates?: Nested<Period>
  readonly proration?: Nested<{ readonly billing_period?: Nested<Period> }>
}

export type Period = Fields<'starts_at' | 'ends_at'>

export type Cycle = Fields<'interval' | 'frequency'>

export type Subscription = Revised &
  Priced &
  Fields<
    | 'id'
    | 'transaction_id'
    | 'status'
    | 'customer_id'
    | 'started_at'
    | 'canceled_at'
    | 'custom_data'
    | 'paused_at'
    | 'next_billed_at'
  > & {
    readonly items?: Listed<Item>
    readonly current_billing_period?: Nested<Period>
    readonly billing_cycle?: Nested<Cycle>
    readonly scheduled_change?: Nested<ScheduledChange> | null
  }

export type ScheduledChange = Fields<'action' | 'effective_at' | 'resume_at'>

export type Transaction = Revised &
  Priced &
  Noted &
  OfSubscription &
  Fields<'id' | 'customer_id' | 'billed_at' | 'invoice_number' | 'collection_mode'> & {
    readonly billing_period?: Nested<Period>
    readonly billing_details?: Nested<{ readonly payment_terms?: Nested<Cycle> }>
    readonly items?: Listed<Item>
    readonly details?: Nested<Details>
    readonly payments?: Listed<PaymentAttempt>
    readonly checkout?: Nested<Fields<'url'>>
    /** Present if they were asked for. */
    readonly customer?: Nested<Customer>
    readonly adjustments?: Listed<Adjustment>
  }

export type Details = {
  readonly totals?: Nested<Totals>
  readonly line_items?: Listed<LineItem>
}

export type Totals = Fields<'total' | 'grand_total'>

export type LineItem = Fields<'id' | 'price_id'> & {
  readonly totals?: Nested<Totals>
  readonly product?: Nested<Product>
}

export type PaymentAttempt = Fields<'status' | 'captured_at' | 'created_at'> & {
  readonly method_details?: Nested<{ readonly card?: Nested<Card> }>
}

export type Card = Fields<'expiry_year' | 'expiry_month' | 'last4'>

/** A refund, a dispute, or a credit. */
export type Adjustment = Revised &
  Priced &
  OfSubscription &
  Fields<'id' | 'action' | 'transaction_id' | 'status' | 'reason'> & {
    readonly items?: Listed<AdjustmentItem>
    readonly totals?: Nested<Totals>
  }

export type AdjustmentItem = Fields<'item_id' | 'amount'>

export type Price = Fields<
  'id' | 'name' | 'description' | 'product_id' | 'tax_mode' | 'custom_data' | 'status'
> & {
  readonly unit_price?: Nested<Amount>
  readonly unit_price_overrides?: Listed<{ readonly unit_price?: Nested<Amount> }>
  readonly billing_cycle?: Nested<Cycle>
  readonly trial_period?: Nested<TrialPeriod>
  readonly product?: Nested<Product>
}

export type Amount = Priced & Fields<'amount'>

export type TrialPeriod = Cycle & {
  readonly unit_price?: Nested<Amount> | null
}

export type Product = Fields<'id' | 'name' | 'status'>

export type Discount = Fields<'id'>

export type PortalSession = {
  readonly urls?: Nested<{ readonly general?: Nested<Fields<'overview'>> }>
}

export type Preview = Priced &
  Fields<'next_billed_at'> & {
    readonly update_summary?: Nested<{
      readonly result?: Nested<Fields<'action' | 'amount'>>
    }>
    readonly immediate_transaction?: Nested<{ readonly details?: Nested<Details> }>
  }

export type Endpoint = Fields<'id' | 'destination' | 'type' | 'active' | 'endpoint_secret_key'> & {
  readonly subscribed_events?: Listed<Fields<'name'>>
}

export type WebhookEvent = Fields<'event_type' | 'event_id' | 'data' | 'occurred_at'>

export type ListAnswer = {
  readonly meta?: Nested<{ readonly pagination?: Nested<Fields<'has_more'>> }>
}

export type ErrorAnswer = {
  readonly error?: Nested<
    Fields<'code'> & {
      readonly errors?: Listed<Fields<'field'>>
    }
  >
}

/** A change of a subscription. */
export type SubscriptionUpdate = Omit<Written<Subscription>, 'items'> &
  Fields<'proration_billing_mode'> & {
    readonly items?: readonly Written<Item>[]
  }
