import type { Listed, Nested } from '../narrow.ts'

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
export type Common = {
  readonly mode?: unknown
  readonly created_at?: unknown
}

/** Currency of an amount. */
export type Priced = {
  readonly currency?: unknown
}

/** Amounts of an order: paid, due, and before tax and discounts. */
export type Amounts = {
  readonly amount_paid?: unknown
  readonly amount_due?: unknown
  readonly amount?: unknown
}

/** The customer inside another object. */
export type WithCustomer = {
  readonly customer?: Nested<Customer>
}

export type Customer = Common & {
  readonly id?: unknown
  readonly email?: unknown
  readonly name?: unknown
  readonly updated_at?: unknown
}

/** The product sold. */
export type WithProduct = {
  readonly product?: Nested<Product>
}

/** Product and quantity. */
export type Sold = WithProduct & {
  readonly units?: unknown
  readonly order?: Nested<Order>
}

export type Subscription = Common &
  WithCustomer &
  Sold & {
    readonly id?: unknown
    readonly items?: Listed<SubscriptionItem>
    readonly last_transaction?: Nested<Transaction>
    readonly current_period_end_date?: unknown
    readonly last_transaction_id?: unknown
    readonly last_transaction_date?: unknown
    readonly metadata?: unknown
    readonly current_period_start_date?: unknown
    readonly status?: unknown
    readonly canceled_at?: unknown
  }

export type SubscriptionItem = {
  readonly id?: unknown
  readonly product_id?: unknown
  readonly units?: unknown
}

export type Transaction = Common &
  Priced &
  Amounts &
  WithCustomer & {
    readonly id?: unknown
    readonly status?: unknown
    readonly refunded_amount?: unknown
    readonly subscription?: unknown
    readonly order?: unknown
    readonly type?: unknown
  }

export type Order = Common &
  Priced &
  Amounts &
  WithCustomer &
  WithProduct & {
    readonly id?: unknown
    readonly status?: unknown
    readonly transaction?: unknown
    readonly type?: unknown
  }

export type CheckoutPage = Common &
  WithCustomer &
  Sold & {
    readonly id?: unknown
    readonly status?: unknown
    readonly metadata?: unknown
    readonly subscription?: unknown
    readonly checkout_url?: unknown
  }

/** A refund or a dispute: money that went back. */
export type Return = Common &
  Priced & {
    readonly id?: unknown
    readonly transaction?: Nested<Transaction>
    readonly order?: Nested<Order>
    readonly refund_amount?: unknown
    readonly refund_currency?: unknown
    readonly status?: unknown
    readonly amount?: unknown
    readonly subscription?: unknown
    readonly transaction_id?: unknown
  }

export type Product = Priced & {
  readonly id?: unknown
  readonly recurring_interval?: unknown
  readonly recurring_interval_count?: unknown
  readonly trial_price?: unknown
  readonly trial_period_days?: unknown
  readonly billing_period?: unknown
  readonly billing_type?: unknown
  readonly price?: unknown
  readonly name?: unknown
  readonly status?: unknown
  readonly amount?: unknown
}

export type PortalSession = {
  readonly customer_portal_link?: unknown
}

export type Endpoint = {
  readonly url?: unknown
  readonly delivery_mode?: unknown
  readonly status?: unknown
  readonly events?: unknown
}

export type WebhookEvent = {
  readonly eventType?: unknown
  readonly id?: unknown
  readonly object?: unknown
  readonly created_at?: unknown
}

export type ListAnswer = {
  readonly pagination?: Nested<{ readonly next_page?: unknown }>
}

export type ErrorAnswer = {
  readonly status?: unknown
  readonly message?: unknown
  readonly error?: unknown
}

/** A checkout page, or as much of one as an order says by itself. */
export type Bought = Partial<CheckoutPage>
