import { type Expected, type ProviderCase, paidOn } from '../case.ts'
import { dodoBook, dodoDispute, dodoEvent, dodoPayment, dodoRefund, dodoSubscription } from './events.ts'

const at = '2026-03-02T12:00:00Z'
const intent = { membership_intent: 'int_1' }

function subscription(data: Extract<Expected, { type: 'subscription' }>['data']): Expected {
  return {
    type: 'subscription',
    id: 'sub_1',
    stage: 'updated',
    data,
  }
}

function money(
  kind: 'payment' | 'checkout' | 'refund' | 'dispute',
  id: string,
  data: Extract<Expected, { type: 'money' }>['data'],
): Expected {
  return { type: 'money', kind, id, stage: 'updated', data }
}

const ann: Expected = {
  type: 'customer',
  id: 'cus_1',
  stage: 'updated',
  data: { id: 'cus_1', email: 'ann@example.com', name: 'Ann Example', deleted: false },
}

const statuses = [
  ['pending', 'incomplete', 'pending'],
  ['active', 'active', null],
  ['on_hold', 'past_due', 'on_hold'],
  ['past_due', 'past_due', null],
  ['paused', 'paused', null],
  ['cancelled', 'canceled', 'cancelled'],
  ['failed', 'expired', 'failed'],
  ['expired', 'expired', null],
  ['adored', 'incomplete', 'adored'],
] as const

const disputes = [
  ['dispute', 'dispute_opened', 'open'],
  ['dispute', 'dispute_challenged', 'open'],
  ['dispute', 'dispute_won', 'won'],
  ['dispute', 'dispute_misplaced', 'open'],
  ['pre_dispute', 'dispute_opened', 'pending'],
  ['pre_dispute', 'dispute_accepted', 'lost'],
  ['pre_arbitration', 'dispute_opened', 'open'],
] as const

