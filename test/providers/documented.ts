import type { Expected } from './case.ts'

// Messages of providers of which few public payloads exist, written from the field names and example values of the
// providers' own documentation, each with its page. The expectations are worked out from the same pages.

/** A message, the page of the provider's documentation that it follows, and what it says by that page. */
export interface Documented {
  readonly provider: 'chargebee' | 'dodo' | 'lemonsqueezy' | 'polar'
  readonly title: string
  readonly source: string
  readonly message: unknown
  readonly wanted: readonly Expected[]
}

type Fields = Readonly<Record<string, unknown>>
type SubscriptionFields = Extract<Expected, { type: 'subscription' }>['data']
type MoneyChange = Extract<Expected, { type: 'money' }>

function subscription(
  id: string,
  data: SubscriptionFields,
  stage: 'created' | 'updated' = 'updated',
): Expected {
  return { type: 'subscription', id, stage, data }
}

/** A subscription whose payer no other message names. */
function boughtBy(
  contact: { readonly email: string; readonly name: string },
  ...[id, data, stage]: Parameters<typeof subscription>
): Expected {
  return { type: 'subscription', id, stage: stage ?? 'updated', contact, data }
}

function money(
  kind: MoneyChange['kind'],
  id: string,
  data: MoneyChange['data'],
  more: Partial<Pick<MoneyChange, 'part' | 'stage'>> = {},
): Expected {
  return { type: 'money', kind, id, stage: 'updated', ...more, data }
}

function customer(id: string, email: string, name: string): Expected {
  return {
    type: 'customer',
    id,
    stage: 'updated',
    data: { id, email, name, deleted: false },
  }
}

const lemon = {
  subscription: 'https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object',
  trial: 'https://docs.lemonsqueezy.com/guides/developer-guide/webhooks',
  cancel: 'https://docs.lemonsqueezy.com/api/subscriptions/cancel-subscription',
  pause: 'https://docs.lemonsqueezy.com/api/subscriptions/update-subscription',
  order: 'https://docs.lemonsqueezy.com/api/orders/retrieve-order',
  refund: 'https://docs.lemonsqueezy.com/api/orders/issue-refund',
  invoice: 'https://docs.lemonsqueezy.com/api/subscription-invoices/retrieve-subscription-invoice',
  events: 'https://docs.lemonsqueezy.com/help/webhooks/event-types',
}

function lemonMessage(event_name: string, type: string, attributes: Fields) {
  return {
    meta: { event_name },
    data: { type, id: '1', attributes },
  }
}

const lemonSubscription = {
  store_id: 1,
  customer_id: 1,
  order_id: 1,
  order_item_id: 1,
  product_id: 1,
  variant_id: 1,
  product_name: 'Lemonade',
  variant_name: 'Citrus Blast',
  user_name: 'John Doe',
  user_email: 'johndoe@example.com',
  status: 'active',
  status_formatted: 'Active',
  card_brand: 'visa',
  card_last_four: '4242',
  payment_processor: 'stripe',
  pause: null,
  cancelled: false,
  trial_ends_at: null,
  billing_anchor: 12,
  first_subscription_item: {
    id: 1,
    subscription_id: 1,
    price_id: 1,
    quantity: 5,
    created_at: '2021-08-11T13:47:28.000000Z',
    updated_at: '2021-08-11T13:47:28.000000Z',
  },
  renews_at: '2022-11-12T00:00:00.000000Z',
  ends_at: null,
  created_at: '2021-08-11T13:47:27.000000Z',
  updated_at: '2021-08-11T13:54:19.000000Z',
  test_mode: false,
}

const lemonSold = {
  customer_id: '1',
  price_id: '1',
  product_id: '1',
  quantity: 5,
  currency: null,
  unit_amount: null,
  started_at: '2021-08-11T13:47:27.000000Z',
}

function lemonLink(stage: 'created' | 'updated' = 'updated'): Expected {
  return money(
    'link',
    '1',
    {
      refs: [
        { kind: 'payment', id: '1' },
        { kind: 'subscription', id: '1' },
      ],
      subscription_id: '1',
      state: 'pending',
    },
    { stage },
  )
}

