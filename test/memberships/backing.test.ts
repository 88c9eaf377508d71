import test, { type ExecutionContext } from 'ava'
import { openStripeSite } from '../support/stripe-site.ts'
import { askFake, buy, createMailbox, createVisitor, logIn } from '../support/visitor.ts'

// Rights that somebody's payment backs: seats, gifts and what they count. Each is asked again whenever it is used.

function eur(id: string, amount: number, more: object = {}) {
  return { id, amount, currency: 'EUR', ...more }
}
const monthly = { interval: 'month' }
function exports(more: object = {}) {
  return { exports: { amount: 100, every: 'month', ...more } }
}
function team(more: object = {}) {
  return {
    seats: 'quantity',
    quantity: { max: 20 },
    limits: exports(),
    prices: [eur('price_team', 2500, monthly)],
    ...more,
  }
}
const gift = { gives: { plan: 'pro', months: 12 } }
function pro(...prices: object[]) {
  return { prices: [eur('price_month', 900, monthly), ...prices] }
}
const allPlans = { pro: pro(eur('price_gift', 9000, gift)), team: team() }

async function open(t: ExecutionContext, plans: object = allPlans, options: object = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': plans,
    ...options,
  } as never)
  const { m, fake, site } = opened
  fake.addPrice({ id: 'price_gift', unit_amount: 9000, currency: 'eur' })
  const arrive = async (): Promise<void> => {
    await fake.advance({ ms: 5000 })
    for (let round = 0; round < 2; round++) {
      await fake.deliver()
      await m.runDueJobs()
    }
  }
  const userOf = async (email: string) => (await m.users.findByEmail(email))!
  const isOpen = async (email: string, gate: string) => (await userOf(email)).hasGate(gate as never)
  const join = async (email: string, subscriptionId: string) => {
    await m.teams.invite({ subscriptionId, email })
    await m.runDueJobs()
    await m.users.create({ email, verified: true })
    const [link] = /\/membership\/join\/\S+/.exec(mailbox.of(email, 'group-invitation').at(-1)!.text)!
    const visitor = await logIn({ m, site } as never, mailbox, email)
    await visitor.send(link)
  }
  const buyTeam = async (email: string, quantity: number, more: object = {}) => {
    const path = '/membership/subscribe/team'
    const bought = await buy(opened, email, {
      path,
      price: 'price_team',
      quantity: String(quantity),
      ...more,
    } as never)
    await arrive()
    return bought
  }
  return { ...opened, mailbox, arrive, userOf, isOpen, join, buyTeam }
}

function intents(fake: Awaited<ReturnType<typeof open>>['fake']) {
  return fake.objects.list('payment_intent').map(({ id }) => id as string)
}

test('the seats of a deleted buyer close once the payment goes back', async (t) => {
  const { m, fake, arrive, isOpen, join, buyTeam } = await open(t)
  const { id, visitor } = await buyTeam('ann@example.com', 3)
  await join('tom@example.com', id)
  await visitor.send('/membership/account/delete', { confirm: 'delete' })
  await arrive()
  t.true(await isOpen('tom@example.com', 'team'), 'the month that was paid stays')
  await fake.refund(intents(fake)[0]!)
  await arrive()
  t.false(await isOpen('tom@example.com', 'team'))
  await t.throwsAsync(m.teams.invite({ subscriptionId: id, email: 'new@example.com' }), {
    code: 'ERR_ACTION_REFUSED',
  })
})

test('a lost dispute closes its period and the seats with it; while it is open nobody new joins', async (t) => {
  const { m, fake, arrive, isOpen, join, buyTeam } = await open(t)
  const { id } = await buyTeam('ann@example.com', 3)
  await join('tom@example.com', id)
  fake.dispute(intents(fake)[0]!)
  await arrive()
  t.deepEqual(
    [await isOpen('ann@example.com', 'team'), await isOpen('tom@example.com', 'team')],
    [true, true],
  )
  await t.throwsAsync(m.teams.invite({ subscriptionId: id, email: 'new@example.com' }), {
    code: 'ERR_ACTION_REFUSED',
  })
  await fake.closeDispute(fake.objects.list('dispute')[0]!.id as string, 'lost')
  await arrive()
  t.deepEqual(
    [await isOpen('ann@example.com', 'team'), await isOpen('tom@example.com', 'team')],
    [false, false],
  )
  await fake.advance({ months: 1, ms: 2 * 3_600_000 })
  await arrive()
  t.deepEqual(
    [await isOpen('ann@example.com', 'team'), await isOpen('tom@example.com', 'team')],
    [true, true],
    'the next month is paid',
  )
})

