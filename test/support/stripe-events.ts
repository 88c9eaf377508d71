import type { Provider, ProviderEvent } from '../../src/providers/contract.ts'
import { stripe } from '../../src/providers/stripe/index.ts'

// Objects as Stripe's API reference describes them, for what no public recording shows.

type Fields = Readonly<Record<string, unknown>>

/** 2026-03-01T00:00:00Z, where these objects begin. */
export const start = 1_772_323_200
export const month = 2_678_400

/** The real provider, with options as a site would write them. */
export function stripeProvider(
  options: { secret?: string; api_base?: string; webhook_tolerance?: number } = {},
  now: () => Date = () => new Date(start * 1000),
): Provider {
  return stripe.create({
    options: stripe.options.parse(options),
    livemode: null,
    now,
    randomId: () => 'id',
    store: {
      get: async () => null,
      put: async () => {},
      swap: async () => true,
      list: async () => [],
      clear: async () => {},
    },
    storedCustomer: async () => null,
    plans: () => [],
    webhookSecret: () => '',
    log: () => {},
  })
}

let counter = 0

/** One event body. Source: https://docs.stripe.com/api/events/object */
export function stripeEvent(
  type: string,
  object: Fields,
  options: { id?: string; created?: number; previous?: Fields; livemode?: boolean } = {},
) {
  return {
    id: options.id ?? `evt_made${++counter}`,
    object: 'event',
    api_version: '2025-10-29.clover',
    created: options.created ?? start,
    data: { object, ...(options.previous ? { previous_attributes: options.previous } : {}) },
    livemode: options.livemode ?? false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  }
}

/** An event as the bytes of a request. */
export function toBody(event: Fields): Buffer {
  return Buffer.from(JSON.stringify(event))
}

/** What the provider reads from an event. */
export function toProviderEvent(event: Fields): ProviderEvent {
  const [read] = stripeProvider().read({ body: toBody(event), headers: {} })
  if (read === undefined) throw new TypeError('nothing was read')
  return read
}

/** https://docs.stripe.com/api/prices/object */
export function priceObject(fields: Fields = {}) {
  return {
    id: 'price_gold',
    object: 'price',
    active: true,
    currency: 'eur',
    product: 'prod_gold',
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    type: 'recurring',
    unit_amount: 900,
    ...fields,
  }
}

/** https://docs.stripe.com/api/subscription_items/object */
export function subscriptionItem(fields: Fields = {}) {
  return {
    id: 'si_1',
    object: 'subscription_item',
    current_period_start: start,
    current_period_end: start + month,
    price: priceObject(),
    quantity: 1,
    subscription: 'sub_1',
    ...fields,
  }
}

/** https://docs.stripe.com/api/subscriptions/object, API 2025-03-31 or later: periods on the items. */
export function subscriptionObject(fields: Fields = {}) {
  return {
    id: 'sub_1',
    object: 'subscription',
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    created: start,
    currency: 'eur',
    customer: 'cus_1',
    ended_at: null,
    items: { object: 'list', data: [subscriptionItem()], has_more: false, total_count: 1 },
    latest_invoice: 'in_1',
    livemode: false,
    metadata: {},
    pause_collection: null,
    start_date: start,
    status: 'active',
    trial_end: null,
    trial_start: null,
    ...fields,
  }
}

/** https://docs.stripe.com/api/checkout/sessions/object */
export function checkoutObject(fields: Fields = {}) {
  return {
    id: 'cs_1',
    object: 'checkout.session',
    amount_total: 4900,
    created: start,
    currency: 'eur',
    customer: 'cus_1',
    customer_details: { email: 'ann@example.com', name: 'Ann' },
    expires_at: start + 86_400,
    invoice: null,
    livemode: false,
    metadata: { membership_intent: 'int_1', price_id: 'price_book' },
    mode: 'payment',
    payment_intent: 'pi_1',
    payment_status: 'paid',
    status: 'complete',
    subscription: null,
    ...fields,
  }
}

/** https://docs.stripe.com/api/charges/object */
export function chargeObject(fields: Fields = {}) {
  return {
    id: 'ch_1',
    object: 'charge',
    amount: 4900,
    amount_captured: 4900,
    amount_refunded: 0,
    billing_details: { email: 'ann@example.com', name: 'Ann' },
    captured: true,
    created: start,
    currency: 'eur',
    customer: 'cus_1',
    disputed: false,
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: 'pi_1',
    refunded: false,
    status: 'succeeded',
    ...fields,
  }
}

/** https://docs.stripe.com/api/payment_intents/object */
export function intentObject(fields: Fields = {}) {
  return {
    id: 'pi_1',
    object: 'payment_intent',
    amount: 4900,
    amount_received: 4900,
    created: start,
    currency: 'eur',
    customer: 'cus_1',
    last_payment_error: null,
    latest_charge: 'ch_1',
    livemode: false,
    metadata: {},
    status: 'succeeded',
    ...fields,
  }
}

/** https://docs.stripe.com/api/invoices/object, API 2025-03-31 or later. */
export function invoiceObject(fields: Fields = {}) {
  return {
    id: 'in_1',
    object: 'invoice',
    amount_due: 900,
    amount_paid: 900,
    created: start,
    currency: 'eur',
    customer: 'cus_1',
    customer_email: 'ann@example.com',
    customer_name: 'Ann',
    hosted_invoice_url: 'https://invoice.stripe.com/i/1',
    lines: {
      object: 'list',
      data: [
        {
          id: 'il_1',
          object: 'line_item',
          amount: 900,
          parent: {
            type: 'subscription_item_details',
            subscription_item_details: { proration: false, subscription: 'sub_1', subscription_item: 'si_1' },
          },
          pricing: { type: 'price_details', price_details: { price: 'price_gold', product: 'prod_gold' } },
          quantity: 1,
        },
      ],
    },
    livemode: false,
    metadata: {},
    parent: { type: 'subscription_details', subscription_details: { metadata: {}, subscription: 'sub_1' } },
    status: 'paid',
    status_transitions: { paid_at: start },
    total: 900,
    ...fields,
  }
}

/** https://docs.stripe.com/api/invoice-payment/object */
export function invoicePaymentObject(fields: Fields = {}) {
  return {
    id: 'inpay_1',
    object: 'invoice_payment',
    amount_paid: 900,
    amount_requested: 900,
    created: start,
    currency: 'eur',
    invoice: 'in_1',
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: 'pi_1' },
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: start },
    ...fields,
  }
}

/** https://docs.stripe.com/api/refunds/object; refunds do not say whether they are live. */
export function refundObject(fields: Fields = {}) {
  return {
    id: 're_1',
    object: 'refund',
    amount: 4900,
    charge: 'ch_1',
    created: start,
    currency: 'eur',
    metadata: {},
    payment_intent: 'pi_1',
    reason: null,
    status: 'succeeded',
    ...fields,
  }
}

/** https://docs.stripe.com/api/disputes/object */
export function disputeObject(fields: Fields = {}) {
  return {
    id: 'dp_1',
    object: 'dispute',
    amount: 4900,
    charge: 'ch_1',
    created: start,
    currency: 'eur',
    livemode: false,
    metadata: {},
    payment_intent: 'pi_1',
    reason: 'fraudulent',
    status: 'needs_response',
    ...fields,
  }
}

/** https://docs.stripe.com/api/customers/object */
export function customerObject(fields: Fields = {}) {
  return {
    id: 'cus_1',
    object: 'customer',
    created: start,
    email: 'ann@example.com',
    livemode: false,
    metadata: {},
    name: 'Ann',
    ...fields,
  }
}