const lemonOrder = {
  store_id: 1,
  customer_id: 1,
  identifier: '104e18a2-d755-4d4b-80c4-a6c1dcbe1c10',
  order_number: 1,
  user_name: 'John Doe',
  user_email: 'johndoe@example.com',
  currency: 'USD',
  currency_rate: '1.0000',
  subtotal: 999,
  discount_total: 0,
  tax: 200,
  total: 1199,
  tax_name: 'VAT',
  tax_rate: '20.00',
  status: 'paid',
  status_formatted: 'Paid',
  refunded: false,
  refunded_at: null,
  first_order_item: {
    id: 1,
    order_id: 1,
    product_id: 1,
    variant_id: 1,
    price: 1199,
    created_at: '2021-08-17T09:45:53.000000Z',
    updated_at: '2021-08-17T09:45:53.000000Z',
  },
  created_at: '2021-08-17T09:45:53.000000Z',
  updated_at: '2021-08-17T09:45:53.000000Z',
}

const lemonInvoice = {
  store_id: 1,
  subscription_id: 1,
  customer_id: 1,
  user_name: 'John Doe',
  user_email: 'johndoe@example.com',
  billing_reason: 'initial',
  card_brand: 'visa',
  card_last_four: '4242',
  currency: 'USD',
  currency_rate: '1.00000000',
  status: 'paid',
  status_formatted: 'Paid',
  refunded: false,
  refunded_at: null,
  subtotal: 999,
  discount_total: 0,
  tax: 0,
  total: 999,
  created_at: '2023-01-18T12:16:24.000000Z',
  updated_at: '2023-01-18T12:16:24.000000Z',
  test_mode: false,
}

const lemonPaid = { customer_id: '1', email: 'johndoe@example.com', name: 'John Doe', currency: 'USD' }

const john = { email: 'johndoe@example.com', name: 'John Doe' }
const johnAsCustomer = customer('1', 'johndoe@example.com', 'John Doe')
const jane = { email: 'jane@example.com', name: 'Jane Doe' }

