import test, { type ExecutionContext } from 'ava'
import type { User } from '../../../src/index.ts'
import { allDatabases } from '../../support/databases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

function price(id: string, amount: number, more: object = {}) {
  return { id, amount, currency: 'EUR', ...more }
}
const monthly = { interval: 'month' as const }

async function open(t: ExecutionContext, url: string) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.database.url': url,
    'membership.providers.stripe.plans': {
      team: {
        seats: 'quantity',
        quantity: { max: 20 },
        limits: { reports: { amount: 6, every: 'year', shared: true } },
        prices: [price('price_team', 2500, monthly)],
      },
      pro: {
        limits: { exports: { amount: 5, every: 'year' } },
        prices: [price('price_month', 900, monthly)],
      },
      pack: { prices: [price('price_book', 1900, { adds: { exports: 4 } })] },
      present: { prices: [price('price_gift', 2500, { gives: { plan: 'pro', months: 3 } })] },
    },
  })
  const { m, fake, site } = opened
  fake.addPrice({ id: 'price_gift', unit_amount: 2500, currency: 'eur' })
  const person = async (name: string): Promise<User> => {
    const email = `${name}@example.com`
    return (await m.users.findByEmail(email)) ?? (await m.users.create({ email, verified: true }))
  }
  const arrive = async () => {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  const merge = async (from: string, into: string) => {
    const [merged, keep] = [await person(from), await person(into)]
    await m.users.merge({ keep: keep.id, merge: merged.id, by: 'op', write: true })
    await arrive()
    return async () => {
      await m.users.unmerge({ merged: merged.id, by: 'op' })
      await arrive()
    }
  }
  const team = async () => {
    const bought = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/team', quantity: '4' })
    return bought.id
  }
  const joins = async (subscriptionId: string, name: string, role?: 'manager') => {
    const email = `${name}@example.com`
    await person(name)
    await m.teams.invite({ subscriptionId, email, ...(role === undefined ? {} : { role }) })
    await m.runDueJobs()
    const [link] = /\/membership\/join\/\S+/.exec(mailbox.of(email, 'group-invitation').at(-1)!.text)!
    const visitor = await logIn({ m, site }, mailbox, email)
    t.is((await visitor.send(link)).status, 200)
  }
  const give = async (fields: Record<string, string> = {}) => {
    const bought = await buy(opened, 'ann@example.com', {
      path: '/membership/gift/pro',
      price: 'price_gift',
      ...fields,
    })
    await m.runDueJobs()
    const [gift] = (await m.gifts.of(await person('ann'))).bought
    const page = await bought.visitor.get(`/membership/gifts/${gift!.id}`, { accept: 'application/json' })
    return { ...bought, gift: gift!, code: page.json.code as string }
  }
  const isOpen = async (name: string, gate: string) => (await person(name)).hasGate(gate as never)
  const left = async (name: string, limit = 'exports') => (await person(name)).limit(limit as never).left
  const use = async (name: string, amount: number, key?: string) =>
    m.limits.use(await person(name), 'exports' as never, amount, key === undefined ? {} : { key })
  return { ...opened, mailbox, person, arrive, merge, team, joins, give, isOpen, left, use }
}

