import { Paddle } from '@paddle/paddle-node-sdk'
import test, { type ExecutionContext } from 'ava'
import { bareProvider } from '../../../src/providers/bare.ts'
import { paddle as definition } from '../../../src/providers/paddle/index.ts'
import { createFakeServer, providerContract } from '../../../src/testkit/index.ts'
import { choose, memberOf, openSellingSite, passing, purchase } from '../../support/selling-site.ts'
import { createVisitor } from '../../support/visitor.ts'
import { paddle } from './selling.ts'

const ann = 'ann@example.com'

async function openFake(t: ExecutionContext) {
  const fake = await createFakeServer('paddle', { seed: 1, start: new Date('2026-01-15T12:00:00Z') })
  t.teardown(fake.close)
  fake.addPrice({
    id: 'pri_month',
    product: 'pro_1',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  fake.addPrice({ id: 'pri_book', unit_amount: 1900, currency: 'eur' })
  // An unknown environment is taken for an address.
  const sdk = new Paddle(fake.secret, { environment: fake.url as never })
  return { fake, sdk }
}

test('Paddle’s own package sells, changes, pauses, ends and refunds with the fake server', async (t) => {
  const { fake, sdk } = await openFake(t)
  const opened = await sdk.transactions.create({
    items: [{ priceId: 'pri_month', quantity: 1 }],
    customData: { note: 'x' },
  })
  t.is(opened.status, 'draft')
  t.is(opened.checkout?.url, `${fake.url}/pay?_ptxn=${opened.id}`)
  await fake.pay(opened.id, { email: ann })
  const paid = await sdk.transactions.get(opened.id)
  t.is(paid.status, 'completed')
  t.is(paid.details?.totals?.grandTotal, '900')
  const id = paid.subscriptionId!
  const subscription = await sdk.subscriptions.get(id)
  t.is(subscription.status, 'active')
  t.deepEqual(subscription.customData, { note: 'x' }, 'copied from the transaction')
  const preview = await sdk.subscriptions.previewUpdate(id, {
    items: [{ priceId: 'pri_month', quantity: 2 }],
    prorationBillingMode: 'prorated_immediately',
  })
  t.is(preview.updateSummary?.result.amount, '900')
  const more = await sdk.subscriptions.update(id, {
    items: [{ priceId: 'pri_month', quantity: 2 }],
    prorationBillingMode: 'prorated_immediately',
  })
  t.is(more.items[0]?.quantity, 2)
  const pausing = await sdk.subscriptions.pause(id, {})
  t.is(pausing.scheduledChange?.action, 'pause')
  t.is((await sdk.subscriptions.update(id, { scheduledChange: null })).scheduledChange, null)
  const refund = await sdk.adjustments.create({
    action: 'refund',
    transactionId: opened.id,
    reason: 'asked',
    type: 'partial',
    items: [{ itemId: paid.details!.lineItems[0]!.id, type: 'partial', amount: '300' }],
  })
  t.is(refund.totals.total, '300')
  t.is((await sdk.subscriptions.cancel(id, { effectiveFrom: 'immediately' })).status, 'canceled')
  const events = await sdk.events.list().next()
  t.is(events.length, fake.events().length)
  const prices = await sdk.prices.list({ include: ['product'] }).next()
  t.deepEqual(
    prices.map((price) => price.id),
    ['pri_month', 'pri_book'],
  )
  await t.throwsAsync(sdk.subscriptions.get('sub_none'), { message: /not found/ })
})

test('the fake server’s events pass the provider contract', async (t) => {
  const { fake, sdk } = await openFake(t)
  // A page that nobody has paid on says nothing.
  const customData = { membership_intent: 'intent-1' }
  const opened = await sdk.transactions.create({ items: [{ priceId: 'pri_month', quantity: 1 }], customData })
  await fake.pay(opened.id, { email: ann })
  fake.refund(opened.id, 100)
  await fake.advance({ months: 1, days: 1 })
  const isNews = ({ event_type, data }: Record<string, unknown>) =>
    !/^(product|price)\./.test(String(event_type)) && (data as { status?: string }).status !== 'draft'
  const events = fake.events().filter(isNews)
  for (const check of providerContract(definition, { events }))
    await t.notThrowsAsync(async () => check.run(), check.title)
})

test('with a browser token the buyer pays on a page of the site, which shows no closed or foreign checkout', async (t) => {
  const opened = await openSellingSite(t, {
    ...paddle,
    settings: () => ({ client_token: 'test_"><script>' }),
  })
  const { fake, site } = opened
  const visitor = createVisitor(site)
  const first = await choose(opened, 'pro', visitor)
  t.true(first.url.startsWith(`${site}/membership/paddle/subscribe/${first.intentId}?_ptxn=txn_`), first.url)
  const page = await visitor.get(first.url.slice(site.length))
  t.is(page.status, 200)
  t.true(page.text.includes(`data-success="/membership/subscribe/${first.intentId}"`), page.text)
  t.true(page.text.includes('data-test="yes"'))
  t.false(page.text.includes('test_"><script>'))
  t.is(page.headers.get('cache-control'), 'private, no-store')

  const other = await choose(opened, 'team', visitor)
  t.is((await visitor.get(first.url.slice(site.length))).location, `/membership/subscribe/${first.intentId}`)
  const mixed = `/membership/paddle/subscribe/${first.intentId}?_ptxn=${other.checkout}`
  t.is((await visitor.get(mixed)).status, 404)
  t.is((await visitor.get(`/membership/paddle/subscribe/${first.intentId}`)).status, 404)
  await fake.pay(other.checkout, { email: ann })
  await passing(fake)
  t.is((await visitor.get(other.url.slice(site.length))).location, `/membership/subscribe/${other.intentId}`)
  t.regex(
    (await visitor.get('/membership/paddle/pay?_ptxn=txn_x')).text,
    /data-success="\/membership\/account"/,
  )
})

test('opening pages of unknown checkouts uses up the caller’s minute, not the site’s limit at Paddle', async (t) => {
  const { fake, site } = await openSellingSite(
    t,
    { ...paddle, settings: () => ({ client_token: 'test_1' }) },
    { 'membership.ratelimit.limit': 5 },
  )
  const statuses: number[] = []
  // The catalogue is refreshed meanwhile.
  const asked = () => fake.requests().filter(({ path }) => path.startsWith('/transactions/')).length
  const before = asked()
  for (let n = 0; n < 8; n++)
    statuses.push((await fetch(`${site}/membership/paddle/payment/x${n}?_ptxn=txn_${n}`)).status)
  t.deepEqual(statuses, [404, 404, 404, 404, 404, 429, 429, 429])
  t.is(asked() - before, 5)
})

test('an unknown or invalid id is null; a rejected key is an error without the key', async (t) => {
  const { provider, fake } = await openSellingSite(t, paddle)
  for (const [kind, id] of [
    ['customer', 'membership_doctor'],
    ['customer', 'ctm_none'],
    ['subscription', '../customers'],
    ['payment', 'txn_none'],
    ['checkout', 'txn_none'],
    ['refund', 'adj_none'],
    ['dispute', 'txn_none'],
  ] as const)
    t.is(await provider().fetch!({ kind, id }), null, `${kind} ${id}`)
  const other = bareProvider(definition, { secret: 'pdl_sdbx_apikey_do_not_print', api_base: fake.url })
  const error = await t.throwsAsync(other.fetch!({ kind: 'customer', id: 'ctm_none' }))
  t.regex(error?.message ?? '', /status 403/)
  t.notRegex(JSON.stringify([error?.message, (error as { action?: string }).action]), /do_not_print/)
})

test('free days belong to Paddle’s price: if the site’s differ, nobody is sent to pay', async (t) => {
  const { prices } = paddle
  const priced = { id: 'pri_trial', amount: 900, currency: 'EUR', interval: 'month', trial_days: 14 }
  const opened = await openSellingSite(t, {
    ...paddle,
    settings: () => ({
      plans: {
        pro: { group: 'membership', trial: 'once', prices: [priced] },
        team: { prices: [{ ...priced, id: prices.team, amount: 2500, trial_days: 7 }] },
      },
    }),
  })
  const { m, fake, site } = opened
  fake.addPrice({
    id: 'pri_trial',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
    trial_days: 14,
  })
  const { visitor, id } = await purchase(opened, ann)
  t.like((await memberOf(m, ann)).subscriptions()[0], { on_trial: true, status: 'trialing' })
  t.deepEqual(paddle.moved(fake).charged, [0])
  await passing(fake)
  t.is((await visitor.send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
  await fake.deliver()
  const again = await visitor.send('/membership/subscribe/pro')
  t.is(again.status, 409, again.text)
  t.regex(again.json.detail, /has a trial of 14 days at Paddle, and this purchase has one of 0/)
  const without = await createVisitor(site).send('/membership/subscribe/team')
  t.regex(without.json.detail, /has a trial of 0 days at Paddle, and this purchase has one of 7/)
})

test('a member buys as the customer of their own address, whatever they type; that customer’s later purchases are the owner’s', async (t) => {
  const opened = await openSellingSite(t, paddle)
  const { m, fake } = opened
  const buyAs = async (email: string) => {
    await m.users.create({ email, verified: true })
    const visitor = await opened.visitorOf(email)
    const { checkout, back } = await choose(opened, 'pro', visitor)
    await fake.pay(checkout, { email: ann })
    await passing(fake)
    await visitor.get(back)
    await fake.deliver()
  }
  // Before she has bought anything, and after.
  await buyAs('eve@example.com')
  const { id } = await purchase(opened, ann)
  await buyAs('mallory@example.com')
  const has = async (email: string) =>
    (await memberOf(m, email)).subscriptions().map((subscription) => subscription.id)
  t.deepEqual(await has(ann), [id])
  for (const email of ['eve@example.com', 'mallory@example.com']) t.is((await has(email)).length, 1, email)
  const created = fake.events().filter(({ event_type }) => event_type === 'customer.created')
  t.is(created.length, 3)
})
