import type { Fields, Listed, Nested } from '../narrow.ts'

// The field names of Creem's objects, as far as they are read here: https://docs.creem.io/api-reference. Several
// fields hold an id or the whole object; `idOf` reads both.

/** The type of each kind of object that can be fetched. */
export type CreemObjects = {
  readonly customer: Customer
  readonly subscription: Subscription
  readonly transaction: Transaction
  readonly order: Order
  readonly checkout: CheckoutPage
}

/** Fields of every object. */
export type Common = Fields<'mode' | 'created_at'>

/** Currency of an amount. */
export type Priced = Fields<'currency'>

/** Amounts of an order: paid, due, and before tax and discounts. */
export type Amounts = Fields<'amount_paid' | 'amount_due' | 'amount'>

/** The customer inside another object. */
export type WithCustomer = {
  readonly customer?: Nested<Customer>
}

export type Customer = Common & Fields<'id' | 'email' | 'name' | 'country' | 'updated_at'>

/** The product sold. */
export type WithProduct = {
  readonly product?: Nested<Product>
}

/** Product and quantity. */
export type Sold = WithProduct &
  Fields<'units'> & {
    readonly order?: Nested<Order>
  }

export type Subscription = Common &
  WithCustomer &
  Sold &
  Fields<
    | 'id'
    | 'current_period_end_date'
    | 'last_transaction_id'
    | 'last_transaction_date'
    | 'metadata'
    | 'current_period_start_date'
    | 'status'
    | 'canceled_at'
  > & {
    readonly items?: Listed<SubscriptionItem>
    readonly last_transaction?: Nested<Transaction>
  }

export type SubscriptionItem = Fields<'id' | 'product_id' | 'units'>

export type Transaction = Common &
  Priced &
  Amounts &
  WithCustomer &
  Fields<
    'id' | 'status' | 'refunded_amount' | 'subscription' | 'order' | 'type' | 'period_start' | 'period_end'
  >

export type Order = Common &
  Priced &
  Amounts &
  WithCustomer &
  WithProduct &
  Fields<'id' | 'status' | 'transaction' | 'type'>

export type CheckoutPage = Common &
  WithCustomer &
  Sold &
  Fields<'id' | 'status' | 'metadata' | 'subscription' | 'checkout_url'>

/** A refund or a dispute: money that went back. */
export type Return = Common &
  Priced &
  Fields<
    'id' | 'refund_amount' | 'refund_currency' | 'status' | 'amount' | 'subscription' | 'transaction_id'
  > & {
    readonly transaction?: Nested<Transaction>
    readonly order?: Nested<Order>
  }

export type Product = Priced &
  Fields<
    | 'id'
    | 'recurring_interval'
    | 'recurring_interval_count'
    | 'trial_price'
    | 'tax_mode'
    | 'trial_period_days'
    | 'billing_period'
    | 'billing_type'
    | 'price'
    | 'name'
    | 'status'
    | 'amount'
  >

export type PortalSession = Fields<'customer_portal_link'>

export type Endpoint = Fields<'id' | 'url' | 'delivery_mode' | 'status' | 'events' | 'secret'>

export type WebhookEvent = Fields<'eventType' | 'id' | 'object' | 'created_at'>

export type ListAnswer = {
  readonly pagination?: Nested<Fields<'next_page'>>
}

export type ErrorAnswer = Fields<'status' | 'message' | 'error'>

/** A checkout page, or as much of one as an order says by itself. */
export type Bought = Partial<CheckoutPage>