for (const makeDatabases of allDatabases) {
  const name = makeDatabases.name.replace('Databases', '')
  let databases: Awaited<ReturnType<typeof makeDatabases>>
  test.before(`${name} is there`, async () => {
    databases = await makeDatabases()
  })
  test.after.always(`${name} goes`, () => databases?.close())
  const site = async (t: ExecutionContext) => open(t, await databases.url())

  test(`${name}: a group goes along with its buyer, and comes back with the merge`, async (t) => {
    const { m, merge, team, joins, isOpen, person } = await site(t)
    const id = await team()
    await joins(id, 'ben')
    const managed = async (who: string) => (await m.teams.of(await person(who))).managed.length
    await person('kit')
    const undo = await merge('ann', 'kit')
    t.true(await isOpen('kit', 'team'))
    t.true(await isOpen('ben', 'team'), 'a seat follows the payment, whoever has the account')
    t.is(await managed('kit'), 1)
    await m.teams.invite({ subscriptionId: id, email: 'cid@example.com' })
    t.is((await m.teams.find(id)).free, 1)
    await undo()
    t.is(await managed('kit'), 0)
    t.is(await managed('ann'), 1)
    t.false(await isOpen('kit', 'team'))
    t.true(await isOpen('ben', 'team'))
    t.is((await m.teams.find(id)).free, 1, 'the invitation from within the merge stays')
  })

  test(`${name}: a seat, its role and an open invitation go along, and come back`, async (t) => {
    const { m, merge, team, joins, isOpen, person, mailbox, site: address } = await site(t)
    const id = await team()
    await joins(id, 'ben', 'manager')
    await m.teams.invite({ subscriptionId: id, email: 'cid@example.com' })
    await m.runDueJobs()
    await person('kit')
    await person('cid')
    const undoSeat = await merge('ben', 'kit')
    t.true(await isOpen('kit', 'team'))
    t.is((await m.teams.of(await person('kit'))).managed.length, 1, 'a manager still')
    const undoInvited = await merge('cid', 'kit')
    const visitor = await logIn({ m, site: address }, mailbox, 'cid@example.com')
    const [link] = /\/membership\/join\/\S+/.exec(mailbox.of('cid@example.com', 'group-invitation')[0]!.text)!
    t.is((await visitor.send(link)).status, 200)
    t.like(
      await m.teams.find(id),
      { free: 2, members: [{ email: 'ben@example.com' }] },
      'one person, one seat',
    )
    await undoInvited()
    await undoSeat()
    t.true(await isOpen('ben', 'team'))
    t.false(await isOpen('kit', 'team'))
    t.false(await isOpen('cid', 'team'))
    t.is((await m.teams.of(await person('ben'))).managed.length, 1)
  })

  test(`${name}: of two seats of one person either can be given up, and a buyer who has a seat keeps the group`, async (t) => {
    const { m, merge, team, joins, isOpen, person } = await site(t)
    const id = await team()
    await joins(id, 'ben')
    await joins(id, 'cid')
    const undo = await merge('ben', 'cid')
    t.is((await m.teams.find(id)).free, 1)
    await m.teams.leave({ subscriptionId: id, user: await person('cid') })
    t.false(await isOpen('cid', 'team'), 'leaving is leaving, with both')
    t.is((await m.teams.find(id)).free, 3)
    await undo()
    t.false(await isOpen('ben', 'team'))
    await joins(id, 'ben')
    const undoBuyer = await merge('ben', 'ann')
    t.true(await isOpen('ann', 'team'))
    await undoBuyer()
    t.true(await isOpen('ben', 'team'))
    t.true(await isOpen('ann', 'team'))
  })

  test(`${name}: a gift stays its buyer's after a merge that was taken back, whatever its payment told meanwhile`, async (t) => {
    const { m, fake, merge, give, person, arrive } = await site(t)
    const { gift } = await give()
    await person('kit')
    const undo = await merge('ann', 'kit')
    const bought = async (who: string) => (await m.gifts.of(await person(who))).bought.map(({ id }) => id)
    t.deepEqual(await bought('kit'), [gift.id])
    const charge = fake.objects.list('charge').find(({ paid }) => paid)!
    fake.refund(charge.id, 100)
    await arrive()
    t.deepEqual(await bought('kit'), [gift.id])
    await undo()
    t.deepEqual(await bought('kit'), [], 'its code is not for the other account')
    t.deepEqual(await bought('ann'), [gift.id])
  })

  test(`${name}: a gift that was redeemed goes along with its time, and one that is redeemed within the merge stays where it is`, async (t) => {
    const { m, fake, merge, give, isOpen, person, arrive } = await site(t)
    const first = await give()
    await m.gifts.redeem({ code: first.code, user: await person('ben') })
    const [second] = await m.gifts.create({ plan: 'pro', months: 1, count: 1 })
    await person('kit')
    const undo = await merge('ben', 'kit')
    t.true(await isOpen('kit', 'pro'))
    await m.gifts.redeem({ code: first.code, user: await person('kit') })
    await m.gifts.redeem({ code: second!.code, user: await person('kit') })
    t.is((await m.gifts.of(await person('kit'))).own.length, 2, 'again by the same person changes nothing')
    await undo()
    t.true(await isOpen('ben', 'pro'))
    t.true(await isOpen('kit', 'pro'), 'the second one begins, as nothing else opens the plan')
    t.like((await m.gifts.of(await person('ben'))).own, [{ id: first.gift.id }])
    t.like((await m.gifts.of(await person('kit'))).own, [{ id: second!.id }])
    await fake.advance({ days: 40 })
    await arrive()
    t.true(await isOpen('ben', 'pro'))
    t.false(await isOpen('kit', 'pro'))
  })

  test(`${name}: two gifts that run when the accounts become one follow each other, and no day is lost or gained`, async (t) => {
    const { m, fake, merge, isOpen, person, arrive } = await site(t)
    const [first, second] = await m.gifts.create({ plan: 'pro', months: 1, count: 2 })
    await m.gifts.redeem({ code: first!.code, user: await person('ben') })
    await fake.advance({ days: 10 })
    await m.gifts.redeem({ code: second!.code, user: await person('kit') })
    await fake.advance({ days: 10 })
    const undo = await merge('ben', 'kit')
    const ends = async (who: string) =>
      (await m.gifts.of(await person(who))).own.map(({ ends_at }) => ends_at?.slice(0, 10) ?? 'later')
    t.deepEqual(await ends('kit'), ['2026-02-15', 'later'])
    await fake.advance({ days: 5 })
    await undo()
    t.deepEqual(await ends('ben'), ['2026-02-15'])
    t.deepEqual(await ends('kit'), ['2026-03-02'], '21 days were left, and begin with the separation')
    await merge('ben', 'kit')
    await fake.advance({ days: 12 })
    await arrive()
    t.deepEqual(await ends('kit'), ['2026-02-15', '2026-03-08'])
    await fake.advance({ days: 14 })
    await arrive()
    t.true(await isOpen('kit', 'pro'), '7 March')
  })

  test(`${name}: months that the other account bought for itself within the merge go back with their payment`, async (t) => {
    const opened = await site(t)
    const { m, merge, isOpen, person } = opened
    await opened.team()
    const [customer] = opened.fake.objects.list('customer')
    await person('kit')
    const undo = await merge('ann', 'kit')
    // By a payment link of the provider's, with the customer that Ann has there.
    const session = await askFake(opened.fake, 'POST', '/v1/checkout/sessions', {
      mode: 'payment',
      success_url: 'https://example.com/thanks',
      customer: customer!.id,
      'line_items[0][price]': 'price_gift',
      'line_items[0][quantity]': '1',
    })
    await opened.fake.pay(session.id, { email: 'ann@example.com' })
    await opened.arrive()
    await opened.fake.advance({ ms: 15 * 60_000 })
    await opened.arrive()
    t.true(await isOpen('kit', 'pro'))
    await undo()
    t.true((await person('ann')).payments().some(({ price_id }) => price_id === 'price_gift'))
    t.true(await isOpen('ann', 'pro'))
    t.false(await isOpen('kit', 'pro'))
    t.is((await m.gifts.of(await person('ann'))).own.length, 1)
    t.is((await m.gifts.of(await person('kit'))).own.length, 0)
  })

  test(`${name}: top-ups, holds and counts of a merge that is taken back are neither lost nor doubled`, async (t) => {
    const opened = await site(t)
    const { m, fake, merge, use, left, person, arrive } = opened
    await buy(opened, 'ann@example.com', { path: '/membership/payment', product: 'price_book' })
    const kit = await person('kit')
    const ann = await person('ann')
    for (const { id } of [kit, ann]) await m.users.grant({ memberId: id, gate: 'pro' })
    await use('ann', 1, 'a')
    await m.limits.reserve(await person('ann'), 'exports' as never, 2, { key: 'held', minutes: 30 })
    await use('kit', 1)
    t.is(await left('ann'), 5 + 4 - 3)
    const undo = await merge('ann', 'kit')
    t.is(await left('kit'), 5 + 4 - 4, 'one allowance, with the top-up')
    await use('kit', 3, 'b')
    t.is(await left('kit'), 2)
    await m.limits.release(await person('kit'), 'exports' as never, { key: 'a' })
    t.is(await left('kit'), 3)
    await fake.advance({ ms: 31 * 60_000 })
    await arrive()
    t.is(await left('kit'), 5, 'the hold of the other account was let go')
    await undo()
    t.is(await left('kit'), 5 - 1 - 1, 'what was used as one account stays used')
    const back = await left('ann')
    t.is(back, 5 + 4 - 2, 'neither the released key nor the hold counts any more')
    await use('ann', back)
    await t.throwsAsync(use('ann', 1), { code: 'ERR_LIMIT' })
  })
}

