import test, { type ExecutionContext } from 'ava'
import { type SubscriptionData, toSubscription } from '../../../src/core/dto/index.ts'
import { step } from '../../../src/core/storage/index.ts'
import type { FakeServer } from '../../../src/fakes/engine/index.ts'
import type { Membership } from '../../../src/index.ts'
import { planLeaving, type SwitchKind, targetOf } from '../../../src/memberships/switching/plan.ts'
import { chargebee } from '../../providers/chargebee/selling.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import { polar } from '../../providers/polar/selling.ts'
import type { SellingCase } from '../../providers/selling-case.ts'
import { stripe } from '../../providers/stripe/selling.ts'
import { choose, memberOf, openSellingSite, passing } from '../../support/selling-site.ts'
import { createMailbox, createVisitor, logIn, prove, type Visitor } from '../../support/visitor.ts'

const fromTo = { from: 'stripe', to: 'paddle' }

async function openBoth(t: ExecutionContext, sellingCase: SellingCase = stripe, other: SellingCase = paddle) {
  const mailbox = createMailbox()
  const options = {
    'membership.provider.choices': [sellingCase.key as 'stripe', other.key as 'stripe'],
    ...mailbox.options,
  }
  const opened = await openSellingSite(t, sellingCase, options, {}, [other])
  const at: Record<string, FakeServer> = { [sellingCase.key]: opened.fakes[0], [other.key]: opened.fakes[1]! }
  /** Time goes on at both, and all messages arrive. */
  const later = async (by: Parameters<FakeServer['advance']>[0]) => {
    for (const fake of Object.values(at)) {
      await fake.advance(by)
      await fake.deliver()
    }
    await opened.m.runDueJobs()
  }
  const buyAt = async (
    sellingCase: SellingCase,
    email: string,
    visitor: Visitor = createVisitor(opened.site),
  ) => {
    const { checkout, back } = await choose({ sellingCase, site: opened.site }, 'pro', visitor, {
      provider: sellingCase.key,
    })
    await at[sellingCase.key]!.pay(checkout, { email })
    for (const fake of Object.values(at)) await passing(fake)
    await visitor.get(back)
    await at[sellingCase.key]!.deliver()
    await opened.m.runDueJobs()
    await prove(opened.m, visitor)
    return visitor
  }
  const opens = async (email: string) => (await memberOf(opened.m, email)).hasGate('pro' as never)
  const charged = () => [
    sellingCase.moved(at[sellingCase.key]!).charged.length,
    other.moved(at[other.key]!).charged.length,
  ]
  return { ...opened, mailbox, at, later, buyAt, opens, charged }
}

async function kinds(m: Membership, result: Awaited<ReturnType<Membership['operator']['switch']>>) {
  return Object.fromEntries(
    await Promise.all(
      result.subscriptions.map(async ({ kind, memberId }) => [
        (await m.users.findById(memberId ?? ''))?.email?.split('@')[0] ?? 'nobody',
        kind,
      ]),
    ),
  )
}

