import type { Fields, Listed, Nested } from '../narrow.ts'

// The field names of Chargebee's objects, as far as they are read here: https://apidocs.chargebee.com/docs/api

/** Objects of an event, an answer, or an entry of a list: side by side, each under its kind. */
export type Content = Fields<'event'> & {
  readonly customer?: Nested<Customer>
  readonly subscription?: Nested<Subscription>
  readonly subscriptions?: Listed<Subscription>
  readonly invoice?: Nested<Invoice>
  readonly transaction?: Nested<Transaction>
  readonly ramp?: Nested<Fields<'subscription_id'>>
  readonly credit_note?: Nested<CreditNote>
  readonly hosted_page?: Nested<HostedPage>
  readonly portal_session?: Nested<Fields<'access_url'>>
  readonly coupon?: Nested<Fields<'status'>>
  readonly coupon_code?: Nested<Fields<'status'>>
  readonly item_price?: Nested<ItemPrice>
  readonly webhook_endpoint?: Nested<Endpoint>
  readonly estimate?: Nested<Estimate>
}

/** Revision of an object. */
export type Revised = Fields<'resource_version' | 'updated_at' | 'deleted'>

/** Currency of an amount. */
export type Priced = Fields<'currency_code'>

export type Customer = Revised &
  Fields<'id' | 'first_name' | 'last_name' | 'email' | 'company'> & {
    readonly billing_address?: Nested<Fields<'country' | 'state_code' | 'state'>>
  }

export type Subscription = Revised &
  Priced &
  Fields<
    | 'id'
    | 'has_scheduled_changes'
    | 'customer_id'
    | 'meta_data'
    | 'status'
    | 'due_invoices_count'
    | 'billing_period_unit'
    | 'billing_period'
    | 'started_at'
    | 'created_at'
    | 'trial_end'
    | 'plan_id'
    | 'plan_quantity'
    | 'plan_unit_price'
    | 'trial_start'
    | 'current_term_start'
    | 'current_term_end'
    | 'cancelled_at'
    | 'cancel_reason'
    | 'cancel_schedule_created_at'
    | 'pause_date'
    | 'resume_date'
    | 'changes_scheduled_at'
  > & {
    readonly subscription_items?: Listed<SubscriptionItem>
    readonly addons?: Listed<Addon>
  }

export type SubscriptionItem = Fields<'item_price_id' | 'item_type' | 'quantity' | 'unit_price'>

/** Add-on of the older product catalogue. */
export type Addon = Fields<'id' | 'quantity' | 'unit_price'>

export type Invoice = Revised &
  Priced &
  Fields<
    | 'id'
    | 'customer_id'
    | 'status'
    | 'amount_due'
    | 'paid_at'
    | 'date'
    | 'next_retry_at'
    | 'subscription_id'
    | 'recurring'
    | 'amount_paid'
    | 'total'
    | 'due_date'
    | 'net_term_days'
    | 'first_invoice'
  > & {
    readonly line_items?: Listed<InvoiceLine>
    readonly linked_payments?: Listed<Fields<'txn_status' | 'txn_date'>>
  }

export type InvoiceLine = Fields<
  'entity_id' | 'quantity' | 'entity_type' | 'subscription_id' | 'date_from' | 'date_to' | 'amount'
>

export type Transaction = Revised &
  Priced &
  Fields<'id' | 'type' | 'amount' | 'status' | 'reversal_transaction_id'> & {
    readonly linked_credit_notes?: Listed<LinkedNote>
    readonly linked_invoices?: Listed<Fields<'invoice_id'>>
  }

export type LinkedNote = Fields<'cn_id' | 'cn_reference_invoice_id' | 'applied_amount'>

export type CreditNote = {
  readonly linked_refunds?: Listed<Fields<'txn_id'>>
}

export type HostedPage = Fields<'id' | 'pass_thru_content' | 'type' | 'expires_at' | 'state' | 'url'> & {
  readonly content?: Nested<Content>
}

export type ItemPrice = Priced &
  Fields<
    | 'id'
    | 'item_type'
    | 'period_unit'
    | 'external_name'
    | 'name'
    | 'pricing_model'
    | 'price'
    | 'period'
    | 'item_id'
    | 'status'
    | 'trial_period'
    | 'trial_period_unit'
  >

export type Endpoint = Fields<'id' | 'url' | 'enabled_events' | 'disabled'>

export type Estimate = {
  readonly invoice_estimate?: Nested<InvoiceEstimate>
  readonly credit_note_estimates?: Listed<CreditEstimate>
  readonly subscription_estimate?: Nested<SubscriptionEstimate>
}

export type InvoiceEstimate = Priced &
  Fields<'amount_due' | 'total'> & {
    readonly line_items?: Listed<EstimateLine>
  }

export type CreditEstimate = Fields<'total'> & {
  readonly line_items?: Listed<EstimateLine>
}

export type SubscriptionEstimate = Priced & Fields<'next_billing_at'>

export type EstimateLine = Fields<'amount' | 'description' | 'entity_id'>

export type WebhookEvent = Fields<'event_type' | 'id' | 'content' | 'occurred_at'>

export type ListAnswer = {
  readonly list?: Listed<Content>
}

/** A change of a subscription. */
export type ItemsUpdate = Fields<'replace_items_list'> & {
  readonly subscription_items?: readonly Partial<SubscriptionItem>[]
}
