import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import test from 'ava'
import {
  addCustomer,
  attachMethod,
  type FakeServer,
  openCheckout,
  payCheckout,
  saleOf,
  startSubscription,
} from '../../../src/fakes/engine/index.ts'
import type { Membership } from '../../../src/index.ts'
import { countFigures } from '../../../src/office/figures.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import type { SubscriptionChange } from '../../../src/providers/contract.ts'
import { definitions } from '../../../src/testkit/definitions.ts'
import { sellers } from '../../simulation/sellers.ts'
import { openShop } from '../../simulation/year-site.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, buyByLink, createMailbox } from '../../support/visitor.ts'

// One subscription with items of this site and of another shop of the account.

const club = {
  id: 'price_club',
  product: 'prod_club',
  unit_amount: 777,
  currency: 'eur',
  recurring: { interval: 'month' as const },
}

/** Starts a subscription in the dashboard, of these prices in this order. */
function startOf(
  fake: FakeServer,
  { email, prices, currency = 'eur' }: { email: string; prices: readonly string[]; currency?: string },
) {
  return fake.act((world) => {
    const customer = addCustomer(world, { email })
    const method = attachMethod(world, customer.id, '4242424242424242')
    const { id } = startSubscription(world, {
      customer: customer.id,
      currency,
      metadata: {},
      method: method.id,
      items: prices.map((price) => ({ price: world.store.get('price', price), quantity: 1 })),
      trialEnd: null,
      withoutMethod: 'cancel' as const,
      coupon: null,
      code: null,
    })
    return { id, customer: customer.id }
  })
}

function changing(fake: Pick<FakeServer, 'requests'>) {
  return fake.requests().filter(({ method }) => method !== 'GET')
}

async function open(t: Parameters<typeof openStripeSite>[0], more: object = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': { pro: { prices: ['price_month'] } },
    'membership.url': 'https://site.example',
    ...mailbox.options,
    ...more,
  })
  opened.fake.addPrice(club as never)
  return { ...opened, mailbox }
}

async function settle({ m, fake }: { m: Membership; fake: FakeServer }) {
  await fake.deliver({ settle: true })
  await m.runDueJobs()
  await fake.deliver({ settle: true })
  await m.runDueJobs()
}

test('mails, figures and refunds of a subscription of two shops count this site’s item alone', async (t) => {
  const { m, fake, mailbox } = await open(t)
  await m.operator.catalogue.refresh('stripe')
  await startOf(fake, { email: 'ann@example.com', prices: ['price_club', 'price_month'] })
  await settle({ m, fake })

  const ann = (await m.users.findByEmail('ann@example.com'))!
  t.true(ann.hasGate('pro'))
  const [held] = ann.subscriptions()
  t.deepEqual(
    held?.items.map(({ price_id }) => price_id),
    ['price_month'],
  )
  t.like(held, { price_id: 'price_month', unit_amount: 900, currency: 'EUR' })
  const [paid] = ann.payments()
  t.is(paid?.amount, 900, 'the other shop’s 7.77 is not this site’s')
  const texts = mailbox.sent.map(({ subject, text }) => `${subject} ${text}`).join('\n')
  t.regex(texts, /9\.00|€9/)
  t.notRegex(texts, /16\.77|7\.77/)

  const figures = await countFigures({
    storage: m.storage,
    plans: () => m.plans(),
    shopOf: m.operator.catalogue.shop,
    inIso: ({ amount }: { amount: number }) => amount,
    now: () => fake.now(),
  })
  t.deepEqual(figures.recurring, [{ plan: 'pro', currency: 'EUR', amount: 900, count: 1 }])
  t.is(figures.recurringMonths?.at(-1)?.end, 900)
  t.deepEqual(
    figures.byMonth.flatMap(({ plan, received }) => received.map(({ amount }) => [plan, amount])),
    [['pro', 900]],
  )

  // All that a refund gives back is this site's part.
  const { provider, account, id } = paid!
  const over = { payment: { provider, account, id }, amount: 1677 }
  await t.throwsAsync(m.payments.refund(over as never), { code: 'ERR_ACTION_REFUSED' })
  const refunded = await m.payments.refund({ payment: { provider, account, id } } as never)
  t.like(refunded, { status: 'refunded', amount: 900, amount_refunded: 900 })
  t.deepEqual(
    fake.books.list('charge').map(({ refunded: back }) => back),
    [900],
  )
})

