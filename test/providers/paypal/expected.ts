import { type Expected, paidOn } from '../case.ts'

// Worked out by hand from each payload and PayPal's API reference, not recorded from the code.

type MoneyFields = Extract<Expected, { type: 'money' }>['data']

function money(
  kind: Extract<Expected, { type: 'money' }>['kind'],
  id: string,
  data: MoneyFields,
  part?: 'bill',
): Expected {
  return { type: 'money', kind, ...(part ? { part } : {}), id, stage: 'updated', data }
}

function order(id: string, capture: string, data: MoneyFields): Expected {
  return money(
    'payment',
    id,
    { refs: [{ kind: 'payment', id: capture }], purpose: 'one_time', ...data },
    'bill',
  )
}

function refund(id: string, capture: string, data: MoneyFields): Expected {
  return money('refund', id, { refs: [{ kind: 'payment', id: capture }], state: 'succeeded', ...data })
}

function buyer(id: string, email: string, name: string): Expected {
  return {
    type: 'customer',
    id,
    stage: 'updated',
    data: { id, email, name, deleted: false },
  }
}

const none = {
  product_id: null,
  provider_status: null,
  interval: null,
  interval_count: null,
  unit_amount: null,
  cancel_at: null,
  cancel_at_period_end: false,
  canceled_at: null,
  ended_at: null,
  paused_at: null,
}

