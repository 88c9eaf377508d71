import test, { type ExecutionContext } from 'ava'
import { createWords } from '../../../src/core/words/index.ts'
import { createFakeApple, type FakeApple, type FakeAppleOptions } from '../../../src/fakes/apple/index.ts'
import { createMembership, type Membership, type MembershipOptions } from '../../../src/index.ts'
import { failureOf } from '../../../src/providers/api-errors.ts'
import { accountForPage } from '../../../src/site/pages/account-words.ts'
import { freshDatabase } from '../../support/databases.ts'

// A life in the app, as Apple's documentation tells it, and what is open on the web meanwhile.

const products = {
  'pro.monthly': { price: 9990 },
  'pro.yearly': { price: 99_990, months: 12 },
  'basic.monthly': { price: 4990 },
  book: { price: 19_990, type: 'Non-Consumable' },
} as const

const plans = {
  pro: { name: 'Pro', group: 'membership', prices: ['apple:pro.monthly', 'apple:pro.yearly'] },
  basic: { name: 'Basic', group: 'membership', prices: ['apple:basic.monthly'] },
  book: { name: 'Book', prices: [{ id: 'apple:book', type: 'one_time' }] },
} as const

interface App {
  readonly m: Membership
  readonly store: FakeApple
  readonly token: string
  /** Posts what was not posted yet. */
  deliver(): Promise<string[]>
  /** The plans that are open now. */
  opened(): Promise<string[]>
  subscription(): Promise<Record<string, unknown> | undefined>
}

async function open(
  t: ExecutionContext,
  options: Partial<FakeAppleOptions> = {},
  settings: Readonly<Record<string, unknown>> = {},
  more: MembershipOptions = {},
): Promise<App> {
  const store = await createFakeApple({ products, ...options })
  t.teardown(() => store.close())
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    now: store.clock.now,
    'membership.compare.automatic': false,
    ...(await freshDatabase()),
    'membership.provider.handler': 'apple',
    'membership.providers.apple': { plans, ...store.settings, ...settings },
    ...more,
  })
  t.teardown(() => m.close())
  const member = await m.users.create({ email: 'ann@example.com', name: null })
  const token = await m.appUserId(member)
  let delivered = 0
  const load = async () => (await m.users.findByEmail('ann@example.com'))!
  return {
    m,
    store,
    token,
    deliver: async () => {
      const outcomes: string[] = []
      for (const { body } of store.notifications.slice(delivered))
        outcomes.push(await m.webhooks.receive('apple', { body, headers: {} }))
      delivered = store.notifications.length
      return outcomes
    },
    opened: async () => {
      const user = await load()
      return Object.keys(plans).filter((plan) => user.hasGate(plan as never))
    },
    subscription: async () => {
      const [subscription] = (await load()).subscriptions()
      return subscription === undefined ? undefined : JSON.parse(JSON.stringify(subscription))
    },
  }
}

