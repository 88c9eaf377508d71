import test from 'ava'
import {
  bestForPrice,
  compareSubscriptions,
  endsAt,
  isBeingAssigned,
  isUnknown,
  opensGate,
  type Payment,
  type PaymentData,
  paidUntil,
  paymentHasPrice,
  paymentSchema,
  type SubscriptionData,
  subscriptionSchema,
  subscriptionStatuses,
} from '../../../src/core/dto/index.ts'
import {
  isDearerThanPaid,
  isTakenBack,
  isUnpaidYet,
  paidAfterCancel,
  paymentsOf,
  periodCost,
  wasPaidLast,
} from '../../../src/core/dto/settled.ts'
import { itemWith, paymentWith, subscriptionWith } from '../../support/holding.ts'

const first = '2026-03-01T00:00:00.000Z'
const second = '2026-03-02T00:00:00.000Z'
const third = '2026-03-03T00:00:00.000Z'

test('a subscription derives its properties from its status, and JSON contains only its data', (t) => {
  const said = subscriptionStatuses.map((status) => {
    const s = subscriptionWith({ status })
    return [s.active, s.on_trial, s.past_due, s.ended].map(Number).join('')
  })
  t.deepEqual(Object.fromEntries(subscriptionStatuses.map((status, i) => [status, said[i]])), {
    incomplete: '0000',
    trialing: '1100',
    active: '1000',
    past_due: '0010',
    unpaid: '0000',
    paused: '0000',
    canceled: '0001',
    expired: '0001',
  })
  const s = subscriptionWith()
  t.true(Object.isFrozen(s) && Object.isFrozen(s.items))
  t.false('active' in JSON.parse(JSON.stringify(s)))
})

test('fields missing in an earlier version’s row are null', (t) => {
  const { scheduled_change, past_due_since, ...data } = subscriptionWith()
  t.is(subscriptionWith(data).scheduled_change, null)
  const at = { price_id: 'price_2', quantity: null, at: second }
  t.deepEqual(subscriptionWith({ scheduled_change: at }).scheduled_change, at)
  t.is(scheduled_change ?? past_due_since, null)
})

test('a subscription with a planned end is recognised while it is open, with or without another plan', (t) => {
  const grace = (fields: Partial<SubscriptionData>) => subscriptionWith(fields).on_grace_period
  t.false(grace({}))
  t.true(grace({ cancel_at_period_end: true }))
  t.true(grace({ cancel_at: second }))
  t.true(grace({ cancel_at: second, status: 'trialing' }))
  t.false(grace({ cancel_at: second, status: 'canceled' }))
})

test('a subscription has its price, and those of all its items', (t) => {
  const s = subscriptionWith({ price_id: 'a', items: [itemWith('b'), itemWith('c')] })
  t.deepEqual(
    ['a', 'b', 'c', 'd'].map((id) => s.hasPrice(id)),
    [true, true, true, false],
  )
})

test('it is paid until its period or trial ends, or sooner if an end is planned', (t) => {
  t.is(paidUntil(subscriptionWith()), null)
  t.is(paidUntil(subscriptionWith({ trial_ends_at: first })), first)
  t.is(paidUntil(subscriptionWith({ trial_ends_at: first, current_period_end: second })), second)
  t.is(paidUntil(subscriptionWith({ cancel_at: first, current_period_end: second })), first)
  t.is(paidUntil(subscriptionWith({ cancel_at: third, current_period_end: second })), second)
  t.is(paidUntil(subscriptionWith({ cancel_at: third })), third)
})

test('a planned end alone counts if the end of the period is unknown', (t) => {
  t.is(endsAt(subscriptionWith({ cancel_at: first, cancel_at_period_end: true })), first)
  t.is(
    endsAt(subscriptionWith({ cancel_at: third, current_period_end: second, cancel_at_period_end: true })),
    second,
  )
})

test('it ends as planned: at a moment, or with its period', (t) => {
  t.is(endsAt(subscriptionWith({ current_period_end: second })), null)
  t.is(endsAt(subscriptionWith({ current_period_end: second, cancel_at_period_end: true })), second)
  t.is(endsAt(subscriptionWith({ cancel_at: first })), first)
  t.is(
    endsAt(subscriptionWith({ cancel_at: first, current_period_end: second, cancel_at_period_end: true })),
    first,
  )
})

test('the best subscription is chosen by status, then paid longer, begun later, and by name', (t) => {
  const order = [
    'active',
    'trialing',
    'past_due',
    'paused',
    'unpaid',
    'incomplete',
    'canceled',
    'expired',
  ] as const
  const sorted = (all: Partial<SubscriptionData>[]) =>
    [all, all.toReversed()].map((list) => list.map(subscriptionWith).sort(compareSubscriptions))
  for (const list of sorted(order.map((status) => ({ status }))))
    t.deepEqual(
      list.map(({ status }) => status),
      order,
    )
  const item = { current_period_end: first, started_at: first }
  const ranked = [
    { ...item, id: 'paid longest', current_period_end: third },
    { ...item, id: 'began later', started_at: second },
    { ...item, id: 'by name 1' },
    { ...item, id: 'by name 2' },
    { id: 'says nothing' },
  ]
  for (const list of sorted(ranked))
    t.deepEqual(
      list.map(({ id }) => id),
      ranked.map(({ id }) => id),
    )
})