test('a deletion removes this site’s item, and the other shop’s goes on', async (t) => {
  const { m, fake } = await open(t)
  const { id } = await startOf(fake, { email: 'ann@example.com', prices: ['price_month', 'price_club'] })
  await settle({ m, fake })
  const ann = (await m.users.findByEmail('ann@example.com'))!
  await fake.advance({ ms: 5000 })
  await m.users.delete(ann.id)
  await settle({ m, fake })

  const left = fake.books.find('subscription', id)!
  t.deepEqual([left.status, left.items.map(({ price }) => price.id)], ['active', ['price_club']])
  t.is((await m.users.findById(ann.id))?.email, null)
  // A year of renewals of the other shop makes nothing here.
  for (let month = 0; month < 3; month++) {
    await fake.advance({ months: 1 })
    await settle({ m, fake })
  }
  t.is(await m.users.findByEmail('ann@example.com'), null)
  const figures = await countFigures({
    storage: m.storage,
    plans: () => m.plans(),
    shopOf: m.operator.catalogue.shop,
    inIso: ({ amount }: { amount: number }) => amount,
    now: () => fake.now(),
  })
  t.deepEqual(figures.recurring, [])
  const since = changing(fake).filter(({ path }) => path.includes(id))
  t.is(since.length, 1, 'one call removed the item, and nothing else was changed')
})

test('a removal that the provider refuses is asked for once, and waits for an operator', async (t) => {
  const asked: string[] = []
  let isRefusing = true
  const inFront = createServer(async (request, response) => {
    const body = await text(request)
    const isRemoval = request.method === 'POST' && body.includes('deleted')
    if (isRemoval) asked.push(body)
    if (isRemoval && isRefusing) {
      response.writeHead(400, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: 'No.' } }))
    }
    const { method, url, headers } = request
    const { authorization = '', 'content-type': type = 'application/x-www-form-urlencoded' } = headers
    const answer = await fetch(`${opened.fake.url}${url}`, {
      method: method!,
      headers: { authorization, 'content-type': type },
      ...(body === '' ? {} : { body }),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  }).listen(0, '127.0.0.1')
  await once(inFront, 'listening')
  t.teardown(() => inFront.close())
  const { port } = inFront.address() as AddressInfo
  const opened = await open(t, { 'membership.providers.stripe.api_base': `http://127.0.0.1:${port}` })
  const { m, fake } = opened
  const { id } = await startOf(fake, { email: 'ann@example.com', prices: ['price_month', 'price_club'] })
  await settle({ m, fake })
  const ann = (await m.users.findByEmail('ann@example.com'))!
  await m.users.delete(ann.id)
  for (let day = 0; day < 3; day++) {
    await fake.advance({ days: 1 })
    await settle({ m, fake })
  }
  t.is(asked.length, 1)
  t.is(fake.books.find('subscription', id)?.items.length, 2)

  // The operator does it in the dashboard, and the deletion goes on.
  isRefusing = false
  const item = fake.books.find('subscription', id)!.items.find(({ price }) => price.id === 'price_month')!
  await askFake(fake, 'POST', `/v1/subscriptions/${id}`, {
    'items[0][id]': item.id,
    'items[0][deleted]': 'true',
  })
  for (let day = 0; day < 3; day++) {
    await fake.advance({ days: 1 })
    await settle({ m, fake })
  }
  t.is((await m.users.findById(ann.id))?.email, null)
  t.deepEqual(
    fake.books.find('subscription', id)?.items.map(({ price }) => price.id),
    ['price_club'],
  )
  t.is(asked.length, 1)
})

