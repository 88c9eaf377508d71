import test from 'ava'
import {
  type AccessRules,
  decideGate,
  decidePlan,
  featuresOf,
  type Holdings,
  isKnownGate,
  isReplaced,
  isTakenBack,
  openingOf,
  paymentsOf,
  pricesOf,
  restAfterEnd,
} from '../../../src/core/access/index.ts'
import {
  type Payment,
  type PaymentData,
  type Plan,
  type SubscriptionData,
  subscriptionStatuses,
} from '../../../src/core/dto/index.ts'
import { grantWith, itemWith, paymentWith, subscriptionWith } from '../../support/holding.ts'

const now = '2026-03-05T12:00:00.000Z'
const before = '2026-03-05T11:59:59.999Z'
const after = '2026-03-05T12:00:00.001Z'
const dayMs = 86_400_000
function daysAgo(days: number): string {
  return new Date(Date.parse(now) - days * dayMs).toISOString()
}

function decide(holdings: Partial<Holdings>, rules: Partial<AccessRules> = {}, gate = 'price_1') {
  return decideGate(
    gate,
    { subscriptions: [], payments: [], grants: [], ...holdings },
    { plans: [], pastDueSeconds: 10 * 86_400, ...rules },
    new Date(now),
  )
}
/** What opens the gate of `price_1` for such a subscription, and until when; null where nothing does. */
function openBy(
  fields: Partial<SubscriptionData>,
  payments: readonly Payment[] = [],
  rules: Partial<AccessRules> = {},
) {
  const { open, reason, until } = decide({ subscriptions: [subscriptionWith(fields)], payments }, rules)
  return open ? [reason, until] : null
}

function price(id: string, lookup_key: string | null = null) {
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
    lookup_key,
    retired: false,
  }
}
function plan(id: string, ...prices: Plan['prices']): Plan {
  return {
    id,
    provider: 'acme',
    name: id,
    description: null,
    lines: [],
    features: [],
    prices,
  }
}

test('free days paid by another account open nothing before they begin, unless they are paid', (t) => {
  const trial = { status: 'trialing', trial_ends_at: daysAgo(-10), current_period_end: daysAgo(-10) } as const
  t.deepEqual(openBy(trial), ['trial', daysAgo(-10)])
  t.deepEqual(openBy({ ...trial, opens_at: null }), ['trial', daysAgo(-10)])
  t.is(openBy({ ...trial, opens_at: after }), null)
  t.deepEqual(openBy({ ...trial, opens_at: now }), ['trial', daysAgo(-10)], 'from that moment on')
  t.deepEqual(openBy({ ...trial, opens_at: before }), ['trial', daysAgo(-10)])
  t.is(openBy({ status: 'active', trial_ends_at: null, opens_at: after })?.[0], 'subscription', 'it is paid')
})

test('nothing opens without purchases or grants, and the answer names the gate', (t) => {
  t.deepEqual(decide({}), {
    open: false,
    gate: 'price_1',
    reason: 'none',
    by: null,
    until: null,
    ground: null,
    payment: null,
  })
})

test('the answer names the id and end of what opens: subscription before payment before grant', (t) => {
  const held = {
    subscriptions: [subscriptionWith({ current_period_end: after })],
    payments: [paymentWith()],
    grants: [grantWith({ expires_at: after })],
  }
  const gate = { open: true, gate: 'price_1' }
  t.deepEqual(decide(held), {
    ...gate,
    reason: 'subscription',
    by: 'sub_1',
    until: after,
    ground: 'running',
    payment: null,
  })
  t.deepEqual(decide({ ...held, subscriptions: [] }), {
    ...gate,
    reason: 'payment',
    by: 'pay_1',
    until: null,
    ground: 'paid',
    payment: 'pay_1',
  })
  t.deepEqual(decide({ grants: held.grants }), {
    ...gate,
    reason: 'grant',
    by: 'grant_1',
    until: after,
    ground: 'grant',
    payment: null,
  })
})

test('a second subscription opens gates that the first does not', (t) => {
  const subscriptions = [subscriptionWith({ status: 'canceled' }), subscriptionWith({ id: 'sub_2' })]
  t.is(decide({ subscriptions }).by, 'sub_2')
})

test('a subscription opens only its own prices, for any of its items', (t) => {
  const subscriptions = [subscriptionWith({ items: [itemWith('price_1'), itemWith('price_2')] })]
  t.true(decide({ subscriptions }, {}, 'price_2').open)
  t.false(decide({ subscriptions }, {}, 'price_3').open)
})

test('only an active or trialing subscription opens a gate', (t) => {
  const open = subscriptionStatuses.filter((status) => openBy({ status }) !== null)
  t.deepEqual(open, ['trialing', 'active'])
  t.deepEqual(openBy({ status: 'trialing', trial_ends_at: after }), ['trial', after])
})

