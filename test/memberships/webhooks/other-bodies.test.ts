import test from 'ava'
import { deliver, openInstance } from '../../support/converge.ts'
import { customerObject, start, stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

function plans(price: string) {
  return { 'membership.providers.stripe.plans': { pro: { prices: [price] } } }
}

async function bodiesOf(m: Awaited<ReturnType<typeof openInstance>>) {
  return (await m.storage.read((db) => db.selectFrom('events').select(['type', 'body']).orderBy('seq'))).map(
    ({ type, body }) => [type, body !== null],
  )
}

test('the body of another shop’s message goes at once, and that of one not known yet after a week', async (t) => {
  let now = new Date(start * 1000)
  const m = await openInstance('sqlite::memory:', () => now, plans('price_of_ours'))
  t.teardown(() => m.close())
  await deliver(m, stripeEvent('customer.created', customerObject()))
  await deliver(m, stripeEvent('customer.subscription.created', subscriptionObject(), { created: start + 1 }))
  t.deepEqual(await bodiesOf(m), [
    ['customer.created', true],
    ['customer.subscription.created', false],
  ])
  t.is(await m.users.findByEmail('ann@example.com'), null)
  // Everything that the customer bought is another shop's, so that nothing of the customer stays either.
  now = new Date((start + 60) * 1000)
  await m.runDueJobs()
  t.deepEqual(await bodiesOf(m), [
    ['customer.created', false],
    ['customer.subscription.created', false],
  ])
})

test('the body about a customer whose purchases are not known stays for a week', async (t) => {
  let now = new Date(start * 1000)
  const m = await openInstance('sqlite::memory:', () => now, plans('price_of_ours'))
  t.teardown(() => m.close())
  await deliver(m, stripeEvent('customer.created', customerObject()))
  now = new Date((start + 60) * 1000)
  await m.runDueJobs()
  t.deepEqual(await bodiesOf(m), [['customer.created', true]])
  now = new Date((start + 8 * 86_400) * 1000)
  await m.runDueJobs()
  t.deepEqual(await bodiesOf(m), [['customer.created', false]])
})

test('the bodies of what this site sells stay', async (t) => {
  let now = new Date(start * 1000)
  const m = await openInstance(
    'sqlite::memory:',
    () => now,
    plans(subscriptionObject().items.data[0]!.price.id),
  )
  t.teardown(() => m.close())
  await deliver(m, stripeEvent('customer.created', customerObject()))
  await deliver(m, stripeEvent('customer.subscription.created', subscriptionObject(), { created: start + 1 }))
  now = new Date((start + 8 * 86_400) * 1000)
  await m.runDueJobs()
  t.deepEqual(await bodiesOf(m), [
    ['customer.created', true],
    ['customer.subscription.created', true],
  ])
})
