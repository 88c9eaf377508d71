import type { Listed, Nested, Written } from '../narrow.ts'

// The field names of Polar's objects, as far as they are read here: https://polar.sh/docs/api-reference

/** The type of each kind of object that concerns purchases. */
export type PolarObjects = {
  readonly customer: Customer
  readonly subscription: Subscription
  readonly order: Order
  readonly checkout: CheckoutPage
  readonly refund: Refund
}

/** Revision of an object. */
export type Revised = {
  readonly created_at?: unknown
  readonly modified_at?: unknown
}

/** Currency of an amount. */
export type Priced = {
  readonly currency?: unknown
}

/** Product and number of seats. */
export type Sold = {
  readonly product_id?: unknown
  readonly seats?: unknown
}

export type Customer = Revised & {
  readonly id?: unknown
  readonly email?: unknown
  readonly name?: unknown
  readonly deleted_at?: unknown
}

/** The customer inside an order or a subscription. */
export type WithCustomer = {
  readonly customer?: Nested<Customer>
}

export type Subscription = Revised &
  Priced &
  Sold &
  WithCustomer & {
    readonly id?: unknown
    readonly pending_update?: Nested<PendingUpdate>
    readonly checkout_id?: unknown
    readonly current_period_start?: unknown
    readonly current_period_end?: unknown
    readonly status?: unknown
    readonly customer_id?: unknown
    readonly started_at?: unknown
    readonly trial_end?: unknown
    readonly cancel_at_period_end?: unknown
    readonly canceled_at?: unknown
    readonly ended_at?: unknown
    readonly metadata?: unknown
    readonly amount?: unknown
    readonly recurring_interval?: unknown
    readonly recurring_interval_count?: unknown
    readonly ends_at?: unknown
    readonly pause_at_period_end?: unknown
    readonly paused_at?: unknown
    readonly resumes_at?: unknown
  }

export type PendingUpdate = {
  readonly applies_at?: unknown
  readonly product_id?: unknown
  readonly seats?: unknown
}

export type Order = Revised &
  Priced &
  Sold &
  WithCustomer & {
    readonly id?: unknown
    readonly product?: Nested<Product>
    readonly status?: unknown
    readonly subscription_id?: unknown
    readonly due_amount?: unknown
    readonly total_amount?: unknown
    readonly checkout_id?: unknown
    readonly customer_id?: unknown
    readonly metadata?: unknown
    readonly billing_reason?: unknown
    readonly refunded_amount?: unknown
    readonly refunded_tax_amount?: unknown
    readonly refundable_amount?: unknown
    readonly refundable_tax_amount?: unknown
    readonly tax_amount?: unknown
    readonly net_amount?: unknown
    readonly invoice_number?: unknown
  }

export type CheckoutPage = Revised &
  Priced &
  Sold & {
    readonly id?: unknown
    readonly product?: Nested<Product>
    readonly customer_id?: unknown
    readonly status?: unknown
    readonly metadata?: unknown
    readonly total_amount?: unknown
    readonly customer_email?: unknown
    readonly customer_name?: unknown
    readonly url?: unknown
    readonly expires_at?: unknown
  }

export type Refund = Revised &
  Priced & {
    readonly id?: unknown
    readonly order_id?: unknown
    readonly amount?: unknown
    readonly subscription_id?: unknown
    readonly tax_amount?: unknown
    readonly status?: unknown
    readonly metadata?: unknown
  }

export type Product = {
  readonly id?: unknown
  readonly prices?: Listed<ProductPrice>
  readonly recurring_interval?: unknown
  readonly recurring_interval_count?: unknown
  readonly name?: unknown
  readonly is_archived?: unknown
  readonly trial_interval?: unknown
  readonly trial_interval_count?: unknown
  readonly is_recurring?: unknown
}

export type ProductPrice = {
  readonly price_currency?: unknown
  readonly is_archived?: unknown
  readonly amount_type?: unknown
  readonly price_amount?: unknown
}

export type Discount = {
  readonly id?: unknown
  readonly code?: unknown
}

export type PortalSession = {
  readonly customer_portal_url?: unknown
}

export type Endpoint = {
  readonly url?: unknown
  readonly enabled?: unknown
  readonly events?: unknown
}

export type WebhookEvent = {
  readonly type?: unknown
  readonly data?: Nested<{ readonly id?: unknown }>
  readonly timestamp?: unknown
}

/** One attempt to deliver an event. */
export type WebhookDelivery = {
  readonly webhook_event?: Nested<{ readonly id?: unknown; readonly payload?: unknown }>
}

export type ListAnswer = {
  readonly pagination?: Nested<{ readonly max_page?: unknown }>
}

export type ErrorAnswer = {
  readonly error?: unknown
  readonly detail?: Listed<{ readonly type?: unknown; readonly loc?: unknown }>
}

/** A change of a subscription. */
export type SubscriptionUpdate = Written<Subscription> & {
  readonly proration_behavior?: unknown
  readonly resume?: unknown
  readonly revoke?: unknown
}
