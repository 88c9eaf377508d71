import test, { type ExecutionContext } from 'ava'
import { createMembership, type MembershipOptions } from '../../../src/index.ts'
import { createCounter } from '../../support/completing-provider.ts'
import { allDatabases, atNewest } from '../../support/databases.ts'
import { openHost } from '../../support/host.ts'
import { own } from '../../support/own-providers.ts'
import { createVisitor, prove } from '../../support/visitor.ts'

const minuteMs = 60_000

async function open(t: ExecutionContext, database = 'sqlite::memory:') {
  const clock = { now: new Date('2026-03-01T12:00:00Z') }
  const wait = (ms: number): void => {
    clock.now = new Date(clock.now.getTime() + ms)
  }
  const counter = createCounter(() => clock.now)
  const options: MembershipOptions = {
    'membership.database.url': await atNewest(database),
    'membership.provider.handler': 'counter' as never,
    ...own({ 'membership.providers.counter.webhook': 'a secret' }),
    ...own({
      'membership.providers.counter.prices': ['other'],
      'membership.providers.counter.plans': {
        book: { prices: [{ id: 'book', amount: 900, currency: 'EUR' }], quantity: { max: 5 } },
        film: { prices: [{ id: 'film', amount: 1900, currency: 'EUR' }] },
      },
    }),
    'membership.ratelimit.limit': 1000,
    customProviders: [counter.definition],
    now: () => clock.now,
  }
  const { m, site, log } = await openHost(t, options)
  const buyer = createVisitor(site)
  const begin = async (fields: Record<string, string> = {}) => {
    const { status, json } = await buyer.send('/membership/payment', { product: 'book', ...fields })
    t.is(status, 201, JSON.stringify(json))
    const page = `/membership/payment/${json.intent_id}`
    const state = async () => (await buyer.get(page, { accept: 'application/json' })).json
    return { page, state, order: counter.orders.get(`order_${json.intent_id}`)! }
  }
  let said = 0
  const say = async (changes: readonly unknown[]) => {
    const body = JSON.stringify({ id: `said_${++said}`, changes })
    const answer = await fetch(`${site}/membership/webhooks/counter`, { method: 'POST', body })
    t.is(answer.status, 200)
  }
  /** The provider tells how the order stands. */
  const tell = (order: Parameters<typeof counter.changesOf>[0]) => say(counter.changesOf(order))
  const another = async () => {
    const second = await createMembership({
      ...options,
      install: false,
      'membership.compare.automatic': false,
      root: false,
      log: () => {},
    })
    t.teardown(() => second.close())
    return second
  }
  const owned = async () => (await m.users.findByEmail('ann@example.com'))?.hasGate('book' as never) === true
  const payments = async () => (await m.users.findByEmail('ann@example.com'))?.payments() ?? []
  return { m, site, log, counter, begin, say, tell, wait, buyer, another, owned, payments }
}

const running = {
  type: 'subscription',
  id: 'sub_1',
  stage: 'updated',
  data: {
    id: 'sub_1',
    customer_id: 'c_ann',
    price_id: 'other',
    product_id: null,
    quantity: 1,
    items: [],
    status: 'active',
    provider_status: null,
    currency: 'EUR',
    unit_amount: 900,
    interval: 'month',
    interval_count: 1,
    started_at: '2026-03-01T12:00:00Z',
    trial_ends_at: null,
    metadata: {},
    current_period_start: '2026-03-01T12:00:00Z',
    current_period_end: '2099-01-01T00:00:00Z',
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    paused_at: null,
    resumes_at: null,
  },
}