test('a purchase in the app opens the plan of the member whose token it names', async (t) => {
  const { store, token, deliver, opened, subscription } = await open(t)
  t.regex(token, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const id = store.buy({ product: 'pro.monthly', token: token.toUpperCase() })
  t.deepEqual(await deliver(), ['processed'])
  t.deepEqual(await opened(), ['pro'])
  t.like(await subscription(), {
    id,
    provider: 'apple',
    status: 'active',
    price_id: 'apple:pro.monthly',
    product_id: 'pro.monthly',
    currency: 'EUR',
    unit_amount: 999,
    interval: 'month',
    interval_count: 1,
    started_at: '2026-03-01T00:00:00.000Z',
    current_period_end: '2026-04-01T00:00:00.000Z',
    cancel_at_period_end: false,
    livemode: false,
  })
})

test('renewal turned off keeps the plan open until the paid time is over', async (t) => {
  const { store, token, deliver, opened, subscription } = await open(t)
  const id = store.buy({ product: 'pro.monthly', token })
  store.moveTo(new Date('2026-03-10T00:00:00Z'))
  store.setAutoRenew(id, false)
  await deliver()
  t.like(await subscription(), {
    on_grace_period: undefined,
    cancel_at_period_end: true,
    cancel_at: '2026-04-01T00:00:00.000Z',
  })
  t.deepEqual(await opened(), ['pro'])
  store.moveTo(new Date('2026-04-01T00:00:01Z'))
  await deliver()
  t.deepEqual(await opened(), [])
  t.like(await subscription(), {
    status: 'canceled',
    provider_status: 'expired',
    ended_at: '2026-04-01T00:00:00.000Z',
  })
})

test('the grace period keeps the plan open as long as Apple says; billing retry closes it, recovery opens it', async (t) => {
  const { store, token, deliver, opened, subscription } = await open(t, {}, {})
  const id = store.buy({ product: 'pro.monthly', token })
  store.clock.moveTo(Date.parse('2026-04-01T00:00:00Z'))
  store.failRenewal(id, 16)
  await deliver()
  store.clock.moveTo(Date.parse('2026-04-16T23:00:00Z'))
  t.deepEqual(await opened(), ['pro'])
  t.like(await subscription(), {
    status: 'active',
    provider_status: 'grace_period',
    current_period_end: '2026-04-17T00:00:00.000Z',
  })
  store.endGrace(id)
  await deliver()
  t.deepEqual(await opened(), [])
  t.like(await subscription(), { status: 'unpaid', provider_status: 'billing_retry' })
  store.clock.moveTo(Date.parse('2026-04-20T00:00:00Z'))
  store.renew(id)
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  t.like(await subscription(), { status: 'active', current_period_end: '2026-05-20T00:00:00.000Z' })
})

test('a refund closes the plan, and a reversed refund opens it again', async (t) => {
  const { m, store, token, deliver, opened } = await open(t)
  const id = store.buy({ product: 'pro.monthly', token })
  await deliver()
  store.clock.moveTo(Date.parse('2026-03-05T00:00:00Z'))
  store.refund(id)
  await deliver()
  t.deepEqual(await opened(), [])
  const payments = async () => (await m.users.findByEmail('ann@example.com'))!.payments()
  t.like((await payments())[0], { amount: 999, amount_refunded: 999, status: 'refunded' })
  store.clock.moveTo(Date.parse('2026-03-06T00:00:00Z'))
  store.reverseRefund(id)
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  t.like((await payments())[0], { amount_refunded: 0, status: 'paid' })
})

test('the refund of an earlier period leaves the present one open, with and without Apple’s API', async (t) => {
  for (const settings of [{}, { secret: undefined }]) {
    const { m, store, token, deliver, opened, subscription } = await open(t, {}, settings)
    const first = store.buy({ product: 'pro.monthly', token })
    store.moveTo(new Date('2026-04-05T00:00:00Z'))
    store.refund(first, 40)
    await deliver()
    await m.runDueJobs()
    t.deepEqual(await opened(), ['pro'])
    t.like(await subscription(), { current_period_end: '2026-05-01T00:00:00.000Z' })
    const payments = (await m.users.findByEmail('ann@example.com'))!.payments()
    t.deepEqual(
      payments.map(({ amount_refunded }) => amount_refunded).sort((a, b) => a - b),
      [0, 400],
    )
  }
})

test('an upgrade counts at once, a downgrade from the next renewal on', async (t) => {
  const { store, token, deliver, opened, subscription } = await open(t)
  const id = store.buy({ product: 'basic.monthly', token })
  store.moveTo(new Date('2026-03-10T00:00:00Z'))
  store.change(id, 'pro.monthly', 'now')
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  t.like(await subscription(), { id, price_id: 'apple:pro.monthly', scheduled_change: null })
  store.clock.moveTo(Date.parse('2026-03-11T00:00:00Z'))
  store.change(id, 'basic.monthly', 'renewal')
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  t.deepEqual((await subscription())?.scheduled_change, {
    price_id: 'apple:basic.monthly',
    quantity: null,
    at: '2026-04-10T00:00:00.000Z',
  })
  store.moveTo(new Date('2026-04-10T00:00:01Z'))
  await deliver()
  t.deepEqual(await opened(), ['basic'])
})

test('a trial opens the plan without a payment, and an offer code tells its price', async (t) => {
  const { m, store, token, deliver, subscription } = await open(t)
  const id = store.buy({ product: 'pro.monthly', token, trial: true })
  await deliver()
  t.like(await subscription(), {
    status: 'trialing',
    unit_amount: 999,
    trial_ends_at: '2026-04-01T00:00:00.000Z',
  })
  t.is((await m.users.findByEmail('ann@example.com'))!.payments().length, 0)
  store.expire(id)
  store.buy({ product: 'basic.monthly', token, offer: { id: 'SPRING', type: 3, price: 1990 } })
  await deliver()
  const user = (await m.users.findByEmail('ann@example.com'))!
  const offered = user.subscriptions().find(({ price_id }) => price_id === 'apple:basic.monthly')
  t.like(offered, { unit_amount: 199, metadata: { offer: 'offer_code', offer_id: 'SPRING' } })
  t.deepEqual(
    user.payments().map(({ amount }) => amount),
    [199],
  )
})

test('what a family shares opens no more once it is revoked, and is never revenue', async (t) => {
  const { m, store, deliver } = await open(t)
  const id = store.buy({ product: 'pro.monthly', isShared: true })
  await deliver()
  const stored = async () => {
    const [row] = await m.storage.read((db) =>
      db.selectFrom('subscriptions').select('data').where('id', '=', id),
    )
    return JSON.parse(row!.data) as Record<string, unknown>
  }
  t.like(await stored(), { status: 'active', unit_amount: 0, metadata: { ownership: 'family_shared' } })
  store.clock.moveTo(Date.parse('2026-03-02T00:00:00Z'))
  store.revoke(id)
  await deliver()
  t.like(await stored(), { status: 'canceled', ended_at: '2026-03-02T00:00:00.000Z' })
})

test('a purchase of the sandbox opens nothing on a live site', async (t) => {
  const { store, token, deliver, opened } = await open(t, {}, { livemode: true })
  store.buy({ product: 'pro.monthly', token })
  t.deepEqual(await deliver(), ['held'])
  t.deepEqual(await opened(), [])
})

test('a purchase of production opens the plan on a live site, and none on a test site', async (t) => {
  const live = await open(t, { environment: 'Production' })
  live.store.buy({ product: 'pro.monthly', token: live.token })
  t.deepEqual(await live.deliver(), ['processed'])
  t.deepEqual(await live.opened(), ['pro'])
  const staging = await open(t, { environment: 'Production' }, { livemode: false })
  staging.store.buy({ product: 'pro.monthly', token: staging.token })
  t.deepEqual(await staging.deliver(), ['held'])
  t.deepEqual(await staging.opened(), [])
})

test('a purchase that does not renew opens for ever, until it is refunded', async (t) => {
  const { store, token, deliver, opened } = await open(t)
  const id = store.buy({ product: 'book', token })
  await deliver()
  t.deepEqual(await opened(), ['book'])
  store.clock.moveTo(Date.parse('2026-03-05T00:00:00Z'))
  store.refund(id)
  await deliver()
  t.deepEqual(await opened(), [])
})

test('notifications that got lost are pulled, and end in the same state', async (t) => {
  const { m, store, token, deliver, opened } = await open(t)
  store.buy({ product: 'pro.monthly', token })
  // More than one page of them.
  for (let n = 0; n < 25; n++) store.test()
  store.moveTo(new Date('2026-03-20T00:00:00Z'))
  const pulled: unknown[] = []
  for await (const event of m.webhooks.pull('apple', new Date('2026-02-25T00:00:00Z'))) pulled.push(event)
  t.is(pulled.length, 26)
  t.deepEqual(await opened(), ['pro'])
  const before = await m.users.findByEmail('ann@example.com')
  await deliver()
  const after = await m.users.findByEmail('ann@example.com')
  t.deepEqual(JSON.stringify(after!.subscriptions()), JSON.stringify(before!.subscriptions()))
})

test('a refund of an earlier payment, and its reversal, are found by a comparison when their notifications got lost', async (t) => {
  const { m, store, token, deliver, opened } = await open(t)
  const first = store.buy({ product: 'pro.monthly', token })
  // More transactions than a page of Apple's history has.
  for (let n = 0; n < 25; n++) store.moveTo(new Date(Date.UTC(2026, 3 + n, 2)))
  await deliver()
  const member = async () => (await m.users.findByEmail('ann@example.com'))!
  const given = async () => {
    await m.operator.compare({ memberId: (await member()).id, write: true })
    return (await member()).payments().filter(({ amount_refunded }) => amount_refunded > 0)
  }
  t.deepEqual(await given(), [])
  store.refund(first)
  t.deepEqual(
    (await given()).map(({ id, amount_refunded }) => [id, amount_refunded]),
    [[first, 999]],
  )
  t.deepEqual(await opened(), ['pro'])
  store.clock.moveTo(store.clock.now().getTime() + 86_400_000)
  store.reverseRefund(first)
  t.deepEqual(await given(), [])
})

test('a limit of requests is waited for until the moment that Apple names', async (t) => {
  const named = Date.parse('2026-03-01T00:00:07Z')
  const headers = { 'retry-after': String(named), date: 'Sun, 01 Mar 2026 00:00:00 GMT' }
  t.is(failureOf({ statusCode: 429, headers }).retryAfterSeconds, 7)
  t.is(failureOf({ statusCode: 429, headers: { 'retry-after': '7' } }).retryAfterSeconds, 7)
})

test('a recovery that no notification told is found within a day', async (t) => {
  const { m, store, token, deliver, opened } = await open(t, {}, {})
  const id = store.buy({ product: 'pro.monthly', token })
  store.clock.moveTo(Date.parse('2026-04-01T00:00:00Z'))
  store.failRenewal(id)
  await deliver()
  t.deepEqual(await opened(), [])
  store.clock.moveTo(Date.parse('2026-04-04T00:00:00Z'))
  store.renew(id)
  store.clock.moveTo(Date.parse('2026-04-05T01:00:00Z'))
  await m.runDueJobs()
  t.deepEqual(await opened(), ['pro'])
})

test('a site that was away for weeks pulls what Apple no longer sends', async (t) => {
  const { m, store, token, opened } = await open(t, {}, {}, { 'membership.compare.automatic': true })
  await m.runDueJobs()
  store.clock.moveTo(Date.parse('2026-03-02T00:00:00Z'))
  store.buy({ product: 'pro.monthly', token })
  store.clock.moveTo(Date.parse('2026-03-22T00:00:00Z'))
  await m.runDueJobs()
  t.deepEqual(await opened(), ['pro'])
})

test('the account links to the App Store in both languages, and changes and cancels nothing here', async (t) => {
  const { m, store, token, deliver } = await open(t)
  store.buy({ product: 'pro.monthly', token })
  await deliver()
  const view = await m.viewOf((await m.users.findByEmail('ann@example.com'))!)
  for (const [defaultLanguage, label] of [
    ['en', 'Manage it in the App Store'],
    ['de', 'Im App Store verwalten'],
  ] as const) {
    const voice = createWords({ root: false, defaultLanguage, site: '' }).voiceFor([])
    const [card] = accountForPage(view, { voice, now: store.clock.now() }).cards ?? []
    t.like(card, { primary: null, actions: [] })
    t.deepEqual(card?.papers.slice(0, 1), [{ label, url: 'https://apps.apple.com/account/subscriptions' }])
  }
})
