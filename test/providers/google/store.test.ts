import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError } from '../../../src/core/errors.ts'
import { createWords } from '../../../src/core/words/index.ts'
import { createFakeGoogle, type FakeGoogle, type FakeGoogleOptions } from '../../../src/fakes/google/index.ts'
import { createMembership, type Membership } from '../../../src/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import { google } from '../../../src/providers/google/index.ts'
import { accountForPage } from '../../../src/site/pages/account-words.ts'
import { providerContract } from '../../../src/testkit/index.ts'
import { freshDatabase } from '../../support/databases.ts'

// A life in an app of Google Play, as Google's documentation tells it, and what is open on the web meanwhile.

const products = {
  pro: { basePlan: 'monthly', price: 9.99 },
  basic: { basePlan: 'monthly', price: 4.99 },
  book: { price: 19.99 },
} as const

const plans = {
  pro: { name: 'Pro', group: 'membership', prices: ['google:pro:monthly'] },
  basic: { name: 'Basic', group: 'membership', prices: ['google:basic:monthly'] },
  book: { name: 'Book', prices: [{ id: 'google:book', type: 'one_time' }] },
} as const

interface App {
  readonly m: Membership
  readonly store: FakeGoogle
  readonly account: string
  /** Posts what was not posted yet, and fetches what it names. */
  deliver(): Promise<string[]>
  opened(): Promise<string[]>
  subscriptions(): Promise<Record<string, unknown>[]>
  payments(): Promise<Record<string, unknown>[]>
}

async function open(
  t: ExecutionContext,
  options: Partial<FakeGoogleOptions> = {},
  settings: Readonly<Record<string, unknown>> = {},
): Promise<App> {
  const store = await createFakeGoogle({ products, ...options })
  t.teardown(() => store.close())
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    now: store.clock.now,
    'membership.compare.automatic': false,
    ...(await freshDatabase()),
    'membership.provider.handler': 'google',
    'membership.providers.google': { plans, ...store.settings, ...settings },
  })
  t.teardown(() => m.close())
  const account = await m.appUserId(await m.users.create({ email: 'ann@example.com', name: null }))
  let delivered = 0
  const load = async () => (await m.users.findByEmail('ann@example.com'))!
  const plain = (all: readonly unknown[]) => JSON.parse(JSON.stringify(all)) as Record<string, unknown>[]
  return {
    m,
    store,
    account,
    deliver: async () => {
      const outcomes: string[] = []
      for (const { body, headers } of store.pushes.slice(delivered))
        outcomes.push(await m.webhooks.receive('google', { body, headers: await headers() }))
      delivered = store.pushes.length
      await fetchAll(m)
      return outcomes
    },
    opened: async () => {
      const user = await load()
      return Object.keys(plans).filter((plan) => user.hasGate(plan as never))
    },
    subscriptions: async () => plain((await load()).subscriptions()),
    payments: async () => plain((await load()).payments()),
  }
}

/** Runs jobs until nothing is to be fetched: the instance's own worker may have taken an object meanwhile. */
async function fetchAll(m: Membership): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    await m.runDueJobs()
    const left = await m.storage.read((db) => db.selectFrom('fetches').select('id'))
    if (left.length === 0) return
    await pause(50)
  }
}

test('a notification names a purchase, which is fetched and opens its plan', async (t) => {
  const { store, account, deliver, opened, subscriptions, payments } = await open(t)
  const token = store.buy({ product: 'pro', account })
  t.deepEqual(await deliver(), ['processed'])
  t.deepEqual(await opened(), ['pro'])
  t.like((await subscriptions())[0], {
    id: token,
    provider: 'google',
    status: 'active',
    price_id: 'google:pro:monthly',
    product_id: 'pro',
    currency: 'EUR',
    unit_amount: 999,
    interval: 'month',
    interval_count: 1,
    current_period_start: '2026-03-01T00:00:00.000Z',
    current_period_end: '2026-04-01T00:00:00.000Z',
    livemode: false,
  })
  t.like((await payments())[0], {
    id: store.purchase(token).orders[0]?.id,
    amount: 999,
    currency: 'EUR',
    status: 'paid',
    subscription_id: token,
  })
})

test('renewal turned off keeps the plan open to the end, and every renewal is one payment', async (t) => {
  const { store, account, deliver, opened, subscriptions, payments } = await open(t)
  const token = store.buy({ product: 'pro', account })
  await deliver()
  store.clock.moveTo(Date.parse('2026-04-01T00:00:00Z'))
  store.renew(token)
  await deliver()
  t.is((await payments()).length, 2)
  store.setAutoRenew(token, false)
  await deliver()
  t.like((await subscriptions())[0], {
    status: 'active',
    provider_status: 'canceled',
    cancel_at_period_end: true,
    cancel_at: '2026-05-01T00:00:00.000Z',
  })
  t.deepEqual(await opened(), ['pro'])
  store.clock.moveTo(Date.parse('2026-05-01T00:00:00Z'))
  store.expire(token)
  await deliver()
  t.deepEqual(await opened(), [])
  t.like((await subscriptions())[0], { status: 'canceled', ended_at: '2026-05-01T00:00:00.000Z' })
})