const lemonMessages: readonly Omit<Documented, 'provider'>[] = [
  {
    title: 'a trial ends when it renews for the first time, and has no price before',
    source: lemon.trial,
    message: lemonMessage('subscription_created', 'subscriptions', {
      ...lemonSubscription,
      status: 'on_trial',
      trial_ends_at: '2023-01-24T12:43:48.000000Z',
      billing_anchor: 24,
      first_subscription_item: null,
      renews_at: '2023-01-24T12:43:48.000000Z',
      created_at: '2023-01-17T12:43:50.000000Z',
      updated_at: '2023-01-17T12:43:51.000000Z',
    }),
    wanted: [
      boughtBy(
        john,
        '1',
        {
          ...lemonSold,
          quantity: null,
          status: 'trialing',
          started_at: '2023-01-17T12:43:50.000000Z',
          trial_ends_at: '2023-01-24T12:43:48.000000Z',
          current_period_end: '2023-01-24T12:43:48.000000Z',
        },
        'created',
      ),
      lemonLink('created'),
    ],
  },
  {
    title: 'a cancelled subscription runs to `ends_at`, and `cancelled` stays true',
    source: lemon.cancel,
    message: lemonMessage('subscription_cancelled', 'subscriptions', {
      ...lemonSubscription,
      status: 'cancelled',
      status_formatted: 'Cancelled',
      cancelled: true,
      ends_at: '2022-11-12T00:00:00.000000Z',
    }),
    wanted: [
      boughtBy(john, '1', {
        ...lemonSold,
        status: 'active',
        current_period_end: '2022-11-12T00:00:00.000000Z',
        cancel_at: '2022-11-12T00:00:00.000000Z',
        cancel_at_period_end: true,
        ended_at: null,
      }),
      lemonLink(),
    ],
  },
  {
    title:
      'payment collection that is paused with `void` pauses the service from the next renewal until `resumes_at`',
    source: lemon.pause,
    message: lemonMessage('subscription_paused', 'subscriptions', {
      ...lemonSubscription,
      status: 'paused',
      status_formatted: 'Paused',
      pause: { mode: 'void', resumes_at: '2022-12-12T00:00:00.000000Z' },
    }),
    wanted: [
      boughtBy(john, '1', {
        ...lemonSold,
        status: 'active',
        paused_at: '2022-11-12T00:00:00.000000Z',
        current_period_end: '2022-11-12T00:00:00.000000Z',
        resumes_at: '2022-12-12T00:00:00.000000Z',
      }),
      lemonLink(),
    ],
  },
  {
    title: 'one paused with `free` goes on without payments',
    source: lemon.pause,
    message: lemonMessage('subscription_updated', 'subscriptions', {
      ...lemonSubscription,
      status: 'paused',
      status_formatted: 'Paused',
      pause: { mode: 'free', resumes_at: null },
    }),
    wanted: [boughtBy(john, '1', { ...lemonSold, status: 'active', paused_at: null }), lemonLink()],
  },
  {
    title: 'a failed renewal is retried, and its period is over',
    source: lemon.subscription,
    message: lemonMessage('subscription_updated', 'subscriptions', {
      ...lemonSubscription,
      status: 'past_due',
      status_formatted: 'Past due',
    }),
    wanted: [
      boughtBy(john, '1', { ...lemonSold, status: 'past_due', current_period_end: null }),
      lemonLink(),
    ],
  },
  {
    title: 'an expired subscription ended at `ends_at`',
    source: lemon.events,
    message: lemonMessage('subscription_expired', 'subscriptions', {
      ...lemonSubscription,
      status: 'expired',
      status_formatted: 'Expired',
      cancelled: true,
      ends_at: '2022-11-12T00:00:00.000000Z',
    }),
    wanted: [
      boughtBy(john, '1', { ...lemonSold, status: 'expired', ended_at: '2022-11-12T00:00:00.000000Z' }),
      lemonLink(),
    ],
  },
  {
    title: 'an order costs its total with tax, and its item has no quantity in older accounts',
    source: lemon.order,
    message: lemonMessage('order_created', 'orders', lemonOrder),
    wanted: [
      money(
        'payment',
        '1',
        {
          ...lemonPaid,
          refs: [],
          purpose: 'unknown',
          price_id: '1',
          amount: 1199,
          amount_refunded: 0,
          state: 'paid',
          paid_at: '2021-08-17T09:45:53.000000Z',
        },
        { stage: 'created' },
      ),
      { ...johnAsCustomer, stage: 'created' } as Expected,
    ],
  },
  {
    title: 'a partial refund of an order is its `refunded_amount`',
    source: lemon.refund,
    message: lemonMessage('order_refunded', 'orders', {
      ...lemonOrder,
      status: 'partial_refund',
      status_formatted: 'Partial refund',
      refunded: true,
      refunded_amount: 500,
      refunded_at: '2021-08-18T09:45:53.000000Z',
      updated_at: '2021-08-18T09:45:53.000000Z',
    }),
    wanted: [
      money('payment', '1', { ...lemonPaid, amount: 1199, amount_refunded: 500, state: 'paid' }),
      johnAsCustomer,
    ],
  },
  {
    title: 'an invoice without tax costs its total, and belongs to its subscription',
    source: lemon.invoice,
    message: lemonMessage('subscription_payment_success', 'subscription-invoices', lemonInvoice),
    wanted: [
      money(
        'payment',
        'inv_1',
        {
          ...lemonPaid,
          refs: [
            { kind: 'subscription', id: '1' },
            { kind: 'link', id: '1' },
          ],
          subscription_id: '1',
          purpose: 'recurring',
          amount: 999,
          state: 'paid',
          paid_at: '2023-01-18T12:16:24.000000Z',
        },
        { part: 'bill' },
      ),
    ],
  },
  {
    title: 'a renewal that failed is still asked for',
    source: lemon.events,
    message: lemonMessage('subscription_payment_failed', 'subscription-invoices', {
      ...lemonInvoice,
      billing_reason: 'renewal',
      status: 'pending',
      status_formatted: 'Pending',
    }),
    wanted: [
      money(
        'payment',
        'inv_1',
        { ...lemonPaid, subscription_id: '1', amount: 999, state: 'pending', paid_at: undefined as never },
        { part: 'bill' },
      ),
    ],
  },
]

const dodo = {
  subscription: 'https://docs.dodopayments.com/developer-resources/webhooks/intents/subscription',
  payment: 'https://docs.dodopayments.com/developer-resources/webhooks/intents/payment',
  refund: 'https://docs.dodopayments.com/developer-resources/webhooks/intents/refund',
  dispute: 'https://docs.dodopayments.com/developer-resources/webhooks/intents/dispute',
  recovery: 'https://docs.dodopayments.com/developer-resources/webhooks/intents/recovery',
}

function dodoMessage(type: string, payload_type: string, data: Fields) {
  return {
    business_id: 'biz_test123',
    type,
    timestamp: '2024-01-01T12:00:00Z',
    data: { payload_type, ...data },
  }
}

