import test from 'ava'
import fc from 'fast-check'
import { signEvent } from '../../../src/fakes/stripe/fake.ts'
import { openEndpoint, openFake, subscribe } from './support.ts'

const secret = 'whsec_x'
const chaos = { drop: 0.1, duplicate: 0.3, delay: 0.3, reorder: 0.5 }

test('the signature equals the one in Stripe’s documentation', (t) => {
  // printf '1.{}' | openssl dgst -sha256 -hmac whsec_x
  t.is(
    signEvent({ id: 'evt_1', type: 'ping', created: 1, body: '{}' }, secret, new Date(1999))[
      'stripe-signature'
    ],
    't=1,v1=36ee2f7498f0c1777d1312b2a7361947fe5ad31223be30d0c62421f4ca753401',
  )
})

test('a delivery without a 2xx answer is repeated, and later ones follow it', async (t) => {
  const endpoint = await openEndpoint(t, (nth) => (nth === 0 ? 500 : 200))
  const { fake } = await openFake(t, { webhook: { url: endpoint.url, secret } })
  const ids = fake.events().map(({ id }) => id)
  t.deepEqual(await fake.deliver(), { delivered: ids.length, failed: 1, pending: 0 })
  t.deepEqual(endpoint.ids(), [...ids.slice(1), ids[0]!])
})

test('without retries, failed deliveries wait for the next call, and the event list has them', async (t) => {
  const endpoint = await openEndpoint(t, (nth) => (nth === 1 ? 302 : 200))
  const { fake, stripe } = await openFake(t, { webhook: { url: endpoint.url, secret } })
  const second = fake.events()[1]!
  t.is((await fake.deliver({ retry: false })).pending, 1)
  t.deepEqual(
    (await stripe.events.list({ delivery_success: false })).data.map(({ id }) => id),
    [second.id],
  )
  t.is((await fake.deliver({ retry: false })).delivered, 1)
  t.deepEqual((await stripe.events.list({ delivery_success: false })).data, [])
})

test('an unreachable endpoint keeps its events', async (t) => {
  const { fake } = await openFake(t, { webhook: { url: 'http://127.0.0.1:9/hook', secret } })
  const { delivered, pending } = await fake.deliver()
  t.is(delivered, 0)
  t.is(pending, fake.events().length)
})

test('chaos depends only on the seed, and the ids do not depend on chaos', async (t) => {
  const run = async (seed: number, withChaos = true) => {
    const endpoint = await openEndpoint(t)
    const { fake, stripe } = await openFake(t, {
      seed,
      webhook: { url: endpoint.url, secret },
      ...(withChaos ? { chaos } : {}),
    })
    await subscribe({ fake, stripe })
    await fake.deliver()
    await fake.advance({ months: 1, ms: 3_600_000 })
    await fake.deliver()
    await fake.deliver({ settle: true })
    return { received: endpoint.ids(), all: fake.events().map(({ id }) => id), dropped: fake.dropped() }
  }
  const [once, again, other, calm] = [await run(3), await run(3), await run(4), await run(3, false)]
  t.deepEqual(once, again)
  t.notDeepEqual(once.received, other.received)
  t.deepEqual(once.all, calm.all)
  t.deepEqual(calm.received, calm.all)
  t.notDeepEqual(once.received, once.all)
})

test('after settle, every event that was not dropped has arrived, whatever the chaos and endpoint do', async (t) => {
  const chances = fc.record({
    drop: fc.constantFrom(0, 0.2),
    duplicate: fc.constantFrom(0, 0.5),
    delay: fc.constantFrom(0, 0.5),
    reorder: fc.constantFrom(0, 1),
  })
  const settles = fc.asyncProperty(
    fc.nat(),
    chances,
    fc.integer({ min: 2, max: 6 }),
    async (seed, given, every) => {
      const endpoint = await openEndpoint(t, (nth) => (nth % every === 0 ? 503 : 200))
      const { fake } = await openFake(t, { seed, chaos: given, webhook: { url: endpoint.url, secret } })
      await fake.deliver({ retry: false })
      const { pending } = await fake.deliver({ settle: true })
      const dropped = new Set(fake.dropped())
      const arrived = new Set(endpoint.ids())
      return (
        pending === 0 &&
        fake.events().every(({ id }) => arrived.has(id) !== dropped.has(id)) &&
        (given.drop > 0 || dropped.size === 0)
      )
    },
  )
  await t.notThrowsAsync(fc.assert(settles, { numRuns: 25, seed: 1 }))
})

test('in automatic mode events arrive by themselves, in order', async (t) => {
  const endpoint = await openEndpoint(t)
  const { fake, stripe } = await openFake(t, { webhook: { url: endpoint.url, secret, auto: true } })
  await subscribe({ fake, stripe })
  await fake.advance({ months: 1, ms: 3_600_000 })
  await fake.idle()
  t.deepEqual(
    endpoint.ids(),
    fake.events().map(({ id }) => id),
  )
})
