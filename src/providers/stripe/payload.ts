import type { Listed, Nested } from '../narrow.ts'

// The field names of Stripe's objects of every API version, as far as events and answers are read here:
// https://docs.stripe.com/api. Several fields hold an id or the whole object; `idOf` reads both. Requests use the
// types of Stripe's package.

/** The type of each kind of object that concerns a member's purchases. */
export type StripeObjects = {
  readonly subscription: Subscription
  readonly customer: Customer
  readonly checkout: Session
  readonly intent: Intent
  readonly charge: Charge
  readonly invoice: Invoice
  readonly invoice_payment: InvoicePayment
  readonly refund: Refund
  readonly dispute: Dispute
}

/** Fields of every object. */
export type Common = {
  readonly id?: unknown
  readonly object?: unknown
  readonly livemode?: unknown
  readonly metadata?: unknown
  readonly created?: unknown
}

export type Customer = Common & {
  readonly email?: unknown
  readonly name?: unknown
  readonly deleted?: unknown
}

export type Subscription = Common & {
  readonly status?: unknown
  readonly items?: Listed<Item>
  readonly plan?: Nested<Plan>
  readonly schedule?: Nested<Schedule>
  readonly pause_collection?: Nested<{ readonly resumes_at?: unknown }>
  readonly status_details?: Nested<{ readonly paused?: Nested<PauseDetails> }>
  readonly latest_invoice?: Nested<Invoice>
  readonly current_period_start?: unknown
  readonly current_period_end?: unknown
  readonly customer?: unknown
  readonly quantity?: unknown
  readonly start_date?: unknown
  readonly start?: unknown
  readonly trial_end?: unknown
  readonly cancel_at_period_end?: unknown
  readonly cancel_at?: unknown
  readonly canceled_at?: unknown
  readonly ended_at?: unknown
  readonly currency?: unknown
}

export type PauseDetails = {
  readonly transitioned_at?: unknown
  readonly subscription?: Nested<{ readonly type?: unknown }>
}

/** The subscription of an invoice, with its metadata as it was then. */
export type SubscriptionDetails = {
  readonly subscription?: unknown
  readonly metadata?: unknown
}

/** Item of a subscription, or of a schedule's phase. */
export type Item = {
  readonly id?: unknown
  readonly price?: Nested<Price>
  readonly plan?: Nested<Plan>
  readonly quantity?: unknown
  readonly current_period_start?: unknown
  readonly current_period_end?: unknown
}

export type Price = Common & {
  readonly product?: Nested<Product>
  readonly recurring?: Nested<Recurring>
  readonly currency?: unknown
  readonly unit_amount?: unknown
}

export type Recurring = {
  readonly interval?: unknown
  readonly interval_count?: unknown
  readonly trial_period_days?: unknown
}

/** Form of a price before API 2020-08-27. */
export type Plan = {
  readonly product?: unknown
  readonly currency?: unknown
  readonly amount?: unknown
  readonly interval?: unknown
  readonly interval_count?: unknown
}

export type Product = {
  readonly name?: unknown
  readonly active?: unknown
}

export type Schedule = {
  readonly id?: unknown
  readonly subscription?: unknown
  readonly released_subscription?: unknown
  readonly current_phase?: Nested<{ readonly start_date?: unknown }>
  readonly phases?: Listed<Phase>
}

export type Phase = {
  readonly start_date?: unknown
  readonly items?: Listed<Item>
}

/** Line of an invoice or a checkout. */
export type Line = {
  readonly price?: Nested<Price>
  readonly plan?: Nested<Plan>
  readonly pricing?: Nested<{
    readonly price_details?: Nested<{ readonly price?: unknown; readonly product?: unknown }>
  }>
  readonly parent?: Nested<LineParent>
  readonly proration?: unknown
  readonly amount?: unknown
  readonly subscription?: unknown
  readonly quantity?: unknown
  readonly description?: unknown
}

export type LineParent = {
  readonly subscription_item_details?: Nested<LineDetails>
  readonly invoice_item_details?: Nested<LineDetails>
}

export type LineDetails = {
  readonly subscription?: unknown
  readonly proration?: unknown
}