test('the best of several subscriptions with a price is found, never one with another price', (t) => {
  const canceled = subscriptionWith({ id: 'a', status: 'canceled' })
  const active = subscriptionWith({ id: 'b' })
  const other = subscriptionWith({ id: 'c', price_id: 'price_2', items: [itemWith('price_2')] })
  t.is(bestForPrice([canceled, active, other], 'price_1'), active)
  t.is(bestForPrice([active, canceled], 'price_1'), active)
  t.is(bestForPrice([canceled], 'price_1'), canceled)
  t.is(bestForPrice([other], 'price_1'), null)
})

test('a payment opens a gate if it was paid and does not belong to a subscription', (t) => {
  t.true(opensGate(paymentWith()))
  t.true(opensGate(paymentWith({ status: 'partially_refunded' })))
  for (const status of ['pending', 'failed', 'refunded', 'disputed'] as const)
    t.false(opensGate(paymentWith({ status })), status)
  t.false(opensGate(paymentWith({ subscription_id: 'sub_1' })))
  t.false(opensGate(paymentWith({ purpose: 'recurring' }), new Set(['acme'])))
  t.false(opensGate(paymentWith({ purpose: 'unknown' })))
  t.true(opensGate(paymentWith({ purpose: 'unknown' }), new Set(['acme'])))
})

test('a paid payment of unknown purpose counts as unassigned ten minutes after the payment', (t) => {
  const unknown = paymentWith({ purpose: 'unknown', paid_at: first, updated_at: second })
  t.true(isUnknown(unknown))
  t.false(isUnknown(paymentWith({ purpose: 'unknown', status: 'pending' })))
  t.false(isUnknown(paymentWith()))
  t.true(isBeingAssigned(unknown, new Date('2026-03-01T00:10:00.000Z')))
  t.false(isBeingAssigned(unknown, new Date('2026-03-01T00:09:59.999Z')))
  t.false(isBeingAssigned(paymentWith({ paid_at: first }), new Date(third)))
  const untimed = paymentWith({ purpose: 'unknown', updated_at: second })
  t.false(isBeingAssigned(untimed, new Date(second)))
  t.true(isBeingAssigned(untimed, new Date(third)))
})

test('a payment has its price, and those of all its items', (t) => {
  const item = (price_id: string) => ({ price_id, product_id: null, quantity: null })
  const p = paymentWith({ price_id: 'a', items: [item('b'), item('c')] })
  t.deepEqual(
    ['a', 'b', 'c', 'd'].map((id) => paymentHasPrice(p, id)),
    [true, true, true, false],
  )
})

test('stored data is complete and of its kind, or refused', (t) => {
  const { data } = subscriptionSchema.safeParse(JSON.parse(JSON.stringify(subscriptionWith())))
  t.is(data?.id, 'sub_1')
  const wrong = [{ status: 'done' }, { items: [{}] }, { interval: 'fortnight' }, { scheduled_change: {} }]
  for (const fields of wrong)
    t.false(
      subscriptionSchema.safeParse({ ...subscriptionWith(), ...fields }).success,
      JSON.stringify(fields),
    )
  for (const interval of ['day', 'week', 'month', 'year', null])
    t.true(subscriptionSchema.safeParse({ ...subscriptionWith(), interval }).success, String(interval))
  t.true(paymentSchema.safeParse(paymentWith()).success)
  for (const fields of [{ items: [{}] }, { status: 'done' }, { purpose: 'gift' }, { amount: 0.5 }])
    t.false(paymentSchema.safeParse({ ...paymentWith(), ...fields }).success, JSON.stringify(fields))
  const { id, ...nameless } = paymentWith()
  t.false(paymentSchema.safeParse(nameless).success, id)
})

test('an invoice is a link only for plain https, or for our own page of that payment', (t) => {
  t.is(paymentWith({ invoice_url: 'javascript:alert(1)' }).invoice_url, null)
  t.is(paymentWith({ invoice_url: 'https://pay.example/1' }).invoice_url, 'https://pay.example/1')
  t.is(paymentWith({ invoice_url: '/membership/invoices/pay_1' }).invoice_url, '/membership/invoices/pay_1')
  t.true(Object.isFrozen(paymentWith()))
})

const ofIt = (fields: Partial<Payment> = {}) => paymentWith({ subscription_id: 'sub_1', ...fields })

test('the payments of a subscription are those that name it, at its own provider', (t) => {
  const own = ofIt()
  const all = [own, ofIt({ subscription_id: 'sub_2' }), ofIt({ provider: 'other' }), paymentWith()]
  t.deepEqual(paymentsOf(subscriptionWith(), all), [own])
})

