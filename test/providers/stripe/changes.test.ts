import test from 'ava'
import type { MoneyChange, SubscriptionChange } from '../../../src/providers/contract.ts'
import {
  chargeObject,
  checkoutObject,
  customerObject,
  disputeObject,
  intentObject,
  invoiceObject,
  invoicePaymentObject,
  month,
  priceObject,
  refundObject,
  start,
  stripeEvent,
  stripeProvider,
  subscriptionItem,
  subscriptionObject,
  toProviderEvent,
} from '../../support/stripe-events.ts'
import { ref } from './expected.ts'

type Fields = Record<string, unknown>

const provider = stripeProvider()
function changes(type: string, object: Fields, options: Parameters<typeof stripeEvent>[2] = {}) {
  return provider.changes(toProviderEvent(stripeEvent(type, object, options)))
}
function subscriptionOf(fields: Fields, type = 'customer.subscription.updated', previous?: Fields) {
  return changes(type, subscriptionObject(fields), { previous })[0] as SubscriptionChange
}
function moneyOf(type: string, object: Fields) {
  return changes(type, object)[0] as MoneyChange
}
function iso(seconds: number) {
  return new Date(seconds * 1000).toISOString()
}

// Words and meanings: https://docs.stripe.com/api/subscriptions/object#subscription_object-status
for (const [word, status, kept] of [
  ['incomplete', 'incomplete', null],
  ['incomplete_expired', 'expired', 'incomplete_expired'],
  ['trialing', 'trialing', null],
  ['active', 'active', null],
  ['past_due', 'past_due', null],
  ['unpaid', 'unpaid', null],
  ['paused', 'paused', null],
  ['canceled', 'canceled', null],
  ['on_sabbatical', 'incomplete', 'on_sabbatical'],
  ['constructor', 'incomplete', 'constructor'],
  ['', 'incomplete', null],
] as const) {
  test(`a subscription that Stripe calls "${word}" is ${status}`, (t) => {
    const { data } = subscriptionOf({ status: word })
    t.is(data.status, status)
    t.is(data.provider_status, kept)
  })
}

test('the life of a subscription: created, updated, deleted', (t) => {
  t.is(subscriptionOf({}, 'customer.subscription.created').stage, 'created')
  for (const type of [
    'updated',
    'paused',
    'resumed',
    'trial_will_end',
    'pending_update_applied',
    'pending_update_expired',
  ]) {
    t.is(subscriptionOf({}, `customer.subscription.${type}`).stage, 'updated', type)
  }
  const gone = subscriptionOf({ status: 'canceled', ended_at: start }, 'customer.subscription.deleted')
  t.is(gone.stage, 'deleted')
  t.is(gone.data.ended_at, iso(start))
})

test('a paused subscription contains the start of its pause', (t) => {
  const paused = {
    subscription: { type: 'pause_requested' },
    transitioned_at: start + 5,
    type: 'subscription',
  }
  const { data } = subscriptionOf(
    { status: 'paused', status_details: { paused } },
    'customer.subscription.paused',
  )
  t.is(data.status, 'paused')
  t.is(data.paused_at, iso(start + 5))
  const resumed = subscriptionOf({ status_details: { paused } }, 'customer.subscription.resumed')
  t.is(resumed.data.status, 'active')
  t.is(resumed.data.paused_at, null)
})

// "The subscription remains `active` … Your customer retains access": docs.stripe.com/billing/subscriptions/pause-payment
for (const behavior of ['void', 'keep_as_draft', 'mark_uncollectible']) {
  test(`pausing collection with ${behavior} keeps access`, (t) => {
    const { data } = subscriptionOf({ pause_collection: { behavior, resumes_at: start + month } })
    t.is(data.status, 'active')
    t.is(data.paused_at, null)
    t.is(data.resumes_at, iso(start + month))
    // A fetch has the invoice, too, and says the same.
    const fetched = { id: 'in_2', object: 'invoice', status: 'void', billing_reason: 'subscription_cycle' }
    const asked = subscriptionOf({
      pause_collection: { behavior, resumes_at: null },
      latest_invoice: fetched,
    })
    t.is(asked.data.paused_at, null)
  })
}