/** Source: https://docs.dodopayments.com/api-reference and its guide to webhook events. */
export const told: NonNullable<ProviderCase['told']> = [
  ...statuses.map(
    ([word, status, provider_status]) =>
      [
        `a subscription that is ${word} is ${status} here`,
        dodoEvent('subscription.updated', at, dodoSubscription({ status: word })),
        [subscription({ status, provider_status })],
      ] as const,
  ),
  ...disputes.map(
    ([dispute_stage, dispute_status, state]) =>
      [
        `${dispute_status} in ${dispute_stage} is ${state}`,
        dodoEvent('dispute.opened', at, dodoDispute({ dispute_stage, dispute_status })),
        [money('dispute', 'dp_1', { refs: [{ kind: 'payment', id: 'pay_2' }], amount: 3000, state })],
      ] as const,
  ),
  [
    'a dispute that a network settled took the money',
    dodoEvent('dispute.opened', at, dodoDispute({ dispute_stage: 'pre_dispute', is_resolved_by_rdr: true })),
    [money('dispute', 'dp_1', { state: 'lost' })],
  ],
  [
    'a cancelled subscription is open until it is billed no more',
    dodoEvent(
      'subscription.cancelled',
      at,
      dodoSubscription({ cancel_at_next_billing_date: true, cancelled_at: '2026-03-02T09:30:00Z' }),
    ),
    [
      subscription({
        status: 'active',
        cancel_at_period_end: true,
        cancel_at: '2026-04-01T00:00:00Z',
        canceled_at: '2026-03-02T09:30:00Z',
        ended_at: null,
      }),
    ],
  ],
  [
    'the far end of a term is no cancellation',
    dodoEvent('subscription.updated', at, dodoSubscription()),
    [subscription({ cancel_at: null, cancel_at_period_end: false })],
  ],
  [
    'a trial runs until the first payment',
    dodoEvent(
      'subscription.active',
      at,
      dodoSubscription({ trial_period_days: 14, next_billing_date: '2026-03-15T00:03:00Z' }),
    ),
    [
      subscription({
        status: 'trialing',
        provider_status: 'active',
        trial_ends_at: '2026-03-15T00:00:00.118Z',
      }),
    ],
  ],
  [
    'after the first payment the trial is over',
    dodoEvent(
      'subscription.renewed',
      at,
      dodoSubscription({ trial_period_days: 14, next_billing_date: '2026-04-15T00:03:00Z' }),
    ),
    [subscription({ status: 'active', trial_ends_at: '2026-03-15T00:00:00.118Z' })],
  ],
  [
    'additions are sold beside the product, and a change waits for its moment',
    dodoEvent(
      'subscription.updated',
      at,
      dodoSubscription({
        quantity: 2,
        addons: [{ addon_id: 'adn_1', quantity: 3 }],
        scheduled_change: { effective_at: '2026-04-01T00:00:00Z', product_id: 'pdt_max', quantity: 1 },
      }),
    ),
    [
      subscription({
        price_id: 'pdt_pro_monthly',
        quantity: 2,
        unit_amount: null,
        items: [
          {
            id: null,
            price_id: 'pdt_pro_monthly',
            product_id: 'pdt_pro_monthly',
            quantity: 2,
            current_period_start: '2026-03-01T00:00:00.118Z',
            current_period_end: '2026-04-01T00:00:00Z',
          },
          {
            id: null,
            price_id: 'adn_1',
            product_id: 'adn_1',
            quantity: 3,
            current_period_start: '2026-03-01T00:00:00.118Z',
            current_period_end: '2026-04-01T00:00:00Z',
          },
        ],
        scheduled_change: { price_id: 'pdt_max', quantity: 1, at: '2026-04-01T00:00:00Z' },
      }),
    ],
  ],
  [
    'a subscription that we began says so, and its payments do not repeat it',
    dodoEvent('subscription.active', at, dodoSubscription({ metadata: intent })),
    [
      subscription({ status: 'active', metadata: intent }),
      money('checkout', 'sub_1', {
        intent_id: 'int_1',
        checkout_status: 'complete',
        state: 'paid',
        purpose: 'recurring',
        subscription_id: 'sub_1',
        refs: [{ kind: 'subscription', id: 'sub_1' }],
        email: 'ann@example.com',
      }),
    ],
  ],
  [
    'a subscription without a mandate is a page that expired',
    dodoEvent('subscription.failed', at, dodoSubscription({ status: 'failed', metadata: intent })),
    [
      subscription({ status: 'expired' }),
      money('checkout', 'sub_1', { intent_id: 'int_1', checkout_status: 'expired', state: 'pending' }),
    ],
  ],
  [
    'a payment of a subscription is no page',
    dodoEvent('payment.succeeded', at, dodoPayment({ metadata: intent })),
    [
      ann,
      money('payment', 'pay_1', {
        purpose: 'recurring',
        subscription_id: 'sub_1',
        state: 'paid',
        amount: 1200,
      }),
      paidOn('pay_1', at),
    ],
  ],
  [
    'a try that failed leaves the page open',
    dodoEvent('payment.failed', at, dodoBook({ status: 'failed', metadata: intent })),
    [
      ann,
      money('payment', 'pay_2', { purpose: 'one_time', state: 'failed' }),
      money('checkout', 'pay_2', {
        intent_id: 'int_1',
        checkout_status: 'open',
        state: 'pending',
        refs: [{ kind: 'payment', id: 'pay_2' }],
      }),
    ],
  ],
  [
    'a payment of which nobody says what it is for opens nothing',
    dodoEvent('payment.succeeded', at, dodoBook({ product_cart: null })),
    [ann, money('payment', 'pay_2', { purpose: 'unknown', state: 'paid' }), paidOn('pay_2', at)],
  ],
  [
    'what is captured in part is not paid',
    dodoEvent('payment.processing', at, dodoBook({ status: 'partially_captured' })),
    [ann, money('payment', 'pay_2', { state: 'pending' })],
  ],
  [
    'a payment that went back in full says so without an amount',
    dodoEvent(
      'payment.succeeded',
      at,
      dodoBook({
        refund_status: 'full',
        refunds: [{ refund_id: 'ref_1', amount: null, status: 'succeeded', is_partial: false }],
      }),
    ),
    [
      ann,
      money('payment', 'pay_2', { state: 'paid', amount: 3000, amount_refunded: 3000 }),
      paidOn('pay_2', at),
    ],
  ],
  [
    'another card is no payment',
    dodoEvent('payment.succeeded', at, dodoPayment({ is_update_payment_method: true, total_amount: 0 })),
    [],
  ],
  [
    'a refund under review waits',
    dodoEvent('refund.succeeded', at, dodoRefund({ status: 'review', amount: null })),
    [money('refund', 'ref_1', { state: 'pending', amount: undefined as never })],
  ],
  [
    'a disputed amount may be a decimal number',
    dodoEvent('dispute.opened', at, dodoDispute({ amount: '29.99' })),
    [money('dispute', 'dp_1', { amount: 2999, currency: 'EUR', state: 'open' })],
  ],
  [
    'a disputed amount without a point is in minor units, of a currency without decimals, too',
    dodoEvent('dispute.opened', at, dodoDispute({ amount: '3000', currency: 'JPY' })),
    [money('dispute', 'dp_1', { amount: 3000, currency: 'JPY', state: 'open' })],
  ],
  [
    'dunning says nothing by itself',
    dodoEvent('dunning.started', at, { subscription_id: 'sub_1', status: 'recovering' }),
    [],
  ],
]