test('members keep their paid time, then continue at the other provider without paying twice', async (t) => {
  const { m, later, buyAt, opens, charged } = await openBoth(t)
  const ann = await buyAt(stripe, 'ann@example.com')
  for (const email of ['ben@example.com', 'cleo@example.com', 'dan@example.com']) await buyAt(stripe, email)
  const cleo = await memberOf(m, 'cleo@example.com')
  await m.subscriptions.cancel({
    user: cleo,
    subscriptionId: cleo.subscriptions()[0]!.id,
    when: 'period_end',
  })
  await later({ ms: 5000 })

  const plan = await m.operator.switch(fromTo)
  t.deepEqual(await kinds(m, plan), { ann: 'checkout', ben: 'checkout', cleo: 'ends', dan: 'checkout' })
  const until = plan.subscriptions[0]!.until!
  t.deepEqual(await m.storage.read((db) => db.selectFrom('switches').selectAll()), [], 'nothing is begun')
  t.false((await memberOf(m, 'ann@example.com')).subscriptions()[0]!.cancel_at_period_end)

  const done = await m.operator.switch({ ...fromTo, write: true })
  t.deepEqual(await kinds(m, done), { ann: 'ending', ben: 'ending', cleo: 'ends', dan: 'ending' })
  t.deepEqual(
    await kinds(m, await m.operator.switch({ ...fromTo, write: true })),
    await kinds(m, done),
    'again is the same',
  )
  t.like((await memberOf(m, 'ann@example.com')).subscriptions()[0], { cancel_at_period_end: true })
  const tooEarly = await ann.send('/membership/subscribe/pro', { provider: 'paddle' })
  t.is(tooEarly.json.code, 'ERR_CHECKOUT_REFUSED', 'nobody pays twice for the same days')

  // Dan wants to stay; that is his to decide.
  await later({ ms: 5000 })
  const dan = await memberOf(m, 'dan@example.com')
  await m.subscriptions.resume({ user: dan, subscriptionId: dan.subscriptions()[0]!.id })
  await later(new Date(Date.parse(until) - 3_600_000))
  for (const name of ['ann', 'ben', 'cleo', 'dan'])
    t.true(await opens(`${name}@example.com`), `${name}, to the last hour`)
  t.deepEqual(charged(), [4, 0])

  await later({ ms: 2 * 3_600_000 })
  t.deepEqual(await Promise.all(['ann', 'ben', 'dan'].map((name) => opens(`${name}@example.com`))), [
    false,
    false,
    true,
  ])
  await buyAt(paddle, 'ann@example.com', ann)
  t.true(await opens('ann@example.com'))
  const after = await m.operator.switch({ ...fromTo, write: true })
  t.like(await kinds(m, after), { ann: 'moved', ben: 'gone', dan: 'back' })
  t.deepEqual(charged(), [5, 1], 'ann once at each, dan’s renewal')
  t.false(
    (await memberOf(m, 'dan@example.com')).subscriptions()[0]!.cancel_at_period_end,
    'he is not asked again',
  )
})

test('seats, their shared count and the rest of a gift go on at the other provider', async (t) => {
  const withOffers = (sellingCase: SellingCase): SellingCase => ({
    ...sellingCase,
    settings: (fake) => ({
      ...sellingCase.settings?.(fake),
      plans: {
        pro: {
          group: 'membership',
          seats: 3,
          limits: { exports: { amount: 5, every: 'year', shared: true } },
          prices: [{ id: sellingCase.prices.month, amount: 900, currency: 'EUR', interval: 'month' }],
        },
      },
    }),
  })
  const [here, there] = [withOffers(stripe), withOffers(paddle)]
  const { m, site, mailbox, later, buyAt, opens } = await openBoth(t, here, there)
  const ann = await buyAt(here, 'ann@example.com')
  const dan = await buyAt(here, 'dan@example.com')
  const id = (await memberOf(m, 'ann@example.com')).subscriptions()[0]!.id
  await m.teams.invite({ subscriptionId: id, email: 'ben@example.com' })
  await m.runDueJobs()
  await m.users.create({ email: 'ben@example.com', verified: true })
  const ben = await logIn({ m, site }, mailbox, 'ben@example.com')
  const [mail] = mailbox.of('ben@example.com', 'group-invitation')
  t.is((await ben.send(/\/membership\/join\/\S+/.exec(mail!.text)![0])).status, 200)
  await m.limits.use((await memberOf(m, 'ann@example.com')).id, 'exports' as never, 2)

  const { subscriptions } = await m.operator.switch({ ...fromTo, write: true })
  await later({ ms: 5000 })
  const { code } = (await m.gifts.create({ plan: 'pro', months: 1, count: 1 }))[0]!
  t.is((await dan.send('/membership/redeem', { code })).status, 200)
  await later(new Date(Date.parse(subscriptions[0]!.until!) + 3_600_000))
  t.false(await opens('ben@example.com'), 'nothing is paid')
  t.true(await opens('dan@example.com'), 'the gift follows what was paid')
  for (const [visitor, email] of [
    [ann, 'ann@example.com'],
    [dan, 'dan@example.com'],
  ] as const)
    await buyAt(there, email, visitor)
  await later({ ms: 5000 })
  t.like((await memberOf(m, 'ben@example.com')).explain('pro' as never), { open: true, reason: 'seat' })
  t.is((await memberOf(m, 'ben@example.com')).limit('exports' as never).left, 3, 'the count goes on')

  const second = await memberOf(m, 'dan@example.com')
  t.is(second.explain('pro' as never).reason, 'subscription')
  const live = second.subscriptions().find((s) => !s.ended)!
  await m.subscriptions.cancel({ user: second, subscriptionId: live.id, when: 'period_end' })
  await later({ days: 32 })
  await later({ days: 1 })
  t.is((await memberOf(m, 'dan@example.com')).explain('pro' as never).reason, 'gift', 'its rest')
  await later({ days: 32 })
  t.false(await opens('dan@example.com'))
})