export const expected: Readonly<Record<string, readonly Expected[]>> = {
  // Cancelled before its first regular period: what was paid is the set-up. 10.00 a month after the trial.
  'BILLING.SUBSCRIPTION.CANCELLED--codecombat-agreement-v1.json': [
    {
      type: 'subscription',
      id: 'I-PE7JWXKGVN0R',
      stage: 'updated',
      contact: { email: 'coolbuyer@example.com', name: 'Cool Buyer' },
      data: {
        ...none,
        customer_id: 'XLHKRXRA4H7QY',
        price_id: null,
        // Cancelled 23 minutes after its payment, while the count of periods said 0.
        status: 'active',
        provider_status: 'CANCELLED',
        currency: 'USD',
        unit_amount: 1000,
        interval: 'month',
        interval_count: 1,
        started_at: '2016-04-30T07:00:00Z',
        current_period_start: '2016-04-28T11:29:54Z',
        current_period_end: '2016-05-28T11:29:54.000Z',
        cancel_at_period_end: true,
        cancel_at: '2016-05-28T11:29:54.000Z',
        canceled_at: '2016-04-28T11:53:10Z',
        ended_at: null,
      },
    },
  ],
  'CHECKOUT.ORDER.COMPLETED--solidus-v2-2.json': [
    buyer('QYR5Z8XDVJNXQ', 'buyer@example.com', 'John Doe'),
    order('5O190127TN364715T', '3C679366HH908993F', {
      customer_id: 'QYR5Z8XDVJNXQ',
      amount: 10000,
      currency: 'USD',
      state: 'paid',
    }),
  ],
  'CreateSubscription--laravel-paypal.json': [
    {
      type: 'subscription',
      id: 'I-BW452GLLEP1G',
      stage: 'created',
      contact: { email: 'customer@example.com', name: 'John Doe', place: 'california' },
      data: {
        ...none,
        customer_id: '2J6QB8YJQSJRJ',
        price_id: 'P-5ML4271244454362WXNWU5NQ',
        quantity: 20,
        status: 'incomplete',
        provider_status: 'APPROVAL_PENDING',
        currency: 'USD',
        started_at: '2018-11-01T00:00:00Z',
        trial_ends_at: null,
        current_period_start: '2018-11-01T00:00:00Z',
        current_period_end: null,
      },
    },
  ],
  'GetPlans--laravel-paypal.json': [],
  // Active, and no regular period has begun; five periods of the trial are to come, so that its end is not known.
  'GetSubscriptionDetails--laravel-paypal.json': [
    {
      type: 'subscription',
      id: 'I-BW452GLLEP1G',
      stage: 'updated',
      contact: { email: 'customer@example.com', name: 'John Doe', place: 'california' },
      data: {
        ...none,
        customer_id: '2J6QB8YJQSJRJ',
        price_id: 'P-5ML4271244454362WXNWU5NQ',
        quantity: 20,
        status: 'trialing',
        provider_status: 'ACTIVE',
        currency: 'USD',
        started_at: '2019-04-10T07:00:00Z',
        trial_ends_at: null,
        current_period_start: '2019-04-09T10:27:20Z',
        current_period_end: '2019-04-10T10:00:00Z',
      },
    },
  ],
  'ListSubscriptionTransactions--laravel-paypal.json': [],
  'PAYMENT.AUTHORIZATION.CREATED--laravel-paypal-list.json': [],
  'PAYMENT.AUTHORIZATION.CREATED--laravel-paypal.json': [],
  'PAYMENT.CAPTURE.COMPLETED--solidus-v1.json': [
    money('payment', '42311647XV020574X', {
      refs: [],
      // Nobody says what it was for.
      purpose: undefined,
      amount: 747,
      currency: 'USD',
      state: 'paid',
      paid_at: '2015-02-17T18:50:44Z',
    }),
  ],
  'PAYMENT.CAPTURE.DENIED--solidus-v1.json': [
    money('payment', '1YH34677BD7819356', { refs: [], amount: 50, currency: 'EUR', state: 'failed' }),
  ],
  'PAYMENT.CAPTURE.DENIED--solidus-v2.json': [
    money('payment', '7NW873794T343360M', { refs: [], amount: 251, currency: 'AUD', state: 'failed' }),
  ],
  'PAYMENT.CAPTURE.REFUNDED--solidus-v1.json': [
    refund('8VC964970N548345V', '5LK72275CG489890D', { amount: 15, currency: 'USD' }),
  ],
  'PAYMENT.SALE.COMPLETED--codecombat-subscription.json': [
    money('payment', '3C172741YC758734U', {
      refs: [{ kind: 'subscription', id: 'I-H3HN1PXG1SEV' }],
      subscription_id: 'I-H3HN1PXG1SEV',
      purpose: 'recurring',
      amount: 99,
      currency: 'USD',
      state: 'paid',
      paid_at: '2017-08-07T23:33:10Z',
    }),
  ],
  'RefundCapturedPayment--laravel-paypal.json': [
    refund('1JU08902781691411', '2GG279541U471931P', { amount: undefined, currency: null }),
  ],
  'UpdateSubscriptionItems--laravel-paypal.json': [],
  'VerifyWebHookSignature--laravel-paypal.json': [],
  'capture.completed--SwagPayPal.json': [
    money('payment', '6F970540CL012725M', { refs: [], amount: 5678, currency: 'EUR', state: 'paid' }),
    paidOn('6F970540CL012725M', '2022-01-01T00:00:00Z'),
  ],
  // For the buyer, 8.00 of 20.00.
  'dispute--SwagPayPal.json': [
    money('dispute', 'PP-D-33305.4BE79548VW224290D', {
      refs: [{ kind: 'payment', id: '4BE79548VW224290D' }],
      amount: 800,
      currency: 'GBP',
      state: 'lost',
    }),
  ],
  // Approved, and nothing is captured: no money yet.
  'order.approved--SwagPayPal.json': [
    buyer('XTW5U37QPXKJE', 'masked2@example.com', 'Test given name Surname'),
  ],
  'order.capture_declined--SwagPayPal.json': [
    buyer('XTW5U37QPXKJE', 'masked1@example.com', 'Kunde Deutschland'),
    order('9XG87361JT53982FF', '41U19903S663426FF', { amount: 10000, currency: 'EUR', state: 'failed' }),
  ],
  'order.captured--SwagPayPal.json': [
    buyer('XTW5U37QPXKJE', 'masked1@example.com', 'Kunde Deutschland'),
    // This answer leaves the order's own amount out: its capture has it.
    order('9XG87361JT539825C', '41U19903S66342642', {
      customer_id: 'XTW5U37QPXKJE',
      amount: 10000,
      currency: 'EUR',
      state: 'paid',
    }),
  ],
  'order.created--SwagPayPal.json': [],
  'order.pending--SwagPayPal.json': [],
  // 12.34 of it went back, as its refund says.
  'order.refunded--SwagPayPal.json': [
    buyer('XTW5U37QPXKJE', 'masked2@example.com', 'Kunde Deutschland'),
    order('9XG87361JT539825E', '8F71337376765912W', {
      customer_id: 'XTW5U37QPXKJE',
      amount: 10000,
      currency: 'EUR',
      state: 'paid',
    }),
  ],
  'refund.completed--SwagPayPal-2.json': [
    refund('33791463E79430539', '8F71337376765912W', { amount: 1234, currency: 'EUR' }),
  ],
  'refund.completed--SwagPayPal.json': [
    refund('05D06182CG6087525', '8F71337376765912W', { amount: 100, currency: 'EUR' }),
  ],
  'refund.minimal--SwagPayPal.json': [
    refund('33791463E79430539', '8F71337376765912W', { amount: undefined, currency: null }),
  ],
}
