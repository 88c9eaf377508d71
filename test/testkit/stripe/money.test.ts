import test from 'ava'
import { openFake, subscribe, typesSince } from './support.ts'

const book = {
  mode: 'payment' as const,
  line_items: [{ price: 'price_book', quantity: 2 }],
  success_url: 'https://site.example/thanks',
}

test('a one-time coupon lowers the first invoice, one for two months the first two', async (t) => {
  const { fake, stripe } = await openFake(t)
  fake.addCoupon({ id: 'HALF', percent_off: 50, code: 'HELLO' })
  fake.addCoupon({
    id: 'TWO',
    amount_off: 500,
    currency: 'eur',
    duration: 'repeating',
    duration_in_months: 2,
  })
  const typed = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: 'price_gold', quantity: 1 }],
    success_url: 'https://site.example',
    allow_promotion_codes: true,
  })
  const half = (await fake.pay(typed.id, { promotionCode: 'HELLO' })).session
  t.is(half.amount_total, 1500)
  const two = await subscribe({ fake, stripe }, { email: 'b@example.com', discounts: [{ coupon: 'TWO' }] })
  await fake.advance({ months: 2, ms: 3_600_000 })
  const paid = async (customer: unknown) =>
    (await stripe.invoices.list({ customer: String(customer) })).data
      .map(({ amount_paid }) => amount_paid)
      .reverse()
  t.deepEqual(await paid(half.customer), [1500, 3000, 3000])
  t.deepEqual(await paid(two.customer), [2500, 2500, 3000])
})

test('a price sells only in its own and its listed other currencies', async (t) => {
  const { fake, stripe } = await openFake(t)
  fake.addPrice({
    id: 'price_world',
    unit_amount: 1000,
    currency: 'eur',
    currency_options: { jpy: { unit_amount: 1500 } },
    recurring: { interval: 'month' },
  })
  const { id } = await subscribe({ fake, stripe }, { price: 'price_world', currency: 'jpy' })
  t.is((await stripe.subscriptions.retrieve(id)).currency, 'jpy')
  t.is((await stripe.invoices.list()).data[0]!.amount_paid, 1500)
  await t.throwsAsync(subscribe({ fake, stripe }, { price: 'price_world', currency: 'usd' }), {
    message: /currency/,
  })
})

test('partial refunds never exceed the payment', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await stripe.checkout.sessions.create(book)
  const intent = String((await fake.pay(id)).session.payment_intent)
  const before = fake.events().length
  const part = await stripe.refunds.create({
    payment_intent: intent,
    amount: 800,
    reason: 'requested_by_customer',
  })
  t.like(part, { amount: 800, status: 'succeeded' })
  t.deepEqual(typesSince(fake, before), ['refund.created', 'charge.refunded'])
  const error = await t.throwsAsync(stripe.refunds.create({ payment_intent: intent, amount: 9001 }))
  t.like(error, { statusCode: 400, param: 'amount' })
  t.is(fake.refund(intent).amount, 9000)
  t.like(await stripe.charges.retrieve(String(part.charge)), { amount_refunded: 9800, refunded: true })
  const again = await t.throwsAsync(stripe.refunds.create({ payment_intent: intent }))
  t.like(again, { code: 'charge_already_refunded' })
  t.is((await stripe.refunds.list({ charge: String(part.charge) })).data.length, 2)
  t.is((await stripe.refunds.retrieve(part.id)).amount, 800)
})

test('a dispute takes the money, and returns it when won', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await stripe.checkout.sessions.create(book)
  const intent = String((await fake.pay(id)).session.payment_intent)
  const before = fake.events().length
  const dispute = fake.dispute(intent)
  t.true((await stripe.charges.retrieve(dispute.charge)).disputed)
  t.like(await t.throwsAsync(stripe.refunds.create({ payment_intent: intent })), { code: 'charge_disputed' })
  fake.closeDispute(dispute.id, 'won')
  t.deepEqual(typesSince(fake, before), [
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.updated',
    'charge.dispute.funds_reinstated',
    'charge.dispute.closed',
  ])
  t.is((await stripe.disputes.retrieve(dispute.id)).status, 'won')
  t.is((await stripe.disputes.list({ charge: dispute.charge })).data.length, 1)
})
