import test from 'ava'
import {
  type AccessRules,
  type Coverage,
  coverageOf,
  coveredAt,
  coveredQuantity,
  decideGate,
  paidForNothing,
  termsIn,
  whyClosed,
} from '../../../src/core/access/index.ts'
import type { Payment, PaymentData, Plan, SubscriptionData } from '../../../src/core/dto/index.ts'
import { type SoldPrice, soldText, withSold, withSoldOf } from '../../../src/core/dto/sold.ts'
import { itemWith, paymentWith, subscriptionWith } from '../../support/holding.ts'

// What a payment covers, and what opens by it although a status word says otherwise.

function day(text: string): string {
  return `2026-${text}T00:00:00.000Z`
}
function ofIt(fields: Partial<PaymentData> = {}): Payment {
  return paymentWith({ subscription_id: 'sub_1', purpose: 'recurring', ...fields })
}
function monthly(fields: Partial<SubscriptionData> = {}) {
  return subscriptionWith({
    interval: 'month',
    started_at: day('01-31'),
    current_period_start: day('03-31'),
    current_period_end: day('04-30'),
    ...fields,
  })
}
function price(
  id: string,
  type: 'recurring' | 'one_time' = 'recurring',
  interval: 'month' | 'year' = 'month',
) {
  return {
    id,
    plan: 'x',
    provider: 'acme',
    type,
    currency: null,
    amount: null,
    lookup_key: null,
    retired: false,
    interval: type === 'one_time' ? null : interval,
    interval_count: type === 'one_time' ? null : 1,
    trial_days: null,
    trial_amount: null,
    label: null,
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
const plans = [
  plan('pro', price('price_1')),
  plan('team', price('price_2')),
  plan('year', price('price_3', 'recurring', 'year')),
  plan('book', price('price_book', 'one_time')),
]
function parts({ from, until, state, period }: Coverage) {
  return [from, until, state, period]
}

const rules: AccessRules = { plans, pastDueSeconds: 21 * 86_400 }

function decide(
  gate: string,
  s: ReturnType<typeof subscriptionWith>,
  payments: readonly Payment[],
  now: string,
  more: Partial<AccessRules> = {},
) {
  return decideGate(gate, { subscriptions: [s], payments, grants: [] }, { ...rules, ...more }, new Date(now))
}

test('a payment covers the period that its provider states, of its item before its own', (t) => {
  const items = [
    {
      price_id: 'price_1',
      product_id: null,
      quantity: 3,
      period_start: day('05-01'),
      period_end: day('06-01'),
    },
    { price_id: 'price_2', product_id: null, quantity: 1 },
  ]
  const payments = [
    ofIt({ items, paid_at: day('05-02'), period_start: day('05-02'), period_end: day('07-02') }),
  ]
  const [first, second] = coverageOf(monthly(), payments)
  t.like(first, {
    price_id: 'price_1',
    quantity: 3,
    from: day('05-01'),
    until: day('06-01'),
    period: 'stated',
  })
  t.like(second, { price_id: 'price_2', from: day('05-02'), until: day('07-02'), payment_id: 'pay_1' })
})

test('without a stated period it is counted from the start, never from a day that a short month moved', (t) => {
  const paid = ['01-31', '02-28', '03-31'].map((at, i) => ofIt({ id: `pay_${i}`, paid_at: day(at) }))
  t.deepEqual(coverageOf(monthly(), paid).map(parts), [
    [day('01-31'), day('02-28'), 'paid', 'counted'],
    [day('02-28'), day('03-31'), 'paid', 'counted'],
    [day('03-31'), day('04-30'), 'paid', 'counted'],
  ])
  const nothing = coverageOf(subscriptionWith(), [ofIt({ paid_at: day('02-01') })])
  t.deepEqual(
    nothing.map(parts),
    [[day('02-01'), null, 'paid', 'unknown']],
    'unknown is neither for nor against',
  )
})

test('a renewal charged shortly before its period covers that period', (t) => {
  const early = '2026-03-30T22:00:00.000Z'
  const payments = [ofIt({ id: 'a', paid_at: day('02-28') }), ofIt({ id: 'b', paid_at: early })]
  t.deepEqual(
    coverageOf(monthly(), payments).map(({ until }) => until),
    [day('03-31'), day('04-30')],
  )
})

test('the state of a payment is that of what it covers', (t) => {
  const state = (fields: Partial<PaymentData>, s = monthly()) =>
    coverageOf(s, [ofIt({ paid_at: day('04-01'), ...fields })]).find(({ payment_id }) => payment_id !== null)
      ?.state
  t.is(state({}), 'paid')
  t.is(state({ status: 'partially_refunded', amount_refunded: 1 }), 'paid')
  t.is(state({ status: 'refunded' }), 'returned')
  t.is(state({ status: 'disputed', dispute: 'open' }), 'paid')
  t.is(state({ status: 'disputed', dispute: 'lost' }), 'returned')
  t.is(state({ status: 'pending' }), 'pending')
  t.is(state({ status: 'failed' }), 'failed')
  t.is(state({ amount: 0 }), 'free')
  t.is(state({ amount: 0 }, monthly({ trial_ends_at: day('04-10') })), 'trial')
  t.is(state({ trial: true }), 'trial')
})

test('a paid credit ends what its price covered, or the quantity that went; an unpaid one ends nothing', (t) => {
  const bought = ofIt({
    id: 'a',
    paid_at: day('04-01'),
    items: [{ price_id: 'price_1', product_id: null, quantity: 10, amount: 9000 }],
  })
  const credit = (status: 'paid' | 'pending', quantity: number | null) =>
    ofIt({
      id: 'b',
      amount: 0,
      status,
      paid_at: status === 'paid' ? day('04-10') : null,
      updated_at: day('04-10'),
      items: [{ price_id: 'price_1', product_id: null, quantity, amount: -100 }],
    })
  const at = (payments: readonly Payment[]) =>
    coveredAt(coverageOf(monthly(), payments), ['price_1'], day('04-11'))?.quantity ?? null
  t.is(at([bought]), 10)
  t.is(at([bought, credit('paid', 9)]), 1)
  t.is(at([bought, credit('paid', 10)]), null)
  t.is(at([bought, credit('paid', null)]), null)
  t.is(at([bought, credit('pending', 10)]), 10)
})

test('an open extra charge does not close a period that is paid', (t) => {
  const s = monthly({ status: 'past_due', past_due_since: day('04-01') })
  const payments = [
    ofIt({ paid_at: day('03-31') }),
    ofIt({ id: 'extra', status: 'failed', price_id: null, amount: 500, updated_at: day('04-01') }),
  ]
  t.like(decide('pro', s, payments, day('04-29')), {
    open: true,
    reason: 'subscription',
    until: day('04-30'),
    ground: 'paid',
    payment: 'pay_1',
  })
  t.false(decide('pro', s, payments, day('04-30')).open, 'its end is its end')
  t.false(decide('pro', s, payments.slice(1), day('04-29')).open, 'without the payment')
  t.false(decide('team', s, payments, day('04-29')).open, 'of another plan')
  t.false(decide('pro', { ...s, opens_at: day('12-31') } as typeof s, payments, day('04-29')).open)
})

test('a failed renewal has its grace as before, since no payment covers its period', (t) => {
  const s = monthly({ status: 'past_due', past_due_since: day('03-31') })
  const payments = [
    ofIt({ paid_at: day('02-28') }),
    ofIt({ id: 'b', status: 'failed', updated_at: day('04-02') }),
  ]
  t.like(decide('pro', s, payments, day('04-20')), {
    reason: 'past_due',
    ground: 'grace',
    until: day('04-21'),
  })
  t.false(decide('pro', s, payments, day('04-21')).open)
})

test('the plan that is paid stays open while an upgrade made at the provider is past due', (t) => {
  const s = monthly({
    status: 'past_due',
    past_due_since: day('04-05'),
    price_id: 'price_2',
    items: [itemWith('price_2')],
  })
  const paid = ofIt({ paid_at: day('03-31') })
  const due = ofIt({
    id: 'b',
    price_id: 'price_2',
    status: 'pending',
    amount: 1333,
    updated_at: day('04-05'),
  })
  t.like(decide('pro', s, [paid, due], day('04-29')), { open: true, until: day('04-30'), payment: 'pay_1' })
  t.false(decide('team', s, [paid, due], day('04-06')).open)
  t.false(decide('pro', s, [paid, due], day('04-30')).open)
  const upgraded = { ...due, status: 'paid', paid_at: day('04-06') } as Payment
  t.false(decide('pro', s, [paid, upgraded], day('04-29')).open, 'the upgrade was paid')
})

test('an invoice that is paid after the subscription ended opens its period', (t) => {
  const s = monthly({ status: 'canceled', ended_at: day('04-08'), canceled_at: day('04-08') })
  const late = ofIt({ paid_at: day('04-09') })
  t.like(decide('pro', s, [late], day('04-29')), {
    open: true,
    until: day('04-30'),
    ground: 'paid',
    payment: 'pay_1',
  })
  t.false(decide('pro', s, [late], day('04-30')).open)
  t.false(decide('pro', s, [ofIt({ paid_at: day('04-01') })], day('04-09')).open, 'paid before the end')
  t.false(decide('pro', s, [{ ...late, status: 'partially_refunded' }], day('04-10')).open)
  const asked = monthly({ ...s, ended_for: 'request' })
  t.true(decide('pro', asked, [late], day('04-10')).open, 'an open bill was paid after a requested end')
  t.false(decide('pro', asked, [ofIt({ paid_at: day('04-01') })], day('04-09')).open)
  t.false(
    decide('pro', monthly({ ...s, opens_at: day('12-31') }), [late], day('04-10')).open,
    'ended here at once',
  )
})

test('a plan with a limited number of payments stays open to the end of the last one', (t) => {
  const s = monthly({ status: 'expired', ended_at: day('03-31'), ended_for: 'term' })
  t.is(decide('pro', s, [ofIt({ paid_at: day('03-31') })], day('04-29')).until, day('04-30'))
  t.false(decide('pro', s, [], day('04-29')).open)
})

test('a pending renewal of the same price is no unpaid change, and a change within a paid month is no renewal', (t) => {
  const s = monthly({ price_id: 'price_1', items: [itemWith('price_1')] })
  const discounted = ofIt({ id: 'a', price_id: 'price_1', amount: 320, paid_at: day('02-28') })
  const draft = ofIt({ id: 'b', status: 'pending', amount: 900, updated_at: day('03-31') })
  t.like(decide('pro', s, [discounted, draft], day('04-01')), { open: true, reason: 'subscription' })
  const upgraded = monthly({
    current_period_start: day('04-05'),
    current_period_end: '2027-04-05T00:00:00.000Z',
  })
  const cut = ofIt({ id: 'a', price_id: 'price_2', amount: 320, paid_at: day('03-31') })
  const dear = ofIt({ id: 'b', status: 'pending', amount: 9000, updated_at: day('04-05') })
  t.false(
    decide('pro', upgraded, [cut, dear], day('04-06')).open,
    'a change within a paid month is no renewal',
  )
})

test('a planned change to a cheaper price renews what was paid, however small a discount made that payment', (t) => {
  const priced = [
    plan('pro', { ...price('price_1'), amount: 900, currency: 'EUR' }),
    plan('team', { ...price('price_2'), amount: 2500, currency: 'EUR' }),
  ]
  const at = (from: string, to: string, paid: number, due: number, state: Partial<PaymentData> = {}) => {
    const s = monthly({ price_id: to, items: [itemWith(to)] })
    const before = ofIt({ id: 'a', price_id: from, amount: paid, paid_at: day('02-28') })
    const draft = ofIt({
      id: 'b',
      price_id: to,
      status: 'pending',
      amount: due,
      updated_at: day('03-31'),
      ...state,
    })
    const gate = (name: string) => decide(name, s, [before, draft], day('04-01'), { plans: priced }).open
    return [gate('pro'), gate('team')]
  }
  t.deepEqual(at('price_2', 'price_1', 500, 900), [true, false], '80 % off the dear one')
  t.deepEqual(at('price_2', 'price_1', 500, 900, { billed_for: 'renewal' }), [true, false])
  t.deepEqual(at('price_1', 'price_2', 900, 2500), [true, false], 'the dear one waits for its debit')
  t.deepEqual(at('price_1', 'price_2', 900, 2500, { billed_for: 'renewal' }), [true, false])
  const failed = { status: 'failed', failed_at: day('03-31') } as const
  t.deepEqual(at('price_1', 'price_2', 900, 2500, failed), [true, false], 'the grace is of what was paid')
  t.deepEqual(at('price_2', 'price_1', 2500, 900, failed), [false, true])
  t.deepEqual(at('price_1', 'price_2', 900, 2500, { status: 'paid', paid_at: day('03-31') }), [false, true])
})

test('a one-time price on a subscription’s invoice opens what it opens', (t) => {
  const items = ['price_1', 'price_book'].map((price_id) => ({ price_id, product_id: null, quantity: 1 }))
  const both = ofIt({ items, paid_at: day('03-31') })
  const ended = monthly({ status: 'canceled', ended_at: day('04-30') })
  t.like(decide('book', ended, [both], day('09-01')), { reason: 'payment', by: 'pay_1', ground: 'paid' })
  t.false(decide('pro', ended, [both], day('09-01')).open)
  t.false(decide('book', ended, [{ ...both, status: 'refunded' }], day('09-01')).open)
  t.false(decide('book', ended, [ofIt({ paid_at: day('03-31') })], day('09-01')).open)
})

test('a period that was refunded in full stays open as goodwill while the provider goes on', (t) => {
  const back = ofIt({ status: 'refunded', amount_refunded: 900, paid_at: day('03-31') })
  t.like(decide('pro', monthly(), [back], day('04-10')), { open: true, ground: 'goodwill', payment: 'pay_1' })
})

test('a trial stays open when its own price is given back, and closes when the money that a pause stands on goes', (t) => {
  const trial = monthly({ status: 'trialing', trial_ends_at: day('04-14'), started_at: day('03-31') })
  const price = ofIt({
    status: 'refunded',
    amount: 100,
    amount_refunded: 100,
    trial: true,
    paid_at: day('03-31'),
  })
  t.like(decide('pro', trial, [price], day('04-10')), { open: true, reason: 'trial' })
  const lost = { ...price, status: 'disputed', dispute: 'lost' } as Payment
  t.false(decide('pro', trial, [lost], day('04-10')).open)
  // A pause that its provider shows as a trial has the paid month before it behind it.
  const paused = monthly({ status: 'trialing', trial_ends_at: day('06-30') })
  const month = ofIt({ paid_at: day('03-31') })
  t.true(decide('pro', paused, [month], day('04-10')).open)
  t.false(decide('pro', paused, [{ ...month, status: 'refunded' } as Payment], day('04-10')).open)
})

test('a trial ends at its own end although the provider still says so, with a day for a message that is late', (t) => {
  const trial = monthly({ status: 'trialing', trial_ends_at: day('04-14'), started_at: day('03-31') })
  t.like(decide('pro', trial, [], '2026-04-13T23:59:59.999Z'), { open: true, reason: 'trial' })
  t.like(decide('pro', trial, [], day('04-14')), { open: true, reason: 'trial', until: day('04-15') })
  t.like(decide('pro', trial, [], '2026-04-14T23:59:59.999Z'), { open: true, ground: 'trial' })
  t.false(decide('pro', trial, [], day('04-15')).open)
  t.like(
    whyClosed('pro', { subscriptions: [trial], payments: [], grants: [] }, rules, new Date(day('04-15'))),
    {
      code: 'trial_over',
      at: day('04-14'),
    },
  )
  const failed = ofIt({ status: 'failed', paid_at: null, failed_at: '2026-04-14T01:00:00.000Z' })
  t.false(decide('pro', trial, [failed], '2026-04-14T02:00:00.000Z').open, 'its first charge failed')
  t.like(
    whyClosed(
      'pro',
      { subscriptions: [trial], payments: [failed], grants: [] },
      rules,
      new Date('2026-04-14T02:00:00.000Z'),
    ),
    { code: 'trial_unpaid' },
  )
  const period = { period_start: day('04-14'), period_end: day('05-14') }
  const paid = ofIt({ paid_at: '2026-04-14T01:00:00.000Z', ...period })
  t.like(decide('pro', trial, [paid], day('05-01')), { open: true, ground: 'paid', until: day('05-14') })
  t.false(decide('pro', trial, [paid], day('05-14')).open)
})

test('a renewal after a period that cost nothing has no grace: nothing was ever paid', (t) => {
  const start = { started_at: day('02-28') }
  const failing = monthly({ status: 'past_due', past_due_since: day('03-31'), ...start })
  const free = ofIt({ amount: 0, paid_at: day('02-28') })
  const failed = ofIt({ id: 'b', status: 'failed', failed_at: day('03-31') })
  t.false(decide('pro', failing, [free, failed], day('04-02')).open)
  t.like(decide('pro', failing, [{ ...free, amount: 900 } as Payment, failed], day('04-02')), {
    open: true,
    ground: 'grace',
  })
  const back = ofIt({ status: 'refunded', amount_refunded: 900, paid_at: day('02-28') })
  t.false(decide('pro', failing, [back, failed], day('04-02')).open, 'the only payment went back')
  t.true(decide('pro', failing, [failed], day('04-02')).open, 'an import, whose first period is not known')
})

test('a first payment that is pending opens nothing, except an invoice by hand until it is due', (t) => {
  const s = monthly({ started_at: day('03-31') })
  const due = (fields: Partial<PaymentData>) =>
    decide('pro', s, [ofIt({ status: 'pending', updated_at: day('03-31'), ...fields })], day('04-02')).open
  t.false(due({}), 'a draft')
  t.false(due({ in_progress: true }), 'a debit')
  t.true(due({ due_at: day('04-14') }), 'the shop chose its terms')
  t.false(due({ due_at: day('04-01') }), 'overdue')
  t.true(due({ due_at: day('04-01'), in_progress: true }), 'overdue, and the debit is on its way')
  t.true(
    decide('pro', monthly({ started_at: day('01-31') }), [], day('04-02')).open,
    'an import has no payments',
  )
})

test('a charge that failed counts although the provider says active: the renewal has its grace, the first none', (t) => {
  const failed = ofIt({ id: 'b', status: 'failed', failed_at: day('03-31'), updated_at: day('04-02') })
  const paid = ofIt({ paid_at: day('02-28') })
  t.like(decide('pro', monthly(), [paid, failed], day('04-02')), { reason: 'past_due', until: day('04-21') })
  t.false(decide('pro', monthly({ started_at: day('03-31') }), [failed], day('04-02')).open)
  const again = ofIt({ id: 'c', paid_at: day('04-02') })
  t.like(decide('pro', monthly(), [paid, failed, again], day('04-03')), {
    reason: 'subscription',
    payment: 'c',
  })
})

test('what was paid stays open to its end where failed payments ended the subscription, not where somebody did', (t) => {
  const year = { period_start: day('01-31'), period_end: '2027-01-31T00:00:00.000Z' }
  const paid = ofIt({ paid_at: day('01-31'), ...year })
  const ended = (ended_for?: 'unpaid' | 'request' | 'dispute') =>
    monthly({ status: 'canceled', ended_at: day('04-08'), ...(ended_for ? { ended_for } : {}) })
  const until = (s: ReturnType<typeof monthly>, payments = [paid]) => {
    const { open, until: end } = decide('pro', s, payments, day('06-01'))
    return open ? end : null
  }
  t.is(until(ended('unpaid')), year.period_end, 'an extra charge was not paid')
  for (const reason of ['request', 'dispute', undefined] as const) t.is(until(ended(reason)), null, reason)
  for (const status of ['refunded', 'partially_refunded'] as const)
    t.is(until(ended('unpaid'), [{ ...paid, status } as Payment]), null, status)
})

test('the rhythm of a former price comes from the plans', (t) => {
  t.like(termsIn(plans)('acme', 'price_3'), { interval: 'year', interval_count: 1 })
  t.is(termsIn(plans)('other', 'price_3'), null)
})

test('a lost dispute closes its period, a won one is as if it had not been', (t) => {
  const state = (status: 'disputed' | 'paid', dispute?: 'open' | 'lost') =>
    ofIt({ status, paid_at: day('03-31'), ...(dispute ? { dispute } : {}) })
  const at = (payments: readonly Payment[], now = day('04-10')) =>
    decide('pro', monthly(), payments, now).open
  t.true(at([state('disputed', 'open')]))
  t.false(at([state('disputed', 'lost')]))
  t.true(at([state('paid')]), 'won')
  t.true(at([state('disputed', 'lost'), ofIt({ id: 'b', paid_at: day('04-02') })]), 'paid again')
  const unknown = subscriptionWith({ current_period_start: null, current_period_end: null })
  t.true(
    decide('pro', unknown, [state('disputed', 'lost')], day('04-10')).open,
    'an unknown period counts not',
  )
})

test('a seat is backed by money, never by its date alone', (t) => {
  const seat = (payments: readonly Payment[]) => ({
    id: 'seat',
    subscription: monthly({ status: 'canceled', ended_at: day('04-02'), ended_for: 'request' }),
    payments,
    open_until: day('04-30'),
  })
  const at = (payments: readonly Payment[]) =>
    decideGate(
      'pro',
      { subscriptions: [], payments: [], grants: [], seats: [seat(payments)] },
      { plans, pastDueSeconds: 21 * 86_400 },
      new Date(day('04-10')),
    ).open
  t.true(at([ofIt({ paid_at: day('03-31') })]))
  t.false(at([ofIt({ paid_at: day('03-31'), status: 'refunded' })]))
  t.false(at([ofIt({ paid_at: day('03-31'), status: 'disputed', dispute: 'lost' })]))
})

test('a renewal that its shop gave away is free: it counts as neither paid nor failed', (t) => {
  const given = ofIt({
    id: 'pay_2',
    status: 'failed',
    waived: true,
    billed_for: 'renewal',
    period_start: day('03-31'),
    period_end: day('04-30'),
  })
  t.deepEqual(coverageOf(monthly(), [given]).map(parts), [[day('03-31'), day('04-30'), 'free', 'stated']])
  t.is(decide('pro', monthly(), [given], day('04-28')).reason, 'subscription')
  const failed = { ...given, waived: false }
  t.false(decide('pro', monthly(), [failed], day('04-28')).open)
})

function late(fields: Partial<PaymentData> = {}) {
  return ofIt({ id: 'pay_late', status: 'paid', paid_at: day('06-10'), billed_at: day('03-31'), ...fields })
}
function endedUnpaid(fields: Partial<SubscriptionData> = {}) {
  return monthly({ status: 'canceled', ended_at: day('04-20'), ended_for: 'unpaid', ...fields })
}

test('money for nothing came after the end, stayed, and opened nothing when it came', (t) => {
  const idsOf = (s: Partial<SubscriptionData>, p: Partial<PaymentData>) =>
    paidForNothing(endedUnpaid(s), [late(p)], rules).map(({ id }) => id)
  t.deepEqual(idsOf({}, {}), ['pay_late'], 'its period is over')
  t.deepEqual(idsOf({}, { paid_at: day('04-25') }), [], 'its period runs')
  t.deepEqual(
    idsOf({ opens_at: day('12-31') }, { paid_at: day('04-25') }),
    ['pay_late'],
    'ended here at once',
  )
  t.deepEqual(idsOf({ ended_for: 'dispute' }, { paid_at: day('04-25') }), ['pay_late'])
  t.deepEqual(idsOf({}, { paid_at: day('04-01') }), [], 'paid before the end')
  t.deepEqual(idsOf({}, { status: 'refunded', amount_refunded: 900 }), [], 'the money went back')
  t.deepEqual(idsOf({}, { status: 'pending', paid_at: null }), [])
  t.deepEqual(idsOf({ status: 'active', ended_at: null }, {}), [], 'it runs')
  // A bank debit that arrives after an announced end pays for days that were used.
  const used = { ended_at: day('04-30'), ended_for: undefined }
  t.deepEqual(idsOf(used, { period_start: day('03-31'), period_end: day('04-30') }), [])
})

/** A subscription whose provider states neither rhythm nor period, with one price. */
function bare(fields: Partial<SubscriptionData> = {}) {
  return subscriptionWith({
    started_at: day('01-31'),
    interval: null,
    interval_count: null,
    current_period_start: null,
    current_period_end: null,
    status: 'past_due',
    past_due_since: day('02-03'),
    ...fields,
  })
}
function first(fields: Partial<PaymentData> = {}) {
  return ofIt({ price_id: 'price_1', items: [itemWith('price_1')], paid_at: day('01-31'), ...fields })
}

test('where no rhythm is stated, the price that a payment names tells how long it covers', (t) => {
  t.deepEqual(coverageOf(bare(), [first()], termsIn(plans)).map(parts), [
    [day('01-31'), day('02-28'), 'paid', 'counted'],
  ])
  t.true(decide('price_1', bare(), [first()], day('02-27')).open)
})

test('a payment that names no price covers no period of a price that was chosen later', (t) => {
  const changed = bare({ price_id: 'price_3', items: [itemWith('price_3')] })
  const renewal = ofIt({ id: 'pay_2', price_id: null, items: [], paid_at: day('02-28') })
  const [covered] = coverageOf(changed, [renewal], termsIn(plans)).map(parts)
  t.deepEqual(covered, [day('02-28'), null, 'paid', 'unknown'], 'neither a month nor a year')
  const now = day('06-01')
  t.false(decide('price_3', { ...changed }, [first(), renewal], now).open)
})

test('a paid change whose period is not known leaves the quantity unknown', (t) => {
  const s = bare({ status: 'active', past_due_since: null, quantity: 5 })
  const two = first({ quantity: 2, items: [{ ...itemWith('price_1'), quantity: 2 }] })
  const more = ofIt({ id: 'pay_2', price_id: null, items: [], quantity: null, paid_at: day('02-05') })
  const asked = { prices: ['price_1'], at: day('02-10'), termsOf: termsIn(plans) }
  t.is(coveredQuantity(s, [two], asked), 2)
  t.is(coveredQuantity(s, [two, more], asked), null)
  t.is(coveredQuantity(s, [two, { ...more, status: 'failed' }], asked), 2, 'what failed pays for nothing')
})

/** A subscription that had these prices, each from a day on, of which it no longer has those with a last day. */
function having(
  fields: Partial<SubscriptionData>,
  ...prices: readonly (Pick<SoldPrice, 'id' | 'seen_from' | 'seen_until'> & { readonly assumed?: true })[]
) {
  const terms = prices.map((dates) => ({
    plan: 'x',
    type: 'recurring' as const,
    amount: null,
    currency: null,
    interval_count: 1,
    interval: dates.id === 'price_3' ? ('year' as const) : ('month' as const),
    ...dates,
  }))
  return withSoldOf(withSold({}, soldText(terms)), bare(fields))
}
const ofYear = { price_id: 'price_3', items: [itemWith('price_3')] }
function unnamed(fields: Partial<PaymentData> = {}) {
  return ofIt({ price_id: null, items: [], billed_for: 'renewal', paid_at: day('02-28'), ...fields })
}
function read(s: ReturnType<typeof subscriptionWith>, ...payments: readonly Payment[]) {
  return coverageOf(s, payments, termsIn(plans)).map(({ price_id, from, until }) => [price_id, from, until])
}

test('a payment that names no price is one for the price that its subscription had then', (t) => {
  const month = { id: 'price_1', seen_from: day('01-31') }
  const left = { ...month, seen_until: day('03-01') }
  t.deepEqual(read(having({}, month), unnamed()), [['price_1', day('02-28'), day('03-31')]])
  const changed = having(ofYear, left, { id: 'price_3', seen_from: day('03-05') })
  t.deepEqual(read(changed, unnamed()), [['price_1', day('02-28'), day('03-31')]])
  t.false(decide('price_3', changed, [unnamed()], day('03-10')).open, 'no year was paid')
  t.true(decide('price_1', changed, [unnamed()], day('03-30')).open, 'the month was')
  const year = [['price_3', day('03-31'), '2027-03-31T00:00:00.000Z']]
  t.deepEqual(read(changed, unnamed({ paid_at: day('03-31') })), year)
})

test('a payment that names no price stays of an unknown period where another price may have been paid', (t) => {
  const unknown = [[null, day('02-28'), null]]
  const year = { id: 'price_3', seen_from: day('02-10'), seen_until: day('02-12') }
  t.deepEqual(
    read(having({}, { id: 'price_1', seen_from: day('01-31') }, year), unnamed()),
    unknown,
    'came back',
  )
  t.deepEqual(
    read(having({}, { id: 'price_1', seen_from: day('03-10') }), unnamed()),
    unknown,
    'not seen yet',
  )
  const found = { id: 'price_3', seen_from: day('03-10'), assumed: true as const }
  const left = { id: 'price_1', seen_from: day('01-31'), seen_until: day('02-20') }
  t.deepEqual(read(having(ofYear, left, found), unnamed()), unknown, 'found later')
  t.deepEqual(read(having({ price_id: 'price_9', items: [itemWith('price_9')] }, left), unnamed()), unknown)
  const failed = unnamed({ status: 'failed' })
  const own = having({}, { id: 'price_1', seen_from: day('01-31') })
  t.deepEqual(read(own, failed), unknown, 'and what was not paid counts for no price')
})

test('the first invoice may be older than the first message, and a change covers the rest of the paid period', (t) => {
  const own = having({}, { id: 'price_1', seen_from: '2026-01-31T00:00:02.000Z' })
  const initial = unnamed({ paid_at: day('01-31'), billed_for: 'first' })
  t.deepEqual(read(own, initial), [['price_1', day('01-31'), day('02-28')]])
  const more = unnamed({ id: 'pay_2', paid_at: day('02-10'), billed_for: 'change' })
  t.deepEqual(read(own, initial, more)[1], ['price_1', day('02-10'), day('02-28')])
  const left = { id: 'price_1', seen_from: day('01-31'), seen_until: day('01-31') }
  const changed = having(ofYear, left, { id: 'price_3', seen_from: '2026-02-10T00:00:03.000Z' })
  const toYear = ['price_3', day('02-10'), '2027-02-10T00:00:00.000Z']
  t.deepEqual(read(changed, initial, more)[1], toYear, 'a change to a year is a year')
})
