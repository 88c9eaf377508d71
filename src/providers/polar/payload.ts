import type { Fields, Listed, Nested, Written } from '../narrow.ts'

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
export type Revised = Fields<'created_at' | 'modified_at'>

/** Currency of an amount. */
export type Priced = Fields<'currency'>

/** Product and number of seats. */
export type Sold = Fields<'product_id' | 'seats'>

export type Customer = Revised &
  Fields<'id' | 'email' | 'name' | 'deleted_at'> & {
    readonly billing_address?: Nested<Fields<'country' | 'state'>>
  }

/** The customer inside an order or a subscription. */
export type WithCustomer = {
  readonly customer?: Nested<Customer>
}

export type Subscription = Revised &
  Priced &
  Sold &
  WithCustomer &
  Fields<
    | 'id'
    | 'checkout_id'
    | 'current_period_start'
    | 'current_period_end'
    | 'status'
    | 'customer_id'
    | 'started_at'
    | 'trial_end'
    | 'cancel_at_period_end'
    | 'canceled_at'
    | 'ended_at'
    | 'metadata'
    | 'amount'
    | 'recurring_interval'
    | 'recurring_interval_count'
    | 'ends_at'
    | 'pause_at_period_end'
    | 'paused_at'
    | 'resumes_at'
  > & {
    readonly pending_update?: Nested<PendingUpdate>
  }

export type PendingUpdate = Fields<'applies_at' | 'product_id' | 'seats'>

export type Order = Revised &
  Priced &
  Sold &
  WithCustomer &
  Fields<
    | 'id'
    | 'status'
    | 'subscription_id'
    | 'due_amount'
    | 'total_amount'
    | 'checkout_id'
    | 'customer_id'
    | 'metadata'
    | 'billing_reason'
    | 'refunded_amount'
    | 'refunded_tax_amount'
    | 'refundable_amount'
    | 'refundable_tax_amount'
    | 'tax_amount'
    | 'net_amount'
    | 'invoice_number'
  > & {
    readonly product?: Nested<Product>
  }

export type CheckoutPage = Revised &
  Priced &
  Sold &
  Fields<
    | 'id'
    | 'customer_id'
    | 'status'
    | 'metadata'
    | 'total_amount'
    | 'customer_email'
    | 'customer_name'
    | 'url'
    | 'expires_at'
  > & {
    readonly product?: Nested<Product>
  }

export type Refund = Revised &
  Priced &
  Fields<'id' | 'order_id' | 'amount' | 'subscription_id' | 'tax_amount' | 'status' | 'metadata'>

export type Product = Fields<
  | 'id'
  | 'recurring_interval'
  | 'recurring_interval_count'
  | 'name'
  | 'is_archived'
  | 'trial_interval'
  | 'trial_interval_count'
  | 'is_recurring'
> & {
  readonly prices?: Listed<ProductPrice>
}

export type ProductPrice = Fields<
  'price_currency' | 'is_archived' | 'amount_type' | 'price_amount' | 'tax_behavior'
>

export type Discount = Fields<'id' | 'code'>

export type PortalSession = Fields<'customer_portal_url'>

export type Endpoint = Fields<'id' | 'url' | 'enabled' | 'events' | 'secret'>

export type WebhookEvent = Fields<'type' | 'timestamp'> & {
  readonly data?: Nested<Fields<'id'>>
}

/** One attempt to deliver an event. */
export type WebhookDelivery = {
  readonly webhook_event?: Nested<Fields<'id' | 'payload'>>
}

export type ListAnswer = {
  readonly pagination?: Nested<Fields<'max_page'>>
}

export type ErrorAnswer = Fields<'error'> & {
  readonly detail?: Listed<Fields<'type' | 'loc'>>
}

/** A change of a subscription. */
export type SubscriptionUpdate = Written<Subscription> & Fields<'proration_behavior' | 'resume' | 'revoke'>
