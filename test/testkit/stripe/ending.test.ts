import test from 'ava'
import type Stripe from 'stripe'
import { at, openFake, subscribe, typesSince } from './support.ts'

async function itemOf(stripe: Stripe, id: string) {
  return (await stripe.subscriptions.retrieve(id)).items.data[0]!.id
}

test('amounts left by a change are collected with a last invoice at the period’s end', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { price: 'price_silver' })
  await fake.advance(new Date('2026-01-31T00:00:00Z'))
  await stripe.subscriptions.update(id, { items: [{ id: await itemOf(stripe, id), price: 'price_gold' }] })
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  const preview = await stripe.invoices.createPreview({ subscription: id })
  const before = fake.events().length
  await fake.advance(new Date('2026-02-15T13:00:00Z'))
  t.deepEqual(typesSince(fake, before).slice(0, 2), ['customer.subscription.deleted', 'invoice.created'])
  const last = (await stripe.invoices.list({ limit: 1 })).data[0]!
  // Half of 30.00 less half of 10.00.
  t.like(last, { total: 1000, amount_paid: 1000, status: 'paid' })
  t.is(preview.total, 1000)
  t.is((await stripe.subscriptions.retrieve(id)).status, 'canceled')
})

test('an immediate cancellation drops amounts left by a change', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { price: 'price_silver' })
  await fake.advance({ days: 3 })
  await stripe.subscriptions.update(id, { items: [{ id: await itemOf(stripe, id), price: 'price_gold' }] })
  const before = fake.events().length
  await stripe.subscriptions.cancel(id)
  t.deepEqual(typesSince(fake, before), [
    'invoiceitem.deleted',
    'invoiceitem.deleted',
    'customer.subscription.deleted',
  ])
  await fake.advance({ months: 2 })
  t.is((await stripe.invoices.list()).data.length, 1)
})

// https://docs.stripe.com/billing/subscriptions/subscription-schedules: what it managed is over, and so is the schedule.
test('an ending subscription ends its schedule, without later effects', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe }, { price: 'price_gold' })
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
  const { start_date, end_date } = schedule.phases[0]!
  await stripe.subscriptionSchedules.update(schedule.id, {
    phases: [
      { start_date, end_date, items: [{ price: 'price_gold', quantity: 1 }] },
      {
        start_date: end_date,
        duration: { interval: 'month' },
        items: [{ price: 'price_silver', quantity: 1 }],
      },
    ],
  } as Stripe.SubscriptionScheduleUpdateParams)
  await stripe.customers.del(customer)
  t.is((await stripe.subscriptionSchedules.retrieve(schedule.id)).status, 'canceled')
  const before = fake.events().length
  await fake.advance({ months: 3 })
  t.deepEqual(typesSince(fake, before), [])
  t.is((await stripe.subscriptions.retrieve(id)).items.data[0]!.price.id, 'price_gold')
})

test('an empty phase is refused, and nothing changes', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { price: 'price_gold' })
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
  const { start_date } = schedule.phases[0]!
  const items = [{ price: 'price_gold', quantity: 1 }]
  const phases = [{ start_date, end_date: start_date, items }]
  await t.throwsAsync(
    stripe.subscriptionSchedules.update(schedule.id, { phases } as Stripe.SubscriptionScheduleUpdateParams),
    { message: /must end after its start/ },
  )
  await fake.advance({ months: 1 })
  t.is((await stripe.subscriptions.retrieve(id)).status, 'active')
})

test('a paused subscription is not billed, and resuming begins a new period', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe })
  const paused = await stripe.subscriptions.pause(id)
  t.like(paused, { status: 'paused' })
  t.is(paused.status_details!.paused.transitioned_at, at('2026-01-15T12:00:00Z'))
  await fake.advance({ months: 3 })
  t.is((await stripe.invoices.list()).data.length, 1)
  fake.failNextPayment(customer)
  t.is((await stripe.subscriptions.resume(id)).status, 'paused')
  const resumed = await stripe.subscriptions.resume(id)
  t.is(resumed.status, 'active')
  t.is(resumed.items.data[0]!.current_period_end, at('2026-05-15T12:00:00Z'))
  await t.throwsAsync(stripe.subscriptions.resume(id), { message: /Only paused/ })
})

test('incompatible items are refused', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  const item = await itemOf(stripe, id)
  const update = (items: Stripe.SubscriptionUpdateParams.Item[]) => stripe.subscriptions.update(id, { items })
  await t.throwsAsync(update([{ id: item, deleted: true }]), { message: /at least one/ })
  await t.throwsAsync(update([{ price: 'price_gold' }]), { message: /same plan/ })
  await t.throwsAsync(update([{ price: 'price_gold_year' }]), { message: /interval/ })
  // An item without an id comes in addition: a mistake that Stripe does not prevent either.
  t.is((await update([{ price: 'price_silver' }])).items.data.length, 2)
  await fake.advance({ months: 1, ms: 3_600_000 })
  t.is((await stripe.invoices.list({ limit: 1 })).data[0]!.total, 1000 + 3000 + 1000)
})

test('ordering a failure of an unknown id is a mistake in the test', async (t) => {
  const { fake } = await openFake(t)
  t.throws(() => fake.failNextPayment('cus_none'), { instanceOf: TypeError })
  t.throws(() => fake.refund('ch_none'), { instanceOf: TypeError })
  t.throws(() => fake.dispute('pi_none'), { instanceOf: TypeError })
})

test('a cancellation for a moment within the period takes effect then', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  await stripe.subscriptions.update(id, { cancel_at: at('2026-01-20T00:00:00Z') })
  await fake.advance(new Date('2026-01-19T23:59:59Z'))
  t.is((await stripe.subscriptions.retrieve(id)).status, 'active')
  await fake.advance(new Date('2026-01-20T00:00:00Z'))
  t.like(await stripe.subscriptions.retrieve(id), {
    status: 'canceled',
    ended_at: at('2026-01-20T00:00:00Z'),
  })
  t.deepEqual((await stripe.subscriptions.list()).data, [])
  t.is((await stripe.subscriptions.list({ status: 'all' })).data.length, 1)
})

test('paused collection keeps the status and voids invoices until it resumes', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  await stripe.subscriptions.update(id, {
    pause_collection: { behavior: 'void', resumes_at: at('2026-03-01T00:00:00Z') },
  })
  await fake.advance(new Date('2026-02-16T00:00:00Z'))
  t.is((await stripe.subscriptions.retrieve(id)).status, 'active')
  t.is((await stripe.invoices.list({ limit: 1 })).data[0]!.status, 'void')
  await fake.advance(new Date('2026-03-16T00:00:00Z'))
  t.is((await stripe.subscriptions.retrieve(id)).pause_collection, null)
  t.is((await stripe.invoices.list({ limit: 1 })).data[0]!.status, 'paid')
})
