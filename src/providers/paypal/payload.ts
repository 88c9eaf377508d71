import type { Fields, Listed, Nested } from '../narrow.ts'

// The field names of PayPal's objects, as far as they are read here: https://developer.paypal.com/api/rest/

/** Type of each kind of object that concerns purchases. */
export type PayPalObjects = {
  readonly subscription: Subscription
  readonly order: Order
  readonly capture: Paid
  readonly sale: Paid
  readonly refund: Refund
  readonly reversal: Refund
  readonly dispute: Dispute
}

/** Moments of an object. */
export type Revised = Fields<'create_time' | 'update_time' | 'status_update_time'>

/** Amount: `{ value, currency_code }` in version 2, `{ total, currency }` before. */
export type Amount = Fields<'value' | 'currency_code' | 'total' | 'currency'>

/** Addresses of related objects and pages. */
export type Linked = {
  readonly links?: Listed<Fields<'rel' | 'href'>>
}

/** Text that a purchase keeps: `custom_id` today, `custom` before. */
export type Noted = Fields<'custom_id' | 'custom'>

/** State of an object: `status` today, `state` before. */
export type Stated = Fields<'status' | 'state'>

export type Person = Fields<'payer_id' | 'email_address'> & {
  readonly name?: Nested<PersonName>
  readonly address?: Nested<Address>
  readonly shipping_address?: Nested<{ readonly address?: Nested<Address> }>
}

/** `admin_area_1` is the state: https://developer.paypal.com/docs/api/orders/v2/#definition-address_portable */
export type Address = Fields<'country_code' | 'admin_area_1'>

export type PersonName = Fields<'given_name' | 'surname' | 'full_name'>

export type Subscription = Revised &
  Noted &
  Linked &
  Stated &
  Fields<'id' | 'start_time' | 'plan_id' | 'status_change_note' | 'quantity' | 'plan_overridden'> & {
    readonly subscriber?: Nested<Person>
    readonly billing_info?: Nested<BillingInfo>
    readonly plan?: Nested<Plan>
    readonly shipping_amount?: Nested<Amount>
  }

export type BillingInfo = Fields<'next_billing_time' | 'failed_payments_count'> & {
  readonly outstanding_balance?: Nested<Amount>
  readonly last_payment?: Nested<
    Fields<'time'> & {
      readonly amount?: Nested<Amount>
    }
  >
  readonly last_failed_payment?: Nested<
    Fields<'time'> & {
      readonly amount?: Nested<Amount>
    }
  >
  readonly cycle_executions?: Listed<CycleExecution>
}

export type CycleExecution = Fields<'tenure_type' | 'cycles_completed' | 'cycles_remaining'>

export type Plan = Fields<'id' | 'name' | 'product_id' | 'status'> & {
  readonly billing_cycles?: Listed<BillingCycle>
}

export type BillingCycle = Fields<'tenure_type' | 'total_cycles'> & {
  readonly frequency?: Nested<Frequency>
  readonly pricing_scheme?: Nested<{ readonly fixed_price?: Nested<Amount> }>
}

export type Frequency = Fields<'interval_unit' | 'interval_count'>

/** A subscription of the older API. */
export type Agreement = Revised &
  Fields<'start_date' | 'id' | 'status' | 'state'> & {
    readonly agreement_details?: Nested<AgreementDetails>
    readonly payer?: Nested<{ readonly payer_info?: Nested<PayerInfo> }>
    readonly plan?: Nested<AgreementPlan>
  }

export type AgreementDetails = Fields<
  'last_payment_date' | 'next_billing_date' | 'failed_payment_count' | 'num_cycles_completed'
>

export type PayerInfo = Fields<'payer_id' | 'email' | 'first_name' | 'last_name'>

export type AgreementPlan = Fields<'curr_code'> & {
  readonly payment_definitions?: Listed<PaymentDefinition>
}

export type PaymentDefinition = Fields<'type' | 'frequency' | 'frequency_interval'> & {
  readonly amount?: Nested<Amount>
}

/** A capture, or a sale of the older API: money that was paid. */
export type Paid = Revised &
  Noted &
  Linked &
  Stated &
  Fields<'id' | 'billing_agreement_id' | 'payment_mode'> & {
    readonly amount?: Nested<Amount>
    readonly supplementary_data?: Nested<{ readonly related_ids?: Nested<Fields<'order_id'>> }>
  }

export type Refund = Revised &
  Linked &
  Stated &
  Fields<'id' | 'sale_id' | 'capture_id'> & {
    readonly amount?: Nested<Amount>
  }

export type Dispute = Revised &
  Fields<'dispute_id' | 'seller_response_due_date' | 'dispute_life_cycle_stage' | 'status'> & {
    readonly dispute_amount?: Nested<Amount>
    readonly dispute_outcome?: Nested<Fields<'outcome_code'>>
    readonly disputed_transactions?: Listed<Fields<'seller_transaction_id'>>
  }

export type Order = Revised &
  Linked &
  Stated &
  Fields<'id'> & {
    readonly payer?: Nested<Person>
    readonly payment_source?: Nested<PaymentSource>
    readonly purchase_units?: Listed<PurchaseUnit>
  }

export type PaymentSource = {
  readonly paypal?: Nested<PayPalAccount>
}

export type PayPalAccount = Person & Fields<'account_id'>

/** Use of a stored payment method. */
export type StoredCredential = Fields<'payment_type'>

export type PurchaseUnit = Noted & {
  readonly amount?: Nested<Amount>
  readonly items?: Listed<OrderItem>
  readonly payments?: Nested<{ readonly captures?: Listed<Paid>; readonly refunds?: Listed<Refund> }>
}

export type OrderItem = Fields<'sku' | 'quantity'>

export type Endpoint = Fields<'id' | 'url'> & {
  readonly event_types?: Listed<Fields<'name' | 'status'>>
}

export type WebhookEvent = Fields<'event_type' | 'id' | 'resource' | 'create_time'>

/** Answers that are lists. */
export type ListAnswer = Linked &
  Fields<'total_pages'> & {
    readonly plans?: Listed<Plan>
    readonly subscriptions?: Listed<Subscription>
    readonly webhooks?: Listed<Endpoint>
    readonly events?: Listed<WebhookEvent>
  }

export type Token = Fields<'access_token' | 'expires_in' | 'error'>

export type Verification = Fields<'verification_status'>

export type ErrorAnswer = Fields<'name' | 'error'> & {
  readonly details?: Listed<Fields<'issue' | 'field'>>
}
