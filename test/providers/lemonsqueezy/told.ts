import type { Expected, ProviderCase } from '../case.ts'
import { lemonBook, lemonEvent, lemonInvoice, lemonOrder, lemonSubscription } from './events.ts'

const link: Expected = {
  type: 'money',
  kind: 'link',
  id: '401',
  stage: 'updated',
  data: {
    refs: [
      { kind: 'payment', id: '501' },
      { kind: 'subscription', id: '401' },
    ],
    subscription_id: '401',
    state: 'pending',
  },
}

function subscription(data: Extract<Expected, { type: 'subscription' }>['data']): Expected[] {
  return [{ type: 'subscription', id: '401', stage: 'updated', data }, link]
}

type MoneyFields = Extract<Expected, { type: 'money' }>['data']

function order(data: MoneyFields, stage: 'created' | 'updated' = 'updated'): Expected {
  return {
    type: 'money',
    kind: 'payment',
    id: '901',
    stage,
    data,
  }
}

function buyer(stage: 'created' | 'updated' = 'updated'): Expected {
  return {
    type: 'customer',
    id: '301',
    stage,
    data: { id: '301', email: 'ann@example.com', name: 'Ann Example', deleted: false },
  }
}

function bill(data: MoneyFields): Expected {
  return {
    type: 'money',
    kind: 'payment',
    part: 'bill',
    id: 'inv_901',
    stage: 'updated',
    data,
  }
}

function refund(amount: number): Expected {
  return {
    type: 'money',
    kind: 'refund',
    id: 'inv_901',
    stage: 'updated',
    data: {
      refs: [{ kind: 'payment', id: 'inv_901', part: 'bill' }],
      amount,
      currency: 'EUR',
      state: 'succeeded',
    },
  }
}

const end = '2026-04-01T00:00:00.000000Z'
const free = { mode: 'free', resumes_at: '2026-05-01T00:00:00Z' }
const none = { cancel_at_period_end: false, cancel_at: null, ended_at: null, resumes_at: null }

// Source: https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object
const statuses = [
  ['on_trial', {}, { status: 'trialing', provider_status: 'on_trial', ...none, current_period_end: end }],
  ['active', {}, { status: 'active', provider_status: null, ...none, current_period_end: end }],
  // Then the date is that of the next try.
  ['past_due', {}, { status: 'past_due', provider_status: null, ...none, current_period_end: null }],
  ['unpaid', {}, { status: 'unpaid', provider_status: null, ...none, current_period_end: null }],
  [
    'cancelled',
    { cancelled: true, ends_at: end },
    {
      status: 'active',
      provider_status: 'cancelled',
      cancel_at_period_end: true,
      cancel_at: end,
      canceled_at: null,
      ended_at: null,
      current_period_end: end,
    },
  ],
  [
    'cancelled',
    { cancelled: true, ends_at: null },
    { ...none, status: 'canceled', provider_status: 'cancelled', current_period_end: null },
  ],
  [
    'expired',
    { ends_at: end },
    { ...none, status: 'expired', provider_status: null, ended_at: end, current_period_end: end },
  ],
  [
    'paused',
    { pause: { ...free, mode: 'void' } },
    {
      ...none,
      status: 'active',
      provider_status: 'paused',
      paused_at: '2026-04-01T00:00:00.000000Z',
      resumes_at: '2026-05-01T00:00:00Z',
    },
  ],
  ['paused', { pause: null }, { ...none, status: 'paused', provider_status: null }],
  ['paused', { pause: free }, { ...none, status: 'active', provider_status: 'paused', paused_at: null }],
  ['frozen', {}, { ...none, status: 'incomplete', provider_status: 'frozen' }],
] as const

// Source: https://docs.lemonsqueezy.com/api/orders/the-order-object
const orders = [
  ['pending', {}, { state: 'pending', amount_refunded: 0 }],
  ['paid', {}, { state: 'paid', amount_refunded: 0 }],
  ['failed', {}, { state: 'failed' }],
  ['fraudulent', {}, { state: 'failed' }],
  ['refunded', { refunded: true, refunded_amount: 3000 }, { state: 'paid', amount_refunded: 3000 }],
  ['refunded', { refunded: true, refunded_amount: undefined }, { state: 'paid', amount_refunded: 3000 }],
  ['partial_refund', { refunded: true, refunded_amount: 500 }, { state: 'paid', amount_refunded: 500 }],
  ['paid', { refunded: false, refunded_amount: '100' }, { state: 'paid', amount_refunded: 100 }],
  ['paid', { total: '3000' }, { state: 'paid', amount: 3000 }],
  ['paid', { total: '30.00', currency: 'euro' }, { state: 'paid', amount: undefined, currency: null }],
] as const