test('an interrupted switch continues, and a begun one can be undone', async (t) => {
  const { m, fakes, later, buyAt, charged, mailbox } = await openBoth(t)
  for (const email of ['ann@example.com', 'ben@example.com', 'cleo@example.com']) await buyAt(stripe, email)
  const finish = new AbortController()
  const stopped = await m.operator.switch({
    ...fromTo,
    write: true,
    finish: finish.signal,
    onProgress: () => finish.abort(),
  })
  t.false(stopped.isWhole)
  t.is(stopped.subscriptions.length, 1)

  // One dies when it has written what it is about to do.
  const { commit } = m.storage
  Object.assign(m.storage, {
    commit: async (...unit: Parameters<typeof commit>) => {
      await commit(...unit)
      if (unit[0].some(({ statement }) => statement.name === 'switch-begin')) throw new Error('killed')
    },
  })
  const died = await m.operator.switch({ ...fromTo, write: true })
  t.is(died.subscriptions.filter(({ kind }) => kind === 'failed').length, 2)
  Object.assign(m.storage, { commit })
  const states = async () =>
    (await m.storage.read((db) => db.selectFrom('switches').select('state').orderBy('id'))).map(
      ({ state }) => state,
    )
  t.deepEqual((await states()).sort(), ['asked', 'asked', 'ending'])
  const end = fakes[0]!.outage({ kind: '503' })
  const away = await m.operator.switch({ ...fromTo, write: true })
  end()
  t.deepEqual(Object.values(await kinds(m, away)).sort(), ['ending', 'failed', 'failed'])
  t.deepEqual((await states()).sort(), ['asked', 'asked', 'ending'], 'nothing is lost or given up')
  const done = await m.operator.switch({ ...fromTo, write: true })
  t.deepEqual(Object.values(await kinds(m, done)), ['ending', 'ending', 'ending'])

  await later({ ms: 5000 })
  const back = await m.operator.switch({ ...fromTo, undo: true })
  t.deepEqual(Object.values(await kinds(m, back)), ['stopped', 'stopped', 'stopped'])
  for (const name of ['ann', 'ben', 'cleo'])
    t.false((await memberOf(m, `${name}@example.com`)).subscriptions()[0]!.cancel_at_period_end)
  for (let n = 0; n < 3; n++) await later({ ms: 30_000 })
  t.true(mailbox.of('ann@example.com', 'switching').length > 0)
  t.deepEqual(mailbox.of('ann@example.com', 'changed'), [], 'one mail says that it continues')
  const again = await m.operator.switch({ ...fromTo, write: true })
  t.deepEqual(Object.values(await kinds(m, again)), ['ending', 'ending', 'ending'], 'and begun anew')
  t.like((await memberOf(m, 'ann@example.com')).subscriptions()[0], { cancel_at_period_end: true })
  t.deepEqual(charged(), [3, 0])
})

