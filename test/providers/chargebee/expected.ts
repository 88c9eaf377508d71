import type { Stage } from '../../../src/providers/contract.ts'
import type { Expected } from '../case.ts'

// Worked out by hand from each payload and Chargebee's API reference, not recorded from the code.

type SubscriptionFields = Extract<Expected, { type: 'subscription' }>['data']
type MoneyFields = Extract<Expected, { type: 'money' }>['data']

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

function customer(id: string, name: string | null, email: string | null, stage: Stage = 'updated'): Expected {
  return {
    type: 'customer',
    id,
    stage,
    data: { id, name, email, deleted: stage === 'deleted' },
  }
}

function subscription(id: string, data: SubscriptionFields, stage: Stage = 'updated'): Expected {
  return {
    type: 'subscription',
    id,
    stage,
    data,
  }
}

function invoice(id: string, data: MoneyFields, stage: Stage = 'updated'): Expected {
  return {
    type: 'money',
    kind: 'payment',
    id,
    stage,
    data,
  }
}

function refund(id: string, invoiced: string, amount: number, state: 'succeeded' | 'pending'): Expected {
  return {
    type: 'money',
    kind: 'refund',
    id,
    stage: 'updated',
    data: { refs: [{ kind: 'payment', id: invoiced }], amount, currency: 'USD', state },
  }
}

function ross(name = 'Benjamin'): Expected {
  return customer('3Nl7oGgQqGFprj9', `${name} Ross`, 'Benjamin@test.com')
}
const tax = customer('16BjsrSIh4AdLqkD', 'Tax Customer', 'taxes@test.com')
// No name of a person: the company's.
const company = customer('16CHTnSAxXWqMAg8', 'Test Company with Plan', null)

function rossPlan(plan: string, price: number, from: number | null, to: number | null): SubscriptionFields {
  const period = {
    current_period_start: from === null ? null : iso(from),
    current_period_end: to === null ? null : iso(to),
  }
  return {
    customer_id: '3Nl7oGgQqGFprj9',
    price_id: plan,
    product_id: null,
    quantity: 1,
    items: [
      { id: null, price_id: plan, product_id: null, quantity: 1, ...period },
      { id: null, price_id: 'data_usage', product_id: null, quantity: 1, ...period },
    ],
    currency: 'USD',
    unit_amount: price,
    interval: 'month',
    interval_count: 1,
    started_at: iso(1341690024),
    trial_ends_at: iso(1344368424),
    ...period,
  }
}
const open = {
  status: 'active',
  provider_status: null,
  cancel_at: null,
  canceled_at: null,
  ended_at: null,
} as const
const owing = { ...open, status: 'past_due', provider_status: 'active' } as const

function rossPaid(id: string, plan: string, amount: number, at: number): Expected {
  return invoice(id, {
    refs: [{ kind: 'subscription', id: '3Nl7oGgQqGFprj9' }],
    purpose: 'recurring',
    customer_id: '3Nl7oGgQqGFprj9',
    subscription_id: '3Nl7oGgQqGFprj9',
    price_id: plan,
    quantity: 1,
    items: [
      { price_id: plan, product_id: null, quantity: 1 },
      { price_id: 'data_usage', product_id: null, quantity: 1 },
    ],
    amount,
    currency: 'USD',
    state: 'paid',
    paid_at: iso(at),
  })
}

const prepaid = {
  refs: [],
  purpose: 'one_time',
  customer_id: '16CHTpRzjKx2O7mo',
  subscription_id: undefined,
  price_id: 'rewards-prepayment',
  quantity: 5000,
  amount: 500_000,
  currency: 'USD',
  state: 'pending',
  paid_at: undefined,
} as const

const custom = {
  customer_id: '16CHTnSAxXWqMAg8',
  price_id: 'test-company-custom-pro-plan',
  currency: 'USD',
  quantity: 1,
  unit_amount: 960_000,
  interval: 'year',
  current_period_end: null,
} as const

