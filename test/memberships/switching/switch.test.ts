import test, { type ExecutionContext } from 'ava'
import type { Membership } from '../../../src/index.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import type { SellingCase } from '../../providers/selling-case.ts'
import { stripe } from '../../providers/stripe/selling.ts'
import { choose, memberOf, openSellingSite, passing } from '../../support/selling-site.ts'
import { createVisitor, prove, type Visitor } from '../../support/visitor.ts'

const fromTo = { from: 'stripe', to: 'paddle' }

const openBoth = async (t: ExecutionContext) => {
  const options = { 'membership.provider.choices': ['stripe', 'paddle'] }
  const opened = await openSellingSite(t, stripe, options, {}, [paddle])
  const at = { stripe: opened.merchants[0], paddle: opened.merchants[1]! }
  /** Time goes on at both, and all messages arrive. */
  const later = async (by: Parameters<(typeof at)['stripe']['advance']>[0]) => {
    for (const merchant of Object.values(at)) {
      await merchant.advance(by)
      await merchant.deliver()
    }
    await opened.m.work()
  }
  const buyAt = async (one: SellingCase, email: string, visitor: Visitor = createVisitor(opened.site)) => {
    const { checkout, back } = await choose({ one, site: opened.site }, 'pro', visitor, { provider: one.key })
    await at[one.key as keyof typeof at].pay(checkout, { email })
    for (const merchant of Object.values(at)) await passing(merchant)
    await visitor.get(back)
    await at[one.key as keyof typeof at].deliver()
    await opened.m.work()
    await prove(opened.m, visitor)
    return visitor
  }
  const opens = async (email: string) => (await memberOf(opened.m, email)).hasGate('pro' as never)
  const charged = () => [stripe.moved(at.stripe).charged.length, paddle.moved(at.paddle).charged.length]
  return { ...opened, at, later, buyAt, opens, charged }
}

const kinds = async (m: Membership, result: Awaited<ReturnType<Membership['switchProvider']>>) =>
  Object.fromEntries(
    await Promise.all(
      result.subscriptions.map(async ({ kind, memberId }) => [
        (await m.users.findById(memberId ?? ''))?.email?.split('@')[0] ?? 'nobody',
        kind,
      ]),
    ),
  )

test('members keep what they paid until its end, and go on at the other provider without paying twice', async (t) => {
  const { m, later, buyAt, opens, charged } = await openBoth(t)
  const ann = await buyAt(stripe, 'ann@example.com')
  for (const email of ['ben@example.com', 'cleo@example.com', 'dan@example.com']) await buyAt(stripe, email)
  const cleo = await memberOf(m, 'cleo@example.com')
  await m.actions.cancel({ user: cleo, subscriptionId: cleo.subscriptions()[0]!.id, when: 'period_end' })
  await later({ ms: 5000 })

  const plan = await m.switchProvider(fromTo)
  t.deepEqual(await kinds(m, plan), { ann: 'checkout', ben: 'checkout', cleo: 'ends', dan: 'checkout' })
  const until = plan.subscriptions[0]!.until!
  t.deepEqual(await m.storage.read((db) => db.selectFrom('switches').selectAll()), [], 'nothing is begun')
  t.false((await memberOf(m, 'ann@example.com')).subscriptions()[0]!.cancel_at_period_end)

  const done = await m.switchProvider({ ...fromTo, write: true })
  t.deepEqual(await kinds(m, done), { ann: 'ending', ben: 'ending', cleo: 'ends', dan: 'ending' })
  t.deepEqual(
    await kinds(m, await m.switchProvider({ ...fromTo, write: true })),
    await kinds(m, done),
    'again is the same',
  )
  t.like((await memberOf(m, 'ann@example.com')).subscriptions()[0], { cancel_at_period_end: true })
  const tooEarly = await ann.send('/membership/subscribe/pro', { provider: 'paddle' })
  t.is(tooEarly.json.code, 'ERR_CHECKOUT_REFUSED', 'nobody pays twice for the same days')

  // Dan wants to stay; that is his to decide.
  await later({ ms: 5000 })
  const dan = await memberOf(m, 'dan@example.com')
  await m.actions.resume({ user: dan, subscriptionId: dan.subscriptions()[0]!.id })
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
  const after = await m.switchProvider({ ...fromTo, write: true })
  t.like(await kinds(m, after), { ann: 'moved', ben: 'gone', dan: 'back' })
  t.deepEqual(charged(), [5, 1], 'ann once at each, dan’s renewal')
  t.false(
    (await memberOf(m, 'dan@example.com')).subscriptions()[0]!.cancel_at_period_end,
    'he is not asked again',
  )
})

