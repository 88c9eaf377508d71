import test from 'ava'
import type Stripe from 'stripe'
import { at, openFake, subscribe, typesSince } from './support.ts'

function endOf(subscription: Stripe.Subscription) {
  return subscription.items.data[0]!.current_period_end
}

test('a renewal moves the period, bills an hour later and is paid', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  const before = fake.events().length
  await fake.advance(new Date('2026-02-15T12:30:00Z'))
  t.deepEqual(typesSince(fake, before), ['customer.subscription.updated', 'invoice.created'])
  t.is((await stripe.invoices.list({ limit: 1 })).data[0]!.status, 'draft')
  const [updated] = fake.events().slice(before)
  t.deepEqual(Object.keys(updated!.data.previous_attributes!).sort(), ['items', 'latest_invoice'])
  await fake.advance(new Date('2026-02-15T13:00:00Z'))
  t.deepEqual(typesSince(fake, before), [
    'customer.subscription.updated',
    'invoice.created',
    'invoice.finalized',
    'payment_intent.created',
    'charge.succeeded',
    'payment_intent.succeeded',
    'invoice.updated',
    'invoice.paid',
    'invoice.payment_succeeded',
    'invoice_payment.paid',
  ])
  const subscription = await stripe.subscriptions.retrieve(id)
  t.is(endOf(subscription), at('2026-03-15T12:00:00Z'))
  const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice), {
    expand: ['payments'],
  })
  t.like(invoice, { status: 'paid', amount_paid: 3000, billing_reason: 'subscription_cycle' })
  t.like(invoice.lines.data[0]!.period, {
    start: at('2026-02-15T12:00:00Z'),
    end: at('2026-03-15T12:00:00Z'),
  })
  t.is(invoice.status_transitions.paid_at, at('2026-02-15T13:00:00Z'))
  const intent = String(invoice.payments!.data[0]!.payment.payment_intent)
  t.is((await stripe.paymentIntents.retrieve(intent)).status, 'succeeded')
})

test('a cycle begun on the 31st ends on the last day of short months', async (t) => {
  const { fake, stripe } = await openFake(t, { start: new Date('2026-01-31T10:00:00Z') })
  const { id } = await subscribe({ fake, stripe })
  const ends: string[] = []
  for (let month = 0; month < 4; month++) {
    const end = endOf(await stripe.subscriptions.retrieve(id))
    ends.push(new Date(end * 1000).toISOString())
    await fake.advance(new Date((end + 3600) * 1000))
  }
  t.deepEqual(ends, [
    '2026-02-28T10:00:00.000Z',
    '2026-03-31T10:00:00.000Z',
    '2026-04-30T10:00:00.000Z',
    '2026-05-31T10:00:00.000Z',
  ])
})

test('a year in one step gives twelve more invoices, each at its time', async (t) => {
  const { fake, stripe } = await openFake(t)
  await subscribe({ fake, stripe })
  await fake.advance({ months: 12, ms: 3_600_000 })
  const paid = (await stripe.invoices.list({ limit: 100, status: 'paid' })).data
  t.is(paid.length, 13)
  t.deepEqual(
    paid
      .map(({ created }) => new Date(created * 1000).toISOString().slice(0, 16))
      .slice(-3)
      .reverse(),
    ['2026-01-15T12:00', '2026-02-15T12:00', '2026-03-15T12:00'],
  )
})

test('a declined renewal is retried after 3, 5 and 7 days, then the subscription ends', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe })
  fake.useCard(customer, '4000 0000 0000 0341')
  const before = fake.events().length
  await fake.advance(new Date('2026-02-15T13:00:00Z'))
  t.deepEqual(typesSince(fake, before).slice(4), [
    'charge.failed',
    'payment_intent.payment_failed',
    'invoice.updated',
    'invoice.payment_failed',
    'customer.subscription.updated',
  ])
  const invoice = (await stripe.invoices.list({ status: 'open' })).data[0]!
  t.like(invoice, {
    attempt_count: 1,
    next_payment_attempt: at('2026-02-18T13:00:00Z'),
    amount_remaining: 3000,
  })
  t.is((await stripe.subscriptions.retrieve(id)).status, 'past_due')
  await fake.advance(new Date('2026-02-22T12:59:59Z'))
  t.is((await stripe.invoices.retrieve(invoice.id)).attempt_count, 3)
  await fake.advance(new Date('2026-02-22T13:00:00Z'))
  const ended = await stripe.subscriptions.retrieve(id)
  t.like(ended, { status: 'canceled', ended_at: at('2026-02-22T13:00:00Z') })
  t.is(ended.cancellation_details!.reason, 'payment_failed')
  t.is((await stripe.invoices.retrieve(invoice.id)).status, 'open')
  t.is(fake.events().filter(({ type }) => type === 'invoice.payment_failed').length, 4)
})

test('a failure ordered once is corrected by the next attempt', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  fake.failNextPayment(id)
  await fake.advance(new Date('2026-02-16T00:00:00Z'))
  t.is((await stripe.subscriptions.retrieve(id)).status, 'past_due')
  await fake.advance(new Date('2026-02-18T13:00:00Z'))
  t.is((await stripe.subscriptions.retrieve(id)).status, 'active')
})