test('a price that a raise put in the place of another opens what names the old one, after every raise', (t) => {
  const plans = [
    plan(
      'pro',
      price('a', 'monthly'),
      { ...price('b'), replaces: ['a'] },
      { ...price('c'), replaces: ['b', 'gone'] },
      price('d'),
    ),
  ]
  t.deepEqual(pricesOf('a', plans), ['a', 'b', 'c'])
  t.deepEqual(pricesOf('monthly', plans), ['monthly', 'a', 'b', 'c'], 'by the look-up key of the old one')
  t.deepEqual(pricesOf('c', plans), ['c'], 'the new one is not the old one')
  t.deepEqual(pricesOf('gone', plans), ['gone', 'c'], 'although the site removed the old one')
  t.true(isKnownGate('gone', plans))
  const subscriptions = [subscriptionWith({ items: [itemWith('c')] })]
  for (const gate of ['a', 'b', 'c', 'monthly', 'pro', 'gone'])
    t.true(decide({ subscriptions }, { plans }, gate).open, gate)
  t.false(decide({ subscriptions }, { plans }, 'd').open)
  t.false(decide({ subscriptions: [subscriptionWith({ items: [itemWith('a')] })] }, { plans }, 'b').open)
})

test('a plan opens by each of its prices, a price by its id and lookup key; a plan’s name wins over a key', (t) => {
  const plans = [
    plan('pro', price('a'), price('b', 'monthly')),
    plan('team', price('c', 'monthly')),
    plan('x', price('d', 'pro')),
  ]
  t.deepEqual(pricesOf('pro', plans), ['a', 'b'])
  t.deepEqual(pricesOf('monthly', plans), ['monthly', 'b', 'c'])
  t.deepEqual(pricesOf('a', plans), ['a'])
  const grants = [grantWith({ gate: 'pro' })]
  t.true(decide({ grants }, { plans }, 'pro').open, 'given for the plan itself')
  t.true(decide({ grants: [grantWith({ gate: 'b' })] }, { plans }, 'pro').open)
  t.false(decide({ grants }, { plans }, 'team').open)
  t.true(decide({ payments: [paymentWith({ price_id: 'b' })] }, { plans }, 'pro').open)
  t.true(decide({ subscriptions: [subscriptionWith({ price_id: 'b', items: [] })] }, { plans }, 'pro').open)
})

test('a planned end takes effect at its moment, even without an event', (t) => {
  t.is(openBy({ cancel_at: now }), null)
  t.is(openBy({ cancel_at: before }), null)
  t.deepEqual(openBy({ cancel_at: after }), ['subscription', after])
  t.is(openBy({ cancel_at_period_end: true, current_period_end: now }), null)
  t.deepEqual(openBy({ cancel_at_period_end: true, current_period_end: after }), ['subscription', after])
  t.deepEqual(
    openBy({ current_period_end: before }),
    ['subscription', before],
    'a renewal whose message is late',
  )
  t.is(openBy({ status: 'past_due', past_due_since: daysAgo(1), cancel_at: before }), null)
})

test('a pause closes from its beginning to its end', (t) => {
  t.deepEqual(openBy({ paused_at: after, current_period_end: '2026-04-01T00:00:00.000Z' }), [
    'subscription',
    after,
  ])
  t.is(openBy({ paused_at: now }), null)
  t.is(openBy({ paused_at: before, resumes_at: after }), null)
  t.not(openBy({ paused_at: before, resumes_at: now }), null)
  t.is(openBy({ status: 'paused' }), null)
})

test('a pause keeps access only where the site allows it for that provider, and only a requested pause', (t) => {
  const openWhilePaused = new Map([['acme', 60]])
  const open = (fields: Partial<SubscriptionData>) => openBy(fields, [], { openWhilePaused })
  t.deepEqual(open({ paused_at: before, resumes_at: after }), ['subscription', after])
  t.deepEqual(open({ status: 'paused' }), ['subscription', null])
  t.is(open({ status: 'paused', provider_status: 'past_due' }), null, 'for want of money')
  t.is(open({ status: 'past_due', past_due_since: daysAgo(1), paused_at: before }), null)
  t.is(open({ status: 'paused', provider: 'other' }), null)
  t.is(openBy({ status: 'paused' }, [], { openWhilePaused: new Map([['other', 60]]) }), null)
  const planned = { paused_at: after, current_period_end: '2026-04-01T00:00:00.000Z' }
  t.deepEqual(open(planned), ['subscription', '2026-04-01T00:00:00.000Z'], 'the pause closes nothing')
  // A gift or the provider's dashboard may pause for longer than the site allows.
  const begun = daysAgo(59)
  t.deepEqual(open({ paused_at: begun, resumes_at: '2027-03-05T12:00:00.000Z' }), [
    'subscription',
    new Date(Date.parse(begun) + 60 * dayMs).toISOString(),
  ])
  t.is(open({ paused_at: daysAgo(60), resumes_at: '2027-03-05T12:00:00.000Z' }), null)
  t.is(open({ paused_at: daysAgo(60) }), null)
})

