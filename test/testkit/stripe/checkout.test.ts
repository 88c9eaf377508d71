import test from 'ava'
import Stripe from 'stripe'
import { at, openEndpoint, openFake, start, subscribe, typesSince } from './support.ts'

const book = {
  mode: 'payment' as const,
  line_items: [{ price: 'price_book', quantity: 2 }],
  success_url: 'https://site.example/thanks?session={CHECKOUT_SESSION_ID}',
}

test('a new subscription is active for a calendar month, and its events come in Stripe’s order', async (t) => {
  const { fake, stripe } = await openFake(t)
  const before = fake.events().length
  const { id, session } = await subscribe({ fake, stripe })
  const subscription = await stripe.subscriptions.retrieve(id)
  t.is(subscription.status, 'active')
  t.is(subscription.items.data[0]!.current_period_start, at('2026-01-15T12:00:00Z'))
  t.is(subscription.items.data[0]!.current_period_end, at('2026-02-15T12:00:00Z'))
  t.like(session, { payment_status: 'paid', amount_total: 3000 })
  t.deepEqual(typesSince(fake, before), [
    'customer.created',
    'payment_method.attached',
    'customer.subscription.created',
    'invoice.created',
    'invoice.finalized',
    'payment_intent.created',
    'charge.succeeded',
    'payment_intent.succeeded',
    'invoice.updated',
    'invoice.paid',
    'invoice.payment_succeeded',
    'invoice_payment.paid',
    'customer.subscription.updated',
    'checkout.session.completed',
  ])
  const created = fake.events().find(({ type }) => type === 'customer.subscription.created')!
  const updated = fake.events().find(({ type }) => type === 'customer.subscription.updated')!
  t.is(created.data.object.status, 'incomplete')
  t.deepEqual(updated.data.previous_attributes, { status: 'incomplete' })
})

test('deliveries carry a signature that the real client accepts, in order and once', async (t) => {
  const endpoint = await openEndpoint(t)
  const { fake, stripe } = await openFake(t, { webhook: { url: endpoint.url, secret: 'whsec_x' } })
  await subscribe({ fake, stripe })
  t.deepEqual(await fake.deliver(), { delivered: fake.events().length, failed: 0, pending: 0 })
  t.deepEqual(
    endpoint.ids(),
    fake.events().map(({ id }) => id),
  )
  for (const { body, signature } of endpoint.received) {
    const read = (secret: string) =>
      stripe.webhooks.constructEvent(body, signature, secret, 300, undefined, start.getTime())
    t.is(read('whsec_x').created, start.getTime() / 1000)
    t.throws(() => read('whsec_y'), { instanceOf: Stripe.errors.StripeSignatureVerificationError })
  }
  t.deepEqual(await fake.deliver(), { delivered: 0, failed: 0, pending: 0 })
})

test('a session’s data is returned, also on the objects that it creates', async (t) => {
  const { fake, stripe } = await openFake(t)
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: 'price_gold', quantity: 3 }],
    success_url: 'https://site.example/thanks',
    cancel_url: 'https://site.example/prices',
    customer_email: 'ann@example.com',
    client_reference_id: 'member_1',
    metadata: { membership_intent: 'int_1' },
    subscription_data: { metadata: { price_id: 'price_gold' } },
  })
  t.like(session, {
    status: 'open',
    payment_status: 'unpaid',
    amount_total: 9000,
    client_reference_id: 'member_1',
    expires_at: at('2026-01-16T12:00:00Z'),
    customer: null,
  })
  t.deepEqual({ ...session.metadata }, { membership_intent: 'int_1' })
  const lines = await stripe.checkout.sessions.listLineItems(session.id)
  t.like(lines.data[0], { quantity: 3, amount_total: 9000 })
  // The page's own address wins over what the buyer types.
  await fake.pay(session.id, { email: 'other@example.com', name: 'Ann' })
  const done = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['line_items', 'subscription', 'customer', 'invoice.payments'],
  })
  t.is(done.status, 'complete')
  t.like(done.customer, { email: 'ann@example.com', name: 'Ann' })
  t.like((done.subscription as Stripe.Subscription).metadata, { price_id: 'price_gold' })
  t.is(done.line_items!.data[0]!.price!.id, 'price_gold')
  t.is((done.invoice as Stripe.Invoice).payments!.data[0]!.status, 'paid')
  t.deepEqual(
    (await stripe.checkout.sessions.list({ customer: (done.customer as Stripe.Customer).id })).data.length,
    1,
  )
})

