import type { ExecutionContext } from 'ava'
import test from 'ava'
import { openFake, subscribe, typesSince } from './support.ts'

async function wanting(t: ExecutionContext) {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe }, { price: 'price_silver' })
  await fake.advance(new Date('2026-01-31T00:00:00Z'))
  const item = (await stripe.subscriptions.retrieve(id)).items.data[0]!.id
  const update = () =>
    stripe.subscriptions.update(id, {
      items: [{ id: item, price: 'price_gold' }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    })
  return { fake, stripe, id, customer, update }
}

test('an unpaid change waits, and happens when its invoice is paid', async (t) => {
  const { fake, stripe, id, customer, update } = await wanting(t)
  fake.useCard(customer, '4000000000000341')
  const waiting = await update()
  t.is(waiting.status, 'active')
  t.is(waiting.items.data[0]!.price.id, 'price_silver')
  t.is(waiting.pending_update!.subscription_items![0]!.price.id, 'price_gold')
  t.is(waiting.pending_update!.expires_at, Date.parse('2026-01-31T23:00:00Z') / 1000)
  fake.useCard(customer, '4242424242424242')
  const before = fake.events().length
  const invoice = await stripe.invoices.pay(String(waiting.latest_invoice))
  t.is(invoice.amount_paid, 1000)
  t.deepEqual(typesSince(fake, before).slice(-2), [
    'customer.subscription.updated',
    'customer.subscription.pending_update_applied',
  ])
  const after = await stripe.subscriptions.retrieve(id)
  t.is(after.items.data[0]!.price.id, 'price_gold')
  t.is(after.pending_update, null)
})

test('an unpaid change is dropped after 23 hours, and its invoice is void', async (t) => {
  const { fake, stripe, id, customer, update } = await wanting(t)
  fake.failNextPayment(customer)
  const { latest_invoice } = await update()
  const before = fake.events().length
  await fake.advance({ days: 1 })
  t.deepEqual(typesSince(fake, before), [
    'invoice.updated',
    'invoice.voided',
    'customer.subscription.updated',
    'customer.subscription.pending_update_expired',
  ])
  t.is((await stripe.invoices.retrieve(String(latest_invoice))).status, 'void')
  const after = await stripe.subscriptions.retrieve(id)
  t.like(after, { status: 'active', pending_update: null })
  t.is(after.items.data[0]!.price.id, 'price_silver')
})

test('a paid change does not wait, and may not contain other fields', async (t) => {
  const { stripe, id, update } = await wanting(t)
  const after = await update()
  t.is(after.items.data[0]!.price.id, 'price_gold')
  t.is(after.pending_update, null)
  const error = await t.throwsAsync(
    stripe.subscriptions.update(id, { metadata: { a: 'b' }, payment_behavior: 'pending_if_incomplete' }),
  )
  t.like(error, { statusCode: 400, param: 'metadata' })
})
