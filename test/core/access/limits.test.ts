import test from 'ava'
import {
  bucketsOf,
  calendarWindow,
  type Holdings,
  type LimitRows,
  limitOf,
  never,
  splitOver,
} from '../../../src/core/access/index.ts'
import type { Plan, PlanLimit, Price } from '../../../src/core/dto/index.ts'
import { grantWith, paymentWith, subscriptionWith } from '../../support/holding.ts'

const now = new Date('2026-03-05T12:00:00.000Z')
const nothing: LimitRows = { usage: [], credits: [], holds: [] }

function price(id: string, fields: Partial<Price> = {}): Price {
  return {
    id,
    plan: 'pro',
    provider: 'acme',
    type: 'recurring' as const,
    currency: null,
    amount: null,
    interval: null,
    interval_count: null,
    trial_days: null,
    trial_amount: null,
    label: null,
    lookup_key: null,
    retired: false,
    ...fields,
  }
}
function plan(id: string, exports: PlanLimit | null, ...prices: Price[]): Plan {
  return {
    id,
    provider: 'acme',
    name: id,
    description: null,
    lines: [],
    features: [],
    prices,
    ...(exports === null ? {} : { limits: { exports } }),
  }
}
const monthly = { amount: 100, every: 'month' } as const
function pro(limit: PlanLimit = monthly) {
  return [
    plan(
      'pro',
      limit,
      price('price_1'),
      price('more', { type: 'one_time', adds: { exports: { amount: 50 } } }),
    ),
  ]
}

function of(holdings: Partial<Holdings>, plans: readonly Plan[], rows: Partial<LimitRows> = {}, at = now) {
  return bucketsOf(
    'exports',
    { subscriptions: [], payments: [], grants: [], ...holdings },
    { ...nothing, ...rows },
    { plans, pastDueSeconds: 21 * 86_400 },
    at,
  )
}
function limit(...given: Parameters<typeof of>) {
  return limitOf('exports', of(...given))
}
function used(count: number, ends_at = '2026-04-01T00:00:00.000Z', bucket = 'month') {
  return {
    usage: [{ name: 'exports', bucket, starts_at: '2026-03-01T00:00:00.000Z', ends_at, used: count }],
  }
}

test('a plan includes its amount in each calendar month, counted in UTC', (t) => {
  const held = { subscriptions: [subscriptionWith()] }
  t.deepEqual(limit(held, pro(), used(30)), {
    name: 'exports',
    amount: 100,
    used: 30,
    left: 70,
    added: 0,
    resets_at: '2026-04-01T00:00:00.000Z',
    source: 'pro',
  })
  t.like(limit(held, pro(), used(30, '2026-03-01T00:00:00.000Z')), { used: 0, left: 100 })
  t.like(limit({}, pro()), { amount: 0, left: 0, resets_at: null, source: null })
})

test('windows of the calendar begin at midnight, weeks on Monday, and `once` has no end', (t) => {
  const window = (every: Parameters<typeof calendarWindow>[0], at = now) =>
    Object.values(calendarWindow(every, at)).map((moment) => moment.slice(0, 10))
  t.deepEqual(window('day'), ['2026-03-05', '2026-03-06'])
  t.deepEqual(window('week'), ['2026-03-02', '2026-03-09'])
  t.deepEqual(window('week', new Date('2026-03-08T23:59:59Z')), ['2026-03-02', '2026-03-09'])
  t.deepEqual(window('month', new Date('2026-12-31T23:59:59Z')), ['2026-12-01', '2027-01-01'])
  t.deepEqual(window('year'), ['2026-01-01', '2027-01-01'])
  t.is(calendarWindow('once', now).ends_at, never)
})

test('the greatest amount of several open plans counts, once', (t) => {
  const plans = [
    plan('basic', { amount: 10, every: 'month' }, price('price_basic')),
    plan('pro', monthly, price('price_1')),
  ]
  const subscriptions = [
    subscriptionWith({ id: 'sub_b', price_id: 'price_basic', items: [] }),
    subscriptionWith({ id: 'sub_p' }),
  ]
  t.like(limit({ subscriptions }, plans, used(12)), { amount: 100, used: 12, source: 'pro' })
  t.like(limit({ subscriptions: subscriptions.slice(0, 1) }, plans, used(12)), {
    amount: 10,
    used: 12,
    left: 0,
  })
})

test('a trial has the amount of trials, and a pause has none', (t) => {
  const trial = subscriptionWith({ status: 'trialing', trial_ends_at: '2026-03-10T00:00:00.000Z' })
  t.is(limit({ subscriptions: [trial] }, pro({ ...monthly, trial: 5 })).amount, 5)
  t.is(limit({ subscriptions: [trial] }, pro()).amount, 100)
  t.is(
    limit(
      { subscriptions: [subscriptionWith({ status: 'paused', paused_at: '2026-03-01T00:00:00.000Z' })] },
      pro(),
    ).amount,
    0,
  )
  t.is(limit({ grants: [grantWith({ gate: 'pro' })] }, pro()).amount, 100)
})