test('an end that the member may have wanted is never undone', async (t) => {
  const { m, later, buyAt } = await openBoth(t)
  await buyAt(stripe, 'ann@example.com')
  const ann = await memberOf(m, 'ann@example.com')
  const { commit } = m.storage
  Object.assign(m.storage, {
    commit: async (...unit: Parameters<typeof commit>) => {
      await commit(...unit)
      if (unit[0].some(({ statement }) => statement.name === 'switch-begin')) throw new Error('killed')
    },
  })
  await m.operator.switch({ ...fromTo, write: true })
  Object.assign(m.storage, { commit })
  await m.subscriptions.cancel({ user: ann, subscriptionId: ann.subscriptions()[0]!.id, when: 'period_end' })
  await later({ ms: 5000 })
  t.deepEqual(await kinds(m, await m.operator.switch({ ...fromTo, write: true })), { ann: 'unsure' })
  t.deepEqual(await kinds(m, await m.operator.switch({ ...fromTo, undo: true })), { ann: 'unsure' })
  t.true((await memberOf(m, 'ann@example.com')).subscriptions()[0]!.cancel_at_period_end)
})

test('an end with a lost answer is ours by Stripe’s log, unless somebody changed it since', async (t) => {
  const { m, later, mailbox, buyAt } = await openBoth(t)
  for (const email of ['ann@example.com', 'ben@example.com']) await buyAt(stripe, email)
  const { commit } = m.storage
  Object.assign(m.storage, {
    commit: async (...unit: Parameters<typeof commit>) => {
      if (unit[0].some(({ statement }) => statement.name === 'switch-become')) throw new Error('killed')
      await commit(...unit)
    },
  })
  const died = await m.operator.switch({ ...fromTo, write: true })
  t.deepEqual(await kinds(m, died), { ann: 'failed', ben: 'failed' })
  Object.assign(m.storage, { commit })
  await later({ ms: 5000 })
  // Ben goes on, and then ends it by himself.
  const ben = () => memberOf(m, 'ben@example.com')
  const { id } = (await ben()).subscriptions()[0]!
  await m.subscriptions.resume({ user: await ben(), subscriptionId: id })
  await later({ ms: 5000 })
  await m.subscriptions.cancel({ user: await ben(), subscriptionId: id, when: 'period_end' })
  await later({ ms: 5000 })
  mailbox.sent.length = 0
  const after = { ann: 'ending', ben: 'unsure' }
  t.deepEqual(await kinds(m, await m.operator.switch({ ...fromTo, write: true })), after)
  t.deepEqual(await kinds(m, await m.operator.switch({ ...fromTo, write: true })), after)
  await m.runDueJobs()
  t.is(mailbox.sent.filter(({ to }) => to === 'ann@example.com').length, 1, 'told once')
  const back = await m.operator.switch({ ...fromTo, undo: true })
  t.deepEqual(await kinds(m, back), { ann: 'stopped', ben: 'unsure' })
})

/** Kills the process after the provider's answer, before it is written. */
function dieBeforeCommit(m: Membership) {
  const { commit } = m.storage
  const die = async (...unit: Parameters<typeof commit>) => {
    if (unit[0].some(({ statement }) => statement.name === 'switch-become')) throw new Error('killed')
    await commit(...unit)
  }
  Object.assign(m.storage, { commit: die })
  return () => Object.assign(m.storage, { commit })
}

