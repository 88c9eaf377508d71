import type { Grant } from '../../src/core/access/index.ts'
import {
  type Payment,
  type PaymentData,
  type Subscription,
  type SubscriptionData,
  toPayment,
  toSubscription,
} from '../../src/core/dto/index.ts'

// What a member holds, written by hand: what is left out is what says least.

const moment = '2026-01-01T00:00:00.000Z'

/** A subscription of `price_1` that began with the year. */
export function subscriptionWith(fields: Partial<SubscriptionData> = {}): Subscription {
  return toSubscription({
    id: 'sub_1',
    provider: 'acme',
    account: '',
    customer_id: null,
    price_id: 'price_1',
    product_id: null,
    quantity: null,
    items: [itemWith('price_1')],
    status: 'active',
    provider_status: null,
    currency: null,
    unit_amount: null,
    interval: null,
    interval_count: null,
    started_at: null,
    trial_ends_at: null,
    current_period_start: null,
    current_period_end: null,
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    paused_at: null,
    resumes_at: null,
    past_due_since: null,
    livemode: false,
    metadata: {},
    updated_at: moment,
    ...fields,
  })
}

/** One price of it. */
export function itemWith(price_id: string | null): SubscriptionData['items'][number] {
  return {
    id: null,
    price_id,
    product_id: null,
    quantity: null,
    current_period_start: null,
    current_period_end: null,
  }
}

/** A payment of 900 for `price_1`, bought once. */
export function paymentWith(fields: Partial<PaymentData> = {}): Payment {
  return toPayment({
    id: 'pay_1',
    provider: 'acme',
    account: '',
    customer_id: null,
    subscription_id: null,
    invoice_id: null,
    price_id: 'price_1',
    items: [],
    quantity: null,
    amount: 900,
    amount_refunded: 0,
    currency: null,
    status: 'paid',
    paid_at: null,
    invoice_url: null,
    livemode: false,
    metadata: {},
    updated_at: moment,
    purpose: 'one_time',
    ...fields,
  })
}

/** Access to `price_1`, given by hand and for ever. */
export function grantWith(fields: Partial<Grant> = {}): Grant {
  return {
    id: 'grant_1',
    gate: 'price_1',
    source: 'manual',
    reason: null,
    starts_at: null,
    expires_at: null,
    ...fields,
  }
}
