import type { Expected, ProviderCase } from '../case.ts'
import {
  bookOrder,
  creemBook,
  creemCheckout,
  creemDispute,
  creemEvent,
  creemRefund,
  creemSubscription,
  creemTransaction,
} from './events.ts'

const at = '2026-03-02T12:00:00Z'
const intent = { membership_intent: 'int_1' }

const ann: Expected = {
  type: 'customer',
  id: 'cust_1',
  stage: 'updated',
  data: { id: 'cust_1', email: 'ann@example.com', name: 'Ann Example', deleted: false },
}

function subscription(data: Extract<Expected, { type: 'subscription' }>['data']): Expected[] {
  return [ann, { type: 'subscription', id: 'sub_1', stage: 'updated', data }]
}

function money(
  kind: 'payment' | 'checkout' | 'refund' | 'dispute',
  id: string,
  data: Extract<Expected, { type: 'money' }>['data'],
  role: { part?: 'bill' } = {},
): Expected {
  return { type: 'money', kind, ...role, id, stage: 'updated', data }
}

const ofBook = [
  { kind: 'payment', id: 'tran_2' },
  { kind: 'payment', id: 'ord_2', part: 'bill' },
] as const

const statuses = [
  ['active', 'active', null],
  ['trialing', 'trialing', null],
  ['past_due', 'past_due', null],
  ['unpaid', 'unpaid', null],
  // Paid until its period ends.
  ['paused', 'active', 'paused'],
  ['canceled', 'canceled', null],
  ['scheduled_cancel', 'active', 'scheduled_cancel'],
  ['asleep', 'incomplete', 'asleep'],
] as const

const expiries = [
  ['active', 'past_due', 'active'],
  ['trialing', 'past_due', 'trialing'],
  ['scheduled_cancel', 'active', 'scheduled_cancel'],
  ['canceled', 'canceled', null],
] as const

/** Source: https://docs.creem.io/code/webhooks */
export const told: NonNullable<ProviderCase['told']> = [
  ...statuses.map(
    ([word, status, provider_status]) =>
      [
        `a subscription that is ${word} is ${status} here`,
        creemEvent('subscription.update', at, creemSubscription({ status: word })),
        subscription({ status, provider_status }),
      ] as const,
  ),
  ...expiries.map(
    ([word, status, provider_status]) =>
      [
        `a period that expired while ${word} is ${status}: its payment may be tried again`,
        creemEvent('subscription.expired', at, creemSubscription({ status: word })),
        subscription({ status, provider_status }),
      ] as const,
  ),
  [
    'an end that is planned is no end, and one that was taken back is none',
    creemEvent(
      'subscription.update',
      at,
      creemSubscription({ status: 'active', canceled_at: '2026-03-01T12:00:00.000Z' }),
    ),
    subscription({ status: 'active', cancel_at: null, canceled_at: null, ended_at: null }),
  ],
  [
    'what is billed every three months is so',
    creemEvent(
      'subscription.update',
      at,
      creemSubscription({
        product: { id: 'prod_quarter', price: 3000, currency: 'eur', billing_period: 'every-three-months' },
        customer: 'cust_1',
        items: [],
      }),
    ),
    [
      {
        type: 'subscription',
        id: 'sub_1',
        stage: 'updated',
        data: {
          customer_id: 'cust_1',
          price_id: 'prod_quarter',
          quantity: null,
          currency: 'EUR',
          unit_amount: 3000,
          interval: 'month',
          interval_count: 3,
        },
      },
    ],
  ],
  [
    'a payment of a subscription is its own, whatever order all of them share',
    creemEvent('subscription.paid', '2026-03-01T00:00:11.000Z', creemSubscription()),
    [
      ...subscription({ status: 'active', current_period_end: '2026-04-01T00:00:00.000Z' }),
      money('payment', 'tran_1', {
        refs: [{ kind: 'subscription', id: 'sub_1' }],
        purpose: 'recurring',
        subscription_id: 'sub_1',
        amount: 1428,
        currency: 'EUR',
        state: 'paid',
        paid_at: '2026-03-01T00:00:00.500Z',
      }),
    ],
  ],
  [
    'a payment that waits is not paid',
    creemEvent(
      'subscription.paid',
      at,
      creemSubscription({ last_transaction: creemTransaction({ status: 'pending' }) }),
    ),
    [...subscription({ status: 'active' }), money('payment', 'tran_1', { state: 'pending', amount: 1428 })],
  ],
  [
    'a page on which a subscription was bought opens nothing by itself',
    creemEvent('checkout.completed', at, creemCheckout()),
    [ann],
  ],
  [
    'a page that we began says so, of a subscription',
    creemEvent('checkout.completed', at, creemCheckout({ metadata: intent })),
    [
      ann,
      money('checkout', 'ch_1', {
        refs: [{ kind: 'subscription', id: 'sub_1' }],
        intent_id: 'int_1',
        checkout_status: 'complete',
        purpose: 'recurring',
        subscription_id: 'sub_1',
        state: 'paid',
        email: 'ann@example.com',
      }),
    ],
  ],
  [
    'a page that we began says so, of something bought once',
    creemEvent(
      'checkout.completed',
      at,
      creemBook({ metadata: intent, order: bookOrder({ status: 'pending' }) }),
    ),
    [
      ann,
      money(
        'payment',
        'ord_2',
        {
          purpose: 'one_time',
          state: 'pending',
          amount: 3000,
          refs: [
            { kind: 'payment', id: 'tran_2' },
            { kind: 'checkout', id: 'ch_2' },
          ],
        },
        { part: 'bill' },
      ),
      money('checkout', 'ch_2', { intent_id: 'int_1', purpose: 'one_time', state: 'pending' }),
    ],
  ],
  [
    'an order of which nobody says what it is for opens nothing',
    creemEvent(
      'checkout.completed',
      at,
      creemBook({ order: bookOrder({ type: undefined }), product: 'prod_book' }),
    ),
    [ann, money('payment', 'ord_2', { purpose: 'unknown', state: 'paid' }, { part: 'bill' })],
  ],
  [
    'a refund of something bought once names its transaction and its order',
    creemEvent('refund.created', at, creemRefund()),
    [money('refund', 'ref_1', { refs: ofBook, amount: 3000, currency: 'EUR', state: 'succeeded' })],
  ],
  [
    'a refund of a subscription’s payment is not of the order that all of them share',
    creemEvent(
      'refund.created',
      at,
      creemRefund({
        status: 'requiresAction',
        transaction: creemTransaction(),
        order: bookOrder({ id: 'ord_1', type: 'recurring' }),
        subscription: { id: 'sub_1', status: 'active' },
      }),
    ),
    [
      money('refund', 'ref_1', {
        refs: [
          { kind: 'payment', id: 'tran_1' },
          { kind: 'subscription', id: 'sub_1' },
        ],
        state: 'pending',
      }),
    ],
  ],
  [
    'a dispute is open',
    creemEvent('dispute.created', at, creemDispute()),
    [money('dispute', 'disp_1', { refs: ofBook, amount: 3000, currency: 'EUR', state: 'open' })],
  ],
  [
    'a payment that was canceled took nothing',
    creemEvent(
      'subscription.paid',
      at,
      creemSubscription({ last_transaction: creemTransaction({ status: 'canceled' }) }),
    ),
    [...subscription({ status: 'active' }), money('payment', 'tran_1', { state: 'failed', amount: 1428 })],
  ],
  ['credits say nothing', creemEvent('credits.granted', at, { id: 'cred_1', mode: 'test' }), []],
]