test('the trial of a pause that is over is none: the subscription began when it was created', (t) => {
  const end = start + 70 * 86_400
  const endOf = (fields: Fields) => subscriptionOf({ trial_end: end, ...fields }).data.trial_ends_at
  const noted = (note: string) => ({ metadata: { membership_paid_period: note } })
  const period = `${iso(start)}/${iso(start + 30 * 86_400)}`
  t.is(endOf({ status: 'active' }), iso(end))
  t.is(endOf({ ...noted(period), status: 'active' }), null)
  t.is(endOf({ ...noted(period), status: 'canceled' }), null)
  t.is(endOf({ ...noted('over'), status: 'active' }), null)
  t.is(endOf({ ...noted('over'), status: 'trialing' }), iso(end))
})

test('the period is on the items, or on the subscription in older API versions', (t) => {
  const fromItems = subscriptionOf({}).data
  t.is(fromItems.current_period_end, iso(start + month))
  const items = [{ ...subscriptionItem(), current_period_start: undefined, current_period_end: undefined }]
  const own = { current_period_start: start, current_period_end: start + 99 }
  const old = subscriptionOf({ items: { data: items }, ...own }).data
  t.is(old.current_period_end, iso(start + 99))
  t.is(old.items[0]?.current_period_end, iso(start + 99))
  const both = subscriptionOf(own).data
  t.is(both.current_period_end, iso(start + 99))
  t.is(both.items[0]?.current_period_end, iso(start + month))
})

test('an item may name its price by id, through its plan, or be missing altogether', (t) => {
  const withItems = (...data: Fields[]) => subscriptionOf({ items: { data } }).data
  t.is(withItems({ id: 'si_1', price: 'price_id' }).price_id, 'price_id')
  const plan = {
    id: 'plan_old',
    amount: 500,
    currency: 'gbp',
    interval: 'year',
    interval_count: 1,
    product: 'prod_9',
  }
  const old = subscriptionOf({ items: { data: [{ id: 'si_1', plan }] }, currency: 'gbp' }).data
  t.like(old, { price_id: 'plan_old', product_id: 'prod_9', unit_amount: 500, interval: 'year' })
  const legacy = subscriptionOf({ items: undefined, plan, quantity: 3, currency: undefined }).data
  t.like(legacy, { price_id: 'plan_old', quantity: 3, currency: 'GBP', unit_amount: 500 })
  t.is(legacy.items.length, 1)
  t.deepEqual(withItems().items, [])
  t.is(withItems().price_id, null)
  const two = withItems(
    subscriptionItem(),
    subscriptionItem({ id: 'si_2', price: priceObject({ id: 'price_seat' }) }),
  )
  t.deepEqual(
    two.items.map((item) => item.price_id),
    ['price_gold', 'price_seat'],
  )
})

test('ids may arrive expanded; empty text is nothing; a currency has three letters', (t) => {
  const { data } = subscriptionOf({
    customer: { id: 'cus_9', object: 'customer' },
    currency: 'euros',
    metadata: '',
  })
  t.is(data.customer_id, 'cus_9')
  t.is(data.currency, 'EUR')
  t.deepEqual(data.metadata, {})
  t.is(subscriptionOf({ customer: '' }).data.customer_id, null)
})

test('`before` contains the values from before the change', (t) => {
  const items = { data: [subscriptionItem({ price: priceObject({ id: 'price_silver' }) })] }
  const change = subscriptionOf(
    { status: 'active', metadata: { a: '1', b: '2' }, cancel_at: start },
    'customer.subscription.updated',
    {
      status: 'past_due',
      items,
      plan: { id: 'plan_of_the_first_item' },
      metadata: { a: '0', b: null },
      cancel_at: null,
    },
  )
  t.is(change.data.price_id, 'price_gold')
  t.is(change.before?.price_id, 'price_silver')
  t.is(change.before?.status, 'past_due')
  t.is(change.before?.cancel_at, null)
  t.deepEqual(change.before?.metadata, { a: '0' })
  t.is(change.before?.customer_id, 'cus_1')
  t.is(subscriptionOf({}).before, undefined)
})

