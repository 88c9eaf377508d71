import test from 'ava'
import Stripe from 'stripe'
import { clientOf, openFake } from './support.ts'

const isInvalid = { instanceOf: Stripe.errors.StripeInvalidRequestError }

test('the same idempotency key runs once and marks the repetition', async (t) => {
  const { fake, stripe } = await openFake(t)
  const once = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' })
  const again = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' })
  t.is(again.id, once.id)
  t.is(once.lastResponse.headers['idempotent-replayed'], undefined)
  t.is(again.lastResponse.headers['idempotent-replayed'], 'true')
  t.is(fake.objects.list('customer').length, 1)
  const other = await t.throwsAsync(
    stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'k1' }),
    {
      instanceOf: Stripe.errors.StripeIdempotencyError,
    },
  )
  t.is(other.statusCode, 400)
  t.like(
    fake.events().find(({ type }) => type === 'customer.created'),
    { request: { idempotency_key: 'k1' } },
  )
})

test('a replay returns the former answer, not the current state', async (t) => {
  const { stripe } = await openFake(t)
  const { id } = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k' })
  await stripe.customers.update(id, { email: 'new@example.com' })
  t.is(
    (await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k' })).email,
    'a@example.com',
  )
})

test('a key in use is refused with 409, and wrong parameters store no key', async (t) => {
  const { fake, stripe } = await openFake(t)
  fake.latency(300)
  const create = () => stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k' })
  // Whichever arrives first runs while the other asks.
  const both = await Promise.allSettled([create(), create()])
  const refused = both.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  t.is(refused.length, 1)
  t.like(refused[0], { statusCode: 409, code: 'idempotency_key_in_use' })
  fake.latency(0)
  await t.throwsAsync(stripe.refunds.create({ charge: 'ch_none' }, { idempotencyKey: 'r' }), isInvalid)
  // What was never begun may be put right under the same key.
  await t.throwsAsync(stripe.refunds.create({ charge: 'ch_other' }, { idempotencyKey: 'r' }), isInvalid)
  t.is(fake.objects.list('customer').length, 1)
})

test('a key is forgotten after a day', async (t) => {
  const { fake, stripe } = await openFake(t)
  const response = await stripe.customers.create({}, { idempotencyKey: 'k' })
  await fake.advance({ days: 1, ms: 1000 })
  t.not((await stripe.customers.create({}, { idempotencyKey: 'k' })).id, response.id)
})

test('a lost answer is returned again for its key', async (t) => {
  const { fake } = await openFake(t)
  fake.outage({ requests: 1, kind: 'after' })
  const stripe = clientOf(fake, { maxNetworkRetries: 1 })
  const customer = await stripe.customers.create({ email: 'a@example.com' })
  t.deepEqual(
    fake.objects.list('customer').map(({ id }) => id),
    [customer.id],
  )
  t.is(customer.lastResponse.headers['idempotent-replayed'], 'true')
  t.deepEqual(
    fake.requests().map(({ path, status }) => [path, status]),
    [
      ['/v1/customers', null],
      ['/v1/customers', 200],
    ],
  )
})

for (const [kind, status] of [
  ['500', 500],
  ['503', 503],
] as const)
  test(`an outage of the kind ${kind} answers so and does nothing`, async (t) => {
    const { fake, stripe } = await openFake(t)
    const undo = fake.outage({ kind })
    const error = await t.throwsAsync(stripe.customers.create({}), {
      instanceOf: Stripe.errors.StripeAPIError,
    })
    t.is(error.statusCode, status)
    undo()
    t.deepEqual(fake.objects.list('customer'), [])
    await t.notThrowsAsync(stripe.customers.create({}))
  })

test('an outage without an answer: the connection ends, or nothing arrives', async (t) => {
  const { fake, stripe: patient } = await openFake(t)
  const stripe = clientOf(fake, { timeout: 150 })
  for (const kind of ['reset', 'timeout'] as const) {
    // Until it is undone: the client itself asks once more when a connection breaks.
    const undo = fake.outage({ kind })
    await t.throwsAsync(
      stripe.customers.create({}),
      { instanceOf: Stripe.errors.StripeConnectionError },
      kind,
    )
    undo()
  }
  t.deepEqual(fake.objects.list('customer'), [])
  await t.notThrowsAsync(patient.customers.create({}))
})