test('a switch is undone even if its answer was lost, and nobody is told to buy again meanwhile', async (t) => {
  const { m, later, buyAt } = await openBoth(t)
  const visitor: Record<string, Visitor> = {}
  for (const name of ['ann', 'ben', 'cleo']) visitor[name] = await buyAt(stripe, `${name}@example.com`)
  const restart = dieBeforeCommit(m)
  await m.operator.switch({ ...fromTo, write: true })
  restart()
  await later({ ms: 5000 })
  // Ben goes on, and then ends it by himself; Cleo goes on and stays.
  for (const name of ['ben', 'cleo']) {
    const user = await memberOf(m, `${name}@example.com`)
    await m.subscriptions.resume({ user, subscriptionId: user.subscriptions()[0]!.id })
  }
  await later({ ms: 5000 })
  const ben = await memberOf(m, 'ben@example.com')
  await m.subscriptions.cancel({ user: ben, subscriptionId: ben.subscriptions()[0]!.id, when: 'period_end' })
  await later({ ms: 5000 })
  const page = async (name: string) =>
    (await visitor[name]!.get('/membership/switch', { accept: 'application/json' })).json.memberships
  for (const name of ['ann', 'ben', 'cleo']) t.deepEqual(await page(name), [], name)
  const undone = await m.operator.switch({ ...fromTo, undo: true })
  t.deepEqual(await kinds(m, undone), { ann: 'stopped', ben: 'unsure', cleo: 'stopped' })
  await later({ ms: 5000 })
  const ends = async (name: string) =>
    (await memberOf(m, `${name}@example.com`)).subscriptions()[0]!.cancel_at_period_end
  t.deepEqual([await ends('ann'), await ends('ben'), await ends('cleo')], [false, true, false])
  const again = await m.operator.switch({ ...fromTo, write: true })
  t.deepEqual(await kinds(m, again), { ann: 'ending', ben: 'unsure', cleo: 'ending' }, 'and begun anew')
})

test('an end that arrives after another process undid the switch is undone too', async (t) => {
  const { m, later, buyAt } = await openBoth(t)
  await buyAt(stripe, 'ann@example.com')
  const { commit } = m.storage
  let undone: Awaited<ReturnType<Membership['operator']['switch']>> | null = null
  Object.assign(m.storage, {
    commit: async (...unit: Parameters<typeof commit>) => {
      await commit(...unit)
      if (!unit[0].some(({ statement }) => statement.name === 'switch-begin')) return
      Object.assign(m.storage, { commit })
      undone = await m.operator.switch({ ...fromTo, undo: true })
    },
  })
  t.deepEqual(await kinds(m, await m.operator.switch({ ...fromTo, write: true })), { ann: 'stopped' })
  t.deepEqual(await kinds(m, undone!), { ann: 'stopped' })
  await later({ ms: 5000 })
  t.false((await memberOf(m, 'ann@example.com')).subscriptions()[0]!.cancel_at_period_end)
})

test('members who undid the end are not told to buy again', async (t) => {
  const { m, later, buyAt } = await openBoth(t)
  const ann = await buyAt(stripe, 'ann@example.com')
  await m.operator.switch({ ...fromTo, write: true })
  await later({ ms: 5000 })
  const page = async () =>
    (await ann.get('/membership/switch', { accept: 'application/json' })).json.memberships.length
  t.is(await page(), 1)
  const user = await memberOf(m, 'ann@example.com')
  await m.subscriptions.resume({ user, subscriptionId: user.subscriptions()[0]!.id })
  await later({ ms: 5000 })
  t.is(await page(), 0)
})

test('a switch to a provider that sells nothing here is refused', async (t) => {
  const { m } = await openSellingSite(t, stripe, {}, {}, [paddle])
  await t.throwsAsync(m.operator.switch(fromTo), { code: 'ERR_USAGE', message: /not sold through paddle/ })
  await t.throwsAsync(m.operator.switch({ from: 'acme', to: 'stripe' }), { code: 'ERR_PROVIDER_UNKNOWN' })
})

const back = { from: 'paddle', to: 'stripe' }