test('a pause, and what is left after an end, open the gates of what was bought, and no others', (t) => {
  const rules = { openWhilePaused: new Map([['acme', 60]]), openUntilPaid: new Set(['acme']) }
  const unnamed = { subscription_id: 'sub_1', price_id: null, purpose: 'recurring' } as const
  const paid = (price_id: string | null) =>
    paymentWith({ ...unnamed, price_id, paid_at: daysAgo(2), period_end: daysAgo(-9) })
  const opens = (fields: Partial<SubscriptionData>, payment = paid(null)) =>
    ['price_1', 'price_2'].filter(
      (gate) => decide({ subscriptions: [subscriptionWith(fields)], payments: [payment] }, rules, gate).open,
    )
  const ended = { status: 'canceled', ended_at: daysAgo(1) } as const
  const paused = { status: 'paused' } as const
  for (const fields of [
    { status: 'active' } as const,
    { paused_at: daysAgo(1) },
    paused,
    { ...paused, provider_status: 'past_due' },
    ended,
    { ...ended, ended_for: 'unpaid' } as const,
  ])
    t.deepEqual(opens(fields), ['price_1'], JSON.stringify(fields))
  // The price before a change that came shortly before the end was paid.
  t.deepEqual(opens(ended, paid('price_2')), ['price_2'])
})

test('a failed renewal keeps access from the first failure for the configured time, to the millisecond', (t) => {
  const failed = (past_due_since: string) => openBy({ status: 'past_due', past_due_since })
  const early = new Date(Date.parse(now) - 10 * dayMs + 1).toISOString()
  t.deepEqual(failed(early), ['past_due', after])
  t.is(failed(daysAgo(10)), null)
  t.is(openBy({ status: 'past_due', past_due_since: daysAgo(0) }, [], { pastDueSeconds: 0 }), null)
  t.deepEqual(openBy({ status: 'past_due', past_due_since: daysAgo(0) }, [], { pastDueSeconds: 1 }), [
    'past_due',
    '2026-03-05T12:00:01.000Z',
  ])
  t.is(openBy({ status: 'unpaid', past_due_since: daysAgo(1) }), null, 'the provider gave up')
})

test('without a time of failure it counts from the start of the period, else from the last event', (t) => {
  const last = { status: 'past_due' as const, updated_at: daysAgo(1) }
  const day = (days: number) => daysAgo(-days)
  t.deepEqual(openBy({ ...last, past_due_since: daysAgo(3), current_period_start: daysAgo(2) }), [
    'past_due',
    day(7),
  ])
  t.deepEqual(openBy({ ...last, current_period_start: daysAgo(2) }), ['past_due', day(8)])
  t.deepEqual(openBy(last), ['past_due', day(9)])
})

const renewal = { status: 'past_due' as const, past_due_since: daysAgo(1), started_at: daysAgo(60) }
function ofIt(fields: Partial<Payment> = {}) {
  return paymentWith({ subscription_id: 'sub_1', ...fields })
}

test('a dispute ends the grace period; a dispute of another subscription does not', (t) => {
  t.not(openBy(renewal, [ofIt()]), null)
  t.is(openBy(renewal, [ofIt(), ofIt({ status: 'disputed' })]), null)
  t.not(openBy(renewal, [ofIt(), ofIt({ status: 'disputed', subscription_id: 'sub_2' })]), null)
  t.not(openBy(renewal, [ofIt(), ofIt({ status: 'disputed', provider: 'other' })]), null)
})

test('a failed first payment keeps nothing open; a failed one after a paid one does', (t) => {
  const first = { ...renewal, started_at: daysAgo(1), interval: 'month' as const }
  const tried = ofIt({ status: 'failed' })
  t.is(openBy(first, [tried]), null)
  t.not(openBy(first, [tried, ofIt({ amount: 1 })]), null)
  t.is(openBy(first, [ofIt({ amount: 0 })]), null, 'a trial’s own invoice')
  t.not(openBy(first), null, 'where nothing is known of its payments, nothing is said against it')
  t.is(openBy({ ...first, trial_ends_at: daysAgo(1) }), null, 'a trial that nobody paid for')
})

test('payments before this database began are inferred from a whole passed period, the shortest of its kind', (t) => {
  const tried = ofIt({ status: 'failed' })
  const failedAfter = (ms: number, fields: Partial<SubscriptionData>) =>
    openBy(
      { ...renewal, started_at: new Date(Date.parse(renewal.past_due_since) - ms).toISOString(), ...fields },
      [tried],
    )
  for (const [interval, days] of [
    ['day', 1],
    ['week', 7],
    ['month', 28],
    ['year', 365],
  ] as const) {
    t.not(failedAfter(days * dayMs, { interval }), null, interval)
    t.is(failedAfter(days * dayMs - 1, { interval }), null, interval)
    t.is(failedAfter(3 * days * dayMs - 1, { interval, interval_count: 3 }), null)
    t.not(failedAfter(3 * days * dayMs, { interval, interval_count: 3 }), null)
  }
  t.not(failedAfter(dayMs, {}), null, 'of no kind: a day')
  t.is(failedAfter(dayMs - 1, {}), null)
})

