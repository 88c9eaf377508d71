import test from 'ava'
import { createMembership } from '../../../src/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import { createFetch, createMollieApi } from '../../../src/providers/mollie/api.ts'
import { mollie } from '../../../src/providers/mollie/index.ts'
import { listAll } from '../../../src/providers/mollie/list.ts'
import { webhookUrl } from '../../../src/providers/mollie/terms.ts'
import { askedByDoctor } from '../../support/doctor.ts'
import { holdings, takeIn } from '../../support/holdings.ts'
import { createVisitor } from '../../support/visitor.ts'
import { ask, charged, choose, memberOf, openMollieSite, passing, purchase, settled } from './site.ts'

const ann = 'ann@example.com'
const json = { accept: 'application/json' }

test('a buyer who returns before any ping has access, and one subscription that charges from the next period', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake, visitorOf } = opened
  const visitor = await visitorOf(ann)
  const { payment, back } = await choose(visitor, 'pro')
  t.is((await visitor.get(back, json)).json.status, 'open')
  await fake.pay(payment)
  await passing(fake)
  t.is((await visitor.get(back, json)).json.status, 'paid')
  t.true((await memberOf(m, ann)).hasGate('pro' as never), 'before the ping')
  await settled(opened)
  await visitor.get(back)
  await settled(opened)
  const [subscription, ...more] = (await memberOf(m, ann)).subscriptions()
  t.is(more.length, 0)
  t.like(subscription, {
    status: 'active',
    price_id: 'pro',
    quantity: 1,
    unit_amount: 900,
    interval: 'month',
    current_period_end: '2026-02-15T00:00:00.000Z',
  })
  t.like((await memberOf(m, ann)).payments()[0], {
    subscription_id: subscription!.id,
    amount: 900,
    status: 'paid',
  })
  const { _embedded } = await ask(opened, '/subscriptions')
  t.is(_embedded.subscriptions.length, 1)
  t.deepEqual(await charged(opened), ['9.00'])
  const provider = bareProvider(mollie, { secret: fake.secret, api_base: `${fake.url}/v2` })
  t.is(
    await askedByDoctor(m, provider, fake.now()),
    `ok: mollie answers, accepts the API key, and knows subscription ${subscription!.id}.`,
  )
})

test('a buyer who pays and closes the page becomes a member by the ping alone', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake, visitorOf } = opened
  const visitor = await visitorOf(ann)
  const { payment, back } = await choose(visitor, 'pro')
  await fake.pay(payment)
  await settled(opened)
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  t.is((await visitor.get(back, json)).json.status, 'paid')
  const book = await choose(visitor, 'book')
  await fake.pay(book.payment)
  await settled(opened)
  t.true((await memberOf(m, ann)).hasGate('book' as never))
  t.is((await ask(opened, '/subscriptions'))._embedded.subscriptions.length, 1)
})

test('a buyer becomes a member even without any ping', async (t) => {
  const opened = await openMollieSite(t, {}, { chaos: { drop: 1 } })
  const { m, fake, visitorOf } = opened
  const { payment } = await choose(await visitorOf(ann), 'pro')
  await fake.pay(payment)
  for (let minutes = 0; minutes < 30; minutes += 5) {
    await m.runDueJobs()
    await fake.advance({ ms: 5 * 60_000 })
  }
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
})

test('an unpaid page opens nothing, and another choice cancels it', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake, visitorOf } = opened
  const visitor = await visitorOf(ann)
  const first = await choose(visitor, 'pro')
  t.is((await choose(visitor, 'pro')).url, first.url)
  const second = await choose(visitor, 'team')
  t.not(second.url, first.url)
  t.is((await ask(opened, `/payments/${first.payment}`)).status, 'canceled')
  await fake.advance({ days: 1 })
  await settled(opened)
  t.is((await ask(opened, `/payments/${second.payment}`)).status, 'expired')
  t.is((await visitor.get(second.back, json)).json.status, 'failed')
  t.deepEqual((await memberOf(m, ann)).subscriptions(), [])
})

