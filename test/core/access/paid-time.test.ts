import test from 'ava'
import {
  type AccessRules,
  type Grant,
  type HoldingHistory,
  type Holdings,
  noHistory,
  opensAfter,
  paidTime,
} from '../../../src/core/access/index.ts'
import { paymentSchema, subscriptionSchema, toPayment, toSubscription } from '../../../src/core/dto/index.ts'

const rules = {
  plans: [
    {
      id: 'pro',
      provider: 'stripe',
      name: 'Pro',
      description: null,
      lines: [],
      features: [],
      opens: ['course'],
      prices: [price('price_pro', 'month'), price('price_year', 'year')],
    },
  ],
  pastDueSeconds: 21 * 86_400,
} as unknown as AccessRules

function price(id: string, interval: string) {
  return {
    id,
    provider: 'stripe',
    type: 'recurring',
    interval,
    interval_count: 1,
    currency: 'EUR',
    amount: 900,
  }
}
function day(text: string) {
  return `2026-${text}T00:00:00.000Z`
}
function at(text: string) {
  return new Date(day(text))
}

function payment(id: string, paid: string, more: object = {}) {
  return toPayment(
    paymentSchema.parse({
      id,
      provider: 'stripe',
      account: '',
      customer_id: 'cus_1',
      subscription_id: 'sub_1',
      invoice_id: null,
      price_id: 'price_pro',
      items: [],
      quantity: 1,
      amount: 900,
      amount_refunded: 0,
      currency: 'EUR',
      status: 'paid',
      paid_at: day(paid),
      invoice_url: null,
      livemode: false,
      metadata: {},
      updated_at: day(paid),
      purpose: 'recurring',
      ...more,
    }),
  )
}
function subscription(more: object = {}) {
  return toSubscription(
    subscriptionSchema.parse({
      id: 'sub_1',
      provider: 'stripe',
      account: '',
      customer_id: 'cus_1',
      price_id: 'price_pro',
      product_id: null,
      quantity: 1,
      items: [],
      status: 'active',
      provider_status: null,
      currency: 'EUR',
      unit_amount: 900,
      interval: 'month',
      interval_count: 1,
      started_at: day('01-01'),
      trial_ends_at: null,
      current_period_start: null,
      current_period_end: null,
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      resumes_at: null,
      livemode: false,
      metadata: {},
      updated_at: day('01-01'),
      ...more,
    }),
  )
}
function grant(starts: string | null, expires: string | null, more: Partial<Grant> = {}): Grant {
  return {
    id: 'g1',
    gate: 'pro',
    source: 'gift',
    reason: null,
    starts_at: starts && day(starts),
    expires_at: expires && day(expires),
    ...more,
  }
}
function holdings(more: Partial<Holdings>): Holdings {
  return {
    subscriptions: [],
    payments: [],
    grants: [],
    ...more,
  }
}
function daysOf(held: Partial<Holdings>, now: string, history: Partial<HoldingHistory> = {}) {
  return paidTime('course', holdings(held), { ...noHistory, ...history }, rules, at(now)).days
}

test('paid months add up, and a gap between two of them is none', (t) => {
  const subscriptions = [subscription({ status: 'canceled', ended_at: day('06-01') })]
  const payments = [payment('p1', '01-01'), payment('p2', '02-01'), payment('p3', '05-01')]
  t.is(daysOf({ subscriptions, payments }, '01-11'), 10)
  t.is(daysOf({ subscriptions, payments }, '04-15'), 59, 'January and February')
  t.is(daysOf({ subscriptions, payments }, '05-11'), 69, 'coming back goes on')
  t.is(daysOf({ subscriptions, payments }, '08-01'), 90, 'the end of the membership ends it')
})

test('a pause is none, whether it is over or goes on', (t) => {
  const payments = [payment('p1', '01-01')]
  const pauses = new Map([['stripe:sub_1', [{ from: day('01-06'), to: day('01-16') }]]])
  t.is(daysOf({ subscriptions: [subscription()], payments }, '01-21', { pauses }), 10)
  const paused = subscription({ status: 'paused', paused_at: day('01-06') })
  t.is(daysOf({ subscriptions: [paused], payments }, '01-21'), 5)
})

test('a renewal that is paid late pays its whole period; a refunded one pays nothing', (t) => {
  const subscriptions = [subscription({ status: 'canceled', ended_at: day('03-01') })]
  const late = [payment('p1', '01-01'), payment('p2', '02-10')]
  t.is(daysOf({ subscriptions, payments: late }, '03-20'), 59)
  const refunded = [payment('p1', '01-01'), payment('p2', '02-01', { status: 'refunded' })]
  t.is(daysOf({ subscriptions, payments: refunded }, '03-20'), 31)
})

