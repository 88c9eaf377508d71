import test from 'ava'
import { isDearer, moneyOf, type StatedMoney, sumOf } from '../../src/core/dto/index.ts'
import { boughtChanges } from '../../src/providers/apple/changes.ts'
import type { Change } from '../../src/providers/contract.ts'
import { amountPart, type ReadMoney } from '../../src/providers/money.ts'
import { paddleChanges } from '../../src/providers/paddle/changes.ts'
import { minorOf, revenueOf } from '../../src/providers/revenuecat/facts.ts'
import { stripeChanges } from '../../src/providers/stripe/changes.ts'
import { type CostPart, costPart } from '../../src/providers/subscription.ts'
import { stripeEvent, subscriptionItem, subscriptionObject } from '../support/stripe-events.ts'
import { paddlePrice, paddleSubscription } from './paddle/events.ts'

// A price may be sold in several currencies. Its object states the amount of one, and the subscription says in which
// one it is charged.

function costOf([change]: readonly Change[]) {
  if (change?.type !== 'subscription') throw new TypeError('no subscription')
  return [change.data.unit_amount, change.data.currency]
}

function stripe(currency: string, price: Record<string, unknown> = {}) {
  const item = subscriptionItem()
  const items = { data: [{ ...item, price: { ...item.price, ...price } }] }
  const type = 'customer.subscription.updated'
  return stripeChanges({ type, object: stripeEvent(type, subscriptionObject({ currency, items })) })
}

test('Stripe: the base amount of a price is nobody’s cost in another currency, and the subscription is fetched', (t) => {
  t.deepEqual(costOf(stripe('eur')), [900, 'EUR'])
  t.is(stripe('eur').length, 1)
  t.deepEqual(costOf(stripe('usd')), [null, 'USD'])
  t.deepEqual(stripe('usd')[1], { type: 'touch', ref: { kind: 'subscription', id: 'sub_1' } })
  const listed = stripe('usd', { currency_options: { usd: { unit_amount: 1000 } } })
  t.deepEqual(costOf(listed), [1000, 'USD'])
  t.is(listed.length, 1)
})

function paddle(currency_code: string, price: Record<string, unknown> = {}) {
  const subscription = paddleSubscription()
  const [item] = subscription.items as Record<string, unknown>[]
  const data = { ...subscription, currency_code, items: [{ ...item, price: paddlePrice(price) }] }
  return paddleChanges({
    type: 'subscription.updated',
    object: data,
  })
}

test('Paddle: an override names the amount of its currency, unless two of them name different ones', (t) => {
  const override = (country: string, amount: string, currency_code: string) => ({
    country_codes: [country],
    unit_price: { amount, currency_code },
  })
  t.deepEqual(costOf(paddle('EUR')), [1200, 'EUR'])
  t.deepEqual(costOf(paddle('USD')), [null, 'USD'])
  const sold = { unit_price_overrides: [override('US', '1400', 'USD'), override('JP', '2000', 'JPY')] }
  t.deepEqual(costOf(paddle('USD', sold)), [1400, 'USD'])
  t.deepEqual(costOf(paddle('EUR', sold)), [1200, 'EUR'])
  const cheaper = { unit_price_overrides: [override('PT', '800', 'EUR')] }
  t.deepEqual(costOf(paddle('EUR', cheaper)), [null, 'EUR'], 'nothing says whose country it is')
})

test('money is one value: an amount of one object with the currency of another does not compile', (t) => {
  const subscription = { currency: 'usd' }
  const price = { unit_amount: 900, currency: 'eur' }
  const monthly = { interval: 'month', interval_count: 1 } as const
  const money = moneyOf(price, { amount: 'unit_amount', currency: 'currency' })
  t.like(costPart(money, monthly), { unit_amount: 900, currency: 'EUR', interval: 'month' })
  // @ts-expect-error The subscription has no amount.
  t.is(moneyOf(subscription, { amount: 'unit_amount', currency: 'currency' }).amount, null)
  // @ts-expect-error Only `moneyOf` makes money.
  const mixed: StatedMoney = { amount: price.unit_amount, currency: subscription.currency }
  // @ts-expect-error Only money becomes the cost of a subscription.
  costPart({ amount: price.unit_amount, currency: subscription.currency }, monthly)
  // @ts-expect-error The two fields of a subscription come from `costPart`.
  const cost: CostPart = { unit_amount: price.unit_amount, currency: subscription.currency, ...monthly }
  t.deepEqual([mixed.currency, cost.currency], ['usd', 'usd'])
  const joined: ReadMoney = { id: 'pay_1', refs: [], state: 'paid' }
  t.like({ ...joined, ...amountPart(money) }, { amount: 900, currency: 'EUR' })
  const { unit_amount: amount } = price
  // @ts-expect-error The two fields of a payment come from `amountPart`.
  const paid: ReadMoney = { ...joined, amount, currency: subscription.currency }
  t.is(paid.currency, 'usd')
})