/** What no public payload shows. */
export const told: NonNullable<ProviderCase['told']> = [
  ...statuses.map(
    ([status, fields, wanted]) =>
      [
        `a subscription that is ${status} with ${JSON.stringify(fields)}`,
        lemonEvent('subscription_updated', lemonSubscription({ status, ...fields })),
        subscription({ ...wanted }),
      ] as const,
  ),
  ...'cancelled resumed expired paused unpaused'
    .split(' ')
    .map(
      (happened) =>
        [
          `subscription_${happened} has the whole subscription`,
          lemonEvent(`subscription_${happened}`, lemonSubscription()),
          subscription({ status: 'active', price_id: '1001', quantity: 1 }),
        ] as const,
    ),
  [
    'a trial has no price yet, and is sold at its variant',
    lemonEvent(
      'subscription_updated',
      lemonSubscription({
        status: 'on_trial',
        trial_ends_at: '2026-03-15T00:00:00.000000Z',
        first_subscription_item: null,
      }),
    ),
    subscription({ trial_ends_at: '2026-03-15T00:00:00.000000Z', price_id: '1001', quantity: null }),
  ],
  ...orders.map(
    ([status, fields, wanted]) =>
      [
        `an order that is ${status} with ${JSON.stringify(fields)}`,
        lemonEvent('order_refunded', lemonBook({ status, ...fields })),
        [order({ ...wanted, purpose: 'unknown' }), buyer()],
      ] as const,
  ),
  [
    'our intent makes the order its page, too',
    lemonEvent('order_created', lemonBook(), { membership_intent: 'int_1', seats: 3 }),
    [
      order({ state: 'paid', metadata: { membership_intent: 'int_1' } }, 'created'),
      {
        type: 'money',
        kind: 'checkout',
        id: '901',
        stage: 'created',
        data: {
          refs: [{ kind: 'payment', id: '901' }],
          intent_id: 'int_1',
          checkout_status: 'complete',
          amount: 3000,
          purpose: 'unknown',
        },
      },
      buyer('created'),
    ],
  ],
  [
    'a renewal is a payment of its own',
    lemonEvent('subscription_payment_success', lemonInvoice({ billing_reason: 'renewal' })),
    [
      bill({
        refs: [{ kind: 'subscription', id: '401' }],
        subscription_id: '401',
        purpose: 'recurring',
        state: 'paid',
        amount: 1200,
      }),
    ],
  ],
  [
    'a payment that failed is still asked for',
    lemonEvent('subscription_payment_failed', lemonInvoice({ status: 'pending', billing_reason: 'renewal' })),
    [bill({ state: 'pending', paid_at: undefined })],
  ],
  [
    'one that succeeded after all is paid',
    lemonEvent('subscription_payment_recovered', lemonInvoice({ billing_reason: 'renewal' })),
    [bill({ state: 'paid' })],
  ],
  [
    'an invoice that cannot be paid any more failed',
    lemonEvent('subscription_payment_failed', lemonInvoice({ status: 'void' })),
    [bill({ state: 'failed' })],
  ],
  [
    'an invoice that was given back in full',
    lemonEvent('subscription_payment_refunded', lemonInvoice({ status: 'refunded', refunded_amount: 1200 })),
    [bill({ state: 'paid' }), refund(1200)],
  ],
  [
    'an invoice of which a part was given back',
    lemonEvent(
      'subscription_payment_refunded',
      lemonInvoice({ status: 'partial_refund', refunded_amount: 200 }),
    ),
    [bill({ state: 'paid', amount: 1200 }), refund(200)],
  ],
  [
    'an invoice that names no subscription is one all the same',
    lemonEvent('subscription_payment_success', lemonInvoice({ subscription_id: null })),
    [bill({ refs: [], purpose: 'recurring', subscription_id: undefined })],
  ],
  [
    'an object of another kind than the message tells of says nothing',
    lemonEvent('order_created', { ...lemonOrder(), type: 'subscription-invoices' }),
    [],
  ],
  [
    'a kind of message that is not known says nothing',
    lemonEvent('subscription_plan_changed', lemonSubscription()),
    [],
  ],
]