test('the cost of a period is the unit amount times the quantity', (t) => {
  t.is(periodCost(subscriptionWith({ unit_amount: 450, quantity: 3 })), 1350)
  t.is(periodCost(subscriptionWith({ unit_amount: 450 })), 450)
  t.is(periodCost(subscriptionWith({ quantity: 3 })), 0)
})

test('a price is dearer if it exceeds everything settled for other prices, and only if known', (t) => {
  const cheap = ofIt({ price_id: 'price_0', amount: 900 })
  const dearer = (...own: Payment[]) => isDearerThanPaid(1000, own, ['price_1'])
  t.true(dearer(cheap))
  t.false(dearer())
  t.false(dearer(ofIt({ amount: 900 })), 'the price itself was paid')
  t.false(dearer(cheap, ofIt()), 'once among others')
  t.false(dearer(cheap, ofIt({ price_id: 'price_0', amount: 1000 })), 'as much was paid')
  t.true(dearer(cheap, ofIt({ price_id: 'price_0', amount: 999 })))
  t.false(dearer(cheap, ofIt({ price_id: null })), 'nobody knows what for')
  const item = (price_id: string | null) => ({ price_id, product_id: null, quantity: null })
  t.true(dearer(ofIt({ price_id: null, items: [item(null), item('price_0')] })))
  t.false(dearer(ofIt({ price_id: null, items: [item(null)] })))
})

test('refunded money pays for nothing but still reveals another price', (t) => {
  const dearer = (...own: Payment[]) => isDearerThanPaid(1000, own, ['price_1'])
  const back = (fields: Partial<Payment>) => ofIt({ status: 'refunded', ...fields })
  t.true(dearer(back({ price_id: 'price_0' })))
  t.true(dearer(back({ price_id: 'price_0', status: 'disputed' })))
  t.false(dearer(back({})), 'of the price itself it says nothing')
  t.true(dearer(back({}), back({ price_id: 'price_0' })))
  t.false(dearer(ofIt({ status: 'failed', price_id: 'price_0' })), 'what never came is none')
  t.false(dearer(ofIt({ status: 'pending', price_id: 'price_0' })))
  t.true(
    dearer(ofIt({ price_id: 'price_0' }), back({ price_id: 'price_0', amount: 5000 })),
    'what stayed counts alone',
  )
})

test('a price is unpaid while its dearer payment is in progress, and never during a trial', (t) => {
  const cheap = ofIt({ price_id: 'price_0' })
  const due = ofIt({ status: 'pending', amount: 1000 })
  const unpaid = (own: Payment[], fields: Partial<SubscriptionData> = {}) =>
    isUnpaidYet(subscriptionWith(fields), own, ['price_1'])
  t.true(unpaid([cheap, due]))
  t.false(unpaid([cheap, due], { status: 'trialing' }))
  t.false(unpaid([cheap]))
  t.false(unpaid([due]))
  t.false(unpaid([cheap, ofIt({ status: 'failed', amount: 1000 })]))
  t.false(unpaid([cheap, ofIt({ status: 'pending', amount: 900 })]), 'what is not dearer goes on')
  t.false(unpaid([cheap, ofIt({ status: 'pending', amount: 1000, price_id: 'price_2' })]), 'another price’s')
})

test('the last paid price is that of the newest money that arrived and stayed', (t) => {
  const last = (...own: Payment[]) => wasPaidLast(own, ['price_1'])
  t.false(last())
  t.true(last(ofIt()))
  t.true(last(ofIt({ status: 'partially_refunded' })))
  t.false(last(ofIt({ amount: 0 })))
  t.true(last(ofIt({ amount: 1 })))
  t.false(last(ofIt({ price_id: 'price_2' })))
  const old = ofIt({ paid_at: first, updated_at: third })
  const back = ofIt({ paid_at: second, status: 'refunded' })
  for (const list of [
    [old, back],
    [back, old],
  ])
    t.false(last(...list))
  const other = ofIt({ price_id: 'price_2', paid_at: second })
  for (const list of [
    [old, other],
    [other, old],
  ])
    t.false(last(...list))
  const tried = { updated_at: third }
  t.true(last(old, ofIt({ ...tried, status: 'failed' }), ofIt({ ...tried, status: 'pending' })))
  t.false(last(old, ofIt({ ...tried, status: 'disputed' })))
})

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
  const several = ofIt({ price_id: 'price_0', items: [itemWith('price_1')] })
  t.true(wasPaidLast([several], ['price_2', 'price_1']))
  t.false(wasPaidLast([several], ['price_2', 'price_3']))
})

test('a paid period stays open after an early cancellation, and only that', (t) => {
  const [start, end] = ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']
  const canceled = {
    ...({ status: 'canceled', current_period_start: start, current_period_end: end } as const),
    ended_at: '2026-03-10T00:00:00.000Z',
  }
  const until = (fields: Partial<SubscriptionData> = {}, own: Payment[] = [ofIt({ paid_at: start })]) =>
    paidAfterCancel(subscriptionWith({ ...canceled, ...fields }), own)
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
    [[ofIt({ paid_at: start }), ofIt({ paid_at: second, status: 'disputed' })], 'a newer one is disputed'],
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
