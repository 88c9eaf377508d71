import type { Expected } from '../case.ts'

// Worked out by hand from each payload and Polar's API reference, not recorded from the code.

type SubscriptionFields = Extract<Expected, { type: 'subscription' }>['data']
type MoneyFields = Extract<Expected, { type: 'money' }>['data']

function own(name: string): string {
  return `${name.replace(/(-\d)?$/, '--laravel-polar$1')}.json`
}

/** What says nothing about a member, and a page for buyers that we did not begin. */
const silent = [
  'benefit.created',
  'benefit.updated',
  'benefit_grant.created',
  'benefit_grant.revoked',
  'benefit_grant.updated',
  'checkout.created',
  'checkout.updated',
  'product.created',
  'product.updated',
  'unknown.event',
]

const product = { price_id: 'product_123', product_id: 'product_123', quantity: null }
const period = {
  current_period_start: '2026-01-01T00:00:00Z',
  current_period_end: '2026-01-15T00:00:00+00:00',
}

// Its customer has no address here, so that nothing is said about it.
function subscription(data: SubscriptionFields = {}, stage: 'created' | 'updated' = 'updated'): Expected {
  return {
    type: 'subscription',
    id: 'subscription_123',
    stage,
    data: {
      customer_id: '00000000-0000-0000-0000-000000000000',
      ...product,
      items: [{ id: null, ...product, ...period }],
      status: 'active',
      provider_status: null,
      // "placeholder" is no currency.
      currency: null,
      unit_amount: 0,
      interval: 'day',
      interval_count: 0,
      // Nobody says when it started.
      started_at: '2026-01-01T00:00:00Z',
      trial_ends_at: null,
      ...period,
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      resumes_at: null,
      scheduled_change: null,
      ...data,
    },
  }
}

function customer(stage: 'created' | 'updated' | 'deleted', names: object = {}): Expected {
  return {
    type: 'customer',
    id: 'customer_123',
    stage,
    data: {
      id: 'customer_123',
      email: 'test@example.com',
      name: 'Test User',
      deleted: stage === 'deleted',
      ...names,
    },
  }
}

/** Paid at once; in these payloads nothing was due. */
function order(data: MoneyFields = {}, stage: 'created' | 'updated' = 'created', id = 'order_123'): Expected {
  return {
    type: 'money',
    kind: 'payment',
    id,
    stage,
    data: {
      refs: [],
      purpose: 'one_time',
      customer_id: 'customer_123',
      price_id: 'product_123',
      items: [product],
      quantity: null,
      amount: 0,
      amount_refunded: 0,
      currency: 'USD',
      state: 'paid',
      paid_at: '2026-01-15T00:00:00+00:00',
      ...data,
    },
  }
}

const ended = { status: 'canceled' as const }

/** By the payload's file name. */
export const expected: Record<string, readonly Expected[]> = {
  ...Object.fromEntries(silent.map((name) => [own(name), []])),
  [own('customer.created')]: [customer('created')],
  [own('customer.updated')]: [customer('updated', { email: 'updated@example.com', name: 'Updated User' })],
  [own('customer.state_changed')]: [customer('updated')],
  [own('customer.deleted')]: [customer('deleted')],
  [own('order.created')]: [order()],
  [own('order.created-2')]: [order()],
  // Nothing that is sold here, so that it opens nothing.
  [own('order.created-3')]: [
    order(
      {
        customer_id: '00000000-0000-0000-0000-000000000000',
        price_id: undefined,
        items: undefined,
        quantity: undefined,
        currency: null,
        paid_at: '2026-01-01T00:00:00Z',
      } as object,
      'created',
      'order_no_product',
    ),
  ],
  // With its tax; in this payload more went back than was due.
  [own('order.updated')]: [order({ amount_refunded: 1100 }, 'updated')],
  [own('order.updated-2')]: [order({}, 'updated', 'nonexistent_order')],
  [own('subscription.created')]: [subscription({ customer_id: 'customer_123' }, 'created')],
  [own('subscription.created-2')]: [
    {
      ...subscription(
        { customer_id: 'customer_123', status: 'trialing', trial_ends_at: '2026-01-15T00:00:00Z' },
        'created',
      ),
      id: 'subscription_trial_123',
    } as Expected,
  ],
  [own('subscription.active')]: [subscription()],
  [own('subscription.updated')]: [
    subscription({
      status: 'past_due',
      price_id: 'product_456',
      product_id: 'product_456',
      items: [{ id: null, price_id: 'product_456', product_id: 'product_456', quantity: null, ...period }],
    }),
  ],
  [own('subscription.updated-2')]: [
    subscription({ status: 'trialing', trial_ends_at: '2026-01-15T00:00:00Z' }),
  ],
  [own('subscription.updated-3')]: [{ ...subscription(), id: 'nonexistent_subscription' } as Expected],
  // Its status counts, and not the moment for which its end was planned.
  [own('subscription.canceled')]: [subscription(ended)],
  [own('subscription.revoked')]: [subscription(ended)],
}
