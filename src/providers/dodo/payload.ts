import type { Fields, Listed, Nested, Written } from '../narrow.ts'

// The field names of Dodo's objects, as far as they are read here: https://docs.dodopayments.com/api-reference

/** The type of each kind of object that can be fetched. */
export type DodoObjects = {
  readonly customer: Customer
  readonly subscription: Subscription
  readonly payment: Payment
  readonly refund: Refund
  readonly dispute: Dispute
}

/** Currency of an amount. */
export type Priced = Fields<'currency'>

/** The payer inside another object. */
export type WithCustomer = {
  readonly customer?: Nested<Customer>
  readonly billing?: Nested<Fields<'country' | 'state'>>
}

export type Customer = Fields<'customer_id' | 'email' | 'name'>

/** Product and quantity. */
export type Sold = Fields<'product_id' | 'quantity'>

export type Subscription = Priced &
  Sold &
  WithCustomer &
  Fields<
    | 'subscription_id'
    | 'status'
    | 'metadata'
    | 'previous_billing_date'
    | 'next_billing_date'
    | 'created_at'
    | 'trial_period_days'
    | 'recurring_pre_tax_amount'
    | 'payment_frequency_interval'
    | 'payment_frequency_count'
    | 'cancel_at_next_billing_date'
    | 'cancelled_at'
    | 'expires_at'
    | 'paused_at'
  > & {
    readonly addons?: Listed<Addon>
    readonly scheduled_change?: Nested<ScheduledChange>
  }

export type Addon = Fields<'addon_id' | 'quantity'>

export type ScheduledChange = Sold & Fields<'effective_at'>

export type Payment = Priced &
  WithCustomer &
  Fields<
    | 'payment_id'
    | 'subscription_id'
    | 'refund_status'
    | 'is_update_payment_method'
    | 'status'
    | 'total_amount'
    | 'invoice_url'
    | 'created_at'
    | 'metadata'
    | 'invoice_id'
  > & {
    readonly product_cart?: Listed<Sold>
    readonly refunds?: Listed<Refund>
  }

export type Refund = Priced & Fields<'refund_id' | 'payment_id' | 'amount' | 'status' | 'metadata'>

export type Dispute = Priced &
  Fields<'is_resolved_by_rdr' | 'dispute_id' | 'payment_id' | 'amount' | 'dispute_status' | 'dispute_stage'>

export type Product = Priced &
  Fields<'product_id' | 'is_recurring' | 'price' | 'name'> & {
    readonly price_detail?: Nested<PriceDetail>
  }

/** Product as it is read alone. */
export type WholeProduct = {
  readonly price?: Nested<Trial>
}

export type Trial = Fields<'trial_period_days' | 'trial_amount' | 'pay_what_you_want'>

export type PriceDetail = Priced &
  Trial &
  Fields<'price' | 'payment_frequency_interval' | 'payment_frequency_count' | 'tax_inclusive'>

export type CheckoutSession = Fields<'session_id' | 'payment_id' | 'checkout_url'>

export type PortalSession = Fields<'link'>

/** Page on which another payment method is given. */
export type MethodPage = Fields<'payment_link'>

/** Items of a payment. */
export type PaidItems = {
  readonly items?: Listed<PaidItem>
}

export type PaidItem = Fields<'items_id' | 'refundable_amount'>

export type Preview = {
  readonly immediate_charge?: Nested<ImmediateCharge>
  readonly new_plan?: Nested<NewPlan>
}

export type ImmediateCharge = {
  readonly summary?: Nested<ChargeSummary>
  readonly line_items?: Listed<ChargeLine>
}

export type ChargeSummary = Priced & Fields<'total_amount'>

export type ChargeLine = Fields<'name' | 'unit_price' | 'quantity' | 'proration_factor' | 'product_id' | 'id'>

export type NewPlan = Priced & Fields<'next_billing_date'>

export type EndpointsAnswer = Fields<'done' | 'iterator'> & {
  readonly data?: Listed<Endpoint>
}

export type Endpoint = Fields<'id' | 'url' | 'disabled' | 'filter_types'>

export type EndpointSecret = Fields<'secret'>

export type WebhookEvent = Fields<'type' | 'data' | 'timestamp'>

/** A change of a subscription's own fields. */
export type SubscriptionUpdate = Written<Subscription>

/** A change of its product or quantity. */
export type PlanChange = Written<Sold> &
  Fields<
    'effective_at' | 'proration_billing_mode' | 'cancel_scheduled_change_plan' | 'on_payment_failure'
  > & {
    readonly addons?: readonly Written<Addon>[]
  }