// In the order of the items: Chargebee keeps a plan, so that the other shop's item has to be one.
for (const key of ['paddle', 'chargebee'])
  test(`at ${key}, removing this site’s item leaves the other shop’s`, async (t) => {
    const seller = sellers.find((each) => each.key === key)!
    const site = 'http://127.0.0.1:9'
    const fake = await openShop(seller, { seed: '1', start: new Date('2026-01-05T06:00:00Z'), site })
    t.teardown(() => fake.close())
    const price = key === 'chargebee' ? 'club-USD-monthly' : 'pri_club'
    fake.addPrice({ ...club, id: price, currency: 'usd' } as never)
    const id = await fake.act((world) => {
      const customer = addCustomer(world, { email: 'ann@example.com' })
      const lines = [seller.prices.month, price].map((each) => ({ price: each, quantity: 1 }))
      const month = world.store.get('price', seller.prices.month)
      const page = openCheckout(world, saleOf(month, { customer: customer.id, lines }))
      return payCheckout(world, page.id, {}).checkout.subscription!
    })
    const definition = definitions.find((each) => each.key === key)!
    const options = { secret: fake.secret, api_base: `${fake.url}${seller.apiPath ?? ''}` }
    const provider = bareProvider(definition, options)
    const fetched = (await provider.fetch!({ kind: 'subscription', id }))!
    const change = fetched.changes.find(({ type }) => type === 'subscription') as SubscriptionChange
    const items = change.data.items.filter(({ price_id }) => price_id === seller.prices.month)
    t.is(items.length, 1)
    for (const idempotencyKey of ['first', 'second']) {
      await provider.removeItems!({ subscriptionId: id, items, idempotencyKey })
      const left = fake.books.find('subscription', id)!
      t.deepEqual([left.status, left.items.map((item) => item.price.id)], ['active', [price]])
    }
    t.is(changing(fake).length, 1, 'the second request finds nothing to remove')
    t.is(fake.books.list('invoice').length, 1, 'nothing is billed')
  })

test('the address of a customer of two shops is not changed at the provider', async (t) => {
  const { m, fake } = await open(t)
  const { customer } = await startOf(fake, { email: 'ann@example.com', prices: ['price_month'] })
  await fake.act((world) => {
    const method = attachMethod(world, customer, '4242424242424242')
    return startSubscription(world, {
      customer,
      currency: 'eur',
      metadata: {},
      method: method.id,
      items: [{ price: world.store.get('price', 'price_club'), quantity: 1 }],
      trialEnd: null,
      withoutMethod: 'cancel' as const,
      coupon: null,
      code: null,
    })
  })
  await settle({ m, fake })
  const ann = (await m.users.findByEmail('ann@example.com'))!
  const before = changing(fake).length
  await m.users.setEmail(ann.id, 'new@example.com')
  await settle({ m, fake })
  t.is((await m.users.findById(ann.id))?.email, 'new@example.com')
  t.is(fake.books.find('customer', customer)?.email, 'ann@example.com')
  t.is(changing(fake).length, before)
})

test('the account says that the portal also shows what other shops sold, to whom it does', async (t) => {
  const opened = await open(t, { 'membership.url': 'http://site.example' })
  const { m, fake } = opened
  await m.operator.catalogue.refresh('stripe')
  const ann = await buy(opened, 'ann@example.com')
  const ben = await buy(opened, 'ben@example.com')
  const { customer } = fake.books.find('subscription', ann.id)!
  await buyByLink(opened, { email: 'ann@example.com', price: 'price_club', customer })
  await settle({ m, fake })
  const note = /also shows what you bought from other shops/
  t.regex((await ann.visitor.get('/membership/account')).text, note)
  const { text } = await ben.visitor.get('/membership/account')
  t.regex(text, /Card and invoices/)
  t.notRegex(text, note)
})