test('a trial’s first period is counted from the trial’s end', (t) => {
  const trial = { ...renewal, started_at: daysAgo(90), interval: 'month' as const }
  t.is(openBy({ ...trial, trial_ends_at: daysAgo(20) }), null)
  t.not(openBy({ ...trial, trial_ends_at: daysAgo(29) }), null)
})

test('with unknown moments, only a trial rules out the grace period', (t) => {
  const tried = ofIt({ status: 'failed' })
  const unknown = { ...renewal, past_due_since: null, updated_at: daysAgo(1) }
  t.not(openBy({ ...renewal, started_at: null }, [tried]), null)
  t.not(openBy(unknown, [tried]), null)
  t.is(openBy({ ...unknown, trial_ends_at: daysAgo(60) }, [tried]), null)
  t.is(openBy({ ...unknown, current_period_start: daysAgo(60) }, [tried]), null, 'the first period failed')
  t.not(openBy({ ...unknown, current_period_start: daysAgo(5) }, [tried]), null)
})

test('the grace period covers the price that was paid last, and no amounts decide', (t) => {
  const other = ofIt({ price_id: 'price_0', amount: 9000 })
  t.is(openBy(renewal, [other]), null)
  t.not(openBy(renewal, [other, ofIt({ id: 'pay_2', updated_at: daysAgo(30) })]), null, 'it was changed back')
  t.not(openBy(renewal, [ofIt({ price_id: null })]), null, 'a payment that names no price')
  const former = decide({ subscriptions: [subscriptionWith(renewal)], payments: [other] }, {}, 'price_0')
  t.false(former.open, 'a period that is not known keeps nothing open')
  const raised = [plan('pro', { ...price('price_1'), replaces: ['price_0'] })]
  t.not(openBy(renewal, [other], { plans: raised }), null, 'a raise goes on with the membership')
})

test('a changed price is closed while it is being paid, and the earlier paid price stays open', (t) => {
  const subscriptions = [
    subscriptionWith({ price_id: 'price_2', items: [itemWith('price_2')], unit_amount: 1600 }),
  ]
  const paid = ofIt({ id: 'pay_1', price_id: 'price_1', paid_at: daysAgo(9) })
  const due = ofIt({
    id: 'pay_2',
    price_id: 'price_2',
    amount: 1600,
    status: 'pending',
    updated_at: daysAgo(1),
  })
  const opens = (fields: Partial<SubscriptionData>, ...payments: Payment[]) =>
    ['price_1', 'price_2', 'price_3'].filter(
      (gate) =>
        decide({ subscriptions: [subscriptionWith({ ...subscriptions[0], ...fields })], payments }, {}, gate)
          .open,
    )
  t.deepEqual(opens({}, paid, due), ['price_1'])
  t.deepEqual(decide({ subscriptions, payments: [paid, due] }), {
    open: true,
    gate: 'price_1',
    reason: 'subscription',
    by: 'sub_1',
    until: null,
    ground: 'running',
    payment: null,
  })
  t.deepEqual(opens({}, paid), ['price_2'], 'nothing is being paid')
  t.deepEqual(opens({ status: 'trialing' }, paid, due), ['price_2'], 'a trial opens what it tries')
  t.deepEqual(opens({ cancel_at: now }, paid, due), [])
  t.deepEqual(opens({ paused_at: now }, paid, due), [])
  t.deepEqual(opens({ status: 'past_due', past_due_since: daysAgo(1) }, paid, due), [])
})

test('an earlier paid price stays open only while the dearer one is due, and only for its own prices', (t) => {
  const due = ofIt({ id: 'pay_2', price_id: 'price_2', amount: 1600, status: 'pending' })
  const subscriptions = [
    subscriptionWith({ price_id: 'price_2', items: [itemWith('price_2'), itemWith(null)] }),
  ]
  const never = ofIt({ price_id: 'price_3', paid_at: daysAgo(9) })
  t.false(decide({ subscriptions, payments: [never, due] }).open, 'another was paid before')
  t.false(decide({ subscriptions, payments: [ofIt({ paid_at: daysAgo(9) })] }).open, 'nothing is due')
})

test('gates of a subscription can be asked for all of its prices, or for given ones', (t) => {
  const s = subscriptionWith({ items: [itemWith('price_1'), itemWith('price_2'), itemWith(null)] })
  const cheap = ofIt({ price_id: 'price_0' })
  const due = ofIt({ id: 'pay_2', price_id: 'price_2', amount: 1600, status: 'pending' })
  const rules = { pastDueSeconds: 0 }
  t.is(openingOf(s, [cheap, due], rules, new Date(now)), null)
  t.deepEqual(openingOf(s, [cheap, due], rules, new Date(now), ['price_1']), {
    reason: 'subscription',
    until: null,
  })
})