test('without retries a declined renewal stays past due, and the next one is still billed', async (t) => {
  const { fake, stripe } = await openFake(t, { dunning: { retryDays: [], outcome: 'past_due' } })
  const { id, customer } = await subscribe({ fake, stripe })
  fake.failNextPayment(customer)
  await fake.advance(new Date('2026-03-15T12:00:00Z'))
  t.is((await stripe.subscriptions.retrieve(id)).status, 'past_due')
  await fake.advance(new Date('2026-03-15T13:00:00Z'))
  t.is((await stripe.subscriptions.retrieve(id)).status, 'active')
  t.is((await stripe.invoices.list({ status: 'open' })).data.length, 1)
})

test('a buyer may come later: everything due until then happens first', async (t) => {
  const { fake, stripe } = await openFake(t)
  const member = await subscribe({ fake, stripe })
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: 'price_book', quantity: 1 }],
    success_url: 'https://site.example',
  })
  await stripe.subscriptions.update(member.id, { cancel_at: at('2026-01-16T06:00:00Z') })
  await fake.pay(session.id, { at: new Date('2026-01-16T11:00:00Z') })
  const [paid, , , , ended] = fake.events().reverse()
  t.like(paid, { type: 'checkout.session.completed', created: at('2026-01-16T11:00:00Z') })
  t.like(ended, { type: 'customer.subscription.deleted', created: at('2026-01-16T06:00:00Z') })
})

test('an unpaid subscription stays, and paying its invoice makes it active', async (t) => {
  const { fake, stripe } = await openFake(t, { dunning: { retryDays: [1], outcome: 'unpaid' } })
  const { id, customer } = await subscribe({ fake, stripe })
  fake.useCard(customer, '4000000000000341')
  await fake.advance(new Date('2026-02-17T00:00:00Z'))
  t.is((await stripe.subscriptions.retrieve(id)).status, 'unpaid')
  const invoice = (await stripe.invoices.list({ status: 'open' })).data[0]!
  const refused = await t.throwsAsync(stripe.invoices.pay(invoice.id))
  t.like(refused, { statusCode: 402, code: 'card_declined' })
  fake.useCard(customer, '4242424242424242')
  t.is((await stripe.invoices.pay(invoice.id)).status, 'paid')
  t.is((await stripe.subscriptions.retrieve(id)).status, 'active')
})

test('a cancellation at the period’s end runs until then and can be undone', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  const planned = await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  t.like(planned, {
    status: 'active',
    cancel_at: at('2026-02-15T12:00:00Z'),
    canceled_at: at('2026-01-15T12:00:00Z'),
  })
  t.deepEqual(fake.events().at(-1)!.data.previous_attributes, {
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { reason: null },
  })
  t.is((await stripe.subscriptions.update(id, { cancel_at_period_end: false })).cancel_at, null)
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  const before = fake.events().length
  await fake.advance({ months: 2 })
  t.deepEqual(typesSince(fake, before), ['customer.subscription.deleted'])
  t.like(await stripe.subscriptions.retrieve(id), {
    status: 'canceled',
    ended_at: at('2026-02-15T12:00:00Z'),
  })
  const error = await t.throwsAsync(stripe.subscriptions.cancel(id))
  t.like(error, { statusCode: 404, code: 'resource_missing' })
  await t.throwsAsync(stripe.subscriptions.update(id, { cancel_at_period_end: true }), {
    message: /canceled/,
  })
  t.is((await stripe.subscriptions.update(id, { metadata: { note: 'left' } })).metadata.note, 'left')
})

test('deleting a customer ends their subscriptions first, and keeps the id', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe })
  const before = fake.events().length
  t.like(await stripe.customers.del(customer), { id: customer, deleted: true })
  t.deepEqual(typesSince(fake, before), ['customer.subscription.deleted', 'customer.deleted'])
  t.is(fake.events().at(-1)!.data.object.email, 'ann@example.com')
  t.is((await stripe.subscriptions.retrieve(id)).status, 'canceled')
  t.deepEqual(JSON.parse(JSON.stringify(await stripe.customers.retrieve(customer))), {
    id: customer,
    object: 'customer',
    deleted: true,
  })
  await fake.advance({ months: 3 })
  t.is(fake.events().length, before + 2)
})

test('events are kept for thirty days', async (t) => {
  const { fake, stripe } = await openFake(t)
  await stripe.customers.create({})
  const [event] = (await stripe.events.list({ type: 'customer.created' })).data
  await fake.advance({ days: 30 })
  t.is((await stripe.events.retrieve(event!.id)).type, 'customer.created')
  await fake.advance({ ms: 1000 })
  t.deepEqual((await stripe.events.list({ types: ['customer.created'] })).data, [])
  await t.throwsAsync(stripe.events.retrieve(event!.id), { message: /No such event/ })
})

test('the clock stands still until it is moved, and never goes back', async (t) => {
  const { fake } = await openFake(t)
  t.is(fake.now().toISOString(), '2026-01-15T12:00:00.000Z')
  await fake.advance({ days: 1, ms: 500 })
  t.is(fake.now().toISOString(), '2026-01-16T12:00:00.500Z')
  await t.throwsAsync(fake.advance(new Date('2026-01-16T00:00:00Z')), { instanceOf: TypeError })
})
