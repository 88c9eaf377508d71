import test from 'ava'
import {
  bestForPrice,
  compareSubscriptions,
  endsAt,
  isBeingAssigned,
  isUnknown,
  opensGate,
  paidUntil,
  paymentHasPrice,
  paymentSchema,
  type SubscriptionData,
  subscriptionSchema,
  subscriptionStatuses,
} from '../../../src/core/dto/index.ts'
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
