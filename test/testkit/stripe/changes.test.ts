import test from 'ava'
import type Stripe from 'stripe'
import { shareOf } from '../../../src/fakes/engine/proration.ts'
import { at, openFake, subscribe, typesSince } from './support.ts'

// January 15th to February 15th, both at noon, are 31 days: 2,678,400 seconds.
function itemOf(subscription: Stripe.Subscription) {
  return subscription.items.data[0]!.id
}
function amounts(invoice: Stripe.Invoice) {
  return invoice.lines.data.map(({ amount }) => amount)
}

test('a share is computed in seconds and rounded to the minor unit', (t) => {
  t.is(shareOf(1000, 1_339_200, 2_678_400), 500)
  // 1000 × 1 ÷ 3 and 2000 × 1 ÷ 3
  t.is(shareOf(1000, 1, 3), 333)
  t.is(shareOf(2000, 1, 3), 667)
  t.is(shareOf(1, 1, 2), 1)
  // All but 999,999,999,999 ÷ 31,536,000 = 31,709.79…, which numbers with a fraction could not tell.
  t.is(shareOf(999_999_999_999, 31_535_999, 31_536_000), 999_999_968_289)
})

test('half of the period at the dearer price is billed with the next invoice', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { price: 'price_silver' })
  // 15.5 of 31 days later.
  await fake.advance(new Date('2026-01-31T00:00:00Z'))
  const before = fake.events().length
  const subscription = await stripe.subscriptions.retrieve(id)
  const changed = await stripe.subscriptions.update(id, {
    items: [{ id: itemOf(subscription), price: 'price_gold' }],
  })
  t.is(changed.items.data[0]!.price.id, 'price_gold')
  t.is(changed.items.data[0]!.current_period_end, at('2026-02-15T12:00:00Z'))
  t.deepEqual(typesSince(fake, before), [
    'invoiceitem.created',
    'invoiceitem.created',
    'customer.subscription.updated',
  ])
  const previous = fake.events().at(-1)!.data.previous_attributes as {
    items: { data: { price: { id: string } }[] }
  }
  t.deepEqual(Object.keys(previous), ['items'])
  t.is(previous.items.data[0]!.price.id, 'price_silver')
  await fake.advance(new Date('2026-02-15T13:00:00Z'))
  const invoice = (await stripe.invoices.list({ limit: 1 })).data[0]!
  t.deepEqual(amounts(invoice), [-500, 1500, 3000])
  t.like(invoice, { total: 4000, amount_paid: 4000, status: 'paid' })
  t.deepEqual(
    invoice.lines.data.map(({ parent }) => parent!.subscription_item_details!.proration),
    [true, true, false],
  )
  // Billed once only.
  await fake.advance(new Date('2026-03-15T13:00:00Z'))
  t.deepEqual(amounts((await stripe.invoices.list({ limit: 1 })).data[0]!), [3000])
})

test('invoiced at once, only the difference is paid now', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { price: 'price_silver' })
  await fake.advance(new Date('2026-01-31T00:00:00Z'))
  const item = itemOf(await stripe.subscriptions.retrieve(id))
  const changed = await stripe.subscriptions.update(id, {
    items: [{ id: item, price: 'price_gold' }],
    proration_behavior: 'always_invoice',
    expand: ['latest_invoice'],
  })
  t.like(changed.latest_invoice, { total: 1000, status: 'paid', billing_reason: 'subscription_update' })
  t.is(changed.items.data[0]!.current_period_end, at('2026-02-15T12:00:00Z'))
})

test('without proration the new price counts from the next period', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { price: 'price_silver' })
  await fake.advance({ days: 3 })
  const item = itemOf(await stripe.subscriptions.retrieve(id))
  await stripe.subscriptions.update(id, {
    items: [{ id: item, price: 'price_gold' }],
    proration_behavior: 'none',
  })
  t.deepEqual(fake.objects.list('invoiceitem'), [])
  await fake.advance({ months: 1 })
  t.deepEqual(amounts((await stripe.invoices.list({ limit: 1 })).data[0]!), [3000])
})

