import { type Expected, type ProviderCase, paidOn } from '../case.ts'
import {
  paypalCapture,
  paypalDispute,
  paypalEvent,
  paypalOrder,
  paypalRefund,
  paypalSale,
  paypalSubscription,
  usd,
} from './events.ts'

const at = '2026-03-02T12:00:00Z'

type SubscriptionFields = Extract<Expected, { type: 'subscription' }>['data']
type MoneyFields = Extract<Expected, { type: 'money' }>['data']

function subscription(data: SubscriptionFields): Expected {
  return {
    type: 'subscription',
    id: 'I-SUB1',
    stage: 'updated',
    data,
  }
}
function money(kind: 'payment' | 'refund' | 'dispute' | 'checkout', id: string, data: MoneyFields): Expected {
  return {
    type: 'money',
    kind,
    id,
    stage: 'updated',
    data,
  }
}
const ann: Expected = {
  type: 'customer',
  id: 'PAYERANN',
  stage: 'updated',
  data: { id: 'PAYERANN', email: 'ann@example.com', name: 'Ann Example', deleted: false },
}

const statuses = [
  ['APPROVAL_PENDING', 0, 'incomplete', 'APPROVAL_PENDING'],
  ['APPROVED', 0, 'incomplete', 'APPROVED'],
  ['ACTIVE', 0, 'active', null],
  ['ACTIVE', 1, 'past_due', 'ACTIVE'],
  ['SUSPENDED', 0, 'paused', 'SUSPENDED'],
  ['SUSPENDED', 3, 'unpaid', 'SUSPENDED'],
  // The last charge of a limited plan was made, and pays until the day that it names.
  ['EXPIRED', 0, 'active', 'EXPIRED'],
  ['SUSPENDED_BY_ALIENS', 0, 'incomplete', 'SUSPENDED_BY_ALIENS'],
] as const

const cancelled = { status: 'CANCELLED', status_update_time: '2026-03-10T09:00:00Z' }
const monthly = {
  plan: {
    billing_cycles: [
      {
        tenure_type: 'REGULAR',
        frequency: { interval_unit: 'MONTH', interval_count: 1 },
        pricing_scheme: { fixed_price: usd('12.00') },
      },
    ],
  },
}
const closed = { status: 'canceled', cancel_at: null, ended_at: '2026-03-10T09:00:00Z' } as const
const noDate = { next_billing_time: undefined }

const ended: NonNullable<ProviderCase['told']> = [
  [
    'a cancelled subscription is open until the end of the month that was paid',
    paypalEvent(
      'BILLING.SUBSCRIPTION.CANCELLED',
      at,
      paypalSubscription({ ...cancelled, ...monthly }, noDate),
    ),
    [
      subscription({
        status: 'active',
        provider_status: 'CANCELLED',
        cancel_at_period_end: true,
        cancel_at: '2026-04-01T00:00:00.000Z',
        canceled_at: '2026-03-10T09:00:00Z',
        ended_at: null,
        unit_amount: 1200,
        interval: 'month',
      }),
    ],
  ],
  [
    'one of which nobody says how long a period is ends at once',
    paypalEvent('BILLING.SUBSCRIPTION.CANCELLED', at, paypalSubscription(cancelled, noDate)),
    [subscription(closed)],
  ],
  [
    'one whose last payment failed ends at once',
    paypalEvent(
      'BILLING.SUBSCRIPTION.CANCELLED',
      at,
      paypalSubscription({ ...cancelled, ...monthly }, { ...noDate, failed_payments_count: 1 }),
    ),
    [subscription(closed)],
  ],
  [
    'one that was paid for an earlier month ends at once',
    paypalEvent(
      'BILLING.SUBSCRIPTION.CANCELLED',
      at,
      paypalSubscription(
        { ...cancelled, ...monthly },
        { ...noDate, last_payment: { amount: usd('12.0'), time: '2026-01-31T00:00:00Z' } },
      ),
    ),
    [subscription(closed)],
  ],
]

const team = {
  plan_id: 'P-TEAM',
  plan: {
    billing_cycles: [
      {
        tenure_type: 'REGULAR',
        frequency: { interval_unit: 'MONTH', interval_count: 1 },
        pricing_scheme: { fixed_price: usd('25.00') },
      },
    ],
  },
  custom_id: 'membership_intent=in_1;membership_held=P-PRO-MONTHLY*1@2026-04-01T10:00:00.000Z',
}
function updated(fields: Record<string, unknown>, billing: Record<string, unknown>) {
  return paypalEvent('BILLING.SUBSCRIPTION.UPDATED', at, paypalSubscription(fields, billing))
}
function lastPaid(value: string, time: string) {
  return { last_payment: { amount: usd(value), time } }
}