for (const openDatabases of allDatabases) {
  const { name } = openDatabases
  const databases = openDatabases()
  test.after.always(async () => (await databases).close())

  test(`${name}: an approving buyer who returns has bought, and is charged once`, async (t) => {
    const { counter, begin, owned, buyer } = await open(t, await (await databases).url())
    const { order, state, page } = await begin()
    t.is((await state()).status, 'open')
    t.is(order.taken, 0, 'nobody agreed yet')
    counter.agree()
    t.regex((await buyer.get(page)).text, /Paid|Thank you/)
    t.is((await state()).status, 'paid')
    t.is(order.taken, 1)
    t.true(await owned())
    t.deepEqual([...new Set(counter.keys)], [`complete:${order.request.intentId}`])
  })

  test(`${name}: an approving buyer who closes the page has bought with the provider’s event`, async (t) => {
    const { m, counter, begin, tell, owned } = await open(t, await (await databases).url())
    const { order } = await begin()
    counter.agree()
    await tell(order)
    t.false(await owned(), 'agreed, and not paid')
    await m.runDueJobs()
    t.is(order.taken, 1)
    t.true(await owned())
    const asked = counter.keys.length
    await m.runDueJobs()
    t.is(counter.keys.length, asked, 'and is not asked for again')
  })

  test(`${name}: a closed page without any event is found within the hour`, async (t) => {
    const { m, counter, begin, owned, wait } = await open(t, await (await databases).url())
    const { order } = await begin()
    for (let n = 0; n < 6 && !(await owned()); n++) {
      if (n === 1) counter.agree()
      wait(10 * minuteMs)
      await m.runDueJobs()
    }
    t.true(await owned())
    t.is(order.taken, 1)
  })

  test(`${name}: a request with a lost answer is repeated under the same key, also by another process`, async (t) => {
    const { m, counter, begin, tell, owned, wait, another } = await open(t, await (await databases).url())
    const { order } = await begin()
    counter.agree()
    await tell(order)
    // The money is taken, and nothing of it reaches the site's tables: killed between the answer and its commit.
    await new Promise<void>((killed) => {
      const dies = async () => {
        killed()
        throw new Error('killed')
      }
      counter.meanwhile = async () => void Object.assign(m.storage, { commit: dies })
      m.runDueJobs().catch(() => undefined)
    })
    t.is(order.taken, 1)
    t.false(await owned())
    await m.close()
    wait(5 * minuteMs)
    const second = await another()
    await second.runDueJobs()
    const ann = await second.users.findByEmail('ann@example.com')
    t.true(ann?.hasGate('book' as never))
    t.is(ann?.payments().length, 1)
    t.is(order.taken, 1)
    t.is(new Set(counter.keys).size, 1)
  })

  test(`${name}: two processes and a confirmation page at once make one purchase`, async (t) => {
    const { m, counter, begin, tell, another, payments } = await open(t, await (await databases).url())
    const { order, state: page } = await begin()
    const second = await another()
    counter.agree()
    await tell(order)
    counter.meanwhile = () => new Promise((next) => setTimeout(next, 30))
    await Promise.all([m.runDueJobs(), second.runDueJobs(), page(), page()])
    t.is((await page()).status, 'paid')
    t.is(order.taken, 1)
    t.is((await payments()).length, 1)
    t.is(new Set(counter.keys).size, 1)
  })
}

test('a declined payment keeps the same page for another try', async (t) => {
  const { m, counter, begin, buyer, owned, wait } = await open(t)
  const { order, state, page } = await begin()
  counter.agree()
  counter.declines = true
  const { text } = await buyer.get(page)
  t.regex(text, /declined/)
  t.true(text.includes(`href="https://counter.example/${order.id}"`), text)
  t.false(text.includes('http-equiv="refresh"'), 'it waits for nothing')
  counter.agree()
  t.deepEqual(await state(), {
    status: 'declined',
    redirect: '/',
    url: `https://counter.example/${order.id}`,
  })
  t.is((await state()).status, 'open', 'not agreed to again yet')
  counter.declines = false
  counter.agree()
  wait(20 * minuteMs)
  await m.runDueJobs()
  t.is((await state()).status, 'paid')
  t.true(await owned())
})

test('an open order is polled less and less often, and not forever', async (t) => {
  const { m, counter, begin, wait } = await open(t)
  await begin()
  for (let n = 0; n < 15 * 24; n++) {
    wait(60 * minuteMs)
    await m.runDueJobs()
  }
  t.true(counter.keys.length >= 5 && counter.keys.length <= 12, String(counter.keys.length))
})

test('an approved purchase is polled within the hour after the provider’s outage', async (t) => {
  const { m, counter, begin, tell, wait, owned } = await open(t)
  const { order } = await begin()
  wait(5 * 60 * minuteMs)
  counter.agree()
  counter.isAway = true
  await tell(order)
  await m.runDueJobs()
  counter.isAway = false
  wait(61 * minuteMs)
  await m.runDueJobs()
  t.is(order.taken, 1)
  t.true(await owned())
})

test('a purchase abandoned for another is never charged, even if it is approved later', async (t) => {
  const { m, counter, begin, tell, wait, payments } = await open(t)
  const { order: first, state } = await begin()
  const { order: two } = await begin({ quantity: '2' })
  counter.agree()
  for (const order of [first, two]) await tell(order)
  for (let n = 0; n < 5; n++) {
    await m.runDueJobs()
    wait(30 * minuteMs)
  }
  t.is((await state()).status, 'expired')
  t.deepEqual([first.taken, two.taken], [0, 1])
  t.deepEqual((await payments()).map(({ status }) => status).sort(), ['paid', 'pending'])
})

test('a purchase paid before another choice is shown, and no second payment is taken', async (t) => {
  const { counter, begin, buyer } = await open(t)
  const { order, page } = await begin()
  order.state = 'paid'
  const second = await buyer.send('/membership/payment', { product: 'book', quantity: '2' })
  t.is(new URL(second.json.url).pathname, page)
  t.is(counter.orders.size, 1)
})

test('nothing more is charged after a request to delete the account', async (t) => {
  const { m, counter, begin, buyer, say, tell, wait } = await open(t)
  const { page } = await begin()
  counter.agree()
  await buyer.get(page)
  await prove(m, buyer)
  const { order } = await begin({ product: 'film' })
  // Nothing can end this one from here, so that the deletion waits; what was begun is over at once.
  await say([running])
  const left = await buyer.send('/membership/account/delete', { confirm: 'delete' })
  t.is(left.status, 202, left.text)
  counter.agree()
  await tell(order)
  wait(30 * minuteMs)
  await m.runDueJobs()
  t.is(order.taken, 0)
})