test('nobody buys without an address, because Mollie asks for none', async (t) => {
  const opened = await openMollieSite(t)
  const answer = await createVisitor(opened.site).send('/membership/subscribe/pro')
  t.is(answer.json?.code ?? answer.json?.error?.code, 'ERR_LOGIN_REQUIRED', answer.text)
  t.deepEqual(opened.fake.requests(), [])
})

for (const sends of ['classic', 'events', 'simple events'] as const)
  test(`renewals are charged and reported, by ${sends}`, async (t) => {
    const opened = await openMollieSite(t, {}, { sends })
    const { m, fake } = opened
    await purchase(opened, ann)
    await fake.advance({ months: 2, days: 1 })
    await settled(opened)
    const member = await memberOf(m, ann)
    t.like(member.subscriptions()[0], { status: 'active', current_period_end: '2026-04-15T00:00:00.000Z' })
    t.deepEqual(await charged(opened), ['9.00', '9.00', '9.00'])
    t.deepEqual(
      member.payments().map((p) => [p.subscription_id, p.purpose, p.status]),
      Array.from({ length: 3 }, () => [member.subscriptions()[0]!.id, 'recurring', 'paid']),
    )
  })

test('a failed renewal is past due, and is paid manually on a page', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake, visitorOf } = opened
  const { id } = await purchase(opened, ann)
  const customer = (await ask(opened, '/customers'))._embedded.customers[0].id
  fake.useCard(customer, '4000000000000341')
  await fake.advance({ months: 1, days: 1 })
  await settled(opened)
  t.is((await memberOf(m, ann)).subscriptions()[0]?.status, 'past_due')
  const visitor = await visitorOf(ann)
  const renewed = await visitor.send(`/membership/renew/${id}`)
  const again = await visitor.send(`/membership/renew/${id}`)
  t.is(again.json.url, renewed.json.url, 'one page, however often it is asked for')
  await fake.pay(new URL(renewed.json.url).pathname.split('/').at(-1)!)
  await settled(opened)
  t.like((await memberOf(m, ann)).subscriptions()[0], { id, status: 'active' })
  await fake.advance({ months: 1 })
  await settled(opened)
  t.deepEqual(await charged(opened), ['9.00', '9.00', '9.00'], 'and goes on with what was shown')
  t.is((await memberOf(m, ann)).subscriptions()[0]?.status, 'active')
})

test('a charged-back renewal ends its access', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake } = opened
  await purchase(opened, ann)
  await fake.advance({ months: 1, days: 1 })
  await settled(opened)
  const [renewal] = (await ask(opened, '/payments'))._embedded.payments
  const dispute = fake.dispute(renewal.id)
  await settled(opened)
  t.is((await memberOf(m, ann)).subscriptions()[0]?.status, 'past_due')
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
  fake.closeDispute(String(dispute.id), 'won')
  await settled(opened)
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
})

test('a cancellation at the end stops charges and keeps access until then; an immediate one closes it', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  const cancelled = await visitor.send(`/membership/cancel/${id}`)
  t.is(cancelled.status, 200, cancelled.text)
  t.like((await memberOf(m, ann)).subscriptions()[0], {
    on_grace_period: true,
    cancel_at: '2026-02-15T00:00:00.000Z',
  })
  t.is(
    (await visitor.send(`/membership/renew/${id}`)).json?.code ?? 'ERR_PROVIDER_UNSUPPORTED',
    'ERR_PROVIDER_UNSUPPORTED',
  )
  await fake.advance({ days: 29 })
  await settled(opened)
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  await fake.advance({ months: 2 })
  await settled(opened)
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
  t.deepEqual(await charged(opened), ['9.00'])

  const other = await purchase(opened, 'ben@example.com')
  const ended = await other.visitor.send(`/membership/cancel/${other.id}`, { when: 'now' })
  t.is(ended.json.subscription?.status, 'canceled', ended.text)
  await settled(opened)
  t.false((await memberOf(m, 'ben@example.com')).hasGate('pro' as never))
})