test('amounts of two currencies have no sum and no order', (t) => {
  const [eur, usd] = ['eur', 'usd'].map((currency) =>
    moneyOf({ amount: 900, currency }, { amount: 'amount', currency: 'currency' }),
  )
  t.like(sumOf([eur!, eur!]), { amount: 1800, currency: 'EUR' })
  t.is(sumOf([eur!, usd!]).amount, null)
  const each = { amount: 900, interval: 'month', interval_count: 1 } as const
  t.true(isDearer({ ...each, currency: 'EUR', amount: 901 }, { ...each, currency: 'EUR' }))
  t.throws(() => isDearer({ ...each, currency: 'EUR' }, { ...each, currency: 'USD' }), {
    instanceOf: TypeError,
    message: /cannot be compared/,
  })
})

// https://developer.apple.com/documentation/appstoreserverapi/transactionmultiseatinfo
function seats(more: Record<string, unknown> = {}) {
  return {
    originalTransactionId: '1',
    transactionId: '1',
    productId: 'team',
    quantity: 20,
    price: 8490,
    type: 'Auto-Renewable Subscription',
    currency: 'EUR',
    inAppOwnershipType: 'PURCHASED',
    purchaseDate: 1_772_323_200_000,
    expiresDate: 1_775_001_600_000,
    signedDate: 1_772_323_200_000,
    multiSeatInfo: {
      priceTiers: [
        { price: 9990, quantity: 5 },
        { price: 7990, quantity: 15 },
      ],
    },
    ...more,
  }
}
function boughtSeats(transaction: Record<string, unknown>, renewal: Record<string, unknown> = {}) {
  const [subscription, payment] = boughtChanges({ status: 1, transaction, renewal }, { isLast: true })
  return {
    subscription: subscription?.type === 'subscription' ? subscription.data : null,
    payment: payment?.type === 'money' ? payment.data : null,
  }
}

test('Apple: twenty seats are paid with the sum of their tiers, and one who was given a seat buys nothing', (t) => {
  const { subscription, payment } = boughtSeats(seats())
  t.like(payment, { amount: 5 * 999 + 15 * 799, currency: 'EUR', quantity: 20, amount_refunded: 0 })
  t.like(subscription, { quantity: 20, unit_amount: 849, currency: 'EUR' })
  const back = { ...seats().multiSeatInfo, revokedSeatQuantity: 5 }
  t.is(boughtSeats(seats({ multiSeatInfo: back })).payment?.amount_refunded, 4245)
  const given = boughtSeats(seats({ inAppOwnershipType: 'ASSIGNED', originalTransactionId: '2' }))
  t.is(given.payment, null)
  t.like(given.subscription, { quantity: 1, unit_amount: 0, metadata: { ownership: 'assigned' } })
})

test('Apple: five seats that are added do not replace the twenty', (t) => {
  const added = seats({
    transactionId: '2',
    quantity: 5,
    price: 4000,
    additionalTransactionReason: 'SEAT_ADDITION',
    multiSeatInfo: { priceTiers: [{ price: 4000, quantity: 5 }] },
  })
  const renewal = {
    renewalQuantity: 25,
    renewalPrice: 8000,
    currency: 'EUR',
    multiSeatInfo: { renewalPriceTiers: [{ price: 8000, quantity: 25 }] },
  }
  const { subscription, payment } = boughtSeats(added, renewal)
  t.like(payment, { id: '2', amount: 2000, quantity: 5 })
  t.like(subscription, { quantity: 25, unit_amount: 800 })
})

test('RevenueCat: fractions are rounded as they are written, and less than nothing is nothing', (t) => {
  const minor = ([value, currency]: readonly [number, string]) => minorOf(value, currency)
  const written = [
    [0.285, 'USD'],
    [1.005, 'USD'],
    [9.99, 'EUR'],
    [1200, 'JPY'],
    [1.2345, 'KWD'],
    [1e-9, 'EUR'],
  ]
  t.deepEqual((written as [number, string][]).map(minor), [29, 101, 999, 1200, 1235, 0])
  t.is(minorOf(Number.NaN, 'EUR'), null)
  t.is(minorOf('9.99', 'EUR'), null)
  t.is(revenueOf({ gross: -9.99, currency: 'EUR' })?.gross.amount, 0)
})

test('Apple: the price after a free trial is in the currency of the renewal', (t) => {
  const [now, end] = [1_772_323_200_000, 1_774_915_200_000]
  const transaction = {
    originalTransactionId: '1',
    transactionId: '1',
    productId: 'pro',
    quantity: 1,
    type: 'Auto-Renewable Subscription',
    offerDiscountType: 'FREE_TRIAL',
    price: 0,
    currency: 'EUR',
    purchaseDate: now,
    expiresDate: end,
    signedDate: now,
  }
  const renewal = { renewalPrice: 1_200_000, currency: 'JPY' }
  t.deepEqual(costOf(boughtChanges({ status: 1, transaction, renewal }, { isLast: true })), [1200, 'JPY'])
})