test('a payment opens its price while it is paid and not refunded', (t) => {
  const opens = (fields: Partial<Payment>, rules: Partial<AccessRules> = {}) =>
    decide({ payments: [paymentWith(fields)] }, rules).open
  const statuses = ['pending', 'paid', 'failed', 'partially_refunded', 'refunded', 'disputed'] as const
  t.deepEqual(
    statuses.filter((status) => opens({ status })),
    ['paid', 'partially_refunded'],
  )
  t.false(opens({ price_id: 'price_2' }))
  t.true(opens({ price_id: null, items: [{ price_id: 'price_1', product_id: null, quantity: 1 }] }))
  t.false(opens({ purpose: 'recurring' }))
  t.false(opens({ subscription_id: 'sub_1' }))
})

test('a payment of unknown purpose opens a gate only if the site counts it as a one-time purchase', (t) => {
  const payments = [paymentWith({ purpose: 'unknown' })]
  t.false(decide({ payments }).open)
  t.true(decide({ payments }, { unknownIsOneTime: new Set(['acme']) }).open)
  t.false(decide({ payments }, { unknownIsOneTime: new Set(['other']) }).open)
  const recurring = [paymentWith({ purpose: 'recurring' })]
  t.false(decide({ payments: recurring }, { unknownIsOneTime: new Set(['acme']) }).open)
})

test('a manual grant opens from its start to its end', (t) => {
  const opens = (fields: Parameters<typeof grantWith>[0]) => decide({ grants: [grantWith(fields)] }).open
  t.true(opens({}))
  t.false(opens({ gate: 'price_2' }))
  t.true(opens({ starts_at: now }))
  t.false(opens({ starts_at: after }))
  t.true(opens({ expires_at: after }))
  t.false(opens({ expires_at: now }))
})

test('access paid before a change ends when the newest money for it was refunded', (t) => {
  const grants = [grantWith({ source: 'paid' })]
  const opens = (...payments: Payment[]) => decide({ grants, payments }).open
  const back = ofIt({ status: 'refunded', paid_at: daysAgo(2) })
  t.true(opens())
  t.true(opens(ofIt()))
  t.true(opens(ofIt({ status: 'partially_refunded' })))
  t.false(opens(back))
  t.false(opens(ofIt({ status: 'disputed' })))
  t.true(opens(back, ofIt({ paid_at: daysAgo(1) })), 'it was paid again')
  t.false(opens(ofIt({ paid_at: daysAgo(3) }), back))
  t.false(opens(back, ofIt({ status: 'pending', updated_at: now })), 'what is under way is no money')
  t.true(opens(paymentWith({ status: 'refunded' })), 'of no subscription')
  t.true(opens(ofIt({ status: 'refunded', price_id: 'price_2' })), 'of another price')
  const given = [grantWith({ source: 'gift' })]
  t.true(decide({ grants: given, payments: [back] }).open, 'what was given stays')
})

test('a payment for a price that gives a plan for some months opens nothing by itself', (t) => {
  const gift = { ...price('price_gift'), type: 'one_time' as const, gives: { plan: 'pro', months: 12 } }
  const rules = { plans: [plan('pro', price('price_1'), gift)] }
  const payments = [paymentWith({ price_id: 'price_gift', subscription_id: null, status: 'paid' })]
  for (const gate of ['pro', 'price_gift']) t.false(decide({ payments }, rules, gate).open, gate)
  const grants = [grantWith({ id: 'grant_1', gate: 'pro', source: 'gift', expires_at: after })]
  t.like(decide({ payments, grants }, rules, 'pro'), { reason: 'gift', by: 'grant_1', until: after })
  const forGood = { ...price('price_good'), type: 'one_time' as const }
  const both = { plans: [plan('pro', gift, forGood)] }
  const bought = [paymentWith({ price_id: 'price_good', subscription_id: null, status: 'paid' })]
  t.is(decide({ payments: bought }, both, 'pro').reason, 'payment', 'another price of that plan does')
})

test('a seat opens what the subscription of its group opens, and until its own moment afterwards', (t) => {
  const rules = { plans: [plan('team', price('price_1'))] }
  const seat = (fields: Partial<SubscriptionData>, open_until: string | null = null) => [
    { id: 'seat_1', subscription: subscriptionWith(fields), payments: [], open_until },
  ]
  t.like(decide({ seats: seat({ status: 'active' }) }, rules, 'team'), { reason: 'seat', by: 'seat_1' })
  t.false(decide({ seats: seat({ status: 'canceled' }) }, rules, 'team').open)
  t.like(decide({ seats: seat({ status: 'canceled' }, after) }, rules, 'team'), {
    reason: 'seat',
    until: after,
  })
  t.false(decide({ seats: seat({ status: 'canceled' }, now) }, rules, 'team').open)
})

