import test from 'ava'
import type Stripe from 'stripe'
import { at, openFake, subscribe, typesSince } from './support.ts'

function endOf(subscription: Stripe.Subscription) {
  return subscription.items.data[0]!.current_period_end
}

function withoutCard(missing_payment_method: 'cancel' | 'create_invoice' | 'pause') {
  return {
    payment_method_collection: 'if_required' as const,
    subscription_data: { trial_period_days: 7, trial_settings: { end_behavior: { missing_payment_method } } },
  }
}

test('a trial costs nothing, is announced three days before its end, and is billed then', async (t) => {
  const { fake, stripe } = await openFake(t)
  const before = fake.events().length
  const { id, session } = await subscribe({ fake, stripe }, { subscription_data: { trial_period_days: 14 } })
  t.like(session, { amount_total: 0, payment_status: 'no_payment_required' })
  t.false(typesSince(fake, before).includes('charge.succeeded'))
  t.false(typesSince(fake, before).includes('customer.subscription.updated'))
  const trial = await stripe.subscriptions.retrieve(id)
  t.like(trial, { status: 'trialing', trial_end: at('2026-01-29T12:00:00Z') })
  t.is(endOf(trial), at('2026-01-29T12:00:00Z'))
  await fake.advance(new Date('2026-01-26T11:59:59Z'))
  t.false(typesSince(fake, before).includes('customer.subscription.trial_will_end'))
  await fake.advance(new Date('2026-01-26T12:00:00Z'))
  t.is(typesSince(fake, before).at(-1), 'customer.subscription.trial_will_end')
  const warned = fake.events().length
  await fake.advance(new Date('2026-01-29T13:00:00Z'))
  const updated = fake.events()[warned]!
  t.is(updated.type, 'customer.subscription.updated')
  t.like(updated.data.previous_attributes, { status: 'trialing' })
  t.is(typesSince(fake, warned).filter((type) => type === 'invoice.paid').length, 1)
  const active = await stripe.subscriptions.retrieve(id)
  t.is(active.status, 'active')
  t.is(endOf(active), at('2026-02-28T12:00:00Z'))
})

test('a trial without a card ends as its settings say', async (t) => {
  const { fake, stripe } = await openFake(t)
  const cancel = await subscribe({ fake, stripe }, { email: 'c@example.com', ...withoutCard('cancel') })
  const pause = await subscribe({ fake, stripe }, { email: 'p@example.com', ...withoutCard('pause') })
  const bill = await subscribe({ fake, stripe }, { email: 'b@example.com', ...withoutCard('create_invoice') })
  const before = fake.events().length
  await fake.advance({ days: 7, ms: 3_600_000 })
  t.is((await stripe.subscriptions.retrieve(cancel.id)).status, 'canceled')
  t.is((await stripe.subscriptions.retrieve(pause.id)).status, 'paused')
  t.is((await stripe.subscriptions.retrieve(bill.id)).status, 'past_due')
  const about = (id: string) =>
    fake
      .events()
      .slice(before)
      .filter(({ data }) => data.object.id === id)
      .map(({ type }) => type)
  t.deepEqual(about(cancel.id), ['customer.subscription.trial_will_end', 'customer.subscription.deleted'])
  t.deepEqual(about(pause.id), [
    'customer.subscription.trial_will_end',
    'customer.subscription.updated',
    'customer.subscription.paused',
  ])
  // With a card it goes on where it stands.
  fake.useCard(pause.customer, '4242424242424242')
  const resumed = await stripe.subscriptions.resume(pause.id, {})
  t.is(resumed.status, 'active')
  t.is(endOf(resumed), at('2026-02-22T13:00:00Z'))
  t.is(typesSince(fake, before).at(-1), 'customer.subscription.resumed')
})

test('a trial shorter than three days gets its announcement at once', async (t) => {
  const { fake, stripe } = await openFake(t)
  await subscribe({ fake, stripe }, { subscription_data: { trial_period_days: 2 } })
  t.is(fake.events().at(-1)!.type, 'customer.subscription.trial_will_end')
  await fake.advance({ days: 1 })
  t.is(fake.events().filter(({ type }) => type === 'customer.subscription.trial_will_end').length, 1)
})

test('a running clock continues from its start, and due events happen at the next request', async (t) => {
  const { fake, stripe } = await openFake(t, { running: true, start: new Date('2026-01-15T12:00:00Z') })
  const { id } = await subscribe(
    { fake, stripe },
    { subscription_data: { trial_end: at('2026-01-18T12:00:00Z') } },
  )
  await fake.advance(new Date('2026-01-18T11:59:59.900Z'))
  t.is(fake.objects.list('subscription')[0]?.status, 'trialing')
  while (fake.now() < new Date('2026-01-18T12:00:00Z')) await new Promise((done) => setTimeout(done, 20))
  t.is(fake.objects.list('subscription')[0]?.status, 'trialing')
  t.is((await stripe.subscriptions.retrieve(id)).status, 'active')
})
