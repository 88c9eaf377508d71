import test from 'ava'
import { type FakeServer, openCheckout } from '../../src/fakes/engine/index.ts'
import { createFakeServer } from '../../src/testkit/index.ts'

const keys = ['stripe', 'paddle', 'polar', 'lemonsqueezy', 'paypal', 'chargebee', 'dodo', 'creem'] as const

/** Somebody buys, and two months pass; everything that can be seen of it. */
async function live(fake: FakeServer): Promise<string> {
  const { id } = await fake.act((world) =>
    openCheckout(world, {
      mode: 'subscription',
      lines: [{ price: priceOf(world), quantity: 1 }],
      currency: 'eur',
      coupon: null,
      code: null,
      allows_codes: false,
      customer: null,
      email: null,
      allows_guests: true,
      needs_method: true,
      trial: null,
      without_method: 'cancel',
      metadata: {},
      subscription_metadata: {},
      payment_metadata: {},
      success_url: null,
      cancel_url: null,
      expires_at: fake.now().getTime() / 1000 + 3600,
    }),
  )
  await fake.pay(id, { email: 'ann@example.com' })
  await fake.advance({ days: 60 })
  await fake.fetch(new Request(`${fake.url}/nowhere`))
  const sent = await fake.deliver()
  return JSON.stringify([fake.events(), fake.books.list('charge'), fake.now(), fake.requests(), sent])
}

function priceOf(world: Parameters<Parameters<FakeServer['act']>[0]>[0]): string {
  return world.store.list('price')[0]!.id
}

for (const key of keys)
  test(`${key}: a saved state is brought back as often as it is asked for, and has the same future`, async (t) => {
    const fetch = async () => new Response(null, { status: 200 })
    const webhook = { url: 'http://localhost/', secret: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0', fetch }
    const fake = (await createFakeServer(key, {
      start: new Date('2026-01-15T12:00:00Z'),
      webhook,
      chaos: { duplicate: 0.5, reorder: 0.5 },
    })) as unknown as FakeServer
    t.teardown(fake.close)
    fake.addPrice({ unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
    const restore = fake.save()
    const first = await live(fake)
    restore()
    t.is(fake.books.list('charge').length, 0)
    t.is(await live(fake), first)
    restore()
    t.is(await live(fake), first)
  })

test('a fake server answers without a network as over it', async (t) => {
  const fake = await createFakeServer('stripe')
  t.teardown(fake.close)
  const request = () =>
    new Request(`${fake.url}/v1/prices`, { headers: { authorization: `Bearer ${fake.secret}` } })
  const [direct, far] = [await fake.fetch(request()), await fetch(request())]
  t.is(direct.status, 200)
  t.deepEqual(await direct.json(), await far.json())
  fake.outage({ kind: 'reset', requests: 1 })
  await t.throwsAsync(() => fake.fetch(request()), { instanceOf: TypeError })
})
