import test from 'ava'
import { openStorage } from '../../../src/core/storage/index.ts'
import { allDatabases } from '../../support/databases.ts'
import { cards, openSandbox } from './support.ts'

const start = '2026-04-01T00:00:00.000Z'
const half = '2026-04-16T00:00:00.000Z'

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: a call happens once per key: repeated, at once, and after a restart`,
    async (t) => {
      const database = await databases()
      const storage = await openStorage({
        url: await database.url(),
        synchronous: 'full',
        pool: 4,
        now: () => new Date(start),
      })
      const shop = await openSandbox(t, start, { storage })
      t.teardown(async () => {
        await storage.close()
        await database.close()
      })
      const id = await shop.buy('small')
      await shop.moveTo(half)
      const request = {
        subscription: await shop.subscription(id),
        priceId: 'large',
        quantity: 1,
        proration: 'now' as const,
        prorationAt: null,
        idempotencyKey: 'one',
      }
      const first = await Promise.all([1, 2, 3].map(() => shop.sandbox().swap!(request)))
      await shop.moveTo('2026-04-20T00:00:00.000Z')
      await shop.restart()
      const later = await shop.sandbox().swap!({ ...request, subscription: await shop.subscription(id) })
      const turned = await shop.sandbox().swap!(
        Object.fromEntries(Object.entries(request).reverse()) as unknown as typeof request,
      )
      for (const answer of [...first.slice(1), later, turned]) t.deepEqual(answer, first[0])
      t.deepEqual(await shop.payments(), [
        ['paid', 1000],
        ['paid', 500],
      ])
      await t.throwsAsync(shop.sandbox().swap!({ ...request, priceId: 'year' }), {
        code: 'ERR_IDEMPOTENCY_REUSED',
      })
      await t.throwsAsync(
        shop.sandbox().cancel!({ subscriptionId: id, when: 'now', idempotencyKey: 'one' }),
        { code: 'ERR_IDEMPOTENCY_REUSED' },
      )
      t.is((await shop.subscription(id)).status, 'active')
    },
  )

test('simultaneous calls are all stored', async (t) => {
  const shop = await openSandbox(t, start)
  const id = await shop.buy('small')
  const subscription = await shop.subscription(id)
  const { customer_id: customerId } = subscription
  await Promise.all([
    shop.sandbox().swap!({
      subscription,
      priceId: 'small',
      quantity: 5,
      proration: 'next',
      prorationAt: null,
      idempotencyKey: 'a',
    }),
    shop.sandbox().cancel!({ subscriptionId: id, when: 'period_end', idempotencyKey: 'b' }),
    shop.sandbox().controls.failNext(id),
    shop.sandbox().updateCustomer!({ customerId: customerId!, name: 'Ada L.', idempotencyKey: 'c' }),
    shop.sandbox().updateCustomer!({ customerId: customerId!, email: 'l@example.com', idempotencyKey: 'd' }),
  ])
  t.like(await shop.subscription(id), { quantity: 5, cancel_at_period_end: true })
  t.true(await shop.sandbox().controls.isFailing(id))
  const customer = (await shop.sandbox().fetch!({ kind: 'customer', id: customerId! }))!.changes[0]
  t.like(customer, { data: { name: 'Ada L.', email: 'l@example.com' } })
})

test('changes in one moment get distinct revisions, so that their order is certain', async (t) => {
  const shop = await openSandbox(t, start)
  const id = await shop.buy('small')
  await shop.sandbox().cancel!({ subscriptionId: id, when: 'period_end', idempotencyKey: 'a' })
  await shop.sandbox().resume!({ subscriptionId: id, idempotencyKey: 'b' })
  const told = (await shop.events('subscription')).map(({ data }) => data.updated)
  t.deepEqual(told, [start, '2026-04-01T00:00:00.001Z', '2026-04-01T00:00:00.002Z'])
})

test('a customer is changed only where something differs, and the site is notified', async (t) => {
  const shop = await openSandbox(t, start)
  const id = await shop.buy('small')
  const { customer_id } = await shop.subscription(id)
  const update = (idempotencyKey: string, change: object) =>
    shop.sandbox().updateCustomer!({ customerId: customer_id!, idempotencyKey, ...change })
  await update('a', { email: 'ada@example.com' })
  t.is((await shop.events('customer')).length, 1, 'it was so before')
  t.like(await update('b', { name: null }), { changes: [{ type: 'customer', data: { name: null } }] })
  t.is((await shop.events('customer')).at(-1)?.type, 'customer.updated')
  await t.throwsAsync(
    shop.sandbox().updateCustomer!({ customerId: 'cus_nobody', name: 'x', idempotencyKey: 'c' }),
    { code: 'ERR_NOT_FOUND' },
  )
})

test('all subscriptions of a customer are returned, ended ones too, and no other’s', async (t) => {
  const shop = await openSandbox(t, start)
  const first = await shop.buy('small', { intent: 'one' })
  const { customer_id } = await shop.subscription(first)
  await shop.sandbox().cancel!({ subscriptionId: first, when: 'now', idempotencyKey: 'a' })
  const second = await shop.buy('year', { intent: 'two', customer: customer_id })
  await shop.buy('small', { intent: 'three' })
  const { changes } = await shop.sandbox().subscriptionsOf!(customer_id!)
  t.deepEqual(
    changes.map((change) => change.type === 'subscription' && change.id).sort(),
    [first, second].sort(),
  )
  t.deepEqual((await shop.sandbox().subscriptionsOf!('cus_nobody')).changes, [])
})

test('a checkout is open for a day; closed by the site, it cannot be paid', async (t) => {
  const shop = await openSandbox(t, start)
  const left = await shop.begin('small', 'left')
  t.is(left.expires_at, '2026-04-02T00:00:00.000Z')
  const closed = await shop.begin('small', 'closed')
  const answer = await shop.sandbox().expireCheckout!(closed.id, { idempotencyKey: 'a' })
  t.like(answer?.changes[0], { type: 'money', id: closed.id, data: { checkout_status: 'expired' } })
  t.deepEqual(await shop.sandbox().expireCheckout!(closed.id, { idempotencyKey: 'a' }), answer)
  t.is(await shop.sandbox().expireCheckout!(closed.id, { idempotencyKey: 'b' }), null)
  t.is(await shop.sandbox().expireCheckout!('sbx_nothing', { idempotencyKey: 'c' }), null)
  const paid = await shop.submit(closed.url!, { email: 'a@example.com', name: 'A', card: cards.works })
  t.is(paid.headers.get('location'), 'http://site.example/back')
  t.deepEqual(await shop.payments(), [])

  await shop.buy('small', { intent: 'paid' })
  t.is(await shop.sandbox().expireCheckout!('sbx_paid', { idempotencyKey: 'd' }), null)

  shop.clock.set('2026-04-02T00:00:00.000Z')
  await shop.submit(left.url!, { email: 'a@example.com', name: 'A', card: cards.works })
  t.deepEqual(await shop.payments(), [['paid', 1000]], 'a day later nobody pays it, looked after or not')
  const told = (await shop.events('checkout')).filter(({ type }) => type === 'checkout.expired')
  t.deepEqual(
    told.map(({ data, created }) => [data.id, created]),
    [
      [closed.id, start],
      [left.id, '2026-04-02T00:00:00.000Z'],
    ],
  )
})

test('an expired card is refused, and one valid this month pays', async (t) => {
  const shop = await openSandbox(t, start)
  const { url } = await shop.begin('small')
  const pay = (expiry: string) =>
    shop.submit(url!, { email: 'a@example.com', name: 'A', card: cards.works, expiry })
  for (const expiry of ['03 / 26', '12/25', '03/2026', '13 / 34', 'soon', '']) {
    const refused = await pay(expiry)
    t.is(refused.status, 422, expiry)
    t.regex(await refused.text(), /This card has expired/, expiry)
  }
  t.deepEqual(await shop.payments(), [])
  t.is((await pay('04 / 26')).status, 303)
})

test('a bank’s question is answered with a delay, even across a restart', async (t) => {
  const shop = await openSandbox(t, start)
  const { url, id } = await shop.begin('small')
  const pay = (bank?: string) =>
    shop.submit(url!, { email: 'a@example.com', name: 'A', card: cards.asks, ...(bank ? { bank } : {}) })
  const asked = await pay()
  t.is(asked.status, 200)
  t.like(JSON.parse(await asked.text()), { asks: true, error: null })
  const refused = await pay('no')
  t.is(refused.status, 422)
  t.regex(await refused.text(), /declined/)
  t.is((await pay('yes')).status, 303)
  t.deepEqual(await shop.payments(), [])
  t.like((await shop.sandbox().fetch!({ kind: 'checkout', id }))!.changes[0], {
    data: { checkout_status: 'complete', state: 'pending' },
  })
  await shop.restart()
  await shop.moveTo('2026-04-01T00:00:04.000Z')
  t.deepEqual(await shop.payments(), [['paid', 1000]])
  t.is((await shop.events('checkout')).at(-1)?.type, 'checkout.completed')
})

test('a checkout without a trial has none, whatever the price says; impossible options are refused', async (t) => {
  const shop = await openSandbox(t, start)
  const request = {
    intentId: 'again',
    signedIntent: 'again',
    mode: 'subscription' as const,
    priceId: 'trial',
    quantity: 1,
    currency: null,
    code: null,
    trialDays: null,
    email: null,
    customerId: null,
    returnUrl: 'http://site.example/back',
    cancelUrl: 'http://site.example/away',
    localUrl: shop.localUrl,
    extra: {},
    metadata: {},
  }
  const { url } = await shop.sandbox().checkout!(request)
  await shop.submit(url!, { email: 'a@example.com', name: 'A', card: cards.works })
  t.deepEqual(await shop.payments(), [['paid', 1000]])
  await t.throwsAsync(shop.sandbox().checkout!({ ...request, code: 'HALF' }), { code: 'ERR_FORM' })
  await t.throwsAsync(shop.sandbox().checkout!({ ...request, currency: 'USD' }), { code: 'ERR_FORM' })
  await t.throwsAsync(shop.sandbox().checkout!({ ...request, priceId: 'none' }), { code: 'ERR_CONFIG' })
})

test('the catalogue contains exactly the plans’ prices', async (t) => {
  const shop = await openSandbox(t, start)
  const prices = await shop.sandbox().prices!()
  t.deepEqual(
    prices.find(({ id }) => id === 'trial'),
    {
      id: 'trial',
      type: 'recurring',
      currency: 'EUR',
      amount: 1000,
      interval: 'month',
      interval_count: 1,
      trial_days: 7,
      label: null,
      lookup_key: null,
      product_id: null,
      product_name: 'pro',
      active: true,
    },
  )
  t.false(prices.find(({ id }) => id === 'old')?.active)
  t.is(prices.find(({ id }) => id === 'once')?.type, 'one_time')
  t.is(prices.length, 10)
})

test('only an open payment has a page', async (t) => {
  const shop = await openSandbox(t, start)
  const id = await shop.buy('small', { card: cards.failsLater })
  t.is(await shop.sandbox().payUrl!(id), null)
  t.is(await shop.sandbox().payUrl!('sub_nothing'), null)
  await shop.moveTo('2026-05-01T00:00:00.000Z')
  const url = await shop.sandbox().payUrl!(id)
  t.regex(url ?? '', /^\/membership\/sandbox\/portal\/[\w-]{43}$/)
  t.is(await shop.sandbox().payUrl!(id), url)
})

test('a refund returns everything once; a dispute is its own object', async (t) => {
  const shop = await openSandbox(t, start)
  const payment = await shop.buy('once')
  await shop.sandbox().controls.refund(payment)
  await shop.sandbox().controls.refund(payment)
  const refunds = (await shop.events('payment')).filter(({ type }) => type === 'payment.refunded')
  t.is(refunds.length, 1)
  t.like(refunds[0]?.data, { amount: 3000, amount_refunded: 3000 })
  await shop.sandbox().controls.dispute(payment)
  await shop.sandbox().controls.dispute(payment)
  const [dispute, ...more] = await shop.events('dispute')
  t.is(more.length, 0)
  t.like((await shop.sandbox().fetch!({ kind: 'dispute', id: dispute!.data.id }))!.changes[0], {
    kind: 'dispute',
    data: { state: 'open', amount: 3000, refs: [{ kind: 'payment', id: payment }] },
  })
})

test('a partial refund happens once per key, up to what is left', async (t) => {
  const shop = await openSandbox(t, start)
  const id = await shop.buy('once')
  const [fact] = (await shop.sandbox().fetch!({ kind: 'payment', id }))!.changes
  if (fact?.type !== 'money') throw new TypeError('no payment')
  const payment = { id, amount: 3000 } as never
  const refund = (amount: number, idempotencyKey: string) =>
    shop.sandbox().refund!({ payment, amount, idempotencyKey })
  const first = await refund(1000, 'one')
  t.deepEqual(await refund(1000, 'one'), first)
  t.like(first.changes[0], { data: { amount_refunded: 1000, state: 'paid' } })
  await t.throwsAsync(refund(2001, 'two'), { code: 'ERR_ACTION_REFUSED' })
  t.like((await refund(2000, 'three')).changes[0], { data: { amount_refunded: 3000 } })
  await t.throwsAsync(refund(1, 'four'), { code: 'ERR_ACTION_REFUSED' })
  const unknown = { payment: { id: 'pay_unknown' } as never, amount: 1, idempotencyKey: 'five' }
  await t.throwsAsync(async () => shop.sandbox().refund!(unknown), { code: 'ERR_NOT_FOUND' })
  const [bill] = await shop.sandbox().invoices!(String(fact.data.customer_id))
  t.like(bill, { id, total: 3000, amount_paid: 3000, status: 'paid' })
})