test('seats close when their money is given back as a credit', async (t) => {
  const now = { 'membership.providers.stripe.change': { downgrade: 'now' } }
  const { fake, arrive, isOpen, join, buyTeam } = await open(t, allPlans, now)
  const { id, visitor } = await buyTeam('ann@example.com', 4)
  await join('tom@example.com', id)
  await fake.advance({ ms: 3_600_000 })
  await visitor.send(`/membership/change/${id}`, { price: 'price_team', quantity: '1' })
  await arrive()
  t.true(await isOpen('ann@example.com', 'team'))
  t.false(await isOpen('tom@example.com', 'team'))
})

test('seats close when somebody lowers their number at Stripe and the rest is credited at once', async (t) => {
  const { fake, arrive, isOpen, join, buyTeam } = await open(t)
  const { id } = await buyTeam('ann@example.com', 4)
  await join('tom@example.com', id)
  await fake.advance({ ms: 3_600_000 })
  const [item] = fake.objects.list('subscription')[0]!.items.data
  await askFake(fake, 'POST', `/v1/subscriptions/${id}`, {
    'items[0][id]': item!.id,
    'items[0][quantity]': '1',
    proration_behavior: 'always_invoice',
  })
  await arrive()
  t.true(fake.objects.list('invoice').some(({ total }) => total < 0))
  t.true(await isOpen('ann@example.com', 'team'))
  t.false(await isOpen('tom@example.com', 'team'))
})

test('a seat counts as little as its buyer in a trial, and nothing new while the renewal is unpaid', async (t) => {
  const inTrial = await open(t, {
    team: team({
      limits: exports({ trial: 10 }),
      prices: [eur('price_team', 2500, { ...monthly, trial_days: 14 })],
    }),
  })
  const trial = await inTrial.buyTeam('ann@example.com', 3)
  await inTrial.join('tom@example.com', trial.id)
  t.is((await inTrial.userOf('tom@example.com')).limit('exports' as never).left, 10)

  const inPool = await open(t, {
    team: team({
      limits: exports({ trial: 10, shared: true }),
      prices: [eur('price_team', 2500, { ...monthly, trial_days: 14 })],
    }),
  })
  const pool = await inPool.buyTeam('ann@example.com', 3)
  await inPool.join('tom@example.com', pool.id)
  const left = async (email: string) => (await inPool.userOf(email)).limit('exports' as never).left
  t.is(await left('tom@example.com'), 10)
  await inPool.m.limits.use((await inPool.userOf('tom@example.com')).id, 'exports' as never, 4)
  t.is(await left('ann@example.com'), 6)

  const unpaid = await open(t, { team: team({ limits: exports({ every: 'period' }) }) })
  const { m, fake, arrive, userOf } = unpaid
  const { id } = await unpaid.buyTeam('ann@example.com', 3)
  await unpaid.join('tom@example.com', id)
  await m.limits.use((await userOf('tom@example.com')).id, 'exports' as never, 100)
  fake.useCard(fake.objects.list('customer')[0]!.id as string, '4000000000000341')
  await fake.advance({ months: 1, days: 1 })
  await arrive()
  const tom = await userOf('tom@example.com')
  t.deepEqual([tom.hasGate('team' as never), tom.limit('exports' as never).left], [true, 0])
})

test('a team that is ended and bought again goes on with the count that its seats share', async (t) => {
  const { m, arrive, userOf, buyTeam } = await open(t, { team: team({ limits: exports({ shared: true }) }) })
  const { id, visitor } = await buyTeam('dan@example.com', 2)
  await m.limits.use((await userOf('dan@example.com')).id, 'exports' as never, 70)
  await visitor.send(`/membership/cancel/${id}`, { when: 'now' })
  await arrive()
  await buyTeam('dan@example.com', 2, { visitor })
  t.is((await userOf('dan@example.com')).limit('exports' as never).left, 30)
})