test('a downgrade invoiced at once becomes credit for the next invoice', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe })
  await fake.advance(new Date('2026-01-31T00:00:00Z'))
  const item = itemOf(await stripe.subscriptions.retrieve(id))
  await stripe.subscriptions.update(id, {
    items: [{ id: item, price: 'price_silver' }],
    proration_behavior: 'always_invoice',
  })
  const credited = (await stripe.invoices.list({ limit: 1 })).data[0]!
  t.like(credited, { total: -1000, amount_due: 0, status: 'paid', ending_balance: -1000 })
  t.is(((await stripe.customers.retrieve(customer)) as Stripe.Customer).balance, -1000)
  await fake.advance(new Date('2026-02-15T13:00:00Z'))
  const next = (await stripe.invoices.list({ limit: 1 })).data[0]!
  t.like(next, {
    total: 1000,
    starting_balance: -1000,
    amount_due: 0,
    amount_paid: 0,
    ending_balance: 0,
    status: 'paid',
  })
})

test('another interval begins a new period now and is billed at once', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  await fake.advance(new Date('2026-01-31T00:00:00Z'))
  const item = itemOf(await stripe.subscriptions.retrieve(id))
  const changed = await stripe.subscriptions.update(id, {
    items: [{ id: item, price: 'price_gold_year' }],
    expand: ['latest_invoice'],
  })
  t.is(changed.items.data[0]!.current_period_start, at('2026-01-31T00:00:00Z'))
  t.is(changed.items.data[0]!.current_period_end, at('2027-01-31T00:00:00Z'))
  t.is(changed.billing_cycle_anchor, at('2026-01-31T00:00:00Z'))
  t.deepEqual(amounts(changed.latest_invoice as Stripe.Invoice), [-1500, 30_000])
  t.is((changed.latest_invoice as Stripe.Invoice).amount_paid, 28_500)
})

test('more seats cost their share, and fewer return it', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { quantity: 2 })
  await fake.advance(new Date('2026-01-31T00:00:00Z'))
  const item = itemOf(await stripe.subscriptions.retrieve(id))
  await stripe.subscriptions.update(id, { items: [{ id: item, quantity: 3 }] })
  t.deepEqual(
    fake.objects.list('invoiceitem').map(({ amount }) => amount),
    [-3000, 4500],
  )
  await fake.advance({ months: 1 })
  t.deepEqual(amounts((await stripe.invoices.list({ limit: 1 })).data[0]!), [-3000, 4500, 9000])
})

test('a preview matches the later cost exactly, and stores nothing', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { price: 'price_silver' })
  await fake.advance({ days: 9, ms: 12_345_000 })
  const item = itemOf(await stripe.subscriptions.retrieve(id))
  const proration_date = Math.floor(fake.now().getTime() / 1000)
  const events = fake.events().length
  const change = { items: [{ id: item, price: 'price_gold', quantity: 2 }], proration_date }
  const preview = await stripe.invoices.createPreview({
    subscription: id,
    subscription_details: { ...change, proration_behavior: 'always_invoice' },
  })
  const upcoming = await stripe.invoices.createPreview({ subscription: id, subscription_details: change })
  t.is(fake.events().length, events)
  t.is((await stripe.invoices.list()).data.length, 1)
  t.deepEqual(amounts(upcoming), [...amounts(preview), 6000])
  await fake.advance({ ms: 5 * 60_000 })
  const changed = await stripe.subscriptions.update(id, {
    ...change,
    proration_behavior: 'always_invoice',
    expand: ['latest_invoice'],
  })
  t.deepEqual(amounts(changed.latest_invoice as Stripe.Invoice), amounts(preview))
  t.is((changed.latest_invoice as Stripe.Invoice).amount_due, preview.amount_due)
})

