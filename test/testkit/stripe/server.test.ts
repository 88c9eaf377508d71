import test from 'ava'
import Stripe from 'stripe'
import { clientOf, openFake, subscribe } from './support.ts'

const isInvalid = { instanceOf: Stripe.errors.StripeInvalidRequestError }

test('a wrong or missing key is refused as at Stripe', async (t) => {
  const { fake } = await openFake(t)
  const error = await t.throwsAsync(clientOf({ url: fake.url, secret: 'sk_test_wrong' }).customers.list(), {
    instanceOf: Stripe.errors.StripeAuthenticationError,
  })
  t.is(error.statusCode, 401)
  t.false(error.message.includes(fake.secret))
  t.is((await fetch(`${fake.url}/v1/customers`)).status, 401)
})

test('an unknown id, an unknown parameter and a wrong number have Stripe’s codes', async (t) => {
  const { stripe } = await openFake(t)
  const missing = await t.throwsAsync(stripe.subscriptions.retrieve('sub_none'), isInvalid)
  t.like(missing, {
    statusCode: 404,
    code: 'resource_missing',
    param: 'id',
    message: "No such subscription: 'sub_none'",
  })
  const unknown = await t.throwsAsync(
    stripe.customers.create({ email: 'a@example.com', colour: 'red' } as Stripe.CustomerCreateParams),
    isInvalid,
  )
  t.like(unknown, { statusCode: 400, code: 'parameter_unknown', param: 'colour' })
  const wrong = await t.throwsAsync(stripe.customers.list({ limit: 'many' as never }), isInvalid)
  t.like(wrong, { statusCode: 400, code: 'parameter_invalid_integer', param: 'limit' })
  const none = await t.throwsAsync(
    stripe.checkout.sessions.create({ success_url: 'https://a.example' }),
    isInvalid,
  )
  t.like(none, { code: 'parameter_missing', param: 'mode' })
  const price = await t.throwsAsync(
    stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price: 'price_none', quantity: 1 }],
      success_url: 'https://a.example',
    }),
    isInvalid,
  )
  t.like(price, { statusCode: 400, code: 'resource_missing', param: 'line_items[0][price]' })
})

test('an unknown endpoint is named', async (t) => {
  const { fake } = await openFake(t)
  const answer = await fetch(`${fake.url}/v1/nothing`, {
    headers: { Authorization: `Bearer ${fake.secret}` },
  })
  t.is(answer.status, 404)
  t.regex(await answer.text(), /Unrecognized request URL \(GET: \/v1\/nothing\)/)
})

test('a list goes forwards and backwards, newest first, and between moments', async (t) => {
  const { fake, stripe } = await openFake(t)
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    ids.push((await stripe.customers.create({ name: `c${i}` })).id)
    await fake.advance({ ms: 10_000 })
  }
  const [a, b, c, d, e] = ids as [string, string, string, string, string]
  const first = await stripe.customers.list({ limit: 2 })
  t.deepEqual(
    first.data.map(({ id }) => id),
    [e, d],
  )
  t.true(first.has_more)
  const second = await stripe.customers.list({ limit: 3, starting_after: d })
  t.deepEqual(
    second.data.map(({ id }) => id),
    [c, b, a],
  )
  t.false(second.has_more)
  const back = await stripe.customers.list({ limit: 2, ending_before: b })
  t.deepEqual(
    back.data.map(({ id }) => id),
    [d, c],
  )
  t.true(back.has_more)
  const all: string[] = []
  for await (const customer of stripe.customers.list({ limit: 2 })) all.push(customer.id)
  t.deepEqual(all, [e, d, c, b, a])
  const started = fake.now().getTime() / 1000 - 50
  const some = await stripe.customers.list({ created: { gte: started + 10, lt: started + 30 } })
  t.deepEqual(
    some.data.map(({ id }) => id),
    [c, b],
  )
})

test('prices are found by lookup key and by product, with an expanded product', async (t) => {
  const { stripe } = await openFake(t)
  const found = await stripe.prices.list({ lookup_keys: ['silver', 'gold'], expand: ['data.product'] })
  t.deepEqual(found.data.map(({ id }) => id).sort(), ['price_gold', 'price_silver'])
  t.deepEqual(found.data.map(({ product }) => (product as Stripe.Product).name).sort(), ['Gold', 'Silver'])
  t.deepEqual(
    (await stripe.prices.list({ product: 'prod_gold' })).data.map(({ id }) => id),
    ['price_gold_year', 'price_gold'],
  )
  t.is((await stripe.prices.list({ active: false })).data.length, 0)
  t.is((await stripe.products.retrieve('prod_gold')).name, 'Gold')
  t.is((await stripe.products.list({ limit: 1 })).data.length, 1)
  await t.throwsAsync(stripe.prices.retrieve('price_gold', { expand: ['colour'] }), isInvalid)
})

test('an answer has the requested version, and the fake’s clock', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await subscribe({ fake, stripe })
  const ask = async (version: string) => {
    const answer = await fetch(`${fake.url}/v1/subscriptions/${id}`, {
      headers: { Authorization: `Bearer ${fake.secret}`, 'Stripe-Version': version },
    })
    t.is(answer.headers.get('stripe-version'), version)
    t.is(answer.headers.get('date'), 'Thu, 15 Jan 2026 12:00:00 GMT')
    t.regex(String(answer.headers.get('request-id')), /^req_\w{14}$/)
    return (await answer.json()) as {
      current_period_end?: number
      items: { data: Record<string, unknown>[] }
    }
  }
  const old = await ask('2024-06-20')
  const now = await ask('2025-03-31.basil')
  t.is(old.current_period_end, Date.parse('2026-02-15T12:00:00Z') / 1000)
  t.false('current_period_end' in old.items.data[0]!)
  t.false('current_period_end' in now)
  t.is(now.items.data[0]!.current_period_end, old.current_period_end)
})

test('names with brackets and odd characters are kept, and cannot reach prototypes', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id } = await stripe.customers.create({ metadata: { 'a b&c': 'ü=1', 0: 'zero' } })
  t.deepEqual(
    { ...((await stripe.customers.retrieve(id)) as Stripe.Customer).metadata },
    { 'a b&c': 'ü=1', 0: 'zero' },
  )
  const post = (body: string) =>
    fetch(`${fake.url}/v1/customers`, {
      method: 'POST',
      body,
      headers: {
        Authorization: `Bearer ${fake.secret}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
    })
  t.is((await post('metadata[__proto__][polluted]=1')).status, 400)
  t.is((await post('__proto__[polluted]=1')).status, 400)
  t.is((await post(`a${'[b]'.repeat(5000)}=1`)).status, 400)
  t.is((await post('metadata[a=1')).status, 400)
  t.is(({} as Record<string, unknown>).polluted, undefined)
})

test('the same seed and the same calls give the same ids and events', async (t) => {
  const run = async (seed: number) => {
    const { fake, stripe } = await openFake(t, { seed })
    await subscribe({ fake, stripe })
    await fake.advance({ months: 2 })
    return fake.events().map(({ id, type, created, data }) => [id, type, created, data.object.id])
  }
  t.deepEqual(await run(1), await run(1))
  t.notDeepEqual(await run(1), await run(2))
})