const noted: NonNullable<ProviderCase['told']> = [
  [
    'a plan that was agreed to here waits until what is paid has ended',
    updated(team, lastPaid('12.0', '2026-03-01T10:00:00Z')),
    [
      subscription({
        price_id: 'P-PRO-MONTHLY',
        scheduled_change: { price_id: 'P-TEAM', quantity: 1, at: '2026-04-01T10:00:00.000Z' },
      }),
      money('checkout', 'I-SUB1', { intent_id: 'in_1' }),
    ],
  ],
  [
    'it counts with its first payment, and not with another of what was before',
    updated(team, lastPaid('12.0', '2026-04-01T09:58:00Z')),
    [subscription({ price_id: 'P-PRO-MONTHLY' }), money('checkout', 'I-SUB1', { state: 'paid' })],
  ],
  [
    'paid, it is what the subscription has',
    updated(team, lastPaid('25.0', '2026-04-01T09:58:00Z')),
    [
      subscription({ price_id: 'P-TEAM', unit_amount: 2500, scheduled_change: null }),
      money('checkout', 'I-SUB1', { state: 'paid' }),
    ],
  ],
  [
    'a price that is raised later takes nothing back',
    updated(team, lastPaid('20.0', '2026-05-01T10:00:00Z')),
    [subscription({ price_id: 'P-TEAM' }), money('checkout', 'I-SUB1', { state: 'paid' })],
  ],
  [
    'one that was cancelled here is open until the day that was noted then',
    paypalEvent(
      'BILLING.SUBSCRIPTION.CANCELLED',
      at,
      paypalSubscription(
        { ...cancelled, status_change_note: 'membership: paid until 2026-04-01T10:00:00.000Z' },
        noDate,
      ),
    ),
    [subscription({ status: 'active', cancel_at: '2026-04-01T10:00:00.000Z', cancel_at_period_end: true })],
  ],
  [
    'free days before a later beginning are kept, however many',
    paypalEvent(
      'BILLING.SUBSCRIPTION.CANCELLED',
      at,
      paypalSubscription(
        {
          ...cancelled,
          ...monthly,
          start_time: '2026-06-01T10:00:00Z',
          status_change_note: 'membership: paid until 2026-06-01T10:00:00.000Z',
        },
        { ...noDate, last_payment: undefined, cycle_executions: [] },
      ),
    ),
    [subscription({ status: 'active', cancel_at: '2026-06-01T10:00:00.000Z' })],
  ],
  [
    'a day that nobody can have paid for is not believed',
    paypalEvent(
      'BILLING.SUBSCRIPTION.CANCELLED',
      at,
      paypalSubscription(
        { ...cancelled, ...monthly, status_change_note: 'membership: paid until 2030-01-01T00:00:00.000Z' },
        noDate,
      ),
    ),
    [subscription({ status: 'active', cancel_at: '2026-04-01T00:00:00.000Z' })],
  ],
  [
    'one that was ended here at once is over',
    paypalEvent(
      'BILLING.SUBSCRIPTION.CANCELLED',
      at,
      paypalSubscription(
        { ...cancelled, ...monthly, status_change_note: 'membership: ended at once' },
        noDate,
      ),
    ),
    [subscription(closed)],
  ],
  [
    'one that is active and not paid yet opens nothing',
    updated(
      {},
      {
        last_payment: undefined,
        cycle_executions: [{ tenure_type: 'REGULAR', sequence: 1, cycles_completed: 0 }],
      },
    ),
    [subscription({ status: 'incomplete', provider_status: 'ACTIVE' })],
  ],
]

/**
 * Source: https://developer.paypal.com/docs/api/subscriptions/v1/, …/orders/v2/, …/payments/v1/ and v2,
 * …/customer-disputes/v1/.
 */
