import type { Expected } from '../case.ts'

// Worked out by hand from each payload and Dodo's API reference, not recorded from the code.

type SubscriptionFields = Extract<Expected, { type: 'subscription' }>['data']

function own(name: string): string {
  return `${name}--dodopayments-cli.json`
}

const product = { price_id: 'pdt_test', product_id: 'pdt_test', quantity: 1 }
const period = {
  current_period_start: '2026-03-20T10:15:30.123Z',
  current_period_end: '2026-04-20T10:15:30.123Z',
}

function subscription(data: SubscriptionFields = {}): Expected {
  return {
    type: 'subscription',
    id: 'sub_test',
    stage: 'updated',
    contact: { email: 'test@example.com', name: 'Test user', place: 'elsewhere' },
    data: {
      customer_id: 'cus_test',
      ...product,
      items: [{ id: null, ...product, ...period }],
      status: 'active',
      provider_status: null,
      currency: 'USD',
      unit_amount: 400,
      interval: 'month',
      interval_count: 1,
      started_at: '2026-03-20T10:15:30.123Z',
      trial_ends_at: null,
      ...period,
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      resumes_at: null,
      scheduled_change: null,
      metadata: { user_id: 'user_test' },
      ...data,
    },
  }
}

// Whatever its type says, its status says that it was paid: the body is of when it is delivered.
const payment: readonly Expected[] = [
  {
    type: 'customer',
    id: 'cus_test',
    stage: 'updated',
    data: { id: 'cus_test', email: 'test@example.com', name: 'Test user', deleted: false },
  },
  {
    type: 'money',
    kind: 'payment',
    id: 'pay_test',
    stage: 'updated',
    data: {
      refs: [],
      purpose: 'one_time',
      customer_id: 'cus_test',
      price_id: 'pdt_test',
      items: [product],
      quantity: 1,
      amount: 400,
      amount_refunded: 0,
      currency: 'USD',
      state: 'paid',
      paid_at: '2026-03-20T10:15:30.123Z',
      metadata: {},
    },
  },
]

const refund: Expected = {
  type: 'money',
  kind: 'refund',
  id: 'ref_test',
  stage: 'updated',
  data: { refs: [{ kind: 'payment', id: 'pay_test' }], amount: 400, currency: 'USD', state: 'succeeded' },
}

function dispute(state: 'open' | 'won' | 'lost'): Expected {
  return {
    type: 'money',
    kind: 'dispute',
    id: 'dp_test',
    stage: 'updated',
    data: { refs: [{ kind: 'payment', id: 'pay_test' }], amount: 400, currency: 'USD', state },
  }
}

/** By the payload's file name. */
export const expected: Record<string, readonly Expected[]> = {
  'abandoned_checkout.detected--dodopayments-typescript.json': [],
  [own('license_key.created')]: [],
  [own('dispute.opened')]: [dispute('open')],
  [own('dispute.accepted')]: [dispute('lost')],
  [own('dispute.cancelled')]: [dispute('won')],
  // Nobody answered in time.
  [own('dispute.expired')]: [dispute('lost')],
  [own('dispute.lost')]: [dispute('lost')],
  [own('payment.succeeded')]: payment,
  [own('payment.failed')]: payment,
  [own('payment.cancelled')]: payment,
  [own('refund.succeeded')]: [refund],
  [own('refund.failed')]: [refund],
  [own('subscription.renewed')]: [subscription()],
  [own('subscription.updated')]: [subscription()],
  [own('subscription.plan_changed')]: [subscription()],
  [own('subscription.cancelled')]: [
    subscription({
      status: 'canceled',
      provider_status: 'cancelled',
      canceled_at: '2026-03-20T10:15:30.123Z',
      ended_at: '2026-03-20T10:15:30.123Z',
    }),
  ],
  // No mandate could be made, and the far end of the term is not said.
  [own('subscription.failed')]: [subscription({ status: 'expired', provider_status: 'failed' })],
  [own('subscription.expired')]: [subscription({ status: 'expired' })],
}