test('a mail tells the member what to do by when, and a purchase before the old end charges no day twice', async (t) => {
  const { m, site, later, buyAt, opens, charged, mailbox } = await openBoth(t)
  const ann = await buyAt(paddle, 'ann@example.com')
  const ben = await buyAt(paddle, 'ben@example.com')
  const german = m.storage.prepare<{ id: string }>('test-german', (db, p) =>
    db.updateTable('members').set({ language: 'de' }).where('id', '=', p.id),
  )
  await m.storage.commit([step(german, { id: (await memberOf(m, 'ben@example.com')).id })])
  await later({ ms: 3 * dayMs })
  const { id } = await memberOf(m, 'ann@example.com')
  const done = await m.operator.switch({ ...back, write: true })
  const until = done.subscriptions.find(({ memberId }) => memberId === id)!.until!
  await later({ ms: 5000 })
  const [mail, ...more] = mailbox.of('ann@example.com', 'switching')
  t.deepEqual(more, [])
  t.regex(mail!.text, /15 February 2026[\s\S]*You\s+can\s+do\s+that\s+now[\s\S]*\/membership\/switch/)
  t.regex(mailbox.of('ben@example.com', 'switching')[0]!.text, /15\. Februar 2026[\s\S]*ab\s+sofort/)
  t.deepEqual(mailbox.of('ann@example.com', 'cancellation'), [], 'it is no cancellation of theirs')

  const stranger = await createVisitor(site).get('/membership/switch')
  t.is(stranger.location, '/membership/login?redirect=%2Fmembership%2Fswitch')
  const page = await ann.get('/membership/switch', { accept: 'text/html' })
  t.regex(page.text, /you are not charged before that day[\s\S]*action="\/membership\/subscribe\/pro"/)
  const inGerman = await ann.get('/membership/switch', { accept: 'text/html', 'accept-language': 'de' })
  t.regex(inGerman.text, /<h2>[^<]*, monatlich<\/h2>/)
  t.like((await ann.get('/membership/switch', { accept: 'application/json' })).json, {
    memberships: [{ plan: 'pro', price: stripe.prices.month, until, sold_now: true, bought: false }],
  })
  await buyAt(stripe, 'ann@example.com', ann)
  t.deepEqual(charged(), [0, 2], 'nothing was charged at the new one')
  const bought = (await memberOf(m, 'ann@example.com')).subscriptions().find((s) => s.provider === 'stripe')!
  t.is(bought.trial_ends_at, until, 'its first payment is due when the old one ends')
  t.like((await ann.get('/membership/switch', { accept: 'application/json' })).json, {
    memberships: [{ bought: true }],
  })
  t.is((await ann.send('/membership/subscribe/pro')).json.code, 'ERR_CHECKOUT_REFUSED', 'not a third one')
  await later({ ms: dayMs })
  t.is((await memberOf(m, 'ann@example.com')).subscriptions().filter(({ ended }) => !ended).length, 2)
  t.deepEqual(mailbox.of('ann@example.com', 'bought-twice'), [])
  t.deepEqual(mailbox.of('ann@example.com', 'trial-ended'), [], 'it is no second trial')

  // What would be paid twice is not taken back, by whoever asks.
  const old = (await memberOf(m, 'ann@example.com')).subscriptions().find((s) => s.provider === 'paddle')!
  t.is((await ann.send(`/membership/resume/${old.id}`)).json.code, 'ERR_ACTION_REFUSED')
  t.deepEqual(await kinds(m, await m.operator.switch({ ...back, undo: true })), {
    ann: 'bought',
    ben: 'stopped',
  })
  await later({ ms: 5000 })
  t.regex(mailbox.of('ben@example.com', 'switching')[1]!.text, /geht\s+weiter\s+wie\s+bisher/)
  t.is((await ben.get('/membership/switch', { accept: 'application/json' })).json.memberships.length, 0)

  for (const hours of [-1, 1]) {
    await later(new Date(Date.parse(until) + hours * 3_600_000))
    t.true(await opens('ann@example.com'), `${hours} h`)
  }
  await later({ ms: dayMs })
  t.true(await opens('ann@example.com'))
  t.deepEqual(charged(), [1, 3], 'ann at the new one when the old one was over; ben stayed')
  t.like(await kinds(m, await m.operator.switch(back)), { ann: 'moved' })
})