test('a gift whose price left the configuration closes with its refund', async (t) => {
  const opened = await open(t)
  const { fake, site, arrive, userOf } = opened
  await buy(opened, 'ann@example.com', { path: '/membership/gift/pro', price: 'price_gift' } as never)
  await arrive()
  const visitor = createVisitor(site)
  await buy(opened, 'sue@example.com', {
    path: '/membership/payment',
    product: 'price_gift',
    visitor,
  } as never)
  await arrive()
  t.true((await userOf('sue@example.com')).hasGate('pro' as never))
  const plans = { pro: pro(eur('price_gift_new', 9900, gift)), team: team() }
  const later = await opened.another({ 'membership.providers.stripe.plans': plans } as never)
  fake.sendTo({ url: `${later.site}/membership/webhooks/stripe`, secret: 'whsec_of_the_fake' })
  for (const id of intents(fake)) fake.refund(id)
  for (let round = 0; round < 3; round++) {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await later.m.runDueJobs()
  }
  const [ann, sue] = [
    await later.m.users.findByEmail('ann@example.com'),
    await later.m.users.findByEmail('sue@example.com'),
  ]
  t.is((await later.m.gifts.of(ann!)).bought[0]?.closed_for, 'refunded')
  t.false(sue!.hasGate('pro' as never))
})

test('a disputed gift that an operator revokes stays revoked when the dispute is won', async (t) => {
  const opened = await open(t)
  const { m, fake, arrive, userOf } = opened
  await buy(opened, 'ann@example.com', { path: '/membership/gift/pro', price: 'price_gift' } as never)
  await arrive()
  fake.dispute(intents(fake)[0]!)
  await arrive()
  const gifts = async () => (await m.gifts.of(await userOf('ann@example.com'))).bought[0]!
  t.is((await gifts()).closed_for, 'disputed')
  await m.gifts.revoke((await gifts()).id, 'op')
  await fake.closeDispute(fake.objects.list('dispute')[0]!.id as string, 'won')
  await arrive()
  t.like(await gifts(), { status: 'closed', closed_for: 'revoked' })
  const log = await m.storage.read((db) => db.selectFrom('audit_log').selectAll())
  t.true(JSON.stringify(log).includes(`gift ${(await gifts()).id}`))
})

test('a pause that a gift made opens nothing once the gift was refunded, even where pauses stay open', async (t) => {
  const pauses = { 'membership.providers.stripe.pause': { max_days: 30, access: 'open' } }
  const opened = await open(t, allPlans, pauses)
  const { fake, arrive, isOpen } = opened
  const { visitor } = await buy(opened, 'ann@example.com', {
    path: '/membership/subscribe/pro',
    price: 'price_month',
  })
  await arrive()
  await buy(opened, 'ann@example.com', {
    path: '/membership/payment',
    product: 'price_gift',
    visitor,
  } as never)
  await arrive()
  const paid = fake.objects.list('payment_intent').find(({ amount }) => amount === 9000)!
  await fake.refund(paid.id as string)
  await arrive()
  t.true(await isOpen('ann@example.com', 'pro'), 'the paid month')
  await fake.advance({ months: 1, days: 1 })
  await arrive()
  t.false(await isOpen('ann@example.com', 'pro'), 'nothing pays for these months')
})

test('the pay link of a membership that ended unpaid never says that everything is paid', async (t) => {
  const opened = await open(t)
  const { fake, site, mailbox, arrive } = opened
  await buy(opened, 'ann@example.com')
  await arrive()
  fake.useCard(fake.objects.list('customer')[0]!.id as string, '4000000000000341')
  await fake.advance({ months: 1, ms: 2 * 3_600_000 })
  await arrive()
  const mail = mailbox.of('ann@example.com', 'payment-failed').at(-1)!.text
  t.regex(mail, /It ends sooner if the\s+payment is given up/)
  const [link] = /\/membership\/pay\/\S+/.exec(mail)!
  await fake.advance({ days: 9 })
  await arrive()
  const page = await (await fetch(`${site}${link}`)).text()
  t.false(page.includes('Everything is paid'))
  t.regex(page, /Continue to payment|ended because it was not paid/)
})