test('a paid period counts from its beginning to its end, and a sooner end that stood before counts', (t) => {
  const s = subscriptionWith({
    current_period_start: '2026-02-20T00:00:00.000Z',
    current_period_end: '2026-03-20T00:00:00.000Z',
  })
  const period = pro({ amount: 100, every: 'period' })
  t.like(of({ subscriptions: [s] }, period)[0], {
    bucket: 'period',
    starts_at: '2026-02-20T00:00:00.000Z',
    until: '2026-03-20T00:00:00.000Z',
  })
  // Another plan began another period: what was counted goes on until the first of both ends.
  t.like(limit({ subscriptions: [s] }, period, used(40, '2026-03-10T00:00:00.000Z', 'period')), {
    used: 40,
    resets_at: '2026-03-10T00:00:00.000Z',
  })
})

test('an unpaid or unreported renewal begins no new count', (t) => {
  const s = subscriptionWith({
    status: 'past_due',
    started_at: '2025-12-01T00:00:00.000Z',
    past_due_since: '2026-03-01T00:00:00.000Z',
    current_period_start: '2026-03-01T00:00:00.000Z',
    current_period_end: '2026-04-01T00:00:00.000Z',
    interval: 'month',
    interval_count: 1,
  })
  const period = pro({ amount: 100, every: 'period' })
  const rows = used(90, '2026-03-01T00:00:00.000Z', 'period')
  t.like(limit({ subscriptions: [s] }, period, rows), { used: 90, left: 10, resets_at: null })
  const late = subscriptionWith({
    current_period_start: '2026-02-01T00:00:00.000Z',
    current_period_end: '2026-03-01T00:00:00.000Z',
  })
  t.like(limit({ subscriptions: [late] }, period, rows), { used: 90, left: 10, resets_at: null })
})

test('top-ups count after the included amount, oldest first, until they expire', (t) => {
  const plans = [
    plan(
      'pro',
      monthly,
      price('price_1'),
      price('more', { type: 'one_time', adds: { exports: { amount: 50, days: 30 } } }),
    ),
  ]
  const payments = [
    paymentWith({ id: 'new', price_id: 'more', paid_at: '2026-03-02T00:00:00.000Z', subscription_id: null }),
    paymentWith({
      id: 'old',
      price_id: 'more',
      paid_at: '2026-02-10T00:00:00.000Z',
      subscription_id: null,
      quantity: 2,
    }),
    paymentWith({ id: 'over', price_id: 'more', paid_at: '2026-01-01T00:00:00.000Z', subscription_id: null }),
  ]
  const buckets = of({ subscriptions: [subscriptionWith()], payments }, plans, used(90))
  t.deepEqual(
    buckets.map(({ bucket, amount }) => [bucket, amount]),
    [
      ['month', 100],
      ['topup:acme:old', 100],
      ['topup:acme:new', 50],
    ],
  )
  t.deepEqual(
    splitOver(120, buckets)?.map(({ bucket, take }) => [bucket.bucket, take]),
    [
      ['month', 10],
      ['topup:acme:old', 100],
      ['topup:acme:new', 10],
    ],
  )
  t.is(splitOver(161, buckets), null)
  t.like(limitOf('exports', buckets), { amount: 100, used: 90, added: 150, left: 160 })
  t.like(limit({ payments }, plans), { amount: 0, left: 150, source: 'top-up' })
})

test('a refund takes back its share of a top-up, and a dispute takes the whole rest', (t) => {
  const paid = { price_id: 'more', subscription_id: null, amount: 1000 }
  const left = (fields: object, rows: Partial<LimitRows> = {}) =>
    limit({ payments: [paymentWith({ ...paid, ...fields })] }, pro(), rows).left
  t.is(left({}), 50)
  t.is(left({ status: 'partially_refunded', amount_refunded: 500 }), 25)
  t.is(left({ status: 'partially_refunded', amount_refunded: 500 }, used(30, never, 'topup:acme:pay_1')), 0)
  t.is(left({ status: 'partially_refunded', amount_refunded: 10 }), 50, 'less than one piece takes none')
  t.is(left({ status: 'partially_refunded', amount_refunded: 39 }), 49, 'rounded in the buyer’s favour')
  t.is(left({ status: 'refunded', amount_refunded: 1000 }), 0)
  t.is(left({ status: 'disputed' }), 0)
})

test('a reserved amount counts until it expires', (t) => {
  const hold = (held_until: string) => ({ name: 'exports', held_until, parts: [['month', 20]] as const })
  const held = { subscriptions: [subscriptionWith()] }
  t.is(limit(held, pro(), { ...used(30), holds: [hold('2026-03-05T12:00:00.001Z')] }).used, 30)
  t.is(limit(held, pro(), { ...used(30), holds: [hold('2026-03-05T12:00:00.000Z')] }).used, 10)
})
