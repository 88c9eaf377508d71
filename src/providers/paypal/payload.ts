import type { Listed, Nested } from '../narrow.ts'

// The field names of PayPal's objects, as far as they are read here: https://developer.paypal.com/api/rest/

/** Type of each kind of object that concerns purchases. */
export type PayPalObjects = {
  readonly subscription: Subscription
  readonly order: Order
  readonly capture: Paid
  readonly sale: Paid
  readonly refund: Refund
  readonly dispute: Dispute
}

/** Moments of an object. */
export type Revised = {
  readonly create_time?: unknown
  readonly update_time?: unknown
  readonly status_update_time?: unknown
}

/** Amount: `{ value, currency_code }` in version 2, `{ total, currency }` before. */
export type Money = {
  readonly value?: unknown
  readonly currency_code?: unknown
  readonly total?: unknown
  readonly currency?: unknown
}

/** Addresses of related objects and pages. */
export type Linked = {
  readonly links?: Listed<{ readonly rel?: unknown; readonly href?: unknown }>
}

/** Text that a purchase keeps: `custom_id` today, `custom` before. */
export type Noted = {
  readonly custom_id?: unknown
  readonly custom?: unknown
}

/** State of an object: `status` today, `state` before. */
export type Stated = {
  readonly status?: unknown
  readonly state?: unknown
}

export type Person = {
  readonly payer_id?: unknown
  readonly email_address?: unknown
  readonly name?: Nested<PersonName>
}

export type PersonName = {
  readonly given_name?: unknown
  readonly surname?: unknown
  readonly full_name?: unknown
}

export type Subscription = Revised &
  Noted &
  Linked &
  Stated & {
    readonly id?: unknown
    readonly subscriber?: Nested<Person>
    readonly billing_info?: Nested<BillingInfo>
    readonly plan?: Nested<Plan>
    readonly shipping_amount?: Nested<Money>
    readonly start_time?: unknown
    readonly plan_id?: unknown
    readonly status_change_note?: unknown
    readonly quantity?: unknown
  }

export type BillingInfo = {
  readonly outstanding_balance?: Nested<Money>
  readonly last_payment?: Nested<{ readonly time?: unknown; readonly amount?: Nested<Money> }>
  readonly cycle_executions?: Listed<CycleExecution>
  readonly next_billing_time?: unknown
  readonly failed_payments_count?: unknown
}

export type CycleExecution = {
  readonly tenure_type?: unknown
  readonly cycles_completed?: unknown
  readonly cycles_remaining?: unknown
}

export type Plan = {
  readonly id?: unknown
  readonly billing_cycles?: Listed<BillingCycle>
  readonly name?: unknown
  readonly product_id?: unknown
  readonly status?: unknown
}

export type BillingCycle = {
  readonly tenure_type?: unknown
  readonly frequency?: Nested<Frequency>
  readonly pricing_scheme?: Nested<{ readonly fixed_price?: Nested<Money> }>
  readonly total_cycles?: unknown
}

export type Frequency = {
  readonly interval_unit?: unknown
  readonly interval_count?: unknown
}

/** A subscription of the older API. */
export type Agreement = Revised & {
  readonly start_date?: unknown
  readonly id?: unknown
  readonly status?: unknown
  readonly state?: unknown
  readonly agreement_details?: Nested<AgreementDetails>
  readonly payer?: Nested<{ readonly payer_info?: Nested<PayerInfo> }>
  readonly plan?: Nested<AgreementPlan>
}

export type AgreementDetails = {
  readonly last_payment_date?: unknown
  readonly next_billing_date?: unknown
  readonly failed_payment_count?: unknown
  readonly num_cycles_completed?: unknown
}

export type PayerInfo = {
  readonly payer_id?: unknown
  readonly email?: unknown
  readonly first_name?: unknown
  readonly last_name?: unknown
}

export type AgreementPlan = {
  readonly curr_code?: unknown
  readonly payment_definitions?: Listed<PaymentDefinition>
}

export type PaymentDefinition = {
  readonly type?: unknown
  readonly amount?: Nested<Money>
  readonly frequency?: unknown
  readonly frequency_interval?: unknown
}

/** A capture, or a sale of the older API: money that was paid. */
export type Paid = Revised &
  Noted &
  Linked &
  Stated & {
    readonly id?: unknown
    readonly amount?: Nested<Money>
    readonly supplementary_data?: Nested<{ readonly related_ids?: Nested<{ readonly order_id?: unknown }> }>
    readonly billing_agreement_id?: unknown
  }

export type Refund = Revised &
  Linked &
  Stated & {
    readonly id?: unknown
    readonly amount?: Nested<Money>
    readonly sale_id?: unknown
    readonly capture_id?: unknown
  }

export type Dispute = Revised & {
  readonly dispute_id?: unknown
  readonly dispute_amount?: Nested<Money>
  readonly dispute_outcome?: Nested<{ readonly outcome_code?: unknown }>
  readonly disputed_transactions?: Listed<{ readonly seller_transaction_id?: unknown }>
  readonly seller_response_due_date?: unknown
  readonly dispute_life_cycle_stage?: unknown
  readonly status?: unknown
}

export type Order = Revised &
  Linked &
  Stated & {
    readonly id?: unknown
    readonly payer?: Nested<Person>
    readonly payment_source?: Nested<PaymentSource>
    readonly purchase_units?: Listed<PurchaseUnit>
  }

export type PaymentSource = {
  readonly paypal?: Nested<PayPalAccount>
}

export type PayPalAccount = Person & {
  readonly account_id?: unknown
}

/** Use of a stored payment method. */
export type StoredCredential = {
  readonly payment_type?: unknown
}

export type PurchaseUnit = Noted & {
  readonly amount?: Nested<Money>
  readonly items?: Listed<OrderItem>
  readonly payments?: Nested<{ readonly captures?: Listed<Paid>; readonly refunds?: Listed<Refund> }>
}

export type OrderItem = {
  readonly sku?: unknown
  readonly quantity?: unknown
}

export type Endpoint = {
  readonly url?: unknown
  readonly event_types?: Listed<{ readonly name?: unknown; readonly status?: unknown }>
}

export type WebhookEvent = {
  readonly event_type?: unknown
  readonly id?: unknown
  readonly resource?: unknown
  readonly create_time?: unknown
}

/** Answers that are lists. */
export type ListAnswer = Linked & {
  readonly plans?: Listed<Plan>
  readonly subscriptions?: Listed<Subscription>
  readonly webhooks?: Listed<Endpoint>
  readonly events?: Listed<WebhookEvent>
  readonly total_pages?: unknown
}

export type Token = {
  readonly access_token?: unknown
  readonly expires_in?: unknown
  readonly error?: unknown
}

export type Verification = {
  readonly verification_status?: unknown
}

export type ErrorAnswer = {
  readonly name?: unknown
  readonly details?: Listed<{ readonly issue?: unknown; readonly field?: unknown }>
  readonly error?: unknown
}