test('without a change the preview is the next invoice, and there is none after a cancellation', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  const next = await stripe.invoices.createPreview({ subscription: id })
  t.like(next, { total: 3000, status: 'draft' })
  t.like(next.lines.data[0]!.period, { start: at('2026-02-15T12:00:00Z'), end: at('2026-03-15T12:00:00Z') })
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  const error = await t.throwsAsync(stripe.invoices.createPreview({ subscription: id }))
  t.like(error, { code: 'invoice_upcoming_none', statusCode: 404 })
})

test('error_if_incomplete changes nothing when the card is declined, allow_incomplete leaves it past due', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe }, { price: 'price_silver' })
  fake.useCard(customer, '4000000000000341')
  await fake.advance({ days: 5 })
  const item = itemOf(await stripe.subscriptions.retrieve(id))
  const change = { items: [{ id: item, price: 'price_gold' }], proration_behavior: 'always_invoice' as const }
  const before = fake.events().length
  const error = await t.throwsAsync(
    stripe.subscriptions.update(id, { ...change, payment_behavior: 'error_if_incomplete' }),
  )
  t.like(error, { statusCode: 402, code: 'card_declined' })
  t.is(fake.events().length, before)
  t.is((await stripe.subscriptions.retrieve(id)).items.data[0]!.price.id, 'price_silver')
  const changed = await stripe.subscriptions.update(id, change)
  t.like(changed, { status: 'past_due' })
  t.is(changed.items.data[0]!.price.id, 'price_gold')
})

test('ending a trial now bills the first period now', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe }, { subscription_data: { trial_period_days: 30 } })
  await fake.advance({ days: 2 })
  const active = await stripe.subscriptions.update(id, { trial_end: 'now', expand: ['latest_invoice'] })
  t.is(active.status, 'active')
  t.is(active.items.data[0]!.current_period_end, at('2026-02-17T12:00:00Z'))
  t.like(active.latest_invoice, { total: 3000, status: 'paid' })
  // A price within a trial is changed for nothing.
  const other = await subscribe(
    { fake, stripe },
    { email: 'b@example.com', subscription_data: { trial_period_days: 30 } },
  )
  const trial = await stripe.subscriptions.retrieve(other.id)
  await stripe.subscriptions.update(other.id, { items: [{ id: itemOf(trial), price: 'price_silver' }] })
  t.deepEqual(fake.objects.list('invoiceitem'), [])
})

test('an immediate cancellation with proration gives credit', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe })
  await fake.advance(new Date('2026-01-31T00:00:00Z'))
  const canceled = await stripe.subscriptions.cancel(id, {
    invoice_now: true,
    prorate: true,
    cancellation_details: { comment: 'moving', feedback: 'unused' },
  })
  t.like(canceled.cancellation_details, {
    comment: 'moving',
    feedback: 'unused',
    reason: 'cancellation_requested',
  })
  t.is(((await stripe.customers.retrieve(customer)) as Stripe.Customer).balance, -1500)
})

test('an unknown item or price is refused, and nothing changes', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  const item = itemOf(await stripe.subscriptions.retrieve(id))
  const before = fake.events().length
  const noPrice = await t.throwsAsync(
    stripe.subscriptions.update(id, { items: [{ id: item, price: 'price_none' }] }),
  )
  t.like(noPrice, { code: 'resource_missing', param: 'items[0][price]' })
  const noItem = await t.throwsAsync(
    stripe.subscriptions.update(id, { items: [{ id: 'si_none', quantity: 2 }] }),
  )
  t.like(noItem, { code: 'resource_missing', param: 'items[0][id]' })
  await t.throwsAsync(stripe.subscriptions.update(id, { items: [{ id: item, price: 'price_book' }] }), {
    message: /recurring/,
  })
  await t.throwsAsync(
    stripe.subscriptions.update(id, { items: [{ id: item }], proration_date: at('2025-01-01T00:00:00Z') }),
  )
  t.is(fake.events().length, before)
})