test('a hold goes back with the account that made it, and is kept there', async (t) => {
  const [makeDatabases] = allDatabases
  const databases = await makeDatabases!()
  t.teardown(databases.close)
  const { m, merge, left, person, fake, arrive } = await open(t, await databases.url())
  for (const who of ['ann', 'kit']) await m.users.grant({ memberId: (await person(who)).id, gate: 'pro' })
  const held = await m.limits.reserve(await person('ann'), 'exports' as never, 2, { minutes: 30 })
  const undo = await merge('ann', 'kit')
  t.is(await left('kit'), 3)
  await undo()
  t.is(await left('kit'), 5)
  t.is(await left('ann'), 3)
  await held.keep()
  await fake.advance({ ms: 31 * 60_000 })
  await arrive()
  t.is(await left('ann'), 3, 'kept')
  t.is(await left('kit'), 5)
})

test('an order that nobody paid leaves no address behind when its buyer leaves', async (t) => {
  const [makeDatabases] = allDatabases
  const databases = await makeDatabases!()
  t.teardown(databases.close)
  const { m, person, mailbox, site, arrive } = await open(t, await databases.url())
  const ann = await person('ann')
  const visitor = await logIn({ m, site }, mailbox, 'ann@example.com', createVisitor(site))
  const begun = await visitor.send('/membership/gift/pro', {
    price: 'price_gift',
    to: 'zoe@example.com',
    message: 'From Ann',
  })
  t.is(begun.status, 201)
  await m.users.delete(ann.id)
  await arrive()
  const rows = await m.storage.read((db) => db.selectFrom('gifts').select(['to_email', 'message']))
  t.false(/zoe@|From Ann/.test(JSON.stringify(rows)))
})