test('the grace period keeps the plan open, a hold closes it, and a recovery opens it again', async (t) => {
  const { store, account, deliver, opened, subscriptions } = await open(t)
  const token = store.buy({ product: 'pro', account })
  await deliver()
  store.clock.moveTo(Date.parse('2026-04-01T00:00:00Z'))
  store.failRenewal(token, 7)
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  t.like((await subscriptions())[0], {
    status: 'active',
    provider_status: 'grace_period',
    current_period_end: '2026-04-08T00:00:00.000Z',
  })
  store.clock.moveTo(Date.parse('2026-04-08T00:00:00Z'))
  store.hold(token)
  await deliver()
  t.deepEqual(await opened(), [])
  t.like((await subscriptions())[0], { status: 'unpaid', provider_status: 'on_hold' })
  store.recover(token)
  await deliver()
  t.deepEqual(await opened(), ['pro'])
})

test('a hold, or a pause, that ends without a message is found within a day', async (t) => {
  const { m, store, account, deliver, opened } = await open(t)
  const token = store.buy({ product: 'pro', account })
  await deliver()
  for (const close of [() => store.hold(token), () => store.pause(token, new Date('2026-12-01T00:00:00Z'))]) {
    store.clock.moveTo(store.clock.now().getTime() + 32 * 86_400_000)
    close()
    await deliver()
    t.deepEqual(await opened(), [])
    store.recover(token)
    // Its message is lost: only those after it are posted.
    store.clock.moveTo(store.clock.now().getTime() + 25 * 3_600_000)
    await m.runDueJobs()
    t.deepEqual(await opened(), ['pro'])
  }
})

test('a pause closes the plan until it ends', async (t) => {
  const { store, account, deliver, opened, subscriptions } = await open(t)
  const token = store.buy({ product: 'pro', account })
  await deliver()
  store.clock.moveTo(Date.parse('2026-04-01T00:00:01Z'))
  store.pause(token, new Date('2026-06-01T00:00:00Z'))
  await deliver()
  t.deepEqual(await opened(), [])
  t.like((await subscriptions())[0], { status: 'paused', resumes_at: '2026-06-01T00:00:00.000Z' })
})

test('a new token ends the subscription that it is linked to', async (t) => {
  const { store, account, deliver, opened, subscriptions } = await open(t)
  const first = store.buy({ product: 'basic', account })
  await deliver()
  store.clock.moveTo(Date.parse('2026-03-10T00:00:00Z'))
  const second = store.buy({ product: 'pro', account, replaces: first })
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  const found = await subscriptions()
  t.is(found.find(({ id }) => id === first)?.status, 'canceled')
  t.is(found.find(({ id }) => id === second)?.status, 'active')
})

test('bought again in the Play Store, a plan opens for whoever had the former purchase, and stays', async (t) => {
  const { m, store, account, deliver, opened, payments } = await open(t)
  const first = store.buy({ product: 'pro', account })
  await deliver()
  store.setAutoRenew(first, false)
  store.clock.moveTo(Date.parse('2026-04-01T00:00:00Z'))
  store.expire(first)
  await deliver()
  t.deepEqual(await opened(), [])
  const second = store.buy({ product: 'pro', resubscribes: first })
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  t.is(store.purchase(second).account, account, 'Google keeps the account of the acknowledgement')
  store.clock.moveTo(Date.parse('2026-05-01T00:00:00Z'))
  store.renew(second)
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  t.is((await payments()).length, 3)
  t.deepEqual((await m.operator.compare({ provider: 'google', write: true })).differences, [])
})

test('a purchase that replaces another and names no account stays with its member after Google forgets the other', async (t) => {
  const { store, account, deliver, opened } = await open(t)
  const first = store.buy({ product: 'basic', account })
  await deliver()
  store.clock.moveTo(Date.parse('2026-03-10T00:00:00Z'))
  const second = store.buy({ product: 'pro', replaces: first })
  // Google keeps no account here.
  store.failAcknowledgements(true)
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  store.clock.moveTo(Date.parse('2026-06-10T00:00:00Z'))
  store.renew(second)
  await deliver()
  t.deepEqual(await opened(), ['pro'])
})