test('a feature is opened by any plan that names it, and by nothing else', (t) => {
  const plans = [
    { ...plan('basic', price('price_basic')), opens: ['archive'] },
    { ...plan('pro', price('price_pro')), opens: ['archive', 'export'] },
  ]
  const opens = (gate: string, price_id: string) =>
    decide({ subscriptions: [subscriptionWith({ items: [itemWith(price_id)] })] }, { plans }, gate).open
  t.true(opens('archive', 'price_basic'))
  t.true(opens('archive', 'price_pro'))
  t.false(opens('export', 'price_basic'))
  t.true(opens('export', 'price_pro'))
  t.deepEqual(featuresOf(plans), ['archive', 'export'])
  t.deepEqual(pricesOf('archive', plans), ['price_basic', 'price_pro'])
  for (const name of ['basic', 'export', 'price_pro']) t.true(isKnownGate(name, plans), name)
  t.false(isKnownGate('exprot', plans))
})

test('a grant of a plan opens its features, and a grant of a feature opens only that', (t) => {
  const plans = [{ ...plan('pro', price('price_pro')), opens: ['archive', 'export'] }]
  const opened = (given: string) =>
    ['pro', 'archive', 'export'].filter(
      (gate) => decide({ grants: [grantWith({ gate: given })] }, { plans }, gate).open,
    )
  t.deepEqual(opened('pro'), ['pro', 'archive', 'export'])
  t.deepEqual(opened('export'), ['export'])
})

test('a feature of both plans stays open while a change to the dearer one is unpaid', (t) => {
  const plans = [
    { ...plan('basic', price('price_basic')), opens: ['archive'] },
    { ...plan('pro', price('price_pro')), opens: ['archive', 'export'] },
  ]
  const changed = subscriptionWith({ items: [itemWith('price_pro')] })
  const payments = [
    paymentWith({
      subscription_id: changed.id,
      price_id: 'price_basic',
      amount: 500,
      status: 'paid',
      id: 'pay_1',
    }),
    paymentWith({
      subscription_id: changed.id,
      price_id: 'price_pro',
      amount: 900,
      status: 'pending',
      id: 'pay_2',
    }),
  ]
  const opens = (gate: string) => decide({ subscriptions: [changed], payments }, { plans }, gate).open
  t.true(opens('archive'))
  t.false(opens('export'))
})

test('a top-up opens nothing by itself and only adds to a limit', (t) => {
  const topUp = { ...price('price_more'), type: 'one_time' as const, adds: { exports: { amount: 50 } } }
  const rules = { plans: [plan('pro', price('price_1'), topUp)] }
  const payments = [paymentWith({ price_id: 'price_more', subscription_id: null, status: 'paid' })]
  for (const gate of ['pro', 'price_more']) t.false(decide({ payments }, rules, gate).open, gate)
})

test('where a provider ends at once, the paid rest stays open to its moment, unless it was given up', (t) => {
  const openUntilPaid: ReadonlySet<string> = new Set(['acme'])
  const [start, end] = [daysAgo(10), daysAgo(-20)]
  const paid = [paymentWith({ subscription_id: 'sub_1', paid_at: start })]
  const canceled = {
    ...({ status: 'canceled', current_period_start: start, current_period_end: end } as const),
    ended_at: daysAgo(5),
  }
  t.deepEqual(openBy(canceled, paid, { openUntilPaid }), ['subscription', end])
  t.is(openBy(canceled, paid), null, 'at other providers the end is the end')
  t.is(openBy(canceled, paid, { openUntilPaid: new Set(['other']) }), null)
  t.is(openBy(canceled, [], { openUntilPaid }), null, 'nothing was paid')
  t.is(openBy({ ...canceled, current_period_end: now }, paid, { openUntilPaid }), null, 'to its moment')
  t.deepEqual(openBy({ ...canceled, current_period_end: after }, paid, { openUntilPaid }), [
    'subscription',
    after,
  ])
  t.is(openBy({ ...canceled, opens_at: after }, paid, { openUntilPaid }), null, 'the member ended it here')
  t.deepEqual(openBy({ ...canceled, opens_at: now }, paid, { openUntilPaid }), ['subscription', end])
})

test('free days begin at their moment, and those without one at once', (t) => {
  const trial = { status: 'trialing', trial_ends_at: daysAgo(-10), current_period_end: daysAgo(-10) } as const
  t.is(openBy({ ...trial, opens_at: after }), null)
  t.truthy(openBy({ ...trial, opens_at: now }))
  t.truthy(openBy({ ...trial, opens_at: before }))
  t.truthy(openBy({ ...trial, opens_at: null }))
  t.truthy(openBy({ status: 'active', opens_at: after }), 'a paid time has begun already')
})

test('of two grants of a gate, the running one answers before one that waits', (t) => {
  const waits = { ...grantWith({ id: 'grant_waits' }), waits: true }
  const runs = grantWith({ id: 'grant_runs' })
  for (const grants of [
    [waits, runs],
    [runs, waits],
  ])
    t.is(decide({ grants }).by, 'grant_runs')
  t.is(decide({ grants: [waits] }).by, 'grant_waits', 'alone it counts')
  const { waits: _, ...plain } = { ...runs, waits: false }
  t.is(decide({ grants: [waits, plain] }).by, 'grant_runs', 'a grant that says nothing of it does not wait')
})

