import test from 'ava'
import { boughtChanges } from '../../src/providers/apple/changes.ts'
import type { Change } from '../../src/providers/contract.ts'
import { paddleChanges } from '../../src/providers/paddle/changes.ts'
import { stripeChanges } from '../../src/providers/stripe/changes.ts'
import { stripeEvent, subscriptionItem, subscriptionObject } from '../support/stripe-events.ts'
import { paddlePrice, paddleSubscription } from './paddle/events.ts'

// A price may be sold in several currencies. Its object states the amount of one, and the subscription says in which
// one it is charged.

const costOf = ([change]: readonly Change[]) => {
  if (change?.type !== 'subscription') throw new TypeError('no subscription')
  return [change.data.unit_amount, change.data.currency]
}

const stripe = (currency: string, price: Record<string, unknown> = {}) => {
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

const paddle = (currency_code: string, price: Record<string, unknown> = {}) => {
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
    ...{ country_codes: [country], unit_price: { amount, currency_code } },
  })
  t.deepEqual(costOf(paddle('EUR')), [1200, 'EUR'])
  t.deepEqual(costOf(paddle('USD')), [null, 'USD'])
  const sold = { unit_price_overrides: [override('US', '1400', 'USD'), override('JP', '2000', 'JPY')] }
  t.deepEqual(costOf(paddle('USD', sold)), [1400, 'USD'])
  t.deepEqual(costOf(paddle('EUR', sold)), [1200, 'EUR'])
  const cheaper = { unit_price_overrides: [override('PT', '800', 'EUR')] }
  t.deepEqual(costOf(paddle('EUR', cheaper)), [null, 'EUR'], 'nothing says whose country it is')
})

test('Apple: the price after a free trial is in the currency of the renewal', (t) => {
  const [now, end] = [1_772_323_200_000, 1_774_915_200_000]
  const transaction = {
    ...{ originalTransactionId: '1', transactionId: '1', productId: 'pro', quantity: 1 },
    ...{ type: 'Auto-Renewable Subscription', offerDiscountType: 'FREE_TRIAL', price: 0, currency: 'EUR' },
    ...{ purchaseDate: now, expiresDate: end, signedDate: now },
  }
  const renewal = { renewalPrice: 1_200_000, currency: 'JPY' }
  t.deepEqual(costOf(boughtChanges({ status: 1, transaction, renewal }, { isLast: true })), [1200, 'JPY'])
})