const dodoBuyer = { customer_id: 'cus_test456', email: 'jane@example.com', name: 'Jane Doe' }

const dodoSubscription = {
  subscription_id: 'sub_test456',
  product_id: 'prod_subscription_monthly',
  quantity: 1,
  status: 'active',
  recurring_pre_tax_amount: 2999,
  currency: 'USD',
  tax_inclusive: false,
  trial_period_days: 0,
  created_at: '2024-01-01T12:00:00Z',
  previous_billing_date: '2024-01-01T12:00:00Z',
  next_billing_date: '2024-02-01T12:00:00Z',
  payment_frequency_count: 1,
  payment_frequency_interval: 'Month',
  subscription_period_count: 1,
  subscription_period_interval: 'Year',
  cancel_at_next_billing_date: false,
  cancelled_at: null,
  expires_at: null,
  on_demand: false,
  addons: [],
  meters: [],
  metadata: {},
  billing: { country: 'US' },
  customer: dodoBuyer,
}

const dodoSold = {
  customer_id: 'cus_test456',
  price_id: 'prod_subscription_monthly',
  currency: 'USD',
  unit_amount: 2999,
  current_period_start: '2024-01-01T12:00:00Z',
  current_period_end: '2024-02-01T12:00:00Z',
} as const

const dodoPayment = {
  payment_id: 'pay_test456',
  status: 'succeeded',
  total_amount: 2999,
  tax: 0,
  currency: 'USD',
  created_at: '2024-01-01T12:00:00Z',
  updated_at: null,
  subscription_id: 'sub_test456',
  settlement_amount: 2999,
  settlement_currency: 'USD',
  metadata: {},
  refunds: [],
  disputes: [],
  product_cart: null,
  customer: dodoBuyer,
  billing: { country: 'US' },
}

const dodoDispute = {
  dispute_id: 'dis_test456',
  payment_id: 'pay_test456',
  amount: '2999',
  currency: 'USD',
  dispute_stage: 'dispute',
  dispute_status: 'dispute_opened',
  created_at: '2024-01-01T12:00:00Z',
}

function disputed(state: 'open' | 'won' | 'lost'): Expected {
  return money('dispute', 'dis_test456', {
    refs: [{ kind: 'payment', id: 'pay_test456' }],
    amount: 2999,
    currency: 'USD',
    state,
  })
}

const dodoMessages: readonly Omit<Documented, 'provider'>[] = [
  ...(
    [
      ['subscription.active', {}, { status: 'active' }],
      ['subscription.on_hold', { status: 'on_hold' }, { status: 'past_due', provider_status: 'on_hold' }],
      [
        'subscription.paused',
        { status: 'paused', paused_at: '2024-01-15T12:00:00Z' },
        { status: 'paused', paused_at: '2024-01-15T12:00:00Z' },
      ],
      ['subscription.update_payment_method', {}, { status: 'active' }],
    ] as const
  ).map(([type, fields, data]) => ({
    title: `\`${type}\` has the whole subscription`,
    source: dodo.subscription,
    message: dodoMessage(type, 'Subscription', { ...dodoSubscription, ...fields }),
    wanted: [boughtBy(jane, 'sub_test456', { ...dodoSold, ...data })],
  })),
  {
    title: 'a payment that is processing is not paid',
    source: dodo.payment,
    message: dodoMessage('payment.processing', 'Payment', { ...dodoPayment, status: 'processing' }),
    wanted: [
      customer('cus_test456', 'jane@example.com', 'Jane Doe'),
      money('payment', 'pay_test456', {
        refs: [{ kind: 'subscription', id: 'sub_test456' }],
        purpose: 'recurring',
        customer_id: 'cus_test456',
        amount: 2999,
        currency: 'USD',
        state: 'pending',
      }),
    ],
  },
  {
    title: 'a partial refund has its own amount',
    source: dodo.refund,
    message: dodoMessage('refund.succeeded', 'Refund', {
      refund_id: 'ref_test456',
      payment_id: 'pay_test456',
      status: 'succeeded',
      is_partial: true,
      amount: 1000,
      currency: 'USD',
      created_at: '2024-01-02T12:00:00Z',
      customer: dodoBuyer,
    }),
    wanted: [
      money('refund', 'ref_test456', {
        refs: [{ kind: 'payment', id: 'pay_test456' }],
        amount: 1000,
        currency: 'USD',
        state: 'succeeded',
      }),
    ],
  },
  ...(
    [
      ['dispute.challenged', { dispute_status: 'dispute_challenged' }, 'open'],
      ['dispute.won', { dispute_status: 'dispute_won' }, 'won'],
      ['dispute.lost', { dispute_status: 'dispute_lost', is_resolved_by_rdr: true }, 'lost'],
    ] as const
  ).map(([type, fields, state]) => ({
    title: `\`${type}\` is ${state}`,
    source: dodo.dispute,
    message: dodoMessage(type, 'Dispute', { ...dodoDispute, ...fields }),
    wanted: [disputed(state)],
  })),
  ...(
    [
      [
        'abandoned_checkout.recovered',
        'AbandonedCheckout',
        { payment_id: 'pay_1', recovered_payment_id: 'pay_2' },
      ],
      ['dunning.started', 'DunningAttempt', { subscription_id: 'sub_test456', trigger_state: 'on_hold' }],
      ['dunning.recovered', 'DunningAttempt', { subscription_id: 'sub_test456', payment_id: 'pay_2' }],
    ] as const
  ).map(([type, kind, fields]) => ({
    title: `\`${type}\` says nothing that the payment and the subscription do not say themselves`,
    source: dodo.recovery,
    message: dodoMessage(type, kind, { ...fields, customer_id: 'cus_test456' }),
    wanted: [],
  })),
]

