import type { Fields, Listed, Nested, Written } from '../narrow.ts'

// The field names of Lemon Squeezy's objects, as far as they are read here: https://docs.lemonsqueezy.com/api

/** An object as the API and events show it: https://jsonapi.org/format/#document-resource-objects */
export type Resource<T = unknown> = Fields<'type' | 'id'> & {
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
export type Common = Fields<'created_at' | 'updated_at' | 'test_mode'> & {
  readonly first_subscription_item?: Nested<SubscriptionItem>
}

/** Currency of an amount. */
export type Priced = Fields<'currency'>

/** The variant sold. */
export type Sold = Fields<'variant_id' | 'product_id'>

/** The payer of a purchased object. */
export type Contact = Fields<'user_email' | 'user_name'>

/** State and amounts of an order or an invoice. */
export type Paid = Common &
  Priced &
  Contact &
  Fields<'status' | 'total' | 'refunded' | 'refunded_amount' | 'customer_id'> & {
    readonly urls?: Nested<Fields<'invoice_url' | 'receipt'>>
  }

export type Order = Paid &
  Fields<'order_number' | 'identifier'> & {
    readonly first_order_item?: Nested<OrderItem>
  }

export type OrderItem = Sold & Fields<'quantity'>

export type Invoice = Paid & Fields<'billing_reason' | 'subscription_id'>

export type Subscription = Common &
  Sold &
  Contact &
  Fields<'status' | 'order_id' | 'customer_id' | 'trial_ends_at' | 'ends_at' | 'renews_at' | 'cancelled'> & {
    readonly pause?: Nested<Pause>
    readonly urls?: Nested<SubscriptionUrls>
  }

export type SubscriptionItem = Fields<'id' | 'quantity' | 'updated_at'>

export type Pause = Fields<'mode' | 'resumes_at'>

export type SubscriptionUrls = Fields<'update_payment_method' | 'customer_portal_update_subscription'>

export type Customer = Common &
  Fields<'email' | 'name' | 'country' | 'region'> & {
    readonly urls?: Nested<Fields<'customer_portal'>>
  }

export type CheckoutPage = Common &
  Fields<'url' | 'variant_id' | 'expires_at'> & {
    readonly checkout_data?: Nested<Fields<'email' | 'custom'>>
  }

export type Store = Priced & Fields<'name'>

export type Product = Fields<'name' | 'store_id' | 'status'>

export type Variant = Fields<'name' | 'product_id' | 'status'>

export type Price = Fields<
  | 'variant_id'
  | 'trial_interval_unit'
  | 'trial_interval_quantity'
  | 'setup_fee_enabled'
  | 'setup_fee'
  | 'renewal_interval_unit'
  | 'unit_price'
  | 'renewal_interval_quantity'
>

export type Endpoint = Fields<'url' | 'events'>

export type WebhookEvent = {
  readonly meta?: Nested<EventMeta>
  readonly data?: Nested<Resource<Common>>
}

export type EventMeta = Fields<'event_name' | 'test_mode' | 'custom_data'>

export type ListAnswer = {
  readonly meta?: Nested<{ readonly page?: Nested<Fields<'lastPage'>> }>
}

export type ErrorAnswer = {
  readonly errors?: Listed<
    Fields<'code' | 'title'> & {
      readonly source?: Nested<Fields<'pointer'>>
    }
  >
}

/** A change of a subscription. */
export type SubscriptionUpdate = Written<Subscription> & Fields<'invoice_immediately' | 'disable_prorations'>
