import type { CustomerChange } from '../../../src/providers/contract.ts'
import type { Expected } from '../case.ts'

// Worked out by hand from each payload and Creem's guide to webhooks, not recorded from the code.

type SubscriptionFields = Extract<Expected, { type: 'subscription' }>['data']
type MoneyFields = Extract<Expected, { type: 'money' }>['data']

function convex(name: string): string {
  return `${name}--convex-creem.json`
}
function sdk(name: string): string {
  return `${name}--creem-php-sdk.json`
}
function noxomix(name: string): string {
  return `${name}--creem-php-noxomix.json`
}

function person(id: string, data: Partial<CustomerChange['data']> = {}): Expected {
  return {
    type: 'customer',
    id,
    stage: 'updated',
    data: { id, email: 'masked1@example.com', name: 'Test Customer', deleted: false, ...data },
  }
}

function subscription(id: string, data: SubscriptionFields): Expected {
  return {
    type: 'subscription',
    id,
    stage: 'updated',
    data,
  }
}

function money(
  kind: 'payment' | 'refund' | 'dispute',
  id: string,
  data: MoneyFields,
  role: { part?: 'bill' } = {},
): Expected {
  return { type: 'money', kind, ...role, id, stage: 'updated', data }
}

/** What the simulator made: one product that is billed nobody says how often. */
function simulated(
  ids: { sub: string; cust: string; prod: string },
  [begin, end]: readonly [string, string],
  data: SubscriptionFields,
): readonly Expected[] {
  const sold = { price_id: ids.prod, product_id: ids.prod, quantity: null }
  const period = { current_period_start: begin, current_period_end: end }
  return [
    person(ids.cust),
    subscription(ids.sub, {
      customer_id: ids.cust,
      ...sold,
      items: [{ id: null, ...sold, ...period }],
      provider_status: null,
      currency: 'USD',
      unit_amount: 2999,
      interval: null,
      interval_count: null,
      started_at: begin,
      trial_ends_at: null,
      ...period,
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      metadata: {},
      ...data,
    }),
  ]
}

/** A message that names nothing but an id and a status. */
function bare(id: string): Expected {
  return subscription(id, {
    status: 'active',
    customer_id: null,
    price_id: null,
    items: [],
    currency: null,
    unit_amount: null,
    current_period_end: null,
  })
}

