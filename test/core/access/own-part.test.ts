import test from 'ava'
import { ownPayment, ownSubscription, ownTerms, type Shop } from '../../../src/core/access/index.ts'
import type { PaymentData, SubscriptionData } from '../../../src/core/dto/index.ts'

const shop: Shop = {
  accepts: 'plans',
  prices: new Set(['price_pro']),
  products: new Set(['prod_pro']),
  listed: new Map([['price_app', 'prod_app']]),
  terms: new Map([
    ['price_pro', { amount: 900, currency: 'EUR', interval: 'month' as const, interval_count: 1 }],
  ]),
  isOpen: false,
}

function item(name: string, quantity = 1) {
  return {
    id: `si_${name}`,
    price_id: `price_${name}`,
    product_id: `prod_${name}`,
    quantity,
    current_period_start: '2026-03-01T00:00:00.000Z',
    current_period_end: '2026-04-01T00:00:00.000Z',
  }
}
function subscription(...names: string[]) {
  return {
    items: names.map((name) => item(name, name === 'pro' ? 3 : 1)),
    price_id: `price_${names[0]}`,
    product_id: `prod_${names[0]}`,
    quantity: 1,
    unit_amount: 777,
    currency: 'EUR',
    interval: 'year',
    interval_count: 1,
    current_period_start: null,
    current_period_end: '2027-03-01T00:00:00.000Z',
  } as unknown as SubscriptionData
}
function payment(more: object) {
  return {
    items: [
      { price_id: 'price_app', product_id: 'prod_app', quantity: 1, amount: 700 },
      { price_id: 'price_pro', product_id: 'prod_pro', quantity: 3, amount: 2700 },
    ],
    price_id: 'price_app',
    quantity: 1,
    amount: 4046,
    amount_refunded: 0,
    status: 'paid',
    ...more,
  } as unknown as PaymentData
}

test('of a subscription with items of two shops, this site’s item names its terms', (t) => {
  const own = ownSubscription(subscription('app', 'pro'), shop)
  t.deepEqual(
    own.items.map(({ price_id }) => price_id),
    ['price_pro'],
  )
  t.like(own, { price_id: 'price_pro', quantity: 3, unit_amount: 900, interval: 'month' })
  t.is(own.current_period_end, '2026-04-01T00:00:00.000Z')
  // The first item is this site's, so that the subscription's terms are.
  t.like(ownSubscription(subscription('pro', 'app'), shop), { price_id: 'price_pro', unit_amount: 777 })
  // Nothing names an amount.
  const unnamed = { ...shop, terms: new Map() }
  t.is(ownSubscription(subscription('app', 'pro'), unnamed).unit_amount, null)
})

test('a subscription of one shop is left as it is, also where no plan names its price any more', (t) => {
  for (const whole of [subscription('pro'), subscription('app'), subscription('app', 'book')])
    t.is(ownSubscription(whole, shop), whole)
  const mixed = subscription('app', 'pro')
  t.is(ownSubscription(mixed, { ...shop, accepts: 'everything' }), mixed)
})

test('the terms of a month count this site’s prices alone', (t) => {
  const terms = {
    status: 'active',
    quantity: 1,
    unit_amount: 777,
    currency: 'EUR',
    interval: 'year',
    interval_count: 1,
    paused_at: null,
    resumes_at: null,
    others: [{ price_id: 'price_pro', quantity: 2 }],
  } as const
  t.like(ownTerms(terms, subscription('app', 'pro'), shop), {
    unit_amount: 900,
    quantity: 2,
    interval: 'month',
    others: [],
  })
  const first = { ...terms, others: [{ price_id: 'price_app', quantity: 1 }] }
  t.like(ownTerms(first, subscription('pro', 'app'), shop), { unit_amount: 777, others: [] })
})

test('a payment of two shops counts this site’s share, with tax and discounts in proportion', (t) => {
  // 2700 of 3400 before 19 % tax.
  t.like(ownPayment(payment({}), shop), { price_id: 'price_pro', quantity: 3, amount: 3213 })
  // Without amounts of the lines, nothing tells the share.
  const unsaid = payment({ items: payment({}).items.map(({ amount: _, ...rest }) => rest) })
  t.is(ownPayment(unsaid, shop).amount, 4046)
})

test('a refund counts as the other shop’s first, unless it is exactly this site’s share', (t) => {
  const refunded = (amount_refunded: number, status = 'partially_refunded') =>
    ownPayment(payment({ status, amount_refunded }), shop)
  // The other shop's share is 833 of 4046.
  t.like(refunded(833), { amount_refunded: 0, status: 'partially_refunded' })
  t.like(refunded(1000), { amount_refunded: 167, status: 'partially_refunded' })
  t.like(refunded(3213), { amount_refunded: 3213, status: 'refunded' })
  t.like(refunded(4046, 'refunded'), { amount_refunded: 3213, status: 'refunded' })
  // Of two equal shares nobody knows which it was, and nobody who paid is shut out.
  const [app, pro] = payment({}).items
  const equal = [app, { ...pro, amount: 700 }]
  t.like(
    ownPayment(
      payment({ items: equal, amount: 1400, amount_refunded: 700, status: 'partially_refunded' }),
      shop,
    ),
    {
      amount: 700,
      amount_refunded: 0,
      status: 'partially_refunded',
    },
  )
})
