import type { Listed, Nested, Written } from '../narrow.ts'

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
export type Priced = {
  readonly currency?: unknown
}

/** The payer inside another object. */
export type WithCustomer = {
  readonly customer?: Nested<Customer>
}

export type Customer = {
  readonly customer_id?: unknown
  readonly email?: unknown
  readonly name?: unknown
}

/** Product and quantity. */
export type Sold = {
  readonly product_id?: unknown
  readonly quantity?: unknown
}

export type Subscription = Priced &
  Sold &
  WithCustomer & {
    readonly subscription_id?: unknown
    readonly addons?: Listed<Addon>
    readonly scheduled_change?: Nested<ScheduledChange>
    readonly status?: unknown
    readonly metadata?: unknown
    readonly previous_billing_date?: unknown
    readonly next_billing_date?: unknown
    readonly created_at?: unknown
    readonly trial_period_days?: unknown
    readonly recurring_pre_tax_amount?: unknown
    readonly payment_frequency_interval?: unknown
    readonly payment_frequency_count?: unknown
    readonly cancel_at_next_billing_date?: unknown
    readonly cancelled_at?: unknown
    readonly expires_at?: unknown
    readonly paused_at?: unknown
  }

export type Addon = {
  readonly addon_id?: unknown
  readonly quantity?: unknown
}

export type ScheduledChange = Sold & {
  readonly effective_at?: unknown
}

export type Payment = Priced &
  WithCustomer & {
    readonly payment_id?: unknown
    readonly product_cart?: Listed<Sold>
    readonly refunds?: Listed<Refund>
    readonly subscription_id?: unknown
    readonly refund_status?: unknown
    readonly is_update_payment_method?: unknown
    readonly status?: unknown
    readonly total_amount?: unknown
    readonly invoice_url?: unknown
    readonly created_at?: unknown
    readonly metadata?: unknown
    readonly invoice_id?: unknown
  }

export type Refund = Priced & {
  readonly refund_id?: unknown
  readonly payment_id?: unknown
  readonly amount?: unknown
  readonly status?: unknown
  readonly metadata?: unknown
}

export type Dispute = Priced & {
  readonly is_resolved_by_rdr?: unknown
  readonly dispute_id?: unknown
  readonly payment_id?: unknown
  readonly amount?: unknown
  readonly dispute_status?: unknown
  readonly dispute_stage?: unknown
}

export type Product = Priced & {
  readonly product_id?: unknown
  readonly price_detail?: Nested<PriceDetail>
  readonly is_recurring?: unknown
  readonly price?: unknown
  readonly name?: unknown
}

/** Product as it is read alone. */
export type WholeProduct = {
  readonly price?: Nested<Trial>
}

export type Trial = {
  readonly trial_period_days?: unknown
  readonly trial_amount?: unknown
}

export type PriceDetail = Priced &
  Trial & {
    readonly price?: unknown
    readonly payment_frequency_interval?: unknown
    readonly payment_frequency_count?: unknown
  }

export type CheckoutSession = {
  readonly session_id?: unknown
  readonly payment_id?: unknown
  readonly checkout_url?: unknown
}

export type PortalSession = {
  readonly link?: unknown
}

/** Page on which another payment method is given. */
export type MethodPage = {
  readonly payment_link?: unknown
}

/** Items of a payment. */
export type PaidItems = {
  readonly items?: Listed<PaidItem>
}

export type PaidItem = {
  readonly items_id?: unknown
  readonly refundable_amount?: unknown
}

export type Preview = {
  readonly immediate_charge?: Nested<ImmediateCharge>
  readonly new_plan?: Nested<NewPlan>
}

export type ImmediateCharge = {
  readonly summary?: Nested<ChargeSummary>
  readonly line_items?: Listed<ChargeLine>
}

export type ChargeSummary = Priced & {
  readonly total_amount?: unknown
}

export type ChargeLine = {
  readonly name?: unknown
  readonly unit_price?: unknown
  readonly quantity?: unknown
  readonly proration_factor?: unknown
  readonly product_id?: unknown
  readonly id?: unknown
}

export type NewPlan = Priced & {
  readonly next_billing_date?: unknown
}

export type EndpointsAnswer = {
  readonly data?: Listed<Endpoint>
  readonly done?: unknown
  readonly iterator?: unknown
}

export type Endpoint = {
  readonly url?: unknown
  readonly disabled?: unknown
  readonly filter_types?: unknown
}

export type WebhookEvent = {
  readonly type?: unknown
  readonly data?: unknown
  readonly timestamp?: unknown
}

/** A change of a subscription's own fields. */
export type SubscriptionUpdate = Written<Subscription>

/** A change of its product or quantity. */
export type PlanChange = Written<Sold> & {
  readonly addons?: readonly Written<Addon>[]
  readonly effective_at?: unknown
  readonly proration_billing_mode?: unknown
  readonly cancel_scheduled_change_plan?: unknown
  readonly on_payment_failure?: unknown
}
