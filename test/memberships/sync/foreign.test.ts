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
