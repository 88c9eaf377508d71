import { createHmac } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import Koa from 'koa'
import { createMembership, membership, subscriptionForPrice, subscriptions } from '../src/index.ts'

const secret = 'whsec_test'
function post(url: string, body: string) {
  const t = Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${t},v1=${v1}` },
  })
}
function event(id: string, type: string, created: number, object: unknown) {
  return JSON.stringify({
    id,
    object: 'event',
    api_version: '2025-03-31.basil',
    created,
    livemode: false,
    type,
    data: { object },
  })
}

test.serial('public interfaces stay as recorded', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe.webhook': secret,
  })
  const app = new Koa()
  app.use(m.koa())
  const server = app.listen(0)
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/membership/webhooks/stripe`

  const customer = { id: 'cus_1', object: 'customer', email: 'ada@example.com', name: 'Ada', livemode: false }
  const subscription = {
    id: 'sub_1',
    object: 'subscription',
    customer: 'cus_1',
    status: 'active',
    livemode: false,
    cancel_at_period_end: false,
    metadata: {},
    items: {
      object: 'list',
      data: [
        {
          id: 'si_1',
          quantity: 1,
          current_period_start: 1767225600,
          current_period_end: 1769904000,
          price: {
            id: 'price_1',
            product: 'prod_1',
            currency: 'eur',
            unit_amount: 500,
            recurring: { interval: 'month', interval_count: 1 },
          },
        },
      ],
    },
  }
  t.is(
    (await post(url, event('evt_2', 'customer.subscription.created', 1767225601, subscription))).status,
    200,
  )
  t.is((await post(url, event('evt_1', 'customer.created', 1767225600, customer))).status, 200)
  t.is(
    (await post(url, event('evt_2', 'customer.subscription.created', 1767225601, subscription))).status,
    200,
  )
  t.is((await fetch(url, { method: 'POST', body: '{}' })).status, 403)

  const user = await m.users.findByEmail('ada@example.com')
  t.is(user?.subscriptions()[0]?.price_id, 'price_1')
  t.is(subscriptions(user)[0]?.price_id, 'price_1')
  t.is(subscriptionForPrice('price_1', user)?.id, 'sub_1')
  t.deepEqual((user!.content('stripe') as { payments: unknown[] }).payments, [])
  t.is(m.runAs(user, () => membership().provider().subscriptionForPrice('price_1'))?.status, 'active')
  t.is(
    m.runAs(user, () => membership().allows('price_1')),
    true,
  )
  t.is(
    m.runAs(null, () => membership().user()),
    null,
  )
  t.throws(() => membership().user(), { code: 'ERR_NO_VIEW' })
  await m.close()
  t.throws(() => membership(), { code: 'ERR_NOT_INSTALLED' })
})
