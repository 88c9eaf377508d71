import type { Fields, Listed, Nested } from '../narrow.ts'

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
export type Common = Fields<'id' | 'object' | 'livemode' | 'metadata' | 'created'>

export type Customer = Common &
  Fields<'email' | 'name' | 'deleted'> & {
    readonly address?: Nested<Address>
  }

export type Address = Fields<'country' | 'state'>

export type Subscription = Common &
  Fields<
    | 'status'
    | 'current_period_start'
    | 'current_period_end'
    | 'customer'
    | 'quantity'
    | 'start_date'
    | 'start'
    | 'trial_end'
    | 'cancel_at_period_end'
    | 'cancel_at'
    | 'canceled_at'
    | 'ended_at'
    | 'currency'
  > & {
    readonly cancellation_details?: Nested<Fields<'reason'>>
    readonly items?: Listed<Item>
    readonly plan?: Nested<Plan>
    readonly schedule?: Nested<Schedule>
    readonly pause_collection?: Nested<Fields<'resumes_at'>>
    readonly status_details?: Nested<{ readonly paused?: Nested<PauseDetails> }>
    readonly latest_invoice?: Nested<Invoice>
  }

export type PauseDetails = Fields<'transitioned_at'> & {
  readonly subscription?: Nested<Fields<'type'>>
}

/** The subscription of an invoice, with its metadata as it was then. */
export type SubscriptionDetails = Fields<'subscription' | 'metadata'>

/** Item of a subscription, or of a schedule's phase. */
export type Item = Fields<'id' | 'quantity' | 'current_period_start' | 'current_period_end'> & {
  readonly price?: Nested<Price>
  readonly plan?: Nested<Plan>
}

export type Price = Common &
  Fields<'currency' | 'unit_amount' | 'currency_options'> & {
    readonly product?: Nested<Product>
    readonly recurring?: Nested<Recurring>
  }

export type Recurring = Fields<'interval' | 'interval_count' | 'trial_period_days'>

/** Form of a price before API 2020-08-27. */
export type Plan = Fields<'product' | 'currency' | 'amount' | 'interval' | 'interval_count'>

export type Product = Fields<'name' | 'active'>

export type Schedule = Fields<'id' | 'subscription' | 'released_subscription'> & {
  readonly current_phase?: Nested<Fields<'start_date'>>
  readonly phases?: Listed<Phase>
}

export type Phase = Fields<'start_date'> & {
  readonly items?: Listed<Item>
}

/** Line of an invoice or a checkout. */
export type Line = Fields<'proration' | 'amount' | 'subscription' | 'quantity' | 'description' | 'type'> & {
  readonly period?: Nested<Fields<'start' | 'end'>>
  readonly price?: Nested<Price>
  readonly plan?: Nested<Plan>
  readonly pricing?: Nested<{
    readonly price_details?: Nested<Fields<'price' | 'product'>>
  }>
  readonly parent?: Nested<LineParent>
}

export type LineParent = {
  readonly subscription_item_details?: Nested<LineDetails>
  readonly invoice_item_details?: Nested<LineDetails>
}

export type LineDetails = Fields<'subscription' | 'proration'>

export type Invoice = Common &
  Fields<
    | 'subscription'
    | 'status'
    | 'payment_intent'
    | 'charge'
    | 'customer'
    | 'amount_paid'
    | 'amount_due'
    | 'total'
    | 'currency'
    | 'hosted_invoice_url'
    | 'next_payment_attempt'
    | 'attempted'
    | 'customer_email'
    | 'customer_name'
    | 'billing_reason'
    | 'paid'
    | 'number'
    | 'period_end'
    | 'due_date'
    | 'collection_method'
  > & {
    readonly lines?: Listed<Line>
    readonly payments?: Listed<InvoicePayment>
    readonly parent?: Nested<{ readonly subscription_details?: Nested<SubscriptionDetails> }>
    readonly subscription_details?: Nested<SubscriptionDetails>
    readonly status_transitions?: Nested<Fields<'paid_at'>>
    readonly customer_address?: Nested<Address>
  }

export type InvoicePayment = Common &
  Fields<'status' | 'invoice' | 'amount_paid' | 'amount_requested' | 'currency'> & {
    readonly payment?: Nested<Fields<'payment_intent' | 'charge'>>
    readonly status_transitions?: Nested<Fields<'paid_at'>>
  }

export type Intent = Common &
  Fields<
    | 'status'
    | 'amount_received'
    | 'latest_charge'
    | 'invoice'
    | 'customer'
    | 'amount'
    | 'currency'
    | 'receipt_email'
    | 'last_payment_error'
  > & {
    readonly charges?: Listed<Charge>
  }

export type Charge = Common &
  Fields<
    | 'status'
    | 'paid'
    | 'captured'
    | 'payment_intent'
    | 'invoice'
    | 'customer'
    | 'amount'
    | 'amount_refunded'
    | 'currency'
    | 'receipt_email'
  > & {
    readonly billing_details?: Nested<Fields<'email' | 'name'>>
    readonly payment_method_details?: Nested<{ readonly card?: Nested<Card> }>
    readonly refunds?: Listed<Refund>
  }

export type Card = Fields<'exp_month' | 'exp_year' | 'last4'>

export type Refund = Common & Fields<'status' | 'charge' | 'payment_intent' | 'amount' | 'currency'>

export type Dispute = Common &
  Fields<'status' | 'charge' | 'payment_intent' | 'amount' | 'currency'> & {
    readonly evidence_details?: Nested<Fields<'due_by'>>
  }

export type Session = Common &
  Fields<
    | 'status'
    | 'invoice'
    | 'customer'
    | 'amount_total'
    | 'currency'
    | 'customer_email'
    | 'payment_status'
    | 'mode'
    | 'url'
    | 'expires_at'
  > & {
    readonly line_items?: Listed<Line>
    readonly payment_intent?: Nested<Intent>
    readonly subscription?: Nested<Subscription>
    readonly customer_details?: Nested<Fields<'email' | 'name'> & { readonly address?: Nested<Address> }>
  }

export type Endpoint = Fields<'id' | 'url' | 'status' | 'enabled_events' | 'secret'>

/** A page of a list. */
export type ListAnswer<T> = Fields<'has_more'> & {
  readonly data?: Listed<T>
}

export type PortalSession = Fields<'url'>

/** Answer of a preview, with the end of the paid time. */
export type Preview = Fields<'paidEnd' | 'note'> & {
  readonly invoice?: Nested<Invoice>
}

/** A subscription with its payment methods. */
export type PayerAnswer = Fields<'status'> & {
  readonly default_payment_method?: Nested<object>
  readonly customer?: Nested<{
    readonly invoice_settings?: Nested<{ readonly default_payment_method?: Nested<object> }>
  }>
}

/** An event, thin or whole. */
export type StripeEvent = Common &
  Fields<'type'> & {
    readonly data?: Nested<
      Fields<'previous_attributes'> & {
        readonly object?: Nested<Common>
      }
    >
    readonly related_object?: Nested<Fields<'type' | 'id'>>
    readonly request?: Nested<Fields<'idempotency_key'>>
  }

/** The wrapping of an event by EventBridge. */
export type Envelope = StripeEvent & {
  readonly detail?: Nested<StripeEvent>
}

/** A price as the catalogue lists it. */
export type CatalogueEntry = Price & Fields<'nickname' | 'type' | 'lookup_key' | 'active' | 'tax_behavior'>