test('the time that a refund or a dispute takes back is none, whatever the provider says of the period', (t) => {
  const period = { current_period_start: day('02-01'), current_period_end: day('03-01') }
  const subscriptions = [subscription(period)]
  for (const status of ['refunded', 'disputed']) {
    const payments = [payment('p1', '01-01'), payment('p2', '02-01', { status })]
    t.is(daysOf({ subscriptions, payments }, '02-20'), 31, `${status}: the first month alone`)
  }
  const part = [payment('p1', '01-01'), payment('p2', '02-01', { status: 'partially_refunded' })]
  t.is(daysOf({ subscriptions, payments: part }, '02-20'), 50)
  const weekly = { interval: 'week', current_period_start: day('01-15'), current_period_end: day('01-22') }
  const weeks = [
    payment('p1', '01-01'),
    payment('p2', '01-08', { status: 'refunded' }),
    payment('p3', '01-15'),
  ]
  const priceless = weeks.map((p) => ({ ...p, price_id: 'price_week' }))
  const plan = { ...rules.plans[0]!, prices: [price('price_week', 'week')] }
  const s = subscription({ ...weekly, price_id: 'price_week' })
  const held = holdings({ subscriptions: [s], payments: priceless })
  const { days } = paidTime('course', held, noHistory, { ...rules, plans: [plan as never] }, at('01-29'))
  t.is(days, 14, 'the week after it is not a late payment of it')
})

test('a trial is none, also where the provider writes a payment of nothing for it', (t) => {
  const s = subscription({ status: 'trialing', trial_ends_at: day('01-15') })
  const payments = [payment('p0', '01-01', { amount: 0 })]
  t.is(daysOf({ subscriptions: [s], payments }, '01-10'), 0)
  const held = holdings({ subscriptions: [s] })
  const paid = paidTime('course', held, noHistory, rules, at('01-10'))
  t.is(opensAfter(paid, 14 * 86_400, held, ['price_pro'], at('01-10')), day('01-29'))
})

test('gifts, seats and what one switched from count together, and time that overlaps counts once', (t) => {
  const old = subscription({ id: 'sub_0', provider: 'paddle', status: 'canceled', ended_at: day('02-01') })
  const own = subscription({ started_at: day('02-01') })
  const payments = [
    payment('p0', '01-01', { provider: 'paddle', subscription_id: 'sub_0' }),
    payment('p1', '02-01'),
  ]
  t.is(daysOf({ subscriptions: [old, own], payments }, '02-11'), 41, 'a switch goes on')
  t.is(daysOf({ subscriptions: [old, own], payments, grants: [grant('01-20', '02-05')] }, '02-11'), 41)
  t.is(daysOf({ grants: [grant('01-01', '01-11'), grant('01-21', '01-31', { id: 'g2' })] }, '03-01'), 20)
  t.is(daysOf({ grants: [grant(null, null)] }, '01-11', { granted: new Map([['g1', day('01-01')]]) }), 10)
  const seat = { id: 's1', subscription: own, payments: [payment('p1', '02-01')], open_until: null }
  t.is(daysOf({ seats: [seat] }, '02-16', { joined: new Map([['s1', day('02-06')]]) }), 10)
  const pastSeats = [{ prices: ['price_pro'], from: day('01-01'), to: day('01-11') }]
  t.is(daysOf({ grants: [grant('02-01', null)] }, '02-06', { pastSeats }), 15)
})

test('a year counts as a year, and a subscription without known payments from its start', (t) => {
  const yearly = subscription({ price_id: 'price_year', interval: 'year' })
  t.is(
    daysOf(
      { subscriptions: [yearly], payments: [payment('p1', '01-01', { price_id: 'price_year' })] },
      '07-01',
    ),
    181,
  )
  const imported = subscription({ current_period_end: day('03-01') })
  t.is(daysOf({ subscriptions: [imported] }, '02-01'), 31)
})

test('a year of months that began on the 31st is paid on each day, with and without days of grace', (t) => {
  const days = [
    '01-31',
    '02-28',
    '03-31',
    '04-30',
    '05-31',
    '06-30',
    '07-31',
    '08-31',
    '09-30',
    '10-31',
    '11-30',
  ]
  const payments = days.map((paid, n) => payment(`p${n}`, paid))
  const s = subscription({
    started_at: day('01-31'),
    current_period_start: day('11-30'),
    current_period_end: day('12-31'),
  })
  for (const pastDueSeconds of [0, 21 * 86_400]) {
    const known = paidTime(
      'pro',
      { subscriptions: [s], payments, grants: [] },
      noHistory,
      { ...rules, pastDueSeconds },
      at('12-20'),
    )
    t.is(known.days, (Date.parse(day('12-20')) - Date.parse(day('01-31'))) / 86_400_000)
  }
})

test('an invoice that is paid after the end pays for the time that it opens, and for none where its period is over', (t) => {
  const period = { current_period_start: day('02-01'), current_period_end: day('03-01') }
  const ended = subscription({
    status: 'canceled',
    ended_at: day('02-08'),
    ended_for: 'unpaid',
    items: [{ id: 'si_1', price_id: 'price_pro', product_id: null, quantity: 1, ...period }],
    ...period,
  })
  const paidOn = (paid: string) => [
    payment('p0', '01-01'),
    payment('p1', paid, { period_start: day('02-01'), period_end: day('03-01') }),
  ]
  t.is(daysOf({ subscriptions: [ended], payments: paidOn('02-12') }, '03-10'), 59, 'all of both periods')
  t.is(daysOf({ subscriptions: [ended], payments: paidOn('04-12') }, '05-10'), 31)
})
