import type { Listed, Nested } from '../narrow.ts'

// The field names of Chargebee's objects, as far as they are read here: https://apidocs.chargebee.com/docs/api

/** Objects of an event, an answer, or an entry of a list: side by side, each under its kind. */
export type Content = {
  readonly customer?: Nested<Customer>
  readonly subscription?: Nested<Subscription>
  readonly subscriptions?: Listed<Subscription>
  readonly invoice?: Nested<Invoice>
  readonly transaction?: Nested<Transaction>
  readonly ramp?: Nested<{ readonly subscription_id?: unknown }>
  readonly credit_note?: Nested<CreditNote>
  readonly hosted_page?: Nested<HostedPage>
  readonly portal_session?: Nested<{ readonly access_url?: unknown }>
  readonly coupon?: Nested<{ readonly status?: unknown }>
  readonly coupon_code?: Nested<{ readonly status?: unknown }>
  readonly item_price?: Nested<ItemPrice>
  readonly webhook_endpoint?: Nested<Endpoint>
  readonly event?: unknown
  readonly estimate?: Nested<Estimate>
}

/** Revision of an object. */
export type Revised = {
  readonly resource_version?: unknown
  readonly updated_at?: unknown
  readonly deleted?: unknown
}

/** Currency of an amount. */
export type Priced = {
  readonly currency_code?: unknown
}

export type Customer = Revised & {
  readonly id?: unknown
  readonly first_name?: unknown
  readonly last_name?: unknown
  readonly email?: unknown
  readonly company?: unknown
}

export type Subscription = Revised &
  Priced & {
    readonly id?: unknown
    readonly subscription_items?: Listed<SubscriptionItem>
    readonly addons?: Listed<Addon>
    readonly has_scheduled_changes?: unknown
    readonly customer_id?: unknown
    readonly meta_data?: unknown
    readonly status?: unknown
    readonly due_invoices_count?: unknown
    readonly billing_period_unit?: unknown
    readonly billing_period?: unknown
    readonly started_at?: unknown
    readonly created_at?: unknown
    readonly trial_end?: unknown
    readonly plan_id?: unknown
    readonly plan_quantity?: unknown
    readonly plan_unit_price?: unknown
    readonly trial_start?: unknown
    readonly current_term_start?: unknown
    readonly current_term_end?: unknown
    readonly cancelled_at?: unknown
    readonly cancel_schedule_created_at?: unknown
    readonly pause_date?: unknown
    readonly resume_date?: unknown
    readonly changes_scheduled_at?: unknown
  }

export type SubscriptionItem = {
  readonly item_price_id?: unknown
  readonly item_type?: unknown
  readonly quantity?: unknown
  readonly unit_price?: unknown
}

/** Add-on of the older product catalogue. */
export type Addon = {
  readonly id?: unknown
  readonly quantity?: unknown
  readonly unit_price?: unknown
}

export type Invoice = Revised &
  Priced & {
    readonly id?: unknown
    readonly line_items?: Listed<InvoiceLine>
    readonly customer_id?: unknown
    readonly status?: unknown
    readonly amount_due?: unknown
    readonly paid_at?: unknown
    readonly date?: unknown
    readonly next_retry_at?: unknown
    readonly subscription_id?: unknown
    readonly recurring?: unknown
    readonly amount_paid?: unknown
    readonly total?: unknown
  }

export type InvoiceLine = {
  readonly entity_id?: unknown
  readonly quantity?: unknown
  readonly entity_type?: unknown
  readonly subscription_id?: unknown
}

export type Transaction = Revised &
  Priced & {
    readonly id?: unknown
    readonly linked_credit_notes?: Listed<LinkedNote>
    readonly linked_invoices?: Listed<{ readonly invoice_id?: unknown }>
    readonly type?: unknown
    readonly amount?: unknown
    readonly status?: unknown
    readonly reversal_transaction_id?: unknown
  }

export type LinkedNote = {
  readonly cn_id?: unknown
  readonly cn_reference_invoice_id?: unknown
  readonly applied_amount?: unknown
}

export type CreditNote = {
  readonly linked_refunds?: Listed<{ readonly txn_id?: unknown }>
}

export type HostedPage = {
  readonly id?: unknown
  readonly content?: Nested<Content>
  readonly pass_thru_content?: unknown
  readonly type?: unknown
  readonly expires_at?: unknown
  readonly state?: unknown
  readonly url?: unknown
}

export type ItemPrice = Priced & {
  readonly id?: unknown
  readonly item_type?: unknown
  readonly period_unit?: unknown
  readonly external_name?: unknown
  readonly name?: unknown
  readonly pricing_model?: unknown
  readonly price?: unknown
  readonly period?: unknown
  readonly item_id?: unknown
  readonly status?: unknown
  readonly trial_period?: unknown
  readonly trial_period_unit?: unknown
}

export type Endpoint = {
  readonly url?: unknown
  readonly enabled_events?: unknown
  readonly disabled?: unknown
}

export type Estimate = {
  readonly invoice_estimate?: Nested<InvoiceEstimate>
  readonly credit_note_estimates?: Listed<CreditEstimate>
  readonly subscription_estimate?: Nested<SubscriptionEstimate>
}

export type InvoiceEstimate = Priced & {
  readonly line_items?: Listed<EstimateLine>
  readonly amount_due?: unknown
  readonly total?: unknown
}

export type CreditEstimate = {
  readonly line_items?: Listed<EstimateLine>
  readonly total?: unknown
}

export type SubscriptionEstimate = Priced & {
  readonly next_billing_at?: unknown
}

export type EstimateLine = {
  readonly amount?: unknown
  readonly description?: unknown
  readonly entity_id?: unknown
}

export type WebhookEvent = {
  readonly event_type?: unknown
  readonly id?: unknown
  readonly content?: unknown
  readonly occurred_at?: unknown
}

export type ListAnswer = {
  readonly list?: Listed<Content>
}

/** A change of a subscription. */
export type ItemsUpdate = {
  readonly subscription_items?: readonly Partial<SubscriptionItem>[]
  readonly replace_items_list?: unknown
}