const polar = {
  orderPaid: 'https://polar.sh/docs/api-reference/webhooks/order.paid',
  orderCreated: 'https://polar.sh/docs/api-reference/webhooks/order.created',
  orderRefunded: 'https://polar.sh/docs/api-reference/webhooks/order.refunded',
  pastDue: 'https://polar.sh/docs/api-reference/webhooks/subscription.past_due',
  uncanceled: 'https://polar.sh/docs/api-reference/webhooks/subscription.uncanceled',
  revoked: 'https://polar.sh/docs/api-reference/webhooks/subscription.revoked',
  refund: 'https://polar.sh/docs/api-reference/webhooks/refund.created',
}

function polarMessage(type: string, data: Fields) {
  return { type, timestamp: '2025-02-03T14:23:56Z', data }
}

const polarBuyer = {
  id: '992fae2a-2a17-4b7a-8d9e-e287cf90131b',
  created_at: '2025-01-01T00:00:00Z',
  modified_at: null,
  metadata: {},
  external_id: 'usr_1337',
  email: 'customer@example.com',
  email_verified: true,
  name: 'John Doe',
  billing_address: { country: 'US' },
  tax_id: null,
  deleted_at: null,
  organization_id: '1dbfc517-0bbf-4301-9ba8-555ca42b9737',
}
const polarJohn = customer(polarBuyer.id, 'customer@example.com', 'John Doe')

const polarSubscription = {
  id: 'e5149aae-e521-42b9-b24c-abb3d71eea2e',
  created_at: '2025-01-03T13:37:00Z',
  modified_at: '2025-02-03T14:23:55Z',
  amount: 1000,
  currency: 'usd',
  recurring_interval: 'month',
  recurring_interval_count: 1,
  status: 'active',
  current_period_start: '2025-02-03T13:37:00Z',
  current_period_end: '2025-03-03T13:37:00Z',
  trial_start: null,
  trial_end: null,
  cancel_at_period_end: false,
  canceled_at: null,
  started_at: '2025-01-03T13:37:00Z',
  ends_at: null,
  ended_at: null,
  customer_id: polarBuyer.id,
  product_id: 'd8dd2de1-21b7-4a41-8bc3-ce909c0cfe23',
  checkout_id: null,
  discount_id: null,
  metadata: {},
  customer: polarBuyer,
  seats: null,
  pending_update: null,
}

const polarSold = {
  customer_id: polarBuyer.id,
  price_id: polarSubscription.product_id,
  currency: 'USD',
  unit_amount: 1000,
  current_period_end: '2025-03-03T13:37:00Z',
}

