import test from 'ava'
import { allDatabases } from '../../support/databases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buyByLink } from '../../support/visitor.ts'

for (const open of allDatabases)
  test(`what an earlier version took in from other shops is listed and given back, by ${open.name}`, async (t) => {
    const databases = await open()
    t.teardown(() => databases.close())
    const url = await databases.url()
    const opened = await openStripeSite(t, {
      'membership.database.url': url,
      // As before: everything of the account was taken in.
      'membership.providers.stripe.accepts': 'everything',
    })
    const { fake, another } = opened
    for (const [id, product] of [
      ['price_app', 'prod_app'],
      ['price_club', 'prod_club'],
    ] as const)
      fake.addPrice({
        id,
        product,
        unit_amount: 300,
        currency: 'eur',
        recurring: { interval: 'month' },
      } as never)
    await buyByLink(opened, { email: 'ann@example.com', price: 'price_month' })
    await buyByLink(opened, { email: 'app@example.com', price: 'price_app' })
    await buyByLink(opened, { email: 'given@example.com', price: 'price_club' })
    await opened.m.users.create({ email: 'old@example.com', verified: true, createdBy: 'import:file' })
    await buyByLink(opened, { email: 'old@example.com', price: 'price_app' })
    await fake.deliver({ settle: true })
    await opened.m.runDueJobs()
    const before = (email: string) => opened.m.users.findByEmail(email)
    t.is((await before('app@example.com'))?.subscriptions().length, 1)
    const given = (await before('given@example.com'))!
    await opened.m.users.grant({ memberId: given.id, gate: 'pro' } as never)

    const { m } = await another({ 'membership.providers.stripe.accepts': 'plans' })
    const planned = await m.operator.foreign.list()
    t.deepEqual(
      planned.foreign.map(({ kind, prices }) => [kind, prices]),
      [
        ['subscription', ['price_app']],
        ['payment', ['price_app']],
      ],
    )
    // What ann bought, and what somebody has who was imported or given access, is this site's.
    t.is(planned.own, 6)
    t.deepEqual(planned.unclear, [])
    t.is((await m.operator.foreign.remove()).written, false)
    t.is((await m.users.findByEmail('app@example.com'))?.subscriptions().length, 1, 'a plan writes nothing')

    const changing = () => fake.requests().filter(({ method }) => method !== 'GET').length
    const calls = changing()
    t.true((await m.operator.foreign.remove({ write: true })).written)
    const app = (await m.users.findByEmail('app@example.com'))!
    t.deepEqual([app.subscriptions().length, app.payments().length], [0, 0])
    t.is((await m.users.findByEmail('ann@example.com'))?.subscriptions().length, 1)
    t.is((await m.users.findByEmail('given@example.com'))?.subscriptions().length, 1)
    t.is(changing(), calls, 'nothing is changed at the provider')
    t.deepEqual((await m.operator.foreign.list()).foreign, [])

    // Its renewals stay foreign.
    await fake.advance({ months: 1 })
    await fake.deliver({ settle: true })
    await m.runDueJobs()
    t.is((await m.users.findByEmail('app@example.com'))?.subscriptions().length, 0)
    t.is((await m.users.findByEmail('ann@example.com'))?.payments().length, 2)
  })

test('what an import brought is this site’s, and an operator keeps what nothing else says', async (t) => {
  const opened = await openStripeSite(t, { 'membership.providers.stripe.accepts': 'everything' })
  const { m, fake, another } = opened
  fake.addPrice({
    id: 'price_app',
    product: 'prod_app',
    unit_amount: 300,
    currency: 'eur',
    recurring: { interval: 'month' },
  } as never)
  await buyByLink(opened, { email: 'old@example.com', price: 'price_app' })
  await fake.advance({ ms: 60_000 })
  t.is((await m.operator.import({ provider: 'stripe', write: true })).made, 1)
  const kept = await buyByLink(opened, { email: 'kept@example.com', price: 'price_app' })
  await buyByLink(opened, { email: 'app@example.com', price: 'price_app' })
  // Renewals move the subscriptions on, long after the import.
  for (let month = 0; month < 3; month++) {
    await fake.deliver({ settle: true })
    await m.runDueJobs()
    await fake.advance({ months: 1 })
  }

  const { m: now } = await another({ 'membership.providers.stripe.accepts': 'plans' })
  const { foreign } = now.operator
  const owners = async () => {
    const lists = await foreign.list()
    const subscriptions = lists.foreign.filter(({ kind }) => kind === 'subscription')
    const users = await Promise.all(subscriptions.map(({ memberId }) => now.users.findById(memberId!)))
    return users.map((user) => user?.email).sort()
  }
  t.deepEqual(await owners(), ['app@example.com', 'kept@example.com'])

  await t.throwsAsync(foreign.keep({ ids: ['sub_none'], write: true }), { code: 'ERR_NOT_FOUND' })
  t.like(await foreign.keep({ ids: [kept.subscription] }), { written: false, kept: [kept.subscription] })
  t.deepEqual(await owners(), ['app@example.com', 'kept@example.com'], 'a plan writes nothing')
  t.true((await foreign.keep({ ids: [kept.subscription], write: true, by: 'kim' })).written)
  t.deepEqual(await owners(), ['app@example.com'])

  // Its payments stay with it.
  await foreign.remove({ write: true })
  t.deepEqual((await foreign.list()).foreign, [])
  const held = async (email: string) => {
    const user = (await now.users.findByEmail(email))!
    return [user.subscriptions().length, user.payments().length]
  }
  t.deepEqual(await held('kept@example.com'), [1, 3])
  t.is((await held('app@example.com'))[0], 0)
  t.is((await held('old@example.com'))[0], 1)
})