test('cancelling during a debit keeps the time that it pays for, but not after its return', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake, visitorOf } = opened
  const { id } = await purchase(opened, ann)
  const [{ id: customer }] = (await ask(opened, '/customers'))._embedded.customers
  fake.useCard(customer, 'DE62370400440532013001')
  await fake.advance({ months: 1, ms: 60_000 })
  await settled(opened)
  t.is((await memberOf(m, ann)).subscriptions()[0]?.status, 'active', 'the bank has days')
  const visitor = await visitorOf(ann)
  t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  await fake.advance({ days: 6 })
  await settled(opened)
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
})

test('a charge for a change counts only for that change', async (t) => {
  const opened = await openMollieSite(t)
  const { fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  await fake.advance({ days: 10 })
  const change = async (fields: Record<string, string>) => {
    const answer = await visitor.send(`/membership/change/${id}`, fields)
    await settled(opened)
    return answer.status
  }
  t.is(await change({ plan: 'team' }), 200)
  t.is(await change({ plan: 'pro' }), 200)
  t.is(await change({ plan: 'team' }), 200, 'back to what is paid')
  t.deepEqual(await charged(opened), ['9.00', '10.58'])
  const { metadata } = (await ask(opened, '/subscriptions'))._embedded.subscriptions[0]
  t.is(metadata.membership_price, 'team')
})

test('a charge whose change was lost is not repeated', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  await fake.advance({ days: 10 })
  const [subscription] = (await ask(opened, '/subscriptions'))._embedded.subscriptions
  await ask(opened, `/customers/${subscription.customerId}/payments`, 'POST', {
    amount: { value: '10.58', currency: 'EUR' },
    description: 'Pro',
    sequenceType: 'recurring',
    metadata: { membership_subscription: id, membership_change: 'team 1 2026-02-15' },
  })
  const answer = await visitor.send(`/membership/change/${id}`, { plan: 'team' })
  t.is(answer.status, 200, answer.text)
  await settled(opened)
  t.like((await memberOf(m, ann)).subscriptions()[0], { price_id: 'team' })
  t.deepEqual(await charged(opened), ['9.00', '10.58'])
})

test('a dearer price is first charged for the rest of the period; a declined charge changes nothing', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  const [{ id: customer }] = (await ask(opened, '/customers'))._embedded.customers
  await fake.advance({ days: 10 })
  fake.useCard(customer, '4000000000000341')
  const declined = await visitor.send(`/membership/change/${id}`, { plan: 'team' })
  t.is(declined.status, 402, declined.text)
  await settled(opened)
  t.like((await memberOf(m, ann)).subscriptions()[0], { price_id: 'pro', status: 'active' })
  t.false((await memberOf(m, ann)).hasGate('team' as never))
  fake.useCard(customer, '4242424242424242')
  await passing(fake)
  const preview = await visitor.send(`/membership/invoice/${id}`, { plan: 'team' })
  t.is(preview.status, 200, preview.text)
  // From midnight to midnight, 20.5 of 31 days are left but for a minute: 16.00 × 0.661.
  t.is(preview.json.amount_due, 1058)
  const changed = await visitor.send(`/membership/change/${id}`, {
    plan: 'team',
    proration_at: preview.json.proration_at,
  })
  t.is(changed.status, 200, changed.text)
  t.true((await memberOf(m, ann)).hasGate('team' as never), 'before the ping')
  t.deepEqual(await charged(opened), ['9.00', '10.58'])
  await fake.advance({ months: 1 })
  await settled(opened)
  t.deepEqual(await charged(opened), ['9.00', '10.58', '25.00'])
  const bought = (await memberOf(m, ann)).payments().map(({ amount, price_id }) => [amount, price_id])
  t.deepEqual(
    new Map(bought as [number, string][]),
    new Map([
      [2500, 'team'],
      [1058, 'team'],
      [900, 'pro'],
    ]),
  )
  const begun = await m.storage.read((db) =>
    db.selectFrom('facts').select('id').where('kind', '=', 'checkout'),
  )
  t.is(begun.length, 1, 'a charge by itself is no page')
})