const polarOrder = {
  id: '57107b74-8400-4d80-a2fc-54c2b4239cb3',
  created_at: '2025-02-03T13:37:00Z',
  modified_at: '2025-02-03T13:37:05Z',
  status: 'paid',
  paid: true,
  subtotal_amount: 10000,
  discount_amount: 1000,
  net_amount: 9000,
  tax_amount: 720,
  total_amount: 9720,
  applied_balance_amount: 0,
  due_amount: 9720,
  refunded_amount: 0,
  refunded_tax_amount: 0,
  currency: 'usd',
  billing_reason: 'purchase',
  customer_id: polarBuyer.id,
  product_id: 'd8dd2de1-21b7-4a41-8bc3-ce909c0cfe23',
  discount_id: null,
  subscription_id: null,
  checkout_id: null,
  metadata: {},
  customer: polarBuyer,
  subscription: null,
  product: { id: 'd8dd2de1-21b7-4a41-8bc3-ce909c0cfe23', is_recurring: false, recurring_interval: null },
  items: [{ id: 'itm', label: 'Product', amount: 10000, tax_amount: 720, proration: false }],
}

const polarPaid = {
  customer_id: polarBuyer.id,
  price_id: polarOrder.product_id,
  currency: 'USD',
} as const

const polarMessages: readonly Omit<Documented, 'provider'>[] = [
  {
    title: 'a paid order costs its total, after the discount and with tax',
    source: polar.orderPaid,
    message: polarMessage('order.paid', polarOrder),
    wanted: [
      polarJohn,
      money('payment', polarOrder.id, {
        ...polarPaid,
        refs: [],
        purpose: 'one_time',
        amount: 9720,
        amount_refunded: 0,
        state: 'paid',
      }),
    ],
  },
  {
    title: 'the order of a renewal belongs to its subscription, and is pending until it is paid',
    source: polar.orderCreated,
    message: polarMessage('order.created', {
      ...polarOrder,
      status: 'pending',
      paid: false,
      modified_at: null,
      billing_reason: 'subscription_cycle',
      subscription_id: polarSubscription.id,
      product: { ...polarOrder.product, is_recurring: true, recurring_interval: 'month' },
    }),
    wanted: [
      polarJohn,
      money(
        'payment',
        polarOrder.id,
        {
          ...polarPaid,
          refs: [{ kind: 'subscription', id: polarSubscription.id }],
          purpose: 'recurring',
          subscription_id: polarSubscription.id,
          amount: 9720,
          state: 'pending',
        },
        { stage: 'created' },
      ),
    ],
  },
  {
    title: 'a refunded order gives back its amount and the tax on it',
    source: polar.orderRefunded,
    message: polarMessage('order.refunded', {
      ...polarOrder,
      status: 'partially_refunded',
      refunded_amount: 4500,
      refunded_tax_amount: 360,
      modified_at: '2025-02-04T13:37:05Z',
    }),
    wanted: [
      polarJohn,
      money('payment', polarOrder.id, { ...polarPaid, amount: 9720, amount_refunded: 4860, state: 'paid' }),
    ],
  },
  {
    title: 'a refund is its amount with its tax',
    source: polar.refund,
    message: polarMessage('refund.created', {
      id: '2c1e7f3e-5a3e-4a2b-8f83-4e8b9b8c9d0a',
      created_at: '2025-02-04T13:37:00Z',
      modified_at: null,
      metadata: {},
      status: 'succeeded',
      reason: 'customer_request',
      amount: 4500,
      tax_amount: 360,
      currency: 'usd',
      order_id: polarOrder.id,
      subscription_id: null,
      customer_id: polarBuyer.id,
    }),
    wanted: [
      money(
        'refund',
        '2c1e7f3e-5a3e-4a2b-8f83-4e8b9b8c9d0a',
        { refs: [{ kind: 'payment', id: polarOrder.id }], amount: 4860, currency: 'USD', state: 'succeeded' },
        { stage: 'created' },
      ),
    ],
  },
  {
    title: 'a subscription whose renewal failed is past due',
    source: polar.pastDue,
    message: polarMessage('subscription.past_due', { ...polarSubscription, status: 'past_due' }),
    wanted: [polarJohn, subscription(polarSubscription.id, { ...polarSold, status: 'past_due' })],
  },
  {
    title: 'a cancellation that was taken back leaves none',
    source: polar.uncanceled,
    message: polarMessage('subscription.uncanceled', polarSubscription),
    wanted: [
      polarJohn,
      subscription(polarSubscription.id, {
        ...polarSold,
        status: 'active',
        cancel_at: null,
        cancel_at_period_end: false,
        canceled_at: null,
      }),
    ],
  },
  {
    title: 'a revoked subscription has ended',
    source: polar.revoked,
    message: polarMessage('subscription.revoked', {
      ...polarSubscription,
      status: 'canceled',
      canceled_at: '2025-02-20T00:00:00Z',
      ends_at: '2025-03-03T13:37:00Z',
      ended_at: '2025-03-03T13:37:00Z',
    }),
    wanted: [
      polarJohn,
      subscription(polarSubscription.id, {
        ...polarSold,
        status: 'canceled',
        canceled_at: '2025-02-20T00:00:00Z',
        ended_at: '2025-03-03T13:37:00Z',
      }),
    ],
  },
]