test('quantity alone before an update, as old API versions report it', (t) => {
  const { before } = subscriptionOf({}, 'customer.subscription.updated', { quantity: 4 })
  t.is(before?.quantity, 4)
  t.is(before?.price_id, 'price_gold')
})

test('the start of a subscription is read in each API version', (t) => {
  t.is(subscriptionOf({ start_date: start + 2, created: start }).data.started_at, iso(start + 2))
  t.is(subscriptionOf({ start_date: undefined, start: start + 1 }).data.started_at, iso(start + 1))
  t.is(subscriptionOf({ start_date: undefined }).data.started_at, iso(start))
})

test('`cancel_at` is independent', (t) => {
  const { data } = subscriptionOf({ cancel_at: start + 60, cancel_at_period_end: false })
  t.is(data.cancel_at, iso(start + 60))
  t.false(data.cancel_at_period_end)
})

// https://docs.stripe.com/payments/checkout/fulfill-orders
for (const [type, fields, state, status] of [
  ['completed', {}, 'paid', 'complete'],
  ['completed', { payment_status: 'unpaid' }, 'pending', 'complete'],
  ['completed', { payment_status: 'no_payment_required', amount_total: 0 }, 'paid', 'complete'],
  ['async_payment_succeeded', {}, 'paid', 'complete'],
  ['async_payment_failed', { payment_status: 'unpaid' }, 'failed', 'complete'],
  ['expired', { payment_status: 'unpaid', status: 'expired' }, 'failed', 'expired'],
  ['expired', { payment_status: 'no_payment_required', status: 'expired' }, 'failed', 'expired'],
  ['completed', { payment_status: 'no_payment_required', status: 'open' }, 'pending', 'open'],
] as const) {
  test(`checkout.session.${type} ${JSON.stringify(fields)} is ${state}`, (t) => {
    const { data, kind } = moneyOf(`checkout.session.${type}`, checkoutObject(fields))
    t.is(kind, 'checkout')
    t.is(data.state, state)
    t.is(data.checkout_status, status)
    t.is(data.intent_id, 'int_1')
    t.is(data.price_id, 'price_book')
    t.deepEqual(data.refs, [ref('intent', 'pi_1')])
  })
}

test('a checkout without a price is fetched for its line items; with them it is not', (t) => {
  const touches = (fields: Fields, type = 'completed') =>
    changes(`checkout.session.${type}`, checkoutObject(fields)).slice(1)
  const touch = [{ type: 'touch', ref: { kind: 'checkout', id: 'cs_1' } }]
  t.deepEqual(touches({ metadata: {} }), touch)
  t.deepEqual(touches({ metadata: {} }, 'async_payment_succeeded'), touch)
  const line_items = { data: [{ id: 'li_1', price: priceObject({ id: 'price_cd' }), quantity: 2 }] }
  t.deepEqual(touches({ metadata: {}, line_items }), [])
  const { data } = moneyOf('checkout.session.completed', checkoutObject({ metadata: {}, line_items }))
  t.like(data, { price_id: 'price_cd', quantity: 2 })
})

test('an invoice without a named payment is fetched; one with it is not', (t) => {
  const touches = (type: string, fields: Fields = {}) => changes(type, invoiceObject(fields)).slice(1)
  const subscription = { type: 'touch', ref: { kind: 'subscription', id: 'sub_1' } }
  const invoice = { type: 'touch', ref: ref('invoice', 'in_1') }
  t.deepEqual(touches('invoice.paid'), [subscription, invoice])
  t.deepEqual(touches('invoice.payment_failed', { status: 'open' }), [subscription, invoice])
  t.deepEqual(touches('invoice.paid', { payment_intent: 'pi_1' }), [subscription])
  t.deepEqual(touches('invoice.paid', { amount_paid: 0 }), [subscription])
  t.deepEqual(touches('invoice.finalized', { status: 'open' }), [])
})