test('a later change of plan, and a price that waits for consent, are told', async (t) => {
  const { store, account, deliver, subscriptions } = await open(t)
  const token = store.buy({ product: 'pro', account })
  store.deferChange(token, 'basic')
  await deliver()
  t.deepEqual((await subscriptions())[0]?.scheduled_change, {
    price_id: 'google:basic:monthly',
    quantity: null,
    at: '2026-04-01T00:00:00.000Z',
  })
  store.clock.moveTo(Date.parse('2026-03-02T00:00:00Z'))
  store.askForConsent(token)
  await deliver()
  t.like((await subscriptions())[0]?.metadata, { price_increase: 'pending' })
})

test('a later change to a product of several base plans names no price, because Google names none', async (t) => {
  const basic = {
    name: 'Basic',
    group: 'membership',
    prices: ['google:basic:monthly', 'google:basic:yearly'],
  }
  const { store, account, deliver, subscriptions } = await open(t, {}, { plans: { ...plans, basic } })
  store.deferChange(store.buy({ product: 'pro', account }), 'basic')
  await deliver()
  t.like((await subscriptions())[0]?.scheduled_change, { price_id: null, at: '2026-04-01T00:00:00.000Z' })
})

test('a refund closes what it paid, and one that nobody told is pulled, once', async (t) => {
  const { m, store, account, deliver, opened, payments } = await open(t)
  const token = store.buy({ product: 'pro', account })
  const book = store.buy({ product: 'book', account })
  await deliver()
  t.deepEqual(await opened(), ['pro', 'book'])
  store.clock.moveTo(Date.parse('2026-03-05T00:00:00Z'))
  store.refund(store.purchase(token).orders[0]!.id)
  await deliver()
  t.deepEqual(await opened(), ['book'])
  store.refund(store.purchase(book).orders[0]!.id, { isSilent: true })
  const pulled: string[] = []
  for await (const { outcome } of m.webhooks.pull('google', new Date('2026-03-01T00:00:00Z')))
    pulled.push(outcome)
  t.deepEqual(pulled.sort(), ['duplicate', 'processed'])
  await m.runDueJobs()
  t.deepEqual(await opened(), [])
  t.deepEqual(
    (await payments()).map(({ status }) => status),
    ['refunded', 'refunded'],
  )
})

test('what ended so long ago that Google no longer answers is no obstacle for a comparison', async (t) => {
  const { m, store, account, deliver, opened, payments } = await open(t)
  const old = store.buy({ product: 'basic', account })
  await deliver()
  store.clock.moveTo(Date.parse('2026-04-01T00:00:00Z'))
  store.expire(old)
  await deliver()
  store.clock.moveTo(Date.parse('2026-07-01T00:00:00Z'))
  store.buy({ product: 'pro', account })
  const ann = (await m.users.findByEmail('ann@example.com'))!
  t.deepEqual((await m.operator.compare({ memberId: ann.id, write: true })).differences, [])
  t.deepEqual((await m.operator.compare({ provider: 'google', write: true })).differences, [])
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  t.is((await payments()).length, 2)
})

test('a purchase of a licence tester opens nothing on a live site', async (t) => {
  const tester = await open(t, {}, { livemode: true })
  tester.store.buy({ product: 'pro', account: tester.account })
  tester.store.buy({ product: 'book', account: tester.account })
  await tester.deliver()
  t.deepEqual(await tester.opened(), [])
  t.deepEqual(await tester.subscriptions(), [])
  const live = await open(t, { isTest: false })
  live.store.buy({ product: 'pro', account: live.account })
  await live.deliver()
  t.deepEqual(await live.opened(), ['pro'])
})

test('the provider contract holds for everything that Google Play tells', async (t) => {
  const store = await createFakeGoogle({ products })
  t.teardown(() => store.close())
  const token = store.buy({ product: 'pro', account: 'ann' })
  store.buy({ product: 'book', account: 'ann' })
  store.renew(token)
  store.hold(token)
  store.refund(store.purchase(token).orders[0]!.id)
  const events = store.pushes.map(({ body }) => body.toString('utf8'))
  const checks = providerContract(google, { events, options: { package: 'com.example.app' } })
  for (const { title, run } of checks) await t.notThrowsAsync(async () => run(), title)
  t.true(checks.length >= 5)
})

