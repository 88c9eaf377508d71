import type { Listed, Nested, Written } from '../narrow.ts'

// The field names of Paddle's objects, as far as they are read here: https://developer.paddle.com/api-reference

/** The type of each kind of object that concerns purchases. */
export type PaddleObjects = {
  readonly customer: Customer
  readonly subscription: Subscription
  readonly transaction: Transaction
  readonly adjustment: Adjustment
}

/** Revision of an object. */
export type Revised = {
  readonly created_at?: unknown
  readonly updated_at?: unknown
}

/** Currency of an amount. */
export type Priced = {
  readonly currency_code?: unknown
}

export type Customer = Revised & {
  readonly id?: unknown
  readonly email?: unknown
  readonly name?: unknown
}

/** Our note, and the mark of a closed page. */
export type Noted = {
  readonly status?: unknown
  readonly custom_data?: unknown
}

/** The subscription that an object belongs to. */
export type OfSubscription = {
  readonly origin?: unknown
  readonly subscription_id?: unknown
}

/** Price and quantity of a transaction or a subscription. */
export type Item = {
  readonly price?: Nested<Price>
  readonly product?: Nested<Product>
  readonly trial_dates?: Nested<Period>
  readonly price_id?: unknown
  readonly recurring?: unknown
  readonly quantity?: unknown
}

export type Period = {
  readonly starts_at?: unknown
  readonly ends_at?: unknown
}

export type Cycle = {
  readonly interval?: unknown
  readonly frequency?: unknown
}

export type Subscription = Revised &
  Priced & {
    readonly id?: unknown
    readonly items?: Listed<Item>
    readonly current_billing_period?: Nested<Period>
    readonly billing_cycle?: Nested<Cycle>
    readonly scheduled_change?: Nested<ScheduledChange> | null
    readonly transaction_id?: unknown
    readonly status?: unknown
    readonly customer_id?: unknown
    readonly started_at?: unknown
    readonly canceled_at?: unknown
    readonly custom_data?: unknown
    readonly paused_at?: unknown
  }

export type ScheduledChange = {
  readonly action?: unknown
  readonly effective_at?: unknown
  readonly resume_at?: unknown
}

export type Transaction = Revised &
  Priced &
  Noted &
  OfSubscription & {
    readonly id?: unknown
    readonly items?: Listed<Item>
    readonly details?: Nested<Details>
    readonly payments?: Listed<PaymentAttempt>
    readonly checkout?: Nested<{ readonly url?: unknown }>
    /** Present if they were asked for. */
    readonly customer?: Nested<Customer>
    readonly adjustments?: Listed<Adjustment>
    readonly customer_id?: unknown
    readonly billed_at?: unknown
    readonly invoice_number?: unknown
  }

export type Details = {
  readonly totals?: Nested<Totals>
  readonly line_items?: Listed<LineItem>
}

export type Totals = {
  readonly total?: unknown
  readonly grand_total?: unknown
}

export type LineItem = {
  readonly id?: unknown
  readonly totals?: Nested<Totals>
  readonly product?: Nested<Product>
  readonly price_id?: unknown
}

export type PaymentAttempt = {
  readonly status?: unknown
  readonly method_details?: Nested<{ readonly card?: Nested<Card> }>
  readonly captured_at?: unknown
}

export type Card = {
  readonly expiry_year?: unknown
  readonly expiry_month?: unknown
}

/** A refund, a dispute, or a credit. */
export type Adjustment = Revised &
  Priced &
  OfSubscription & {
    readonly id?: unknown
    readonly items?: Listed<AdjustmentItem>
    readonly totals?: Nested<Totals>
    readonly action?: unknown
    readonly transaction_id?: unknown
    readonly status?: unknown
    readonly reason?: unknown
  }

export type AdjustmentItem = {
  readonly item_id?: unknown
  readonly amount?: unknown
}

export type Price = {
  readonly id?: unknown
  readonly unit_price?: Nested<Money>
  readonly billing_cycle?: Nested<Cycle>
  readonly trial_period?: Nested<TrialPeriod>
  readonly product?: Nested<Product>
  readonly name?: unknown
  readonly product_id?: unknown
  readonly status?: unknown
}

export type Money = Priced & {
  readonly amount?: unknown
}

export type TrialPeriod = Cycle & {
  readonly unit_price?: Nested<Money> | null
}

export type Product = {
  readonly id?: unknown
  readonly name?: unknown
  readonly status?: unknown
}

export type Discount = {
  readonly id?: unknown
}

export type PortalSession = {
  readonly urls?: Nested<{ readonly general?: Nested<{ readonly overview?: unknown }> }>
}

export type Preview = Priced & {
  readonly update_summary?: Nested<{
    readonly result?: Nested<{ readonly action?: unknown; readonly amount?: unknown }>
  }>
  readonly immediate_transaction?: Nested<{ readonly details?: Nested<Details> }>
  readonly next_billed_at?: unknown
}

export type Endpoint = {
  readonly destination?: unknown
  readonly subscribed_events?: Listed<{ readonly name?: unknown }>
  readonly type?: unknown
  readonly active?: unknown
}

export type WebhookEvent = {
  readonly event_type?: unknown
  readonly event_id?: unknown
  readonly data?: unknown
  readonly occurred_at?: unknown
}

export type ListAnswer = {
  readonly meta?: Nested<{ readonly pagination?: Nested<{ readonly has_more?: unknown }> }>
}

export type ErrorAnswer = {
  readonly error?: Nested<{ readonly code?: unknown; readonly errors?: Listed<{ readonly field?: unknown }> }>
}

/** A change of a subscription. */
export type SubscriptionUpdate = Omit<Written<Subscription>, 'items'> & {
  readonly items?: readonly Written<Item>[]
  readonly proration_billing_mode?: unknown
}