const chargebee = {
  subscription: 'https://apidocs.chargebee.com/docs/api/subscriptions',
  customer: 'https://apidocs.chargebee.com/docs/api/customers',
  invoice: 'https://apidocs.chargebee.com/docs/api/invoices',
  transaction: 'https://apidocs.chargebee.com/docs/api/transactions',
  events: 'https://apidocs.chargebee.com/docs/api/events',
}

function chargebeeMessage(event_type: string, content: Fields) {
  return {
    id: 'ev___test__8asukSOXe2Ln3W',
    occurred_at: 1612890939,
    source: 'api',
    object: 'event',
    api_version: 'v2',
    webhook_status: 'scheduled',
    event_type,
    content,
  }
}

const chargebeeSubscription = {
  activated_at: 1612890938,
  billing_period: 1,
  billing_period_unit: 'month',
  created_at: 1612890938,
  currency_code: 'USD',
  current_term_end: 1615310138,
  current_term_start: 1612890938,
  customer_id: '__test__8asukSOXe0QYSR',
  deleted: false,
  due_invoices_count: 0,
  has_scheduled_changes: false,
  id: '__test__8asukSOXe0W3SU',
  next_billing_at: 1615310138,
  object: 'subscription',
  resource_version: 1612890938000,
  started_at: 1612890938,
  status: 'active',
  subscription_items: [
    {
      amount: 1000,
      billing_cycles: 1,
      free_quantity: 0,
      item_price_id: 'basic-USD',
      item_type: 'plan',
      object: 'subscription_item',
      quantity: 1,
      unit_price: 1000,
    },
  ],
  updated_at: 1612890938,
}

const chargebeeSold = {
  customer_id: '__test__8asukSOXe0QYSR',
  price_id: 'basic-USD',
  quantity: 1,
  currency: 'USD',
  unit_amount: 1000,
  current_period_start: '2021-02-09T17:15:38.000Z',
  current_period_end: '2021-03-09T17:15:38.000Z',
}

const chargebeeInvoice = {
  id: '__demo_inv__1',
  customer_id: '__test__8asukSOXe0QYSR',
  subscription_id: '__test__8asukSOXe0W3SU',
  recurring: true,
  status: 'paid',
  date: 1612890938,
  due_date: 1612890938,
  currency_code: 'USD',
  total: 1100,
  amount_paid: 1100,
  amount_adjusted: 0,
  credits_applied: 0,
  amount_due: 0,
  tax: 100,
  paid_at: 1612890938,
  updated_at: 1612890938,
  resource_version: 1612890938000,
  deleted: false,
  line_items: [
    {
      id: 'li___test__8asukSOXe0Xa9u',
      quantity: 1,
      unit_amount: 1000,
      amount: 1000,
      entity_type: 'plan_item_price',
      entity_id: 'basic-USD',
      subscription_id: '__test__8asukSOXe0W3SU',
    },
  ],
  object: 'invoice',
}