test('of several grants of a gate, the one that ends last says until when', (t) => {
  const short = grantWith({ id: 'grant_short', expires_at: daysAgo(-10) })
  const long = grantWith({ id: 'grant_long', expires_at: daysAgo(-40) })
  const endless = grantWith({ id: 'grant_endless', expires_at: null })
  for (const grants of [
    [short, long],
    [long, short],
  ]) {
    t.is(decide({ grants }).until, long.expires_at)
    t.is(decide({ grants: [...grants, endless] }).until, null)
  }
})

test('one plan is decided by its own prices and grants, not by its features or by other plans', (t) => {
  const pro = { ...plan('pro', price('price_1'), price('price_2')), opens: ['archive'] }
  const rules = { pastDueSeconds: 0 }
  const open = (holdings: Partial<Holdings>) =>
    decidePlan(pro, { subscriptions: [], payments: [], grants: [], ...holdings }, rules, new Date(now)).open
  t.true(open({ subscriptions: [subscriptionWith({ items: [itemWith('price_2')] })] }))
  t.false(open({ subscriptions: [subscriptionWith({ price_id: 'price_3', items: [itemWith('price_3')] })] }))
  t.true(open({ grants: [grantWith({ gate: 'pro' })] }))
  t.false(open({ grants: [grantWith({ gate: 'archive' })] }))
  t.false(open({}))
})

test('a member whose price replaced another cannot go back to that one', (t) => {
  const plans = [
    plan('pro', price('a'), { ...price('b'), replaces: ['a'] }),
    plan('other', { ...price('c'), replaces: ['b'] }, price('d'), { ...price('e'), replaces: ['d'] }),
  ]
  const has = (id: string) => ({ hasPrice: (asked: string) => asked === id })
  const replacedFor = (own: string) =>
    ['a', 'b', 'c', 'd', 'e'].filter((id) => isReplaced(id, has(own), plans))
  t.deepEqual(replacedFor('a'), [])
  t.deepEqual(replacedFor('b'), ['a'])
  t.deepEqual(replacedFor('c'), ['a', 'b'], 'after every raise')
  t.deepEqual(replacedFor('e'), ['d'])
  t.false(isReplaced('a', { hasPrice: (id) => id !== 'd' }, plans), 'a price that the member has, too')
  t.deepEqual(featuresOf(plans), [])
})

test('a seat for one of several prices opens that price’s gate alone', (t) => {
  const subscription = subscriptionWith({
    price_id: 'price_2',
    items: [itemWith('price_2'), itemWith('price_3')],
  })
  const seats = [{ id: 'seat_1', subscription, payments: [], open_until: null }]
  const plans = [plan('team', price('price_3'), price('price_4'))]
  t.is(decide({ seats }, { plans }, 'team').by, 'seat_1')
  t.is(decide({ seats }, { plans }, 'price_2').by, 'seat_1')
  t.false(decide({ seats }, { plans }, 'price_1').open)
  const ended = [
    { ...seats[0]!, subscription: subscriptionWith({ status: 'canceled', items: [itemWith('price_3')] }) },
  ]
  t.false(decide({ seats: ended }, { plans }, 'team').open)
  t.true(decide({ seats: [{ ...ended[0]!, open_until: after }] }, { plans }, 'team').open)
  t.false(decide({ seats: [{ ...ended[0]!, open_until: now }] }, { plans }, 'team').open)
})

test('a gate is known by its plan, its feature, a price, or the look-up key of a price', (t) => {
  const plans = [
    { ...plan('pro', price('price_1', 'pro_monthly'), price('price_2')), opens: ['export'] },
    plan('free'),
  ]
  for (const gate of ['pro', 'export', 'price_1', 'price_2', 'pro_monthly', 'free'])
    t.true(isKnownGate(gate, plans), gate)
  for (const gate of ['por', 'exprot', 'price_3', '']) t.false(isKnownGate(gate, plans), gate)
})

test('the payments of a subscription are those that name it, at its own provider', (t) => {
  const own = ofIt()
  const all = [own, ofIt({ subscription_id: 'sub_2' }), ofIt({ provider: 'other' }), paymentWith()]
  t.deepEqual(paymentsOf(subscriptionWith(), all), [own])
})

const first = '2026-03-01T00:00:00.000Z'
const second = '2026-03-02T00:00:00.000Z'
const third = '2026-03-03T00:00:00.000Z'