test('a cheaper price refunds nothing and applies from the next charge', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann, 'team')
  const changed = await visitor.send(`/membership/change/${id}`, { plan: 'pro' })
  t.is(changed.status, 200, changed.text)
  await fake.advance({ days: 20 })
  await settled(opened)
  t.true((await memberOf(m, ann)).hasGate('team' as never))
  await fake.advance({ days: 12 })
  await settled(opened)
  t.false((await memberOf(m, ann)).hasGate('team' as never))
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  t.deepEqual(await charged(opened), ['25.00', '9.00'])
})

test('a quantity is sold and changed as one amount', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann, 'pro', { quantity: '2' })
  t.like((await memberOf(m, ann)).subscriptions()[0], { quantity: 2, unit_amount: 900 })
  const more = await visitor.send(`/membership/change/${id}`, { quantity: '3' })
  t.is(more.status, 200, more.text)
  await fake.advance({ months: 1, days: 1 })
  await settled(opened)
  t.like((await memberOf(m, ann)).subscriptions()[0], { quantity: 3, unit_amount: 900 })
  t.is((await charged(opened)).at(-1), '27.00')
})

test('a trial charges a cent, opens at once, and is charged at its end', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake } = opened
  await purchase(opened, ann, 'tried')
  t.like((await memberOf(m, ann)).subscriptions()[0], {
    status: 'trialing',
    trial_ends_at: '2026-01-29T00:00:00.000Z',
  })
  t.true((await memberOf(m, ann)).hasGate('tried' as never))
  await fake.advance({ days: 15 })
  await settled(opened)
  t.like((await memberOf(m, ann)).subscriptions()[0], { status: 'active' })
  t.deepEqual(await charged(opened), ['0.01', '7.00'])
})

test('a refund happens once, however often it is requested', async (t) => {
  const opened = await openMollieSite(t)
  const { m } = opened
  await purchase(opened, ann, 'book')
  const payment = (await memberOf(m, ann)).payments()[0]!
  const wish = { payment, amount: 500, key: 'ticket 7' }
  await Promise.all([m.payments.refund(wish), m.payments.refund(wish)])
  await settled(opened)
  await m.payments.refund(wish)
  t.like((await memberOf(m, ann)).payments()[0], { amount_refunded: 500, status: 'partially_refunded' })
  await m.payments.refund({ payment: (await memberOf(m, ann)).payments()[0]! })
  await settled(opened)
  t.like((await memberOf(m, ann)).payments()[0], { amount_refunded: 1900, status: 'refunded' })
  t.false((await memberOf(m, ann)).hasGate('book' as never))
  t.is((await ask(opened, '/refunds'))._embedded.refunds.length, 2)
})

for (const kind of ['500', 'reset', 'after'] as const)
  test(`nothing is sold, begun, charged or ended twice when a call is answered by ${kind}`, async (t) => {
    const opened = await openMollieSite(t)
    const { m, fake, visitorOf } = opened
    const visitor = await visitorOf(ann)
    const failing = async <T>(act: () => Promise<T>): Promise<T> => {
      const end = fake.outage({ kind, requests: 1 })
      const done = await act()
      end()
      await passing(fake)
      return done
    }
    await failing(() => visitor.send('/membership/subscribe/pro'))
    const { payment, back } = await choose(visitor, 'pro')
    await fake.pay(payment)
    await passing(fake)
    await failing(() => visitor.get(back))
    await settled(opened)
    const { id } = (await memberOf(m, ann)).subscriptions()[0]!
    await fake.advance({ days: 10 })
    await failing(() => visitor.send(`/membership/change/${id}`, { plan: 'team' }))
    await visitor.send(`/membership/change/${id}`, { plan: 'team' })
    await failing(() => visitor.send(`/membership/cancel/${id}`))
    await visitor.send(`/membership/cancel/${id}`)
    await settled(opened)
    t.like((await memberOf(m, ann)).subscriptions()[0], { price_id: 'team', on_grace_period: true })
    t.is((await ask(opened, '/subscriptions'))._embedded.subscriptions.length, 1)
    t.deepEqual(await charged(opened), ['9.00', '10.58'])
  })