test('a run that is killed or whose provider is away goes on, and what was begun can be taken back', async (t) => {
  const { m, merchants, later, buyAt, charged } = await openBoth(t)
  for (const email of ['ann@example.com', 'ben@example.com', 'cleo@example.com']) await buyAt(stripe, email)
  const finish = new AbortController()
  const stopped = await m.switchProvider({
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
      if (unit[0].some(({ statement }) => statement.name === '9-switch-begin')) throw new Error('killed')
    },
  })
  const died = await m.switchProvider({ ...fromTo, write: true })
  t.is(died.subscriptions.filter(({ kind }) => kind === 'failed').length, 2)
  Object.assign(m.storage, { commit })
  const states = async () =>
    (await m.storage.read((db) => db.selectFrom('switches').select('state').orderBy('id'))).map(
      ({ state }) => state,
    )
  t.deepEqual((await states()).sort(), ['asked', 'asked', 'ending'])
  const end = merchants[0]!.outage({ kind: '503' })
  const away = await m.switchProvider({ ...fromTo, write: true })
  end()
  t.deepEqual(Object.values(await kinds(m, away)).sort(), ['ending', 'failed', 'failed'])
  t.deepEqual((await states()).sort(), ['asked', 'asked', 'ending'], 'nothing is lost or given up')
  const done = await m.switchProvider({ ...fromTo, write: true })
  t.deepEqual(Object.values(await kinds(m, done)), ['ending', 'ending', 'ending'])

  await later({ ms: 5000 })
  const back = await m.switchProvider({ ...fromTo, undo: true })
  t.deepEqual(Object.values(await kinds(m, back)), ['stopped', 'stopped', 'stopped'])
  for (const name of ['ann', 'ben', 'cleo'])
    t.false((await memberOf(m, `${name}@example.com`)).subscriptions()[0]!.cancel_at_period_end)
  await later({ ms: 5000 })
  const again = await m.switchProvider({ ...fromTo, write: true })
  t.deepEqual(Object.values(await kinds(m, again)), ['ending', 'ending', 'ending'], 'and begun anew')
  t.like((await memberOf(m, 'ann@example.com')).subscriptions()[0], { cancel_at_period_end: true })
  t.deepEqual(charged(), [3, 0])
})

test('an end that the member may have wanted is nobody else’s to take back', async (t) => {
  const { m, later, buyAt } = await openBoth(t)
  await buyAt(stripe, 'ann@example.com')
  const ann = await memberOf(m, 'ann@example.com')
  const { commit } = m.storage
  Object.assign(m.storage, {
    commit: async (...unit: Parameters<typeof commit>) => {
      await commit(...unit)
      if (unit[0].some(({ statement }) => statement.name === '9-switch-begin')) throw new Error('killed')
    },
  })
  await m.switchProvider({ ...fromTo, write: true })
  Object.assign(m.storage, { commit })
  await m.actions.cancel({ user: ann, subscriptionId: ann.subscriptions()[0]!.id, when: 'period_end' })
  await later({ ms: 5000 })
  t.deepEqual(await kinds(m, await m.switchProvider({ ...fromTo, write: true })), { ann: 'unsure' })
  t.deepEqual(await kinds(m, await m.switchProvider({ ...fromTo, undo: true })), { ann: 'unsure' })
  t.true((await memberOf(m, 'ann@example.com')).subscriptions()[0]!.cancel_at_period_end)
})

test('a switch to a provider that sells nothing here is refused', async (t) => {
  const { m } = await openSellingSite(t, stripe, {}, {}, [paddle])
  await t.throwsAsync(m.switchProvider(fromTo), { code: 'ERR_USAGE', message: /not sold through paddle/ })
  await t.throwsAsync(m.switchProvider({ from: 'acme', to: 'stripe' }), { code: 'ERR_PROVIDER_UNKNOWN' })
})
