import test from 'ava'
import type { Membership } from '../../../src/site/membership.ts'
import { ref } from '../../providers/stripe/expected.ts'
import { deliver, openInstance } from '../../support/converge.ts'
import { openHost, secret } from '../../support/host.ts'
import { stripeProvider } from '../../support/stripe-events.ts'
import { openFake, subscribe } from './support.ts'

async function waiting(m: Membership) {
  return (await m.storage.read((db) => db.selectFrom('fetches').select('id'))).length
}

for (const seed of [1, 2, 3])
  test(`a site that gets the fake’s events through chaos ends in the fake’s state (seed ${seed})`, async (t) => {
    const { fake, stripe } = await openFake(t, { seed, chaos: { duplicate: 0.3, delay: 0.3, reorder: 0.5 } })
    const { m, hook } = await openHost(t, {
      'membership.providers.stripe.secret': fake.secret,
      'membership.providers.stripe.api_base': fake.url,
      now: fake.now,
    })
    fake.sendTo({ url: hook, secret })
    const stays = await subscribe({ fake, stripe }, { email: 'stays@example.com' })
    const leaves = await subscribe({ fake, stripe }, { email: 'leaves@example.com' })
    await fake.deliver()
    await stripe.subscriptions.update(leaves.id, { cancel_at_period_end: true })
    await fake.advance({ days: 10 })
    await fake.deliver()
    await fake.advance({ days: 22 })
    t.deepEqual(await fake.deliver({ settle: true }).then(({ failed, pending }) => [failed, pending]), [0, 0])
    // What two events of one second leave open is asked for.
    for (let round = 0; round < 20 && (await waiting(m)) > 0; round++) {
      await fake.advance({ ms: 5000 })
      await m.runDueJobs()
    }
    t.is(await waiting(m), 0)
    const rows = await m.storage.read((db) => db.selectFrom('subscriptions').select(['id', 'data']))
    t.deepEqual(rows.map(({ id }) => id).sort(), [stays.id, leaves.id].sort())
    const provider = stripeProvider({ secret: fake.secret, api_base: fake.url }, fake.now)
    for (const { id, data } of rows) {
      const [change] = (await provider.fetch!({ kind: 'subscription', id }))!.changes
      if (change?.type !== 'subscription') throw new TypeError('no subscription')
      const {
        updated_at: _,
        provider: _p,
        account: _a,
        ...kept
      } = JSON.parse(String(data)) as Record<string, unknown>
      t.like(kept, { ...change.data })
      t.is(kept.status, id === stays.id ? 'active' : 'canceled')
    }
  })

test('gates of the eleventh and twelfth item stay open, in any order of events', async (t) => {
  const { fake, stripe } = await openFake(t)
  const open = () =>
    openInstance('sqlite::memory:', fake.now, {
      'membership.providers.stripe.secret': fake.secret,
      'membership.providers.stripe.api_base': fake.url,
    })
  const asked = async (m: Membership) => {
    for (let round = 0; round < 5 && (await waiting(m)) > 0; round++) {
      await fake.advance({ ms: 5000 })
      await m.runDueJobs()
    }
    t.is(await waiting(m), 0)
  }
  const gates = async (m: Membership) => {
    const user = await m.users.findByEmail('ann@example.com')
    return prices.filter((price) => user?.hasGate(price) === true)
  }
  const prices = Array.from({ length: 12 }, (_, n) => `price_${n + 1}`)
  for (const id of prices)
    fake.addPrice({ id, unit_amount: 100, currency: 'eur', recurring: { interval: 'month' } })

  const m = await open()
  t.teardown(() => m.close())
  let told = 0
  const tell = async () => {
    const news = fake.events().slice(told)
    told += news.length
    for (const event of news) await deliver(m, event as never)
  }
  const { id } = await subscribe({ fake, stripe }, { price: 'price_1' })
  await fake.advance({ ms: 60_000 })
  const items = prices.slice(1).map((price) => ({ price }))
  await stripe.subscriptions.update(id, { items, proration_behavior: 'none' })
  await tell()
  await asked(m)
  t.deepEqual(await gates(m), prices)
  for (const note of ['a', 'b']) {
    await fake.advance({ ms: 60_000 })
    await stripe.subscriptions.update(id, { metadata: { note } })
    await tell()
    t.deepEqual(await gates(m), prices, 'before Stripe was asked')
  }
  await asked(m)

  const isExcerpt = ({ data }: { data: { object: unknown } }) =>
    (data.object as { items?: { has_more?: boolean } }).items?.has_more === true
  const excerpts = fake.events().filter((event) => isExcerpt(event as never))
  t.is(excerpts.length, 3)
  const others = fake.events().filter((event) => !isExcerpt(event as never))
  for (const order of permutations(excerpts)) {
    const late = await open()
    for (const event of [...order, ...others]) await deliver(late, event as never)
    await asked(late)
    t.deepEqual(await gates(late), prices, order.map(({ id }) => id).join())
    await late.close()
  }
})

function permutations<T>(all: readonly T[]): T[][] {
  return all.length < 2
    ? [[...all]]
    : all.flatMap((item, n) => permutations(all.toSpliced(n, 1)).map((rest) => [item, ...rest]))
}

test('an invoice of eleven lines and a charge of eleven refunds are read completely', async (t) => {
  const { fake, stripe } = await openFake(t)
  const provider = stripeProvider({ secret: fake.secret, api_base: fake.url }, fake.now)
  const prices = Array.from({ length: 11 }, (_, n) => `price_${n + 1}`)
  for (const id of prices)
    fake.addPrice({ id, unit_amount: 100, currency: 'eur', recurring: { interval: 'month' } })
  const { id } = await subscribe({ fake, stripe }, { price: 'price_1' })
  await stripe.subscriptions.update(id, {
    items: prices.slice(1).map((price) => ({ price })),
    proration_behavior: 'none',
  })
  await fake.advance({ months: 1, ms: 7_200_000 })
  const invoice = fake.objects.list('invoice').at(-1)!
  const [whole] = (await provider.fetch!(ref('invoice', invoice.id)))!.changes
  t.is(whole?.type === 'money' && whole.data.items?.length, 11)
  const charge = fake.objects.list('charge').at(-1)!
  for (let n = 0; n < 11; n++) fake.refund(charge.id, 10)
  const { changes } = (await provider.fetch!(ref('charge', charge.id)))!
  t.is(changes.filter((change) => change.type === 'money' && change.kind === 'refund').length, 11)
})
