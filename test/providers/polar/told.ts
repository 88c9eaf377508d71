import { type Expected, type ProviderCase, paidOn } from '../case.ts'
import {
  polarBook,
  polarCheckout,
  polarCustomer,
  polarEvent,
  polarOrder,
  polarRefund,
  polarSubscription,
} from './events.ts'

const at = '2026-03-02T12:00:00Z'

const ann: Expected = {
  type: 'customer',
  id: 'cus_1',
  stage: 'updated',
  data: { id: 'cus_1', email: 'ann@example.com', name: 'Ann Example', deleted: false },
}

/** The page on which it was bought, named by every message about it. */
const page: Expected = {
  type: 'money',
  kind: 'link',
  id: 'chk_1',
  stage: 'updated',
  data: {
    refs: [
      { kind: 'checkout', id: 'chk_1' },
      { kind: 'subscription', id: 'sub_1' },
    ],
    subscription_id: 'sub_1',
    state: 'pending',
  },
}

function subscription(data: Extract<Expected, { type: 'subscription' }>['data']): Expected[] {
  return [ann, { type: 'subscription', id: 'sub_1', stage: 'updated', data }, page]
}

function payment(id: string, data: Extract<Expected, { type: 'money' }>['data']): Expected[] {
  return [ann, { type: 'money', kind: 'payment', id, stage: 'updated', data }]
}

const statuses = [
  ['incomplete', 'incomplete', null],
  ['incomplete_expired', 'expired', 'incomplete_expired'],
  ['trialing', 'trialing', null],
  ['active', 'active', null],
  ['past_due', 'past_due', null],
  ['unpaid', 'unpaid', null],
  ['paused', 'paused', null],
  ['canceled', 'canceled', null],
  ['suspended_by_aliens', 'incomplete', 'suspended_by_aliens'],
] as const

/** Source: https://polar.sh/docs/api-reference and its list of webhook events. */
export const told: NonNullable<ProviderCase['told']> = [
  ...statuses.map(
    ([word, status, provider_status]) =>
      [
        `a subscription that is ${word} is ${status} here`,
        polarEvent('subscription.updated', at, polarSubscription({ status: word })),
        subscription({ status, provider_status }),
      ] as const,
  ),
  [
    'a cancelled subscription is open until it ends',
    polarEvent(
      'subscription.canceled',
      at,
      polarSubscription({
        cancel_at_period_end: true,
        canceled_at: '2026-03-02T09:30:00Z',
        ends_at: '2026-04-01T00:00:00Z',
      }),
    ),
    subscription({
      status: 'active',
      cancel_at_period_end: true,
      cancel_at: '2026-04-01T00:00:00Z',
      canceled_at: '2026-03-02T09:30:00Z',
      ended_at: null,
    }),
  ],
  [
    'a pause that is planned begins with the next period',
    polarEvent(
      'subscription.updated',
      at,
      polarSubscription({ pause_at_period_end: true, resumes_at: '2026-06-01T00:00:00Z' }),
    ),
    subscription({
      status: 'active',
      paused_at: '2026-04-01T00:00:00Z',
      resumes_at: '2026-06-01T00:00:00Z',
    }),
  ],
  [
    'an update that waits for the next period is scheduled',
    polarEvent(
      'subscription.updated',
      at,
      polarSubscription({
        seats: 3,
        amount: 3600,
        pending_update: {
          id: 'pu_1',
          applies_at: '2026-04-01T00:00:00Z',
          product_id: 'prod_max',
          seats: null,
        },
      }),
    ),
    subscription({
      price_id: 'prod_pro_monthly',
      quantity: 3,
      unit_amount: 1200,
      scheduled_change: { price_id: 'prod_max', quantity: 3, at: '2026-04-01T00:00:00Z' },
    }),
  ],
  [
    // `WebhookSubscriptionMigratedPayload` of @polar-sh/sdk 1.0: "once the subscription is live on Polar".
    'a subscription that Polar takes over from another provider is one of Polar’s',
    polarEvent('subscription.migrated', at, polarSubscription({ status: 'active' })),
    subscription({ status: 'active', provider_status: null }),
  ],
  [
    'a subscription’s happening that nobody has documented says nothing',
    polarEvent('subscription.transferred', at, polarSubscription()),
    [],
  ],
  [
    'seats and members of a customer say nothing',
    polarEvent('customer_seat.claimed', at, { id: 'seat_1', customer_id: 'cus_1' }),
    [],
  ],
  [
    'an order of a subscription says nothing of the old copy in it',
    polarEvent('order.updated', at, polarOrder()),
    payment('ord_1', {
      purpose: 'recurring',
      subscription_id: 'sub_1',
      refs: [
        { kind: 'subscription', id: 'sub_1' },
        { kind: 'checkout', id: 'chk_1' },
      ],
      amount: 1200,
      currency: 'EUR',
      state: 'paid',
    }),
  ],
  [
    'an order for a reason that nobody knows opens nothing',
    polarEvent('order.paid', at, polarBook({ billing_reason: 'lottery' })),
    [...payment('ord_2', { purpose: 'unknown', state: 'paid' }), paidOn('ord_2', at)],
  ],
  [
    'a purchase of what is billed again and again is none of something once',
    polarEvent('order.paid', at, polarBook({ product: { id: 'prod_book', is_recurring: true } })),
    [...payment('ord_2', { purpose: 'recurring', state: 'paid' }), paidOn('ord_2', at)],
  ],
  [
    'a draft asks for nothing',
    polarEvent('order.created', at, polarBook({ status: 'draft', paid: false })),
    [ann],
  ],
  [
    'an order that was voided failed',
    polarEvent('order.updated', at, polarBook({ status: 'void', paid: false })),
    payment('ord_2', { state: 'failed', amount: 3000 }),
  ],
  [
    'an order that a balance paid in part went back whole',
    polarEvent(
      'order.refunded',
      at,
      polarBook({
        status: 'refunded',
        applied_balance_amount: -500,
        due_amount: 2500,
        refunded_amount: 2021,
      }),
    ),
    payment('ord_2', { state: 'paid', amount: 2500, amount_refunded: 2500 }),
  ],
  [
    'a refund goes back with its tax, when it is done',
    polarEvent('refund.updated', at, polarRefund({ status: 'pending' })),
    [
      {
        type: 'money',
        kind: 'refund',
        id: 'ref_1',
        stage: 'updated',
        data: { refs: [{ kind: 'payment', id: 'ord_2' }], amount: 3000, currency: 'EUR', state: 'pending' },
      },
    ],
  ],
  [
    'a page for buyers that we began says so',
    polarEvent('checkout.updated', at, polarCheckout({ status: 'confirmed' })),
    [
      {
        type: 'money',
        kind: 'checkout',
        id: 'chk_1',
        stage: 'updated',
        data: {
          intent_id: 'int_1',
          checkout_status: 'open',
          state: 'pending',
          purpose: 'recurring',
          customer_id: 'cus_1',
          price_id: 'prod_pro_monthly',
          amount: 1200,
          email: 'ann@example.com',
        },
      },
    ],
  ],
  [
    'a customer’s copy counts by its own revision',
    polarEvent('order.paid', at, {
      ...polarOrder({ status: 'draft' }),
      customer: polarCustomer({ created_at: null }),
    }),
    [],
  ],
]