test('two days before the end, the first payment at the new provider waits until after it', async (t) => {
  const { m, later, buyAt, charged } = await openBoth(t)
  const ann = await buyAt(paddle, 'ann@example.com')
  const [found] = (await m.operator.switch({ ...back, write: true })).subscriptions
  const end = Date.parse(found!.until!)
  await later(new Date(end - 30 * 3_600_000))
  await buyAt(stripe, 'ann@example.com', ann)
  const bought = (await memberOf(m, 'ann@example.com')).subscriptions().find((s) => s.provider === 'stripe')!
  t.true(Date.parse(bought.trial_ends_at!) >= end, 'not before')
  t.true(Date.parse(bought.trial_ends_at!) < end + dayMs, 'and less than a day after')
  t.deepEqual(charged(), [0, 1])
})

for (const sellingCase of [polar, chargebee])
  test(`an early purchase at ${sellingCase.key} is charged at the old end, not before`, async (t) => {
    const { m, later, buyAt, opens, charged } = await openBoth(t, sellingCase, stripe)
    const ann = await buyAt(stripe, 'ann@example.com')
    await later({ ms: 3 * dayMs })
    const request = { from: 'stripe', to: sellingCase.key, write: true }
    const until = (await m.operator.switch(request)).subscriptions[0]!.until!
    await buyAt(sellingCase, 'ann@example.com', ann)
    await later(new Date(Date.parse(until) - 1000))
    t.deepEqual(charged(), [0, 1])
    t.true(await opens('ann@example.com'))
    await later({ ms: dayMs + 3_600_000 })
    t.deepEqual(charged(), [1, 1])
    t.true(await opens('ann@example.com'))
  })

test('a table of prices maps old to new ones, and unsold names are refused', async (t) => {
  const { m, buyAt } = await openBoth(t)
  const ann = await buyAt(paddle, 'ann@example.com')
  const prices = { [paddle.prices.month]: stripe.prices.team }
  const plan = await m.operator.switch({ ...back, prices })
  t.deepEqual(plan.subscriptions[0]!.target, { plan: 'team', price: stripe.prices.team })
  await m.operator.switch({ ...back, prices, write: true })
  t.like((await m.operator.switch(back)).subscriptions[0], {
    kind: 'ending',
    target: { plan: 'team', price: stripe.prices.team },
  })
  const { json } = await ann.get('/membership/switch', { accept: 'application/json' })
  t.like(json.memberships[0], { plan: 'team', price: stripe.prices.team })
  for (const wrong of [{ pri_nowhere: stripe.prices.team }, { [paddle.prices.month]: 'price_nowhere' }])
    await t.throwsAsync(m.operator.switch({ ...back, prices: wrong }), {
      code: 'ERR_USAGE',
      message: /has the price ".*_nowhere"/,
    })
})

function data(over: Partial<SubscriptionData>) {
  return toSubscription({
    id: 'sub_1',
    provider: 'stripe',
    account: '',
    customer_id: 'cus_1',
    status: 'active',
    price_id: 'price_month',
    items: [],
    quantity: 1,
    currency: 'EUR',
    unit_amount: 900,
    interval: 'month',
    interval_count: 1,
    started_at: '2026-01-01T00:00:00.000Z',
    trial_ends_at: null,
    current_period_start: '2026-01-01T00:00:00.000Z',
    current_period_end: '2026-02-01T00:00:00.000Z',
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    paused_at: null,
    resumes_at: null,
    past_due_since: null,
    livemode: false,
    metadata: {},
    updated_at: '2026-01-01T00:00:00.000Z',
    ...over,
  } as SubscriptionData)
}