export const told: NonNullable<ProviderCase['told']> = [
  ...statuses.map(
    ([word, failed, status, provider_status]) =>
      [
        `a subscription that is ${word} after ${failed} failed payments is ${status}`,
        paypalEvent(
          failed > 0 ? 'BILLING.SUBSCRIPTION.PAYMENT.FAILED' : 'BILLING.SUBSCRIPTION.UPDATED',
          at,
          paypalSubscription({ status: word }, { failed_payments_count: failed }),
        ),
        [subscription({ status, provider_status })],
      ] as const,
  ),
  ...ended,
  ...noted,
  [
    'a trial is one until its first regular period begins',
    paypalEvent(
      'BILLING.SUBSCRIPTION.ACTIVATED',
      at,
      paypalSubscription(
        {},
        {
          last_payment: undefined,
          cycle_executions: [
            { tenure_type: 'TRIAL', sequence: 1, cycles_completed: 1, cycles_remaining: 0, total_cycles: 1 },
            {
              tenure_type: 'REGULAR',
              sequence: 2,
              cycles_completed: 0,
              cycles_remaining: 0,
              total_cycles: 0,
            },
          ],
        },
      ),
    ),
    [subscription({ status: 'trialing', trial_ends_at: '2026-04-01T10:00:00Z' })],
  ],
  [
    'our own intent on a subscription is the page on which it was approved',
    paypalEvent(
      'BILLING.SUBSCRIPTION.ACTIVATED',
      at,
      paypalSubscription({ custom_id: 'membership_intent=in_1' }),
    ),
    [
      subscription({ metadata: { custom_id: 'membership_intent=in_1' } }),
      money('checkout', 'I-SUB1', {
        intent_id: 'in_1',
        checkout_status: 'complete',
        purpose: 'recurring',
        subscription_id: 'I-SUB1',
        email: 'ann@example.com',
      }),
    ],
  ],
  [
    'our own intent on an order is its page, and another’s text is none',
    paypalEvent('CHECKOUT.ORDER.COMPLETED', at, paypalOrder({}, { custom_id: 'membership_intent=in_2' })),
    [
      ann,
      {
        ...money('payment', 'ORDER1', { price_id: 'book', amount: 3000, purpose: 'one_time', state: 'paid' }),
        part: 'bill',
      } as Expected,
      money('checkout', 'ORDER1', {
        intent_id: 'in_2',
        checkout_status: 'complete',
        email: 'ann@example.com',
      }),
    ],
  ],
  [
    'an order that charges a kept card again is a subscription’s',
    paypalEvent(
      'CHECKOUT.ORDER.COMPLETED',
      at,
      paypalOrder({
        payment_source: {
          card: { stored_credential: { payment_initiator: 'MERCHANT', payment_type: 'RECURRING' } },
        },
      }),
    ),
    [ann, { ...money('payment', 'ORDER1', { purpose: 'recurring' }), part: 'bill' } as Expected],
  ],
  [
    'a sale without a subscription does not say what it was for',
    paypalEvent('PAYMENT.SALE.COMPLETED', at, paypalSale({ billing_agreement_id: 'B-1' })),
    [
      money('payment', 'SALE1', {
        purpose: undefined,
        subscription_id: undefined,
        amount: 1200,
        state: 'paid',
      }),
      paidOn('SALE1', at),
    ],
  ],
  [
    'a capture that waits is no money yet',
    paypalEvent('PAYMENT.CAPTURE.PENDING', at, paypalCapture({ status: 'PENDING' })),
    [money('payment', 'CAPTURE1', { state: 'pending', paid_at: undefined })],
  ],
  [
    'yen have no digits after the point, and a third digit of a dollar is no amount',
    paypalEvent(
      'PAYMENT.CAPTURE.COMPLETED',
      at,
      paypalCapture({ amount: { currency_code: 'JPY', value: '500' } }),
    ),
    [money('payment', 'CAPTURE1', { amount: 500, currency: 'JPY' }), paidOn('CAPTURE1', at)],
  ],
  [
    'a fraction that no coin has is no amount',
    paypalEvent('PAYMENT.CAPTURE.COMPLETED', at, paypalCapture({ amount: usd('7.4751') })),
    [
      money('payment', 'CAPTURE1', { amount: undefined, currency: 'USD', state: 'paid' }),
      paidOn('CAPTURE1', at),
    ],
  ],
  [
    'a sale that was taken back names its sale by the address',
    paypalEvent(
      'PAYMENT.SALE.REVERSED',
      at,
      paypalSale({
        amount: { total: '-12.00', currency: 'USD' },
        links: [{ rel: 'self', href: 'https://api.paypal.com/v1/payments/sale/SALE1' }],
      }),
    ),
    [
      money('refund', 'SALE1', {
        refs: [{ kind: 'payment', id: 'SALE1' }],
        amount: 1200,
        state: 'succeeded',
      }),
    ],
  ],
  [
    'a refund that waits has given nothing back',
    paypalEvent('PAYMENT.CAPTURE.REFUNDED', at, paypalRefund({ status: 'PENDING' })),
    [money('refund', 'REFUND1', { state: 'pending', amount: 3000 })],
  ],
  [
    'a refund that names no payment says nothing',
    paypalEvent('PAYMENT.SALE.REFUNDED', at, paypalRefund({ links: [] })),
    [],
  ],
  ...(
    [
      ['an inquiry claims nothing', { dispute_life_cycle_stage: 'INQUIRY' }, 'pending'],
      ['a claim is open', {}, 'open'],
      ...['RESOLVED_SELLER_FAVOUR', 'RESOLVED_WITH_PAYOUT', 'CANCELED_BY_BUYER', 'DENIED'].map(
        (outcome_code) =>
          [
            `${outcome_code} is won`,
            { status: 'RESOLVED', dispute_outcome: { outcome_code } },
            'won',
          ] as const,
      ),
      ...['RESOLVED_BUYER_FAVOUR', 'ACCEPTED'].map(
        (outcome_code) =>
          [
            `${outcome_code} is lost`,
            { status: 'RESOLVED', dispute_outcome: { outcome_code } },
            'lost',
          ] as const,
      ),
      [
        'an unknown outcome stays open',
        { status: 'RESOLVED', dispute_outcome: { outcome_code: 'X' } },
        'open',
      ],
    ] as const
  ).map(
    ([title, fields, state]) =>
      [
        `of a dispute, ${title}`,
        paypalEvent('CUSTOMER.DISPUTE.UPDATED', at, paypalDispute(fields)),
        [money('dispute', 'PP-D-1.CAPTURE1', { state, amount: 3000 })],
      ] as const,
  ),
]
