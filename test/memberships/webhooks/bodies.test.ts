import test from 'ava'
import { deliver, openInstance } from '../../support/converge.ts'
import { allDatabases } from '../../support/databases.ts'
import { start, stripeEvent } from '../../support/stripe-events.ts'

for (const open of allDatabases)
  test(`${open.name}: bodies are deleted after their time in batches; those that somebody needs stay`, async (t) => {
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
    await m.runDueJobs()
    t.like((await left())[1], { status: 'ignored', events: 1202, bodies: 1202 })
    now = new Date(now.getTime() + 2 * 86_400_000)
    await m.runDueJobs()
    t.deepEqual(await left(), [
      { status: 'held', events: 1, bodies: 1 },
      { status: 'ignored', events: 1202, bodies: 1 },
    ])
    // What is known stays known: an old capture cannot be played again.
    now = new Date(start * 1000)
    t.is(await deliver(m, old[0]!), 'duplicate')
  })

const dayMs = 86_400_000

for (const open of allDatabases)
  test(`${open.name}: unneeded rows are deleted in batches; those that somebody needs stay`, async (t) => {
    const database = await open()
    t.teardown(database.close)
    let now = new Date(start * 1000)
    const m = await openInstance(await database.url(), () => now, {
      'membership.webhooks.keep_bodies_days': 30,
      'membership.providers.stripe.livemode': false,
    })
    t.teardown(() => m.close())
    const { storage } = m
    const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()
    const product = { id: 'prod_1', object: 'product' }
    const old = Array.from({ length: 601 }, () => stripeEvent('product.updated', product))
    await Promise.all(old.map((event) => deliver(m, event)))
    const held = stripeEvent('product.updated', product, { livemode: true })
    await deliver(m, held)
    now = new Date(now.getTime() + 399 * dayMs)
    const young = stripeEvent('product.updated', product, { created: now.getTime() / 1000 })
    await deliver(m, young)

    const session = { member_id: 'm', verified: 1, created_at: daysAgo(31), revoked_at: null }
    const sessions = Array.from({ length: 1201 }, (_, i) => ({
      ...session,
      id: `s${i}`,
      expires_at: daysAgo(2),
    }))
    const fresh = { ...session, id: 'fresh', expires_at: daysAgo(-2) }
    await storage.read((db) => db.insertInto('sessions').values([...sessions, fresh]))
    const link = { email: 'a@example.com', member_id: null, redirect: '/', created_at: daysAgo(9) }
    await storage.read((db) =>
      db.insertInto('login_links').values([
        { ...link, id: 'used', expires_at: daysAgo(8), used_at: daysAgo(8) },
        { ...link, id: 'fresh', expires_at: daysAgo(0), used_at: null },
      ]),
    )
    const intent = (id: string, status: string, days: number) => ({
      id,
      status,
      provider: 'stripe',
      mode: 'subscription',
      plan: 'pro',
      price_id: 'price_1',
      quantity: 1,
      member_id: null,
      checkout_id: null,
      checkout_url: null,
      redirect: '/',
      browser: null,
      claim: id,
      created_at: daysAgo(days + 7),
      expires_at: daysAgo(days),
      settled_at: null,
      request: null,
    })
    await storage.read((db) =>
      db
        .insertInto('intents')
        .values([
          intent('abandoned', 'open', 91),
          intent('expired', 'expired', 91),
          intent('declined', 'failed', 91),
          intent('lately', 'expired', 80),
          intent('with the bank', 'processing', 2000),
          intent('bought', 'complete', 700),
          intent('bought long ago', 'complete', 761),
        ]),
    )
    const ids = async (table: 'sessions' | 'login_links' | 'intents') =>
      (await storage.read((db) => db.selectFrom(table).select('id').orderBy('id'))).map(({ id }) => id)
    const events = async () =>
      (await storage.read((db) => db.selectFrom('events').select('event_id').orderBy('seq'))).map(
        (row) => row.event_id,
      )

    await m.runDueJobs()
    t.is((await events()).length, 603)
    t.deepEqual(await ids('sessions'), ['fresh'])
    t.deepEqual(await ids('login_links'), ['fresh'])
    t.deepEqual((await ids('intents')).sort(), ['bought', 'lately', 'with the bank'])

    now = new Date(now.getTime() + 2 * dayMs)
    await m.runDueJobs()
    t.deepEqual(await events(), [String(held.id), String(young.id)])
    t.is(await deliver(m, young), 'duplicate')
    t.is((await m.webhooks.get(String(young.id))).event_id, String(young.id))
    await t.throwsAsync(m.webhooks.get(String(old[0]!.id)), { message: /arrived on .* and was applied/ })

    // What is known stays known: an old capture cannot be played again.
    t.is(await deliver(m, old[1]!), 'duplicate')
    t.is((await events()).length, 2)
  })
