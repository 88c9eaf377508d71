import test from 'ava'
import {
  addCustomer,
  attachMethod,
  cancelLater,
  createStore,
  startSubscription,
} from '../../src/fakes/engine/index.ts'
import type { Restore } from '../../src/fakes/engine/replica.ts'
import { createFakeServer } from '../../src/testkit/index.ts'

function refund(id: string, charge: string) {
  return { kind: 'refund' as const, id, charge } as never
}

test('objects are found by a field as the list of all has them, also after changes and after a state came back', (t) => {
  const parts: (() => Restore)[] = []
  const store = createStore({ track: (save) => parts.push(save), beforeChange: () => {} })
  const found = (charge: string) => store.having('refund', 'charge', charge).map(({ id }) => id)
  const listed = (charge: string) =>
    store
      .list('refund')
      .filter((each) => each.charge === charge)
      .map(({ id }) => id)

  store.put(refund('a', 'one'))
  t.deepEqual(found('one'), ['a'])
  store.put(refund('b', 'two'))
  store.put(refund('c', 'one'))
  // The older one comes back to its place.
  store.put(refund('a', 'two'))
  store.put(refund('a', 'one'))
  t.deepEqual(found('one'), ['a', 'c'])
  t.deepEqual(found('two'), ['b'])

  const restore = parts.map((save) => save())
  store.put(refund('b', 'one'))
  store.put(refund('d', 'one'))
  t.deepEqual(found('one'), ['a', 'b', 'c', 'd'])
  for (const back of restore) back()
  for (const charge of ['one', 'two', 'none']) t.deepEqual(found(charge), listed(charge))
  t.deepEqual(found('one'), ['a', 'c'])
})

// "Stripe generates a single, combined invoice when item-level billing periods align and separate invoices when billing
// periods diverge": https://docs.stripe.com/billing/subscriptions/mixed-interval
test('stripe: items of two intervals have periods of their own, and an invoice has the lines that are due', async (t) => {
  const fake = await createFakeServer('stripe', { start: new Date('2026-01-31T12:00:00Z') })
  t.teardown(fake.close)
  const price = (id: string, interval: 'month' | 'year') =>
    fake.addPrice({ id, unit_amount: 900, currency: 'usd', recurring: { interval } })
  price('price_year', 'year')
  price('price_month', 'month')
  const { id } = await fake.act((world) => {
    const { id: customer } = addCustomer(world, { email: 'ann@example.com' })
    return startSubscription(world, {
      customer,
      currency: 'usd',
      metadata: {},
      coupon: null,
      code: null,
      method: attachMethod(world, customer, '4242424242424242').id,
      items: ['price_year', 'price_month'].map((price) => ({
        price: world.store.get('price', price),
        quantity: 1,
      })),
      trialEnd: null,
      withoutMethod: 'cancel' as const,
    })
  })
  const days = () =>
    fake.books
      .list('subscription')[0]!
      .items.map(({ end }) => new Date(end * 1000).toISOString().slice(0, 10))
  const lines = () =>
    fake.books.list('invoice').map((invoice) => invoice.lines.map(({ price }) => price.id).join(' '))
  t.deepEqual(days(), ['2027-01-31', '2026-02-28'])
  await fake.advance({ days: 29 })
  t.deepEqual(days(), ['2027-01-31', '2026-03-31'])
  t.deepEqual(lines(), ['price_year price_month', 'price_month'])
  await fake.advance({ days: 340 })
  t.deepEqual(days(), ['2028-01-31', '2027-02-28'])
  t.deepEqual(lines().slice(1, 12), Array(11).fill('price_month'))
  t.is(lines()[12], 'price_year price_month')

  // "cancel_at_period_end always resolves to the earliest item period end":
  // https://docs.stripe.com/changelog/basil/2025-07-30/cancel-at-enums
  await fake.act((world) => cancelLater(world, world.store.get('subscription', id)))
  const end = fake.books.list('subscription')[0]!.cancel_at!
  t.is(new Date(end * 1000).toISOString().slice(0, 10), days()[1]!)
})