/** By the payload's file name. */
export const expected: Record<string, readonly Expected[]> = {
  // Answers of the API about things that no message is about, and pages on which nothing was bought.
  ...Object.fromEntries(
    ['checkout', 'checkout_create', 'customer', 'discount', 'license', 'product', 'transaction'].map(
      (name) => [sdk(name), []],
    ),
  ),
  [convex('checkout.completed')]: [
    person('cust_6aVJrSJi8h9r7cGzWPVBF0'),
    money(
      'payment',
      'ord_7ZKxZkpnNcs0d1TxbBPcr0',
      {
        refs: [
          { kind: 'payment', id: 'tran_78fYacdKnQu3Bw3wOwtG60' },
          { kind: 'checkout', id: 'ch_6u5rCq19LEsXpltlDGtc9Y' },
        ],
        purpose: 'one_time',
        customer_id: 'cust_6aVJrSJi8h9r7cGzWPVBF0',
        price_id: 'prod_35PR89LmiAjsR8JJwO7uM7',
        quantity: 1,
        amount: 2999,
        currency: 'USD',
        state: 'paid',
        paid_at: '2026-02-28T07:52:06.979Z',
        metadata: {},
      },
      { part: 'bill' },
    ),
  ],
  // It names a subscription, whose own messages say more.
  [noxomix('checkout.completed')]: [],
  [sdk('subscription')]: [
    person('cust_fixture_primary', {
      email: 'customer.fixture@example.test',
      name: 'Primary Fixture Customer',
    }),
    subscription('sub_fixture_active', {
      customer_id: 'cust_fixture_primary',
      price_id: 'prod_fixture_subscription',
      product_id: 'prod_fixture_subscription',
      quantity: 1,
      items: [
        {
          id: 'sitem_fixture_primary',
          price_id: 'prod_fixture_subscription',
          product_id: 'prod_fixture_subscription',
          quantity: 1,
          current_period_start: '2026-03-07T06:50:38.000Z',
          current_period_end: '2026-04-07T06:50:38.000Z',
        },
      ],
      status: 'active',
      currency: 'USD',
      unit_amount: 1900,
      interval: 'month',
      interval_count: 1,
      current_period_end: '2026-04-07T06:50:38.000Z',
    }),
  ],
  [convex('subscription.active')]: simulated(
    {
      sub: 'sub_35c5ooVUuIUtru83zXjrjC',
      cust: 'cust_50fklVtISQkWoAydmZ1LJb',
      prod: 'prod_3prhYLElQzQaZMq7pePQqf',
    },
    ['2026-02-28T07:55:24.184Z', '2026-03-30T07:55:24.184Z'],
    { status: 'active' },
  ),
  [convex('subscription.trialing')]: simulated(
    {
      sub: 'sub_21mGtm0fBnaCSyGpsczjr6',
      cust: 'cust_1aNp6ya9HlZjWCHr4guWkJ',
      prod: 'prod_6ZmY2cEp3XdlhhPiTrNKyj',
    },
    ['2026-02-28T07:55:41.859Z', '2026-03-30T07:55:41.859Z'],
    { status: 'trialing', trial_ends_at: '2026-03-30T07:55:41.859Z' },
  ),
  [convex('subscription.scheduled_cancel')]: simulated(
    {
      sub: 'sub_5Nq3ne8vXuL0FvU356xKMc',
      cust: 'cust_1NymKnwUkMBmmA0uJJTy7t',
      prod: 'prod_6naBoKRxbNHIWRhWFKe7ps',
    },
    ['2026-02-28T07:56:07.282Z', '2026-03-30T07:56:07.282Z'],
    {
      status: 'active',
      provider_status: 'scheduled_cancel',
      cancel_at_period_end: true,
      cancel_at: '2026-03-30T07:56:07.282Z',
    },
  ),
  [convex('subscription.unpaid')]: simulated(
    {
      sub: 'sub_3xx35QzxsnpFiJ3vRB9YKt',
      cust: 'cust_ubD9UtnJpafXNKQ5UaV0H',
      prod: 'prod_L8mMzoYLOOZpMpTBwGw0k',
    },
    ['2026-02-28T07:56:40.331Z', '2026-03-30T07:56:40.331Z'],
    { status: 'unpaid' },
  ),
  [convex('subscription.past_due')]: simulated(
    {
      sub: 'sub_1WRdOPrNNefOsSXDbPVi2d',
      cust: 'cust_66csf9rxiSwQhxOYIZCO4J',
      prod: 'prod_5Oq9fobvw8LxP8MvFQW70n',
    },
    ['2026-02-28T07:56:59.487Z', '2026-03-30T07:56:59.487Z'],
    { status: 'past_due' },
  ),
  [sdk('subscription.active')]: [bare('sub_fixture_primary')],
  [noxomix('subscription.paid')]: [
    bare('sub_1'),
    money('payment', 'tran_1', {
      refs: [{ kind: 'subscription', id: 'sub_1' }],
      purpose: 'recurring',
      subscription_id: 'sub_1',
      state: 'paid',
      amount: undefined as never,
      currency: null,
    }),
  ],
  'subscription.paid--laravel-cashier-creem.json': [
    person('cust_test123', { email: 'customer@example.com', name: 'Test User' }),
    subscription('sub_test123', {
      customer_id: 'cust_test123',
      price_id: 'prod_monthly',
      status: 'active',
      currency: 'USD',
      unit_amount: 1000,
      interval: null,
      current_period_start: '2024-10-12T11:58:38.000Z',
      current_period_end: '2024-11-12T11:58:38.000Z',
      metadata: { subscription_type: 'default', billable_id: '1', billable_type: 'App\\Models\\User' },
    }),
    money('payment', 'tran_test123', {
      refs: [{ kind: 'subscription', id: 'sub_test123' }],
      purpose: 'recurring',
      subscription_id: 'sub_test123',
      price_id: 'prod_monthly',
      amount: 1210,
      currency: 'USD',
      state: 'paid',
      // 1728734327109 ms.
      paid_at: '2024-10-12T11:58:47.109Z',
    }),
  ],
  [convex('refund.created')]: [
    money('refund', 'ref_1mqUZAF4STf0CpHFzT5Qs0', {
      refs: [
        { kind: 'payment', id: 'tran_3x6ImUPFqSe93cv2z40V2O' },
        { kind: 'payment', id: 'ord_49E2Q97ydLjZJbPoERGGWl', part: 'bill' },
      ],
      amount: 2999,
      currency: 'USD',
      state: 'succeeded',
    }),
  ],
  // "refunded" is none of a refund's words: whether the money went back is not known.
  [noxomix('refund.created')]: [
    money('refund', 'ref_1', {
      refs: [{ kind: 'payment', id: 'tran_1' }],
      amount: undefined as never,
      currency: null,
      state: 'pending',
    }),
  ],
  [convex('dispute.created')]: [
    money('dispute', 'disp_26jKdaVrGiOQ0qsZ1CUckR', {
      refs: [
        { kind: 'payment', id: 'tran_125zeFXV7V3wQTOQcmwwUN' },
        { kind: 'payment', id: 'ord_21590VszfDxvEbtVRpzJrx', part: 'bill' },
      ],
      amount: 2999,
      currency: 'USD',
      state: 'open',
    }),
  ],
}