test('a purchase completed by two processes at once begins one subscription', async (t) => {
  const opened = await openMollieSite(t)
  const { fake, visitorOf } = opened
  const visitor = await visitorOf(ann)
  const { payment, back } = await choose(visitor, 'pro')
  await fake.pay(payment)
  await passing(fake)
  await Promise.all([visitor.get(back), visitor.get(back), settled(opened), opened.m.runDueJobs()])
  // Mollie forgets keys after an hour: what was begun is found by its notes.
  await fake.advance({ days: 1 })
  await visitor.get(back)
  t.is((await ask(opened, '/subscriptions'))._embedded.subscriptions.length, 1)
})

test('a subscription whose creation got no answer is found after Mollie forgot the key', async (t) => {
  const opened = await openMollieSite(t, {}, { chaos: { drop: 1 } })
  const { fake, visitorOf } = opened
  const visitor = await visitorOf(ann)
  const { payment, back } = await choose(visitor, 'pro')
  await fake.pay(payment)
  await passing(fake)
  const end = fake.outage({ kind: 'after' })
  t.is((await visitor.get(back, json)).json.status, 'open')
  end()
  await fake.advance({ ms: 2 * 3_600_000 })
  t.is((await visitor.get(back, json)).json.status, 'paid')
  t.is((await ask(opened, '/subscriptions'))._embedded.subscriptions.length, 1)
})

test('deleting an account stops what the site sold, and leaves what its people sell elsewhere', async (t) => {
  const opened = await openMollieSite(t, {}, { chaos: { drop: 1 } })
  const { m, fake } = opened
  const { visitor } = await purchase(opened, ann)
  const [known] = (await ask(opened, '/subscriptions'))._embedded.subscriptions
  // Made in the dashboard, for something that no plan names.
  await ask(opened, `/customers/${known.customerId}/subscriptions`, 'POST', {
    amount: { value: '3.00', currency: 'EUR' },
    interval: '1 week',
    description: 'Extra',
    startDate: '2026-01-20',
  })
  const deleted = await visitor.send('/membership/account/delete', { confirm: 'delete' })
  t.is(deleted.status, 200, deleted.text)
  await settled(opened)
  await fake.advance({ months: 2 })
  await m.runDueJobs()
  const { subscriptions } = (await ask(opened, '/subscriptions'))._embedded
  t.deepEqual(
    subscriptions.map(({ id, status }: { id: string; status: string }) => [id === known.id, status]),
    [
      [false, 'active'],
      [true, 'canceled'],
    ],
  )
  t.is((await charged(opened)).filter((value: string) => value === '9.00').length, 1)
})

test('filling an empty database from Mollie’s lists gives the state of all pings', async (t) => {
  const opened = await openMollieSite(t)
  const { m, fake } = opened
  const { payment } = await purchase(opened, 'ben@example.com', 'book')
  fake.refund(payment, 700)
  const { visitor, id } = await purchase(opened, ann)
  await fake.advance({ months: 1, days: 1 })
  await settled(opened)
  await visitor.send(`/membership/cancel/${id}`)
  await purchase(opened, 'cleo@example.com', 'tried')
  await settled(opened)
  const listed = await createMembership({ ...opened.options, 'membership.database.url': 'sqlite::memory:' })
  t.teardown(() => listed.close())
  const api = createMollieApi({
    secret: fake.secret,
    apiBase: `${fake.url}/v2`,
    now: () => fake.now(),
  })
  for await (const page of listAll(api, createFetch(api), {}, { pageSize: 2 }))
    await takeIn(listed, 'mollie', page)
  t.deepEqual(await holdings(listed), await holdings(m))
})

test('an address that only this machine can reach is not sent to Mollie, which would refuse it', (t) => {
  for (const site of [
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://192.168.0.7',
    'http://site.test',
    'http://[::1]:80',
  ])
    t.deepEqual(webhookUrl(site), {}, site)
  t.deepEqual(webhookUrl('https://example.com/club'), {
    webhookUrl: 'https://example.com/club/membership/webhooks/mollie',
  })
})