export type Invoice = Common & {
  readonly subscription?: unknown
  readonly status?: unknown
  readonly lines?: Listed<Line>
  readonly payments?: Listed<InvoicePayment>
  readonly parent?: Nested<{ readonly subscription_details?: Nested<SubscriptionDetails> }>
  readonly subscription_details?: Nested<SubscriptionDetails>
  readonly status_transitions?: Nested<{ readonly paid_at?: unknown }>
  readonly payment_intent?: unknown
  readonly charge?: unknown
  readonly customer?: unknown
  readonly amount_paid?: unknown
  readonly amount_due?: unknown
  readonly total?: unknown
  readonly currency?: unknown
  readonly hosted_invoice_url?: unknown
  readonly next_payment_attempt?: unknown
  readonly customer_email?: unknown
  readonly customer_name?: unknown
  readonly billing_reason?: unknown
  readonly paid?: unknown
  readonly number?: unknown
  readonly period_end?: unknown
}

export type InvoicePayment = Common & {
  readonly status?: unknown
  readonly payment?: Nested<{ readonly payment_intent?: unknown; readonly charge?: unknown }>
  readonly status_transitions?: Nested<{ readonly paid_at?: unknown }>
  readonly invoice?: unknown
  readonly amount_paid?: unknown
  readonly amount_requested?: unknown
  readonly currency?: unknown
}

export type Intent = Common & {
  readonly status?: unknown
  readonly charges?: Listed<Charge>
  readonly amount_received?: unknown
  readonly latest_charge?: unknown
  readonly invoice?: unknown
  readonly customer?: unknown
  readonly amount?: unknown
  readonly currency?: unknown
  readonly receipt_email?: unknown
  readonly last_payment_error?: unknown
}

export type Charge = Common & {
  readonly status?: unknown
  readonly billing_details?: Nested<{ readonly email?: unknown; readonly name?: unknown }>
  readonly payment_method_details?: Nested<{ readonly card?: Nested<Card> }>
  readonly refunds?: Listed<Refund>
  readonly paid?: unknown
  readonly captured?: unknown
  readonly payment_intent?: unknown
  readonly invoice?: unknown
  readonly customer?: unknown
  readonly amount?: unknown
  readonly amount_refunded?: unknown
  readonly currency?: unknown
  readonly receipt_email?: unknown
}

export type Card = {
  readonly exp_month?: unknown
  readonly exp_year?: unknown
}

export type Refund = Common & {
  readonly status?: unknown
  readonly charge?: unknown
  readonly payment_intent?: unknown
  readonly amount?: unknown
  readonly currency?: unknown
}

export type Dispute = Common & {
  readonly status?: unknown
  readonly evidence_details?: Nested<{ readonly due_by?: unknown }>
  readonly charge?: unknown
  readonly payment_intent?: unknown
  readonly amount?: unknown
  readonly currency?: unknown
}

export type Session = Common & {
  readonly status?: unknown
  readonly line_items?: Listed<Line>
  readonly payment_intent?: Nested<Intent>
  readonly subscription?: Nested<Subscription>
  readonly customer_details?: Nested<{ readonly email?: unknown; readonly name?: unknown }>
  readonly invoice?: unknown
  readonly customer?: unknown
  readonly amount_total?: unknown
  readonly currency?: unknown
  readonly customer_email?: unknown
  readonly payment_status?: unknown
  readonly mode?: unknown
  readonly url?: unknown
  readonly expires_at?: unknown
}

export type Endpoint = {
  readonly url?: unknown
  readonly status?: unknown
  readonly enabled_events?: unknown
}

/** A page of a list. */
export type ListAnswer<T> = {
  readonly data?: Listed<T>
  readonly has_more?: unknown
}

export type PortalSession = {
  readonly url?: unknown
}

/** Answer of a preview, with the end of the paid time. */
export type Preview = {
  readonly invoice?: Nested<Invoice>
  readonly paidEnd?: unknown
  readonly note?: unknown
}

/** A subscription with its payment methods. */
export type PayerAnswer = {
  readonly status?: unknown
  readonly default_payment_method?: Nested<object>
  readonly customer?: Nested<{
    readonly invoice_settings?: Nested<{ readonly default_payment_method?: Nested<object> }>
  }>
}

/** An event, thin or whole. */
export type StripeEvent = Common & {
  readonly type?: unknown
  readonly data?: Nested<{ readonly object?: Nested<Common>; readonly previous_attributes?: unknown }>
  readonly related_object?: Nested<{ readonly type?: unknown; readonly id?: unknown }>
  readonly request?: Nested<{ readonly idempotency_key?: unknown }>
}

/** The wrapping of an event by EventBridge. */
export type Envelope = StripeEvent & {
  readonly detail?: Nested<StripeEvent>
}

/** A price as the catalogue lists it. */
export type CatalogueEntry = Price & {
  readonly nickname?: unknown
  readonly type?: unknown
  readonly lookup_key?: unknown
  readonly active?: unknown
}