test('a push counts only with Google’s signature, for this audience and of this account', async (t) => {
  const store = await createFakeGoogle({ products })
  t.teardown(() => store.close())
  const { webhook, livemode: _, ...settings } = store.settings
  const provider = bareProvider(google, settings)
  const secrets = [{ label: 'app', secret: webhook as string }]
  store.test()
  const { body } = store.pushes[0]!
  const verify = (token: string, known = secrets) =>
    provider.verify({ body, headers: { authorization: `Bearer ${token}` } }, known, store.clock.now())
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const seconds = store.clock.seconds()
  t.is(await verify(await store.sign()), 'app')
  t.is(await verify(await store.sign({ iss: 'accounts.google.com' })), 'app')
  const wrong = [
    await store.sign({ aud: 'https://example.org' }),
    await store.sign({ email: 'stranger@other-project.iam.gserviceaccount.com' }),
    await store.sign({ email_verified: false }),
    await store.sign({ email_verified: undefined }),
    await store.sign({ email: undefined }),
    await store.sign({ iss: 'https://accounts.example.com' }),
    await store.sign({ exp: seconds - 3600 }),
    await store.sign({ exp: undefined }),
    await store.sign({}, { key: other }),
    await store.sign({}, { kid: 'key-9' }),
    'no.token.at-all',
  ]
  for (const token of wrong) {
    const error = await t.throwsAsync(async () => verify(token))
    t.true(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'), error?.message)
  }
  for (const [headers, known] of [
    [{}, secrets],
    [{ authorization: `Bearer ${await store.sign()}` }, []],
  ] as const) {
    const error = await t.throwsAsync(async () =>
      provider.verify({ body, headers }, known, store.clock.now()),
    )
    t.true(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'), error?.message)
  }
})

test('while Google’s keys cannot be fetched, the sender is not blamed', async (t) => {
  const store = await createFakeGoogle({ products })
  const token = await store.sign()
  const { webhook, livemode: _, ...settings } = store.settings
  const provider = bareProvider(google, settings)
  await store.close()
  const error = await t.throwsAsync(async () =>
    provider.verify(
      { body: Buffer.from('{}'), headers: { authorization: `Bearer ${token}` } },
      [{ label: '', secret: webhook as string }],
      store.clock.now(),
    ),
  )
  t.false(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'))
})

test('a notification of another app in the same project names nothing', async (t) => {
  const { m, store, account, deliver, opened } = await open(t, {}, { package: 'com.example.other' })
  store.buy({ product: 'pro', account })
  t.deepEqual(await deliver(), ['ignored'])
  t.deepEqual(await opened(), [])
  t.truthy(m)
})

test('each purchase is acknowledged once, though its notification comes twice', async (t) => {
  const { m, store, account, deliver } = await open(t)
  const token = store.buy({ product: 'pro', account })
  const book = store.buy({ product: 'book', account })
  await deliver()
  t.deepEqual([...store.acknowledged].sort(), [token, book].sort())
  const [push] = store.pushes
  await m.webhooks.receive('google', { body: push!.body, headers: await push!.headers() })
  store.renew(token)
  await deliver()
  t.is(store.acknowledged.length, 2)
})

test('a failed acknowledgement is tried again, opens the plan meanwhile, and alerts after a day', async (t) => {
  const { m, store, account, deliver, opened } = await open(t)
  store.failAcknowledgements(true)
  const token = store.buy({ product: 'pro', account })
  await deliver()
  t.deepEqual(await opened(), ['pro'])
  // `operator.health` shares an answer for some seconds.
  const troubles = async () =>
    (await m.storage.read((db) => db.selectFrom('troubles').select('kind'))).map(({ kind }) => kind)
  t.deepEqual(await troubles(), [])
  for (const moment of ['2026-03-01T06:00:00Z', '2026-03-02T00:30:00Z']) {
    store.clock.moveTo(Date.parse(moment))
    await m.runDueJobs()
  }
  t.deepEqual(await troubles(), ['unacknowledged'])
  store.failAcknowledgements(false)
  store.clock.moveTo(Date.parse('2026-03-02T02:00:00Z'))
  await m.runDueJobs()
  t.deepEqual(store.acknowledged, [token])
  t.deepEqual(await troubles(), [])
})

test('the account links to the purchase in Google Play in both languages, and changes and cancels nothing here', async (t) => {
  const { m, store, account, deliver } = await open(t)
  store.buy({ product: 'pro', account })
  await deliver()
  const view = await m.viewOf((await m.users.findByEmail('ann@example.com'))!)
  for (const [defaultLanguage, label] of [
    ['en', 'Manage it in Google Play'],
    ['de', 'In Google Play verwalten'],
  ] as const) {
    const voice = createWords({ root: false, defaultLanguage, site: '' }).voiceFor([])
    const [card] = accountForPage(view, { voice, now: store.clock.now() }).cards ?? []
    t.like(card, { primary: null, actions: [] })
    t.deepEqual(card?.papers.slice(0, 1), [
      { label, url: 'https://play.google.com/store/account/subscriptions?sku=pro&package=com.example.app' },
    ])
  }
})