const chargebeeMessages: readonly Omit<Documented, 'provider'>[] = [
  {
    title: 'a subscription of item prices is sold at its plan’s',
    source: chargebee.subscription,
    message: chargebeeMessage('subscription_created', { subscription: chargebeeSubscription }),
    wanted: [subscription('__test__8asukSOXe0W3SU', { ...chargebeeSold, status: 'active' }, 'created')],
  },
  {
    title: 'an unpaid invoice makes an active subscription past due',
    source: chargebee.subscription,
    message: chargebeeMessage('subscription_renewed', {
      subscription: {
        ...chargebeeSubscription,
        due_invoices_count: 1,
        due_since: 1612890938,
        total_dues: 1100,
      },
    }),
    wanted: [
      subscription('__test__8asukSOXe0W3SU', {
        ...chargebeeSold,
        status: 'past_due',
        provider_status: 'active',
      }),
    ],
  },
  {
    title: 'the period of a trial is the trial, because no term has begun',
    source: chargebee.subscription,
    message: chargebeeMessage('subscription_trial_extended', {
      subscription: {
        ...chargebeeSubscription,
        status: 'in_trial',
        trial_start: 1612890938,
        trial_end: 1615310138,
        current_term_start: undefined,
        current_term_end: undefined,
        activated_at: undefined,
      },
    }),
    wanted: [
      subscription('__test__8asukSOXe0W3SU', {
        ...chargebeeSold,
        status: 'trialing',
        trial_ends_at: '2021-03-09T17:15:38.000Z',
        current_period_start: '2021-02-09T17:15:38.000Z',
        current_period_end: '2021-03-09T17:15:38.000Z',
      }),
    ],
  },
  {
    title: 'a pause that is planned begins on `pause_date`',
    source: chargebee.events,
    message: chargebeeMessage('subscription_pause_scheduled', {
      subscription: { ...chargebeeSubscription, pause_date: 1615310138, resume_date: 1617988538 },
    }),
    wanted: [
      subscription('__test__8asukSOXe0W3SU', {
        ...chargebeeSold,
        status: 'active',
        paused_at: '2021-03-09T17:15:38.000Z',
        resumes_at: '2021-04-09T17:15:38.000Z',
      }),
    ],
  },
  {
    title: 'a subscription that was transferred is over',
    source: chargebee.subscription,
    message: chargebeeMessage('subscription_changed', {
      subscription: { ...chargebeeSubscription, status: 'transferred' },
    }),
    wanted: [
      subscription('__test__8asukSOXe0W3SU', {
        ...chargebeeSold,
        status: 'canceled',
        provider_status: 'transferred',
      }),
    ],
  },
  {
    title: 'a customer has an address and two names',
    source: chargebee.customer,
    message: chargebeeMessage('customer_created', {
      customer: {
        id: '__test__8asukSOXe0QYSR',
        first_name: 'John',
        last_name: 'Doe',
        email: 'john@test.com',
        created_at: 1612890919,
        updated_at: 1612890919,
        resource_version: 1612890919000,
        deleted: false,
        object: 'customer',
      },
    }),
    wanted: [
      {
        ...customer('__test__8asukSOXe0QYSR', 'john@test.com', 'John Doe'),
        stage: 'created',
      } as Expected,
    ],
  },
  {
    title: 'a paid invoice costs what was paid, tax included',
    source: chargebee.invoice,
    message: chargebeeMessage('payment_succeeded', { invoice: chargebeeInvoice }),
    wanted: [
      money('payment', '__demo_inv__1', {
        refs: [{ kind: 'subscription', id: '__test__8asukSOXe0W3SU' }],
        purpose: 'recurring',
        customer_id: '__test__8asukSOXe0QYSR',
        subscription_id: '__test__8asukSOXe0W3SU',
        price_id: 'basic-USD',
        amount: 1100,
        currency: 'USD',
        state: 'paid',
        paid_at: '2021-02-09T17:15:38.000Z',
      }),
    ],
  },
  {
    title: 'a refund is a transaction that names its invoices',
    source: chargebee.transaction,
    message: chargebeeMessage('payment_refunded', {
      transaction: {
        id: 'txn___test__8asukSOXe2Rk',
        customer_id: '__test__8asukSOXe0QYSR',
        type: 'refund',
        status: 'success',
        amount: 500,
        currency_code: 'USD',
        date: 1612990938,
        object: 'transaction',
        updated_at: 1612990938,
        resource_version: 1612990938000,
        deleted: false,
        linked_credit_notes: [
          {
            cn_id: 'TEST-CN-1',
            applied_amount: 500,
            applied_at: 1612990938,
            cn_reference_invoice_id: '__demo_inv__1',
            cn_status: 'refunded',
            cn_total: 500,
          },
        ],
      },
    }),
    wanted: [
      money('refund', 'txn___test__8asukSOXe2Rk', {
        refs: [{ kind: 'payment', id: '__demo_inv__1' }],
        amount: 500,
        currency: 'USD',
        state: 'succeeded',
      }),
    ],
  },
]

function of(provider: Documented['provider'], messages: readonly Omit<Documented, 'provider'>[]) {
  return messages.map((each) => ({ provider, ...each }))
}

/** Every message that was written from a provider's documentation, with its page. */
export const documented: readonly Documented[] = [
  ...of('chargebee', chargebeeMessages),
  ...of('dodo', dodoMessages),
  ...of('lemonsqueezy', lemonMessages),
  ...of('polar', polarMessages),
]