test('access paid before a change is revoked when the newest money for it is refunded', (t) => {
  const before = { source: 'paid', gate: 'price_1' }
  const back = ofIt({ status: 'refunded', paid_at: second })
  const again = ofIt({ paid_at: third })
  t.true(isTakenBack(before, [back]))
  t.true(isTakenBack(before, [ofIt({ status: 'disputed' })]))
  for (const list of [
    [back, again],
    [again, back],
  ])
    t.false(isTakenBack(before, list))
  t.false(isTakenBack({ ...before, source: 'manual' }, [back]))
  t.false(isTakenBack(before, []))
  t.false(isTakenBack(before, [paymentWith({ status: 'refunded' })]), 'bought once')
  t.false(isTakenBack(before, [ofIt({ status: 'refunded', price_id: 'price_2' })]))
  t.true(isTakenBack(before, [back, ofIt({ status: 'pending', updated_at: '2026-03-04T00:00:00.000Z' })]))
})

test('the newest money counts by when it was paid, whatever the order, and other prices of the payment count too', (t) => {
  const before = { source: 'paid', gate: 'price_1' }
  const nameless = (fields: Partial<PaymentData>) => ofIt({ price_id: null, ...fields })
  // A renewal without a price belongs to the subscription that the price was paid for.
  t.true(isTakenBack(before, [ofIt({ paid_at: first }), nameless({ status: 'refunded', paid_at: second })]))
  t.false(isTakenBack(before, [nameless({ status: 'refunded', paid_at: second })]), 'nobody paid the price')
  t.false(
    isTakenBack(before, [
      ofIt({ paid_at: first }),
      ofIt({ status: 'refunded', paid_at: second, price_id: 'price_2' }),
    ]),
    'another price of the same subscription',
  )
  t.false(
    isTakenBack(before, [
      ofIt({ paid_at: first }),
      ofIt({ subscription_id: 'sub_2', status: 'refunded', paid_at: second, price_id: null }),
    ]),
    'another subscription',
  )
  t.false(
    isTakenBack(before, [
      ofIt({ paid_at: first }),
      ofIt({ status: 'refunded', paid_at: second, price_id: null, items: [itemWith('price_2')] }),
    ]),
    'its items name another price',
  )
})

test('a paid period stays open after an early cancellation, and only that', (t) => {
  const openUntilPaid: ReadonlySet<string> = new Set(['acme'])
  const [start, end] = ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']
  const canceled = {
    ...({ status: 'canceled', current_period_start: start, current_period_end: end } as const),
    ended_at: '2026-03-10T00:00:00.000Z',
  }
  const until = (fields: Partial<SubscriptionData> = {}, own: Payment[] = [ofIt({ paid_at: start })]) =>
    restAfterEnd(subscriptionWith({ ...canceled, ...fields }), own, { pastDueSeconds: 0, openUntilPaid })
  t.is(until(), end)
  t.is(
    until({ ended_at: null, canceled_at: '2026-03-10T00:00:00.000Z' }),
    end,
    'the moment of the cancellation',
  )
  for (const [fields, why] of [
    [{ status: 'active' }, 'it runs'],
    [{ status: 'past_due' }, 'its payment failed'],
    [{ current_period_start: null }, 'no start is known'],
    [{ current_period_end: null }, 'no end is known'],
    [{ ended_at: null, canceled_at: null }, 'nobody ended it'],
    [{ ended_at: end }, 'it ended with its period'],
    [{ ended_at: '2026-03-31T23:00:00.000Z' }, 'an hour before: the clocks differ'],
  ] as const)
    t.is(until(fields), null, why)
  t.is(until({ ended_at: '2026-03-31T22:59:59.999Z' }), end, 'sooner than an hour before')
  // The newest payment that arrived was for this period, and stayed.
  t.is(until({}, [ofIt({ paid_at: '2026-02-28T00:00:00.000Z' })]), end, 'a day before its start')
  for (const [own, why] of [
    [[], 'nothing was paid'],
    [[ofIt({ paid_at: '2026-02-27T23:59:59.999Z' })], 'paid for the period before'],
    [[ofIt({ paid_at: start, amount: 0 })], 'a trial costs nothing'],
    [[ofIt({ paid_at: start, status: 'partially_refunded' })], 'a part went back'],
    [[ofIt({ paid_at: start, status: 'refunded' })], 'all went back'],
    [[ofIt({ paid_at: start, status: 'disputed' })], 'it is disputed'],
  ] as const)
    t.is(until({}, [...own]), null, why)
  const tried = { paid_at: null, updated_at: third }
  t.is(
    until({}, [ofIt({ paid_at: start }), ofIt({ ...tried, status: 'failed' })]),
    end,
    'a failed try is none',
  )
  t.is(until({}, [ofIt({ paid_at: start }), ofIt({ ...tried, status: 'pending' })]), end)
  for (const list of [
    [ofIt({ paid_at: '2026-02-01T00:00:00.000Z', status: 'refunded' }), ofIt({ paid_at: start })],
    [ofIt({ paid_at: start }), ofIt({ paid_at: '2026-02-01T00:00:00.000Z', status: 'refunded' })],
  ])
    t.is(until({}, list), end, 'the newest counts, in any order')
})