// The table of docs/reference/what-happens-switching.md, from its first row to its last.
const table: readonly [SwitchKind, Partial<SubscriptionData>, Partial<Parameters<typeof planLeaving>[0]>][] =
  [
    ['checkout', {}, {}],
    ['checkout', { status: 'trialing', trial_ends_at: '2026-01-20T00:00:00.000Z' }, {}],
    ['ending', { cancel_at_period_end: true }, { state: 'ending' }],
    ['bought', { cancel_at_period_end: true }, { state: 'ending', hasMoved: true }],
    ['bought', { cancel_at_period_end: true }, { state: 'unsure', hasMoved: true }],
    ['moved', { status: 'canceled' }, { state: 'ending', hasMoved: true }],
    ['gone', { status: 'canceled' }, { state: 'ending' }],
    ['back', {}, { state: 'ending' }],
    ['twice', {}, { state: 'ending', hasMoved: true }],
    ['ends', { cancel_at_period_end: true }, {}],
    ['ends', { cancel_at: '2026-01-20T00:00:00.000Z' }, {}],
    ['unsure', { cancel_at_period_end: true }, { state: 'unsure' }],
    ['due', { status: 'past_due' }, {}],
    ['due', { status: 'unpaid' }, {}],
    ['paused', { status: 'paused' }, {}],
    ['paused', { paused_at: '2026-02-01T00:00:00.000Z' }, {}],
    ['unsold', {}, { target: null }],
    ['endless', { current_period_end: null }, {}],
    ['endless', { current_period_end: '2026-01-09T00:00:00.000Z' }, {}],
    ['nobody', {}, { memberId: null }],
  ]

test('each subscription is of one kind, and is paid until the provider’s moment', (t) => {
  for (const [kind, over, known] of table) {
    const found = planLeaving({
      subscription: data(over),
      memberId: 'm1',
      state: null,
      target: { plan: 'pro', price: null },
      hasMoved: false,
      now: new Date('2026-01-10T00:00:00.000Z'),
      ...known,
    })
    t.is(found.kind, kind, JSON.stringify([over, known]))
    if (kind === 'checkout')
      t.is(found.until, over.trial_ends_at ?? '2026-02-01T00:00:00.000Z', 'a trial until its own end')
  }
  t.is(new Set(table.map(([kind]) => kind)).size, 14, 'every kind')
})

test('the replacement is the named price, else the one with the same plan and interval', (t) => {
  const price = (id: string, interval: 'month' | 'year', over = {}) => ({
    id,
    plan: 'pro',
    provider: 'x',
    type: 'recurring' as const,
    currency: 'EUR',
    amount: 900,
    interval,
    interval_count: 1,
    trial_days: null,
    trial_amount: null,
    label: null,
    lookup_key: null,
    retired: false,
    ...over,
  })
  const plan = (id: string, ...prices: ReturnType<typeof price>[]) => ({
    id,
    provider: 'x',
    name: id,
    description: null,
    lines: [],
    features: [],
    prices,
  })
  const from = [plan('pro', price('price_month', 'month'), price('price_year', 'year'))]
  const target = (to: typeof from, prices = {}) => targetOf(data({}), { from, to, prices })
  const both = [plan('pro', price('m', 'month'), price('y', 'year'))]
  t.deepEqual(target(both), { plan: 'pro', price: 'm' })
  t.deepEqual(target(both, { price_month: 'y' }), { plan: 'pro', price: 'y' })
  t.deepEqual(target([plan('pro', price('y', 'year'))]), { plan: 'pro', price: 'y' }, 'the only one')
  t.deepEqual(target([plan('pro', price('m', 'month'), price('n', 'month'))]), { plan: 'pro', price: null })
  t.is(target([plan('gold', price('m', 'month'))]), null)
  t.is(target([plan('pro', price('m', 'month', { retired: true }))]), null, 'sold no more')
  t.deepEqual(target([plan('gold', price('g', 'month'))], { price_month: 'g' }), { plan: 'gold', price: 'g' })
})

const dayMs = 86_400_000
