import type { Listed, Nested, Written } from '../narrow.ts'

// The field names of Lemon Squeezy's objects, as far as they are read here: https://docs.lemonsqueezy.com/api

/** An object as the API and events show it: https://jsonapi.org/format/#document-resource-objects */
export type Resource<T = unknown> = {
  readonly type?: unknown
  readonly id?: unknown
  readonly attributes?: Nested<T>
}

/** Type of an object that concerns purchases, by its `type`. */
export type LemonSqueezyObjects = {
  readonly subscriptions: Subscription
  readonly orders: Order
  readonly 'subscription-invoices': Invoice
  readonly customers: Customer
}

/** Fields of every object. */
export type Common = {
  readonly created_at?: unknown
  readonly updated_at?: unknown
  readonly test_mode?: unknown
  readonly first_subscription_item?: Nested<SubscriptionItem>
}

/** Currency of an amount. */
export type Priced = {
  readonly currency?: unknown
}

/** The variant sold. */
export type Sold = {
  readonly variant_id?: unknown
  readonly product_id?: unknown
}

/** The payer of a purchased object. */
export type Contact = {
  readonly user_email?: unknown
  readonly user_name?: unknown
}

/** State and amounts of an order or an invoice. */
export type Paid = Common &
  Priced &
  Contact & {
    readonly status?: unknown
    readonly total?: unknown
    readonly refunded?: unknown
    readonly refunded_amount?: unknown
    readonly customer_id?: unknown
    readonly urls?: Nested<{ readonly invoice_url?: unknown; readonly receipt?: unknown }>
  }

export type Order = Paid & {
  readonly order_number?: unknown
  readonly first_order_item?: Nested<OrderItem>
  readonly identifier?: unknown
}

export type OrderItem = Sold & {
  readonly quantity?: unknown
}

export type Invoice = Paid & {
  readonly billing_reason?: unknown
  readonly subscription_id?: unknown
}

export type Subscription = Common &
  Sold &
  Contact & {
    readonly status?: unknown
    readonly pause?: Nested<Pause>
    readonly urls?: Nested<SubscriptionUrls>
    readonly order_id?: unknown
    readonly customer_id?: unknown
    readonly trial_ends_at?: unknown
    readonly ends_at?: unknown
    readonly renews_at?: unknown
    readonly cancelled?: unknown
  }

export type SubscriptionItem = {
  readonly id?: unknown
  readonly quantity?: unknown
  readonly updated_at?: unknown
}

export type Pause = {
  readonly mode?: unknown
  readonly resumes_at?: unknown
}

export type SubscriptionUrls = {
  readonly update_payment_method?: unknown
  readonly customer_portal_update_subscription?: unknown
}

export type Customer = Common & {
  readonly email?: unknown
  readonly urls?: Nested<{ readonly customer_portal?: unknown }>
  readonly name?: unknown
}

export type CheckoutPage = Common & {
  readonly url?: unknown
  readonly variant_id?: unknown
  readonly checkout_data?: Nested<{ readonly email?: unknown; readonly custom?: unknown }>
  readonly expires_at?: unknown
}

export type Store = Priced & {
  readonly name?: unknown
}

export type Product = {
  readonly name?: unknown
  readonly store_id?: unknown
  readonly status?: unknown
}

export type Variant = {
  readonly name?: unknown
  readonly product_id?: unknown
  readonly status?: unknown
}

export type Price = {
  readonly variant_id?: unknown
  readonly trial_interval_unit?: unknown
  readonly trial_interval_quantity?: unknown
  readonly setup_fee_enabled?: unknown
  readonly setup_fee?: unknown
  readonly renewal_interval_unit?: unknown
  readonly unit_price?: unknown
  readonly renewal_interval_quantity?: unknown
}

export type Endpoint = {
  readonly url?: unknown
  readonly events?: unknown
}

export type WebhookEvent = {
  readonly meta?: Nested<EventMeta>
  readonly data?: Nested<Resource<Common>>
}

export type EventMeta = {
  readonly event_name?: unknown
  readonly test_mode?: unknown
  readonly custom_data?: unknown
}

export type ListAnswer = {
  readonly meta?: Nested<{ readonly page?: Nested<{ readonly lastPage?: unknown }> }>
}

export type ErrorAnswer = {
  readonly errors?: Listed<{
    readonly code?: unknown
    readonly title?: unknown
    readonly source?: Nested<{ readonly pointer?: unknown }>
  }>
}

/** A change of a subscription. */
export type SubscriptionUpdate = Written<Subscription> & {
  readonly invoice_immediately?: unknown
  readonly disable_prorations?: unknown
}