test('a one-time guest purchase creates no customer, unless requested', async (t) => {
  const { fake, stripe } = await openFake(t)
  const guest = await stripe.checkout.sessions.create({
    ...book,
    payment_intent_data: { metadata: { price_id: 'price_book' } },
  })
  const before = fake.events().length
  const { session } = await fake.pay(guest.id, { email: 'guest@example.com' })
  t.like(session, { customer: null, payment_status: 'paid', amount_total: 9800 })
  t.is(session.customer_details!.email, 'guest@example.com')
  t.deepEqual(typesSince(fake, before), [
    'payment_intent.created',
    'charge.succeeded',
    'payment_intent.succeeded',
    'checkout.session.completed',
  ])
  const intent = await stripe.paymentIntents.retrieve(String(session.payment_intent), {
    expand: ['latest_charge'],
  })
  t.like(intent, { amount_received: 9800, status: 'succeeded' })
  t.like(intent.metadata, { price_id: 'price_book' })
  t.is((intent.latest_charge as Stripe.Charge).billing_details.email, 'guest@example.com')
  t.deepEqual(fake.objects.list('customer'), [])
  const other = await stripe.checkout.sessions.create({ ...book, customer_creation: 'always' })
  const bought = await fake.pay(other.id, { email: 'guest@example.com' })
  t.regex(String(bought.session.customer), /^cus_/)
  const third = await stripe.checkout.sessions.create({ ...book, customer: String(bought.session.customer) })
  t.is((await fake.pay(third.id)).session.customer, bought.session.customer)
})

test('a declined card leaves the page open, and the same payment succeeds with another', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await stripe.checkout.sessions.create(book)
  const before = fake.events().length
  const refused = await fake.pay(id, { card: '4000000000000002' })
  t.is(refused.refusal, 'Your card was declined.')
  t.is(refused.session.status, 'open')
  t.deepEqual(typesSince(fake, before), [
    'payment_intent.created',
    'charge.failed',
    'payment_intent.payment_failed',
  ])
  const { session } = await fake.pay(id)
  t.is(session.payment_intent, refused.session.payment_intent)
  t.is((await stripe.charges.list({ payment_intent: String(session.payment_intent) })).data.length, 2)
  await t.throwsAsync(fake.pay(id), { instanceOf: TypeError, message: /complete/ })
  await t.throwsAsync(fake.pay(id, { card: '1234' }), { instanceOf: TypeError })
})

test('a card that can be stored but not charged begins a trial, but no subscription', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { session } = await subscribe({ fake, stripe }, { card: '4000000000000341' })
  t.is(session.status, 'open')
  const trial = await subscribe(
    { fake, stripe },
    { card: '4000000000000341', subscription_data: { trial_period_days: 7 } },
  )
  t.is(trial.session.status, 'complete')
  await fake.advance({ days: 8 })
  t.is((await stripe.subscriptions.retrieve(trial.id)).status, 'past_due')
})

test('an unpaid page expires after a day, or on request', async (t) => {
  const { fake, stripe } = await openFake(t)
  const response = await stripe.checkout.sessions.create(book)
  const two = await stripe.checkout.sessions.create({ ...book, expires_at: at('2026-01-15T13:00:00Z') })
  const before = fake.events().length
  await fake.advance(new Date('2026-01-15T13:00:00Z'))
  t.is((await stripe.checkout.sessions.retrieve(two.id)).status, 'expired')
  await fake.advance(new Date('2026-01-16T12:00:00Z'))
  t.deepEqual(typesSince(fake, before), ['checkout.session.expired', 'checkout.session.expired'])
  t.like(await stripe.checkout.sessions.retrieve(response.id), { status: 'expired', url: null })
  const three = await stripe.checkout.sessions.create(book)
  t.is((await stripe.checkout.sessions.expire(three.id)).status, 'expired')
  await t.throwsAsync(stripe.checkout.sessions.expire(three.id), { message: /status of `expired`/ })
})

test('a free subscription needs no card and is active from its first event', async (t) => {
  const { fake, stripe } = await openFake(t)
  fake.addCoupon({ id: 'ALL', percent_off: 100, duration: 'forever' })
  const before = fake.events().length
  const { session } = await subscribe(
    { fake, stripe },
    { discounts: [{ coupon: 'ALL' }], payment_method_collection: 'if_required' },
  )
  t.like(session, { amount_total: 0, payment_status: 'no_payment_required' })
  const types = typesSince(fake, before)
  t.false(types.some((type) => type.startsWith('charge') || type.startsWith('payment_')))
  t.false(types.includes('customer.subscription.updated'))
  const created = fake.events().find(({ type }) => type === 'customer.subscription.created')!
  t.is(created.data.object.status, 'active')
})

test('a mode that does not fit the price is refused', async (t) => {
  const { stripe } = await openFake(t)
  const line_items = [{ price: 'price_gold', quantity: 1 }]
  await t.throwsAsync(stripe.checkout.sessions.create({ ...book, line_items }), {
    message: /recurring price/,
  })
  await t.throwsAsync(stripe.checkout.sessions.create({ ...book, mode: 'subscription' }), {
    message: /recurring price/,
  })
})