test('a refund that did not reach the buyer touches its charge', (t) => {
  const touches = (type: string, status: string) => changes(type, refundObject({ status })).slice(1)
  const charge = { type: 'touch', ref: ref('charge', 'ch_1') }
  t.deepEqual(touches('refund.failed', 'failed'), [charge])
  t.deepEqual(touches('charge.refund.updated', 'canceled'), [charge])
  t.deepEqual(touches('refund.updated', 'succeeded'), [])
})

test('a checkout for a subscription touches it; one that only stores a card is ignored', (t) => {
  const fields = { mode: 'subscription', subscription: 'sub_1', payment_intent: null, invoice: 'in_1' }
  const [change, ...more] = changes('checkout.session.completed', checkoutObject(fields))
  t.deepEqual((change as MoneyChange).data.refs, [
    ref('invoice', 'in_1'),
    { kind: 'subscription', id: 'sub_1' },
  ])
  t.deepEqual(more, [{ type: 'touch', ref: { kind: 'subscription', id: 'sub_1' } }])
  t.deepEqual(changes('checkout.session.completed', checkoutObject({ mode: 'setup' })), [])
})

// https://docs.stripe.com/payments/paymentintents/lifecycle
for (const [fields, state] of [
  [{}, 'paid'],
  [{ status: 'processing' }, 'pending'],
  [{ status: 'requires_action' }, 'pending'],
  [{ status: 'requires_capture' }, 'pending'],
  [{ status: 'requires_payment_method' }, 'pending'],
  [{ status: 'requires_payment_method', last_payment_error: { code: 'card_declined' } }, 'failed'],
  [{ status: 'canceled' }, 'failed'],
] as const) {
  test(`an intent ${JSON.stringify(fields)} is ${state}`, (t) => {
    t.is(moneyOf('payment_intent.created', intentObject(fields)).data.state, state)
  })
}

for (const [fields, state] of [
  [{}, 'paid'],
  [{ status: 'pending', paid: false }, 'pending'],
  [{ captured: false }, 'pending'],
  [{ status: 'failed', paid: false }, 'failed'],
] as const) {
  test(`a charge ${JSON.stringify(fields)} is ${state}`, (t) => {
    t.is(moneyOf('charge.updated', chargeObject(fields)).data.state, state)
  })
}

for (const [status, state] of [
  ['draft', 'pending'],
  ['open', 'pending'],
  ['paid', 'paid'],
  ['void', 'failed'],
  ['uncollectible', 'failed'],
] as const) {
  test(`an invoice that is ${status} is ${state}`, (t) => {
    t.is(moneyOf('invoice.updated', invoiceObject({ status })).data.state, state)
  })
}

test('an invoice names its subscription in every API version’s form', (t) => {
  const line = (fields: Fields) => ({ parent: null, lines: { data: [fields] } })
  const shapes: Fields[] = [
    {},
    { parent: null, subscription: 'sub_1' },
    { parent: null, subscription: { id: 'sub_1' } },
    line({ subscription: 'sub_1' }),
    line({ parent: { subscription_item_details: { subscription: 'sub_1' } } }),
    line({ parent: { invoice_item_details: { subscription: 'sub_1' } } }),
  ]
  for (const shape of shapes) {
    const [change, touch] = changes('invoice.paid', invoiceObject(shape))
    t.is((change as MoneyChange).data.subscription_id, 'sub_1', JSON.stringify(shape))
    t.deepEqual(touch, { type: 'touch', ref: { kind: 'subscription', id: 'sub_1' } })
  }
})

test('an invoice for two subscriptions fetches both', (t) => {
  const line = (subscription: string) => ({ parent: { subscription_item_details: { subscription } } })
  const lines = { data: [line('sub_1'), line('sub_2'), line('sub_1')] }
  for (const type of ['invoice.paid', 'invoice.payment_failed']) {
    const asked = changes(type, invoiceObject({ lines })).filter((c) => c.type === 'touch')
    const subscriptions = asked.map(({ ref }) => ref).filter(({ kind }) => kind === 'subscription')
    t.deepEqual(
      subscriptions.map(({ id }) => id),
      ['sub_1', 'sub_2'],
    )
  }
})

