import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { createMembership, isMembershipError, type MembershipOptions } from '../../../src/index.ts'
import { createClock, signed } from '../../../src/testkit/index.ts'
import { allDatabases, freshDatabase } from '../../support/databases.ts'
import { secret } from '../../support/host.ts'
import {
  chargeObject,
  customerObject,
  invoiceObject,
  start,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from '../../support/stripe-events.ts'

const begin = new Date(start * 1000)
function dayOf(n: number) {
  return new Date(start * 1000 + n * 86_400_000).toISOString()
}

async function open(t: ExecutionContext, options: MembershipOptions = {}) {
  const clock = createClock(begin)
  const m = await createMembership({
    ...(options['membership.database.url'] ? {} : await freshDatabase()),
    'membership.providers.stripe.webhook': secret,
    'membership.providers.stripe.plans': { pro: { opens: ['course'], prices: ['price_gold'] } },
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: () => {},
    now: clock.now,
    identify: ({ headers }) => {
      const id = headers.get('x-user')
      return id === null ? null : { member: id }
    },
    ...options,
  })
  t.teardown(() => m.close())
  const send = (type: string, object: Record<string, unknown>, day: number) =>
    m.webhooks.receive(
      'stripe',
      signed('stripe', stripeEvent(type, object, { created: start + day * 86_400 }), {
        secret,
        now: clock.now(),
      }),
    )
  return { m, clock, send }
}

async function serve(t: ExecutionContext, app: Koa): Promise<string> {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('content opens after fourteen days of a gift, and says when before that', async (t) => {
  const { m, clock } = await open(t)
  const app = new Koa()
  app.silent = true
  app.use(m.koa())
  app.use(m.gate('course', { after: '14d' }))
  app.use((ctx) => {
    ctx.body = 'Lesson two.'
  })
  const site = await serve(t, app)
  const { id } = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.users.grant({ memberId: id, gate: 'pro' })
  const ask = (accept: string) => fetch(site, { headers: { 'x-user': id, accept } })
  clock.advance({ days: 4 })
  const problem = await (await ask('application/json')).json()
  t.like(problem, { code: 'ERR_GATED', opens_at: dayOf(14) })
  const page = await ask('text/html')
  t.is(page.status, 403)
  t.regex(await page.text(), /This page opens for you on 15 March\./)
  const view = await m.viewOf(await m.users.findById(id))
  t.like(view.paidTime('course'), { days: 4, is_running: true })
  t.true(view.allows('course'))
  t.false(view.allows('course', { after: '14d' }))
  t.true(view.allows('course', { after: 4 }))
  t.like(view.user()?.explain('course', { after: '14d' }), {
    open: false,
    reason: 'grant',
    opens_at: dayOf(14),
  })
  t.deepEqual(view.user()?.whyClosed('course', { after: '14d' })?.code, 'opens_later')
  clock.advance({ days: 10 })
  t.is(await (await ask('text/html')).text(), 'Lesson two.')
  t.true((await m.guard('course', { after: '14d' })(view)).allowed === false, 'a view is as of its loading')
  const error = t.throws(() => view.allows('course', { after: 'soon' as '1d' }))
  t.true(isMembershipError(error, 'ERR_USAGE'))
  t.deepEqual((await m.viewOf(null)).paidTime('course'), { seconds: 0, days: 0, is_running: false })
})

test('the account that is kept has the time of both', async (t) => {
  const { m, clock } = await open(t)
  const [ann, other] = await Promise.all(
    ['ann', 'other'].map((name) => m.users.create({ email: `${name}@example.com`, verified: true })),
  )
  await m.users.grant({ memberId: other!.id, gate: 'pro', expiresAt: dayOf(10) })
  clock.advance({ days: 10 })
  await m.users.grant({ memberId: ann!.id, gate: 'pro' })
  clock.advance({ days: 5 })
  t.is((await m.users.findById(ann!.id))?.paidTime('pro').days, 5)
  await m.users.merge({ keep: ann!.id, merge: other!.id, by: 'op', write: true })
  t.is((await m.users.findById(ann!.id))?.paidTime('pro').days, 15)
  clock.advance({ days: 2 })
  await m.users.unmerge({ merged: other!.id, by: 'op' })
  t.is((await m.users.findById(ann!.id))?.paidTime('pro').days, 7, 'her own, with the days as one')
  t.is((await m.users.findById(other!.id))?.paidTime('pro').days, 10)
})

test('seats and gifts count for whoever has them, before a merge, in it and after it', async (t) => {
  const { m, clock } = await open(t)
  const [ann, other] = await Promise.all(
    ['ann', 'other'].map((name) => m.users.create({ email: `${name}@example.com`, verified: true })),
  )
  const days = async (id: string) => (await m.users.findById(id))?.paidTime('pro').days
  const [gift] = await m.gifts.create({ plan: 'pro', months: 1, count: 1 })
  await m.gifts.redeem({ code: gift!.code, user: (await m.users.findById(other!.id))! })
  clock.advance({ days: 6 })
  await m.users.merge({ keep: ann!.id, merge: other!.id, by: 'op', write: true })
  clock.advance({ days: 3 })
  t.is(await days(ann!.id), 9)
  await m.users.unmerge({ merged: other!.id, by: 'op' })
  clock.advance({ days: 1 })
  t.is(await days(ann!.id), 0, 'the gift is the other account’s again')
  t.is(await days(other!.id), 10)
})

for (const makeDatabases of allDatabases) {
  const name = makeDatabases.name.replace('Databases', '')
  let databases: Awaited<ReturnType<typeof makeDatabases>>
  test.before(`${name} is there`, async () => {
    databases = await makeDatabases()
  })
  test.after.always(`${name} goes`, () => databases?.close())

  test(`${name}: a pause is remembered after it, also where its messages arrive late and twice`, async (t) => {
    const { m, clock, send } = await open(t, { 'membership.database.url': await databases.url() })
    const items = {
      data: [subscriptionItem({ current_period_start: start, current_period_end: start + 31 * 86_400 })],
    }
    const active = subscriptionObject({ items })
    const paused = subscriptionObject({ items, status: 'paused' })
    await send('customer.created', customerObject(), 0)
    await send('customer.subscription.created', active, 0)
    await send('invoice.paid', invoiceObject(), 0)
    await send('charge.succeeded', chargeObject(), 0)
    clock.advance({ days: 20 })
    const days = async () => {
      const { members } = await m.users.list()
      return (await m.users.findById(members[0]!.id))?.paidTime('course').days
    }
    const pauses = () => m.storage.read((db) => db.selectFrom('subscriptions').select('pauses'))
    t.is(await days(), 20)
    await send('customer.subscription.updated', paused, 5)
    t.is(await days(), 5)
    await send('customer.subscription.updated', active, 15)
    await send('customer.subscription.updated', active, 16)
    t.deepEqual(await pauses(), [{ pauses: `${dayOf(5)}/${dayOf(15)}` }])
    t.is(await days(), 10)
    // Messages from before the pause and from within it arrive now.
    await send('customer.subscription.updated', active, 3)
    await send('customer.subscription.updated', paused, 9)
    t.is(await days(), 10)
    clock.advance({ days: 2 })
    t.is(await days(), 12)
  })
}