/** What each public payload says, by its name in the corpus. */
export const expected: Readonly<Record<string, readonly Expected[]>> = {
  // Of no kind that changes a membership, or with nothing in it that says when it changed.
  'card_expired--mock_chargebee.json': [],
  'plan_updated--mock_chargebee.json': [],
  'customer_created--chargebee-node-2.json': [],
  'customer_created--chargebee-node-3.json': [],
  'payment_succeeded--chargebee-node-2.json': [],
  'payment_succeeded--chargebee-node.json': [],
  'subscription_cancelled--chargebee-node.json': [],
  'subscription_created--chargebee-node.json': [],

  'customer_changed--mock_chargebee.json': [company],
  'customer_created--chargebeex.json': [customer('__test__KyVnHhSBWm4tg2rq', null, null, 'created')],
  'customer_created--mock_chargebee.json': [
    customer('16CHTnSAxXWqMAg8', 'Test Company with Plan', null, 'created'),
  ],
  'customer_deleted--mock_chargebee.json': [
    customer('3Nl7oGgQqGFprj9', 'Joe Ross', 'Benjamin@test.com', 'deleted'),
    subscription(
      '3Nl7oGgQqGFprj9',
      {
        ...rossPlan('no_trial', 1000, 1367437254, 1370115654),
        status: 'canceled',
        provider_status: 'active',
        ended_at: iso(1359833508),
      },
      'deleted',
    ),
  ],
  'invoice_generated--mock_chargebee.json': [invoice('19', prepaid, 'created')],
  'invoice_updated--mock_chargebee.json': [invoice('19', prepaid)],
  'payment_failed--mock_chargebee.json': [
    ross('Joe'),
    subscription('3Nl7oGgQqGFprj9', {
      ...rossPlan('no_trial', 1000, 1364845254, 1367437254),
      ...owing,
    }),
    // 1095, of which 871 are credits.
    invoice('6', {
      purpose: 'recurring',
      amount: 224,
      currency: 'USD',
      state: 'pending',
      paid_at: undefined,
    }),
  ],
  'payment_refunded--mock_chargebee.json': [
    ross(),
    subscription('3Nl7oGgQqGFprj9', { ...rossPlan('no_trial', 1000, 1362166854, 1364845254), ...open }),
    rossPaid('1', 'basic', 995, 1344368425),
    refund('txn_3Nl7oGgQqGG07E3V', '1', 2, 'succeeded'),
  ],
  'payment_succeeded--mock_chargebee.json': [
    tax,
    subscription('tax customer test', {
      ...open,
      customer_id: '16BjsrSIh4AdLqkD',
      currency: 'USD',
      price_id: 'contract-plan',
      quantity: 6,
      unit_amount: 50_000,
      trial_ends_at: null,
      current_period_end: iso(1639241376),
    }),
    invoice('22', {
      purpose: 'recurring',
      price_id: 'contract-plan',
      // What is charged for setting it up is no plan.
      items: [{ price_id: 'contract-plan', product_id: null, quantity: 6 }],
      amount: 450_000,
      currency: 'USD',
      state: 'paid',
      paid_at: iso(1607700898),
    }),
  ],
  'refund_initiated--mock_chargebee.json': [
    customer('createSubs', 'createSubs', 'createSubs@test.com'),
    invoice('4', {
      purpose: 'recurring',
      subscription_id: 'createSubs',
      price_id: undefined,
      amount: 1000,
      currency: 'USD',
      state: 'paid',
    }),
    refund('txn_3Nl7oGgQqGG6Ho3w', '4', 1000, 'pending'),
  ],
  'subscription_activated--mock_chargebee.json': [
    ross(),
    subscription('3Nl7oGgQqGFprj9', { ...rossPlan('basic', 900, 1344368424, 1347046824), ...open }),
    rossPaid('1', 'basic', 995, 1344368425),
  ],
  'subscription_cancellation_scheduled--mock_chargebee.json': [
    ross(),
    subscription('3Nl7oGgQqGFprj9', {
      ...rossPlan('basic', 900, 1347046824, 1349638824),
      status: 'active',
      provider_status: 'non_renewing',
      cancel_at_period_end: true,
      cancel_at: iso(1349638824),
      canceled_at: null,
      ended_at: null,
    }),
  ],
  'subscription_cancelled--mock_chargebee.json': [
    company,
    subscription('AzqgumSAxXl3xAxW', {
      ...custom,
      status: 'canceled',
      provider_status: 'cancelled',
      cancel_at: null,
      canceled_at: iso(1601524835),
      ended_at: iso(1601524835),
    }),
  ],
  'subscription_changed--mock_chargebee.json': [
    customer('AzZlzTSI7x16Ufzr', 'Hydro Flask', 'hydroflask@test.com'),
    subscription('AzZlzTSI7x9cAg30', {
      status: 'incomplete',
      provider_status: 'future',
      customer_id: 'AzZlzTSI7x16Ufzr',
      price_id: '__TEST__plan_1',
      quantity: 300,
      currency: 'USD',
      unit_amount: 3600,
      // It begins later.
      current_period_end: null,
      // Only texts are kept.
      metadata: {},
    }),
  ],
  'subscription_created--mock_chargebee.json': [
    company,
    subscription(
      'AzqgumSAxXl3xAxW',
      { ...custom, status: 'incomplete', provider_status: 'future', started_at: iso(1600447774) },
      'created',
    ),
  ],
  'subscription_deleted--mock_chargebee.json': [
    tax,
    subscription(
      'tax customer test',
      {
        customer_id: '16BjsrSIh4AdLqkD',
        price_id: '__TEST__plan_1',
        currency: 'USD',
        unit_amount: 3240,
        current_period_end: iso(1610294795),
        status: 'canceled',
        provider_status: 'in_trial',
        trial_ends_at: iso(1610294795),
        ended_at: '2020-12-11T16:13:51.030Z',
      },
      'deleted',
    ),
  ],
  'subscription_paused--mock_chargebee.json': [
    ross('Joe'),
    subscription('3Nl7oGgQqGFprj9', {
      ...rossPlan('no_trial', 1000, 1364845254, 1367437254),
      status: 'paused',
      provider_status: null,
      paused_at: iso(1365622909),
      resumes_at: null,
    }),
  ],
  'subscription_reactivated--mock_chargebee.json': [
    ross(),
    subscription('3Nl7oGgQqGFprj9', { ...rossPlan('basic', 900, 1362166854, 1364845254), ...open }),
    rossPaid('3', 'basic', 995, 1362166855),
  ],
  // Its invoice is pending: it asks for nothing yet.
  'subscription_renewed--mock_chargebee.json': [
    customer('169yKyRvVEpMaX5Y', 'Michael Paravati', 'michael@chargebee.com'),
    subscription('16CHTSRvVVFWPYD5', {
      ...open,
      customer_id: '169yKyRvVEpMaX5Y',
      currency: 'USD',
      price_id: 'pro-monthly',
      quantity: 5,
      unit_amount: 500,
      current_period_start: iso(1602102735),
      current_period_end: iso(1604784735),
    }),
  ],
  'subscription_started--mock_chargebee.json': [
    ross(),
    subscription('3Nl7oGgQqGFprj9', {
      ...rossPlan('basic', 900, 1341690024, 1344368424),
      status: 'trialing',
      provider_status: 'in_trial',
    }),
  ],
}