test('the price of an invoice is that of its line without proration', (t) => {
  const pricing = (price: string) => ({ pricing: { price_details: { price } } })
  const parent = { subscription_item_details: { proration: true } }
  const data = [
    { ...pricing('price_old'), parent },
    { ...pricing('price_new'), quantity: 2 },
  ]
  t.like(moneyOf('invoice.paid', invoiceObject({ lines: { data } })).data, {
    price_id: 'price_new',
    quantity: 2,
  })
})

test('an invoice payment joins the invoice to its payment; so do an invoice’s own payments', (t) => {
  t.deepEqual(moneyOf('invoice_payment.paid', invoicePaymentObject()).data.refs, [
    ref('invoice', 'in_1'),
    ref('intent', 'pi_1'),
  ])
  const payments = { data: [invoicePaymentObject()] }
  t.deepEqual(moneyOf('invoice.paid', invoiceObject({ payments })).data.refs, [
    ref('invoice_payment', 'inpay_1'),
    ref('intent', 'pi_1'),
    { kind: 'subscription', id: 'sub_1' },
  ])
})

test('the preview of an upcoming invoice changes nothing, even with an id', (t) => {
  t.deepEqual(changes('invoice.upcoming', invoiceObject({ id: 'upcoming_in_1' })), [])
})

// https://docs.stripe.com/api/refunds/object#refund_object-status
for (const [status, state] of [
  ['succeeded', 'succeeded'],
  ['pending', 'pending'],
  ['requires_action', 'pending'],
  ['failed', 'failed'],
  ['canceled', 'canceled'],
] as const) {
  test(`a refund that is ${status} is ${state}, under every event name it has had`, (t) => {
    for (const type of ['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated']) {
      const change = moneyOf(type, refundObject({ status }))
      t.is(change.kind, 'refund')
      t.is(change.data.state, state)
    }
  })
}

test('a refund has no mode; its event has', (t) => {
  const [change] = changes('refund.created', refundObject(), { livemode: true })
  t.true((change as MoneyChange).data.livemode)
})

// https://docs.stripe.com/api/disputes/object#dispute_object-status
for (const [status, state] of [
  ['needs_response', 'open'],
  ['under_review', 'open'],
  ['prevented', 'open'],
  ['warning_needs_response', 'pending'],
  ['warning_under_review', 'pending'],
  ['warning_closed', 'won'],
  ['won', 'won'],
  ['lost', 'lost'],
] as const) {
  test(`a dispute that is ${status} is ${state}`, (t) => {
    const [change, touch] = changes('charge.dispute.updated', disputeObject({ status }))
    t.is((change as MoneyChange).data.state, state)
    t.deepEqual(touch, { type: 'touch', ref: ref('charge', 'ch_1') })
  })
}

test('a customer’s own events are distinguished from those of its objects', (t) => {
  t.is(changes('customer.created', customerObject())[0]?.type, 'customer')
  t.deepEqual(changes('customer.source.created', { id: 'card_1', object: 'card' }), [])
  t.deepEqual(changes('customer.discount.created', { id: 'di_1', object: 'discount' }), [])
})

test('a thin event touches its object', (t) => {
  const thin = (related_object: unknown) =>
    provider.changes({
      ...toProviderEvent(stripeEvent('v1.charge.refunded', {})),
      object: { id: 'evt_1', object: 'v2.core.event', type: 'v1.charge.refunded', related_object },
    })
  t.deepEqual(thin({ id: 'ch_1', type: 'charge', url: '/v1/charges/ch_1' }), [
    { type: 'touch', ref: ref('charge', 'ch_1') },
  ])
  t.deepEqual(thin({ id: 'acct_1', type: 'v2.core.account' }), [])
  t.deepEqual(thin(null), [])
})
