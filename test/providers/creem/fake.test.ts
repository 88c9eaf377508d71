import test, { type ExecutionContext } from 'ava'
import { bareProvider } from '../../../src/providers/bare.ts'
import { creem as definition } from '../../../src/providers/creem/index.ts'
import { toSubscriptionData } from '../../../src/providers/creem/subscription.ts'
import { providerContract } from '../../../src/testkit/index.ts'
import { choose, memberOf, openSellingSite, passing, purchase } from '../../support/selling-site.ts'
import { createVisitor } from '../../support/visitor.ts'
import { creem } from './selling.ts'

const ann = 'ann@example.com'

function open(t: ExecutionContext, settings: Readonly<Record<string, unknown>> = {}) {
  return openSellingSite(t, { ...creem, settings: () => settings })
}

function post(
  { fake }: Awaited<ReturnType<typeof open>>,
  path: string,
  body: Record<string, unknown>,
): Promise<Response> {
  return fetch(`${fake.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': fake.secret },
    body: JSON.stringify(body),
  })
}

test('the fake server’s events pass the provider contract', async (t) => {
  const opened = await open(t)
  const { fake } = opened
  await purchase(opened, ann)
  await purchase(opened, 'ben@example.com', 'book')
  const [first, second] = fake.books.list('charge')
  fake.refund(first!.id)
  fake.dispute(second!.id)
  await fake.advance({ months: 1, days: 1 })
  const events = fake.events()
  t.true(events.some(({ eventType }) => eventType === 'dispute.created'))
  for (const check of providerContract(definition, { events }))
    await t.notThrowsAsync(async () => check.run(), check.title)
})

test('a stranger’s note on their own page opens nothing, and neither does a cheaper page', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  await m.users.create({ email: ann, verified: true })
  const visitor = await opened.visitorOf(ann)
  const { intentId, back } = await choose(opened, 'team', visitor)
  for (const product of ['prod_team', 'prod_month']) {
    const answer = await post(opened, 'checkouts', {
      product_id: product,
      metadata: { membership_intent: intentId },
      request_id: intentId,
    })
    const { id } = (await answer.json()) as { id: string }
    await fake.pay(id, { email: `eve-${product}@example.com` })
    await passing(fake)
    await fake.deliver()
    t.is((await visitor.get(back, { accept: 'application/json' })).json.status, 'open', product)
  }
  t.deepEqual((await memberOf(m, ann)).subscriptions(), [])
  t.false((await memberOf(m, 'eve-prod_month@example.com')).hasGate('team' as never))
})

test('another product in another quantity is one change, and a declined payment makes none', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  fake.useCard(creem.customerOf(fake, ann), '4000000000000341')
  await passing(fake)
  const refused = await visitor.send(`/membership/change/${id}`, { plan: 'team', quantity: '3' })
  t.is(refused.status, 402, refused.text)
  fake.useCard(creem.customerOf(fake, ann), '4242424242424242')
  await passing(fake)
  const changed = await visitor.send(`/membership/change/${id}`, { plan: 'team', quantity: '3' })
  t.is(changed.status, 200, changed.text)
  t.like((await memberOf(m, ann)).subscriptions()[0], { price_id: 'prod_team', quantity: 3 })
  const { charged } = creem.moved(fake)
  t.is(charged.length, 2)
  const asked = fake.requests().filter(({ method, path }) => method === 'POST' && path.endsWith(id))
  t.deepEqual(
    asked.map(({ status }) => status),
    [400, 200],
  )
})

test('a pause made at Creem closes access after the paid month, and ends there', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  const { id } = await purchase(opened, ann)
  await passing(fake)
  t.is((await post(opened, `subscriptions/${id}/pause`, {})).status, 200)
  await fake.deliver()
  t.true((await memberOf(m, ann)).hasGate('pro' as never), 'the month is paid')
  await fake.advance({ days: 40 })
  await fake.deliver()
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
  const visitor = await opened.visitorOf(ann)
  const resumed = await visitor.send(`/membership/resume/${id}`)
  t.is(resumed.json.code, 'ERR_PROVIDER_UNSUPPORTED', resumed.text)
  await passing(fake)
  await post(opened, `subscriptions/${id}/resume`, {})
  await fake.deliver()
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
})

test('a pause begins after the days that are paid, and not after a period whose charge failed', (t) => {
  const april = {
    current_period_start_date: '2026-04-01T00:00:00.000Z',
    current_period_end_date: '2026-05-01T00:00:00.000Z',
  }
  const transaction = (fields: Record<string, unknown>) => ({
    id: 'tran_2',
    period_start: Date.parse('2026-04-01T00:00:00Z'),
    period_end: Date.parse('2026-05-01T00:00:00Z'),
    ...fields,
  })
  const beginning = (last: Record<string, unknown> | undefined) =>
    toSubscriptionData({ id: 'sub_1', status: 'paused', ...april, last_transaction: last } as never, false)
      ?.paused_at
  t.is(beginning(transaction({ status: 'paid' })), '2026-05-01T00:00:00.000Z')
  t.is(beginning(transaction({ status: 'declined' })), '2026-04-01T00:00:00.000Z')
  const march = { id: 'tran_1', period_end: Date.parse('2026-04-01T00:00:00Z') }
  t.is(beginning(transaction({ ...march, status: 'paid' })), '2026-04-01T00:00:00.000Z', 'April is not paid')
  t.is(beginning(undefined), '2026-05-01T00:00:00.000Z', 'a trial, or a message that names no charge')
})

test('an unpaid, finished period is past due when fetched, whatever its status', async (t) => {
  const { provider, fake } = await open(t)
  const opened = await open(t)
  const { id } = await purchase(opened, ann)
  const before = await opened.provider().fetch!({ kind: 'subscription', id })
  const statusIn = (fetched: typeof before) =>
    fetched?.changes.flatMap((change) => (change.type === 'subscription' ? [change.data.status] : []))
  t.deepEqual(statusIn(before), ['active'])
  // Nobody has tried to charge yet.
  Object.assign(opened.fake.books.find('subscription', id)!.items[0]!, { end: 1_768_000_000 })
  t.deepEqual(statusIn(await opened.provider().fetch!({ kind: 'subscription', id })), ['past_due'])
  t.is(await provider().fetch!({ kind: 'subscription', id: 'sub_none' }), null)
  t.truthy(fake)
})

test('an unknown object is null; a rejected key is an error without the key', async (t) => {
  const { provider, fake } = await open(t)
  for (const [kind, id] of [
    ['customer', 'membership_doctor'],
    ['subscription', '../customers'],
    ['payment', 'tran_none'],
    ['checkout', 'ch_none'],
    ['refund', 'ref_none'],
    ['dispute', 'disp_none'],
  ] as const)
    t.is(await provider().fetch!({ kind, id }), null, `${kind} ${id}`)
  const other = bareProvider(definition, { secret: 'creem_test_do_not_print', api_base: fake.url })
  const error = await t.throwsAsync(other.fetch!({ kind: 'customer', id: 'cust_none' }))
  t.regex(error?.message ?? '', /status 403/)
  t.notRegex(JSON.stringify([error?.message, (error as { action?: string }).action]), /do_not_print/)
})

test('products are read with their price; a buyer with an earlier trial gets no other', async (t) => {
  const trial = { id: 'prod_trial', amount: 900, currency: 'EUR', interval: 'month', trial_days: 14 }
  const opened = await open(t, { plans: { pro: { group: 'membership', trial: 'once', prices: [trial] } } })
  const { m, fake, provider } = opened
  fake.addPrice({
    id: 'prod_trial',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
    trial_days: 14,
  })
  t.like(
    (await provider().prices!()).find(({ id }) => id === 'prod_trial'),
    { type: 'recurring', amount: 900, currency: 'EUR', interval: 'month', interval_count: 1, active: true },
  )
  const { visitor, id } = await purchase(opened, ann)
  t.like((await memberOf(m, ann)).subscriptions()[0], { on_trial: true })
  await passing(fake)
  t.is((await visitor.send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
  await fake.deliver()
  const again = await visitor.send('/membership/subscribe/pro')
  t.regex(again.json.detail, /has a trial of 14 days at Creem, and this purchase has one of 0/, again.text)
})

test('cards and open payments are managed in the portal; invoices are the payments', async (t) => {
  const opened = await open(t)
  const { m, fake, site } = opened
  const { visitor } = await purchase(opened, ann)
  const portal = await visitor.send('/membership/portal')
  t.is(portal.json.url, `${fake.url}/portal/${creem.customerOf(fake, ann)}`, portal.text)
  const bills = await m.invoices.list({ user: await memberOf(m, ann) })
  t.is(bills.length, 1)
  t.like(bills[0], { status: 'paid', total: 900, amount_paid: 900, currency: 'EUR' })
  fake.addCoupon({ percent_off: 50, code: 'HALF' })
  const begun = await choose(opened, 'pro', createVisitor(site), { code: 'HALF' })
  await fake.pay(begun.checkout, { email: 'ben@example.com' })
  t.deepEqual(creem.moved(fake).charged, [900, 450])
})
