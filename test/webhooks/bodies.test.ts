import test from 'ava'
import { deliver, openInstance } from '../support/converge.ts'
import { allDatabases } from '../support/databases.ts'
import { start, stripeEvent } from '../support/stripe-events.ts'

for (const open of allDatabases)
  test(`${open.name}: bodies go after their time, a part at a time; what waits for somebody keeps its own`, async (t) => {
    const database = await open()
    t.teardown(database.close)
    let now = new Date(start * 1000)
    const m = await openInstance(await database.url(), () => now, {
      'membership.webhooks.keep_bodies_days': 30,
      'membership.providers.stripe.livemode': false,
    })
    t.teardown(() => m.close())
    const product = { id: 'prod_1', object: 'product' }
    // More than go at once.
    const old = Array.from({ length: 1201 }, () => stripeEvent('product.updated', product))
    await Promise.all(old.map((event) => deliver(m, event)))
    t.is(await deliver(m, stripeEvent('product.updated', product, { livemode: true })), 'held')
    now = new Date(now.getTime() + 29 * 86_400_000)
    await deliver(m, stripeEvent('product.updated', product, { created: now.getTime() / 1000 }))
    const left = () =>
      m.storage.read((db) =>
        db
          .selectFrom('events')
          .select((eb) => ['status', eb.fn.countAll().as('events'), eb.fn.count('body').as('bodies')])
          .groupBy('status')
          .orderBy('status'),
      )
    await m.work()
    t.like((await left())[1], { status: 'ignored', events: 1202, bodies: 1202 })
    now = new Date(now.getTime() + 2 * 86_400_000)
    await m.work()
    t.deepEqual(await left(), [
      { status: 'held', events: 1, bodies: 1 },
      { status: 'ignored', events: 1202, bodies: 1 },
    ])
    // What is known stays known: an old capture cannot be played again.
    now = new Date(start * 1000)
    t.is(await deliver(m, old[0]!), 'duplicate')
  })
