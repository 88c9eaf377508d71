import test, { type ExecutionContext } from 'ava'
import { createWords } from '../../../src/core/words/index.ts'
import { createFakeRevenueCat } from '../../../src/fakes/revenuecat/index.ts'
import { createMembership, type Membership } from '../../../src/index.ts'
import { leavingOf } from '../../../src/memberships/account/leaving.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import { revenuecat } from '../../../src/providers/revenuecat/index.ts'
import { accountForPage } from '../../../src/site/pages/account-words.ts'
import { providerContract } from '../../../src/testkit/index.ts'
import { movable } from '../../support/account.ts'
import { freshDatabase } from '../../support/databases.ts'
import {
  priceObject,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from '../../support/stripe-events.ts'
import { revenuecatEvent, told, transferEvent } from './events.ts'

for (const { title, run } of providerContract(revenuecat, { events: told }))
  test(`contract: ${title}`, async (t) => {
    await run()
    t.pass()
  })

const dayMs = 86_400_000

/** A site that sells on the web through Stripe and reads its app's purchases. */
async function openSite(
  t: ExecutionContext,
  more: Record<string, unknown> = {},
  options: Record<string, unknown> = {},
) {
  const clock = movable('2026-03-01T00:00:00Z')
  const app = await createFakeRevenueCat({ now: clock.now })
  t.teardown(() => app.close())
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    ...options,
    'membership.url': 'https://site.example',
    now: clock.now,
    ...(await freshDatabase()),
    'membership.compare.automatic': false,
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe': {
      webhook: 'whsec_web',
      livemode: true,
      plans: { pro: { name: 'Pro', prices: ['price_web'] } },
    },
    'membership.providers.revenuecat': {
      secret: app.secret,
      project: app.project,
      webhook: app.signingSecret,
      api_base: app.base,
      livemode: true,
      plans: {
        pro: { name: 'Pro', prices: ['rc:com.example.monthly', 'rc:com.example.yearly', 'rc:pro'] },
        book: { name: 'Book', prices: ['rc:com.example.book'] },
      },
      ...more,
    },
  })
  t.teardown(() => m.close())
  const member = await m.users.create({ email: 'ada@example.com', verified: true })
  const user = await m.appUserId(member)
  const reload = async () => (await m.users.findById(member.id))!
  const hear = async (events: readonly Record<string, unknown>[]): Promise<void> => {
    for (const event of events) await m.webhooks.receive('revenuecat', app.delivery(event))
    clock.move(5000)
    await m.runDueJobs()
  }
  return { m, app, clock, member, user, reload, hear }
}

const monthly = { product: 'com.example.monthly' }

test('a purchase in the app opens what the same plan opens on the web, and ends with its time', async (t) => {
  const { m, app, clock, user, reload, hear } = await openSite(t)
  t.regex(user, /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  t.is(await m.appUserId(await reload()), user, 'the same member has the same id')

  const { id, events } = app.subscribe({ user, ...monthly })
  await hear(events)
  const [bought] = (await reload()).subscriptions()
  t.like(bought, {
    id,
    provider: 'revenuecat',
    customer_id: user,
    status: 'active',
    livemode: true,
    price_id: 'rc:com.example.monthly',
    product_id: 'com.example.monthly',
    currency: 'EUR',
    unit_amount: 999,
    interval: 'month',
    interval_count: 1,
    current_period_end: '2026-03-31T00:00:00.000Z',
    cancel_at_period_end: false,
  })
  t.true((await reload()).hasGate('pro' as never))
  const [paid] = (await reload()).payments()
  t.like(paid, { purpose: 'recurring', subscription_id: id, amount: 999, currency: 'EUR', status: 'paid' })
  t.like(paid?.metadata, { store: 'app_store', tax: '160', commission: '150', proceeds: '689' })

  clock.move(30 * dayMs)
  await hear(app.renew(id))
  t.is((await reload()).payments().length, 2)
  await hear(app.cancel(id))
  t.like((await reload()).subscriptions()[0], { status: 'active', cancel_at_period_end: true })
  t.true((await reload()).hasGate('pro' as never))
  clock.move(30 * dayMs)
  await hear(app.expire(id))
  t.is((await reload()).subscriptions()[0]?.status, 'canceled')
  t.false((await reload()).hasGate('pro' as never))
})

test('an end in the app closes nothing that is paid on the web, and the other way round', async (t) => {
  const { m, app, clock, member, user, reload, hear } = await openSite(t)
  const { id, events } = app.subscribe({ user, ...monthly })
  await hear(events)
  const item = subscriptionItem({ price: priceObject({ id: 'price_web' }) })
  const web = (fields: Record<string, unknown>, at: number) =>
    stripeEvent('customer.subscription.updated', subscriptionObject({ items: { data: [item] }, ...fields }), {
      created: at,
      livemode: true,
    })
  const customer = stripeEvent(
    'customer.created',
    { id: 'cus_1', object: 'customer', email: member.email, name: null, livemode: true },
    { created: clock.now().getTime() / 1000, livemode: true },
  )
  const hearStripe = async (event: unknown): Promise<void> => {
    const body = Buffer.from(JSON.stringify(event))
    await m.webhooks.receive('stripe', { body, headers: m.webhooks.sign('stripe', body) })
    await m.runDueJobs()
  }
  await hearStripe(customer)
  const seconds = Math.floor(clock.now().getTime() / 1000)
  await hearStripe(web({ id: 'sub_web', customer: 'cus_1', status: 'active', livemode: true }, seconds + 1))
  t.is((await reload()).subscriptions().length, 2)

  await hear(app.refund(id))
  t.true((await reload()).hasGate('pro' as never), 'the web still pays')
  t.is((await reload()).payments().find(({ provider }) => provider === 'revenuecat')?.status, 'refunded')
  await hearStripe(
    web(
      { id: 'sub_web', customer: 'cus_1', status: 'canceled', livemode: true, ended_at: seconds + 60 },
      seconds + 60,
    ),
  )
  t.false((await reload()).hasGate('pro' as never))
  const second = app.subscribe({ user, ...monthly })
  await hear(second.events)
  t.true((await reload()).hasGate('pro' as never), 'the app pays again')
})

test('a sandbox purchase opens nothing on a live site', async (t) => {
  const { app, user, reload, hear } = await openSite(t)
  await hear(app.subscribe({ user, ...monthly, environment: 'sandbox' }).events)
  const live = app.subscribe({ user, product: 'com.example.yearly', days: 365 })
  await hear(live.events)
  t.deepEqual(
    (await reload()).subscriptions().map(({ id, interval }) => [id, interval]),
    [[live.id, 'year']],
    'the answer about the customer has both',
  )
})

test('an anonymous purchase becomes the member’s at the login in the app, and a transfer moves it on', async (t) => {
  const { m, app, user, reload, hear } = await openSite(t)
  const anonymous = '$RCAnonymousID:00000000000000000000000000000007'
  const { id, events } = app.subscribe({ user: anonymous, ...monthly })
  await hear(events)
  t.is((await reload()).subscriptions().length, 0)
  app.alias(anonymous, user)
  await hear([revenuecatEvent('SUBSCRIBER_ALIAS', { app_user_id: user })])
  t.is((await reload()).subscriptions()[0]?.id, id)

  const other = await m.users.create({ email: 'bea@example.com', verified: true })
  await hear(app.transfer(user, await m.appUserId(other)))
  t.is((await reload()).subscriptions().length, 0)
  t.is((await m.users.findById(other.id))?.subscriptions()[0]?.id, id)
})

test('an app may keep the user ids of the site’s login: what was bought before the first visit is found then', async (t) => {
  const identify = async () => ({ email: 'cleo@example.com', userId: 'user-7' })
  const { m, app, clock, hear } = await openSite(t, {}, { identify })
  const { id, events } = app.subscribe({ user: 'user-7', ...monthly })
  await hear(events)
  const visit = () => m.viewOf(new Request('https://site.example/'))
  t.is((await visit()).user()?.subscriptions().length, 0)
  clock.move(5000)
  await m.runDueJobs()
  t.is((await visit()).user()?.subscriptions()[0]?.id, id)
})

test('a grace period keeps access, a retry without one and a pause close it, and a renewal opens it again', async (t) => {
  const { app, clock, user, reload, hear } = await openSite(t)
  const { id, events } = app.subscribe({ user, ...monthly, store: 'play_store' })
  await hear(events)
  clock.move(30 * dayMs)
  await hear(app.fail(id))
  t.like((await reload()).subscriptions()[0], { status: 'active', provider_status: 'in_grace_period' })
  t.true((await reload()).hasGate('pro' as never))
  await hear(app.fail(id, { hasGrace: false }))
  t.is((await reload()).subscriptions()[0]?.status, 'unpaid')
  t.false((await reload()).hasGate('pro' as never))
  await hear(app.renew(id))
  t.true((await reload()).hasGate('pro' as never))
  await hear(app.pause(id, 30))
  t.truthy((await reload()).subscriptions()[0]?.paused_at)
  t.true((await reload()).hasGate('pro' as never), 'until the end of the paid time')
  clock.move(31 * dayMs)
  await hear(app.beginPause(id, 30))
  t.is((await reload()).subscriptions()[0]?.status, 'paused')
  t.false((await reload()).hasGate('pro' as never))
})

test('a change of product, a trial, granted time, a family’s share and a book are read as what they are', async (t) => {
  const { app, user, reload, hear } = await openSite(t)
  const trial = app.subscribe({ user, ...monthly, isTrial: true, days: 7 })
  await hear([...trial.events, ...app.changeProduct(trial.id, 'com.example.yearly')])
  t.like((await reload()).subscriptions()[0], {
    status: 'trialing',
    trial_ends_at: '2026-03-08T00:00:00.000Z',
    scheduled_change: { price_id: 'rc:com.example.yearly', quantity: 1, at: '2026-03-08T00:00:00.000Z' },
  })
  t.is((await reload()).payments().length, 0, 'a free trial is no payment')
  await hear(app.expire(trial.id))
  t.false((await reload()).hasGate('pro' as never))

  const granted = app.subscribe({ user, product: 'pro', store: 'promotional' })
  await hear(granted.events)
  t.true((await reload()).hasGate('pro' as never))
  await hear(app.expire(granted.id))
  const shared = app.subscribe({ user, ...monthly, ownership: 'family_shared' })
  await hear(shared.events)
  t.true((await reload()).hasGate('pro' as never))
  t.is((await reload()).payments().length, 0, 'the family’s payer paid')

  const book = app.buy({ user, product: 'com.example.book', price: 4.5 })
  await hear(book.events)
  t.true((await reload()).hasGate('book' as never))
  t.like((await reload()).payments()[0], { id: book.id, amount: 450, currency: 'EUR', status: 'paid' })
  await hear(app.refundPurchase(book.id))
  t.false((await reload()).hasGate('book' as never))
})

test('purchases of a store that is not read here are left alone', async (t) => {
  const { app, user, reload, hear } = await openSite(t, { stores: ['play_store'] })
  await hear(app.subscribe({ user, ...monthly }).events)
  await hear(app.subscribe({ user, ...monthly, store: 'stripe' }).events)
  t.is((await reload()).subscriptions().length, 0)
  await hear(app.subscribe({ user, ...monthly, store: 'play_store' }).events)
  t.is((await reload()).subscriptions().length, 1)
})

test('nothing of it can be changed here: each action names the store and its page', async (t) => {
  const { m, app, user, reload, hear } = await openSite(t)
  const { id, events } = app.subscribe({ user, ...monthly })
  await hear(events)
  const own = { user: await reload(), subscriptionId: id }
  const actions = [
    () => m.subscriptions.cancel(own),
    () => m.subscriptions.resume(own),
    () => m.subscriptions.pause(own),
    () => m.subscriptions.renew(own),
    () => m.subscriptions.change({ ...own, price: 'rc:com.example.yearly' as never }),
    () => m.subscriptions.preview({ ...own, price: 'rc:com.example.yearly' as never }),
    () => m.subscriptions.portal(own),
    () => m.subscriptions.describe({ action: 'cancel', when: 'period_end', ...own }),
  ]
  for (const action of actions) {
    const error = await t.throwsAsync<Error & Record<string, unknown>>(action)
    t.like(error, { code: 'ERR_ACTION_REFUSED', reason: 'managed_elsewhere' })
    t.is(error.action, 'Manage it in the App Store: https://apps.apple.com/account/subscriptions')
  }
  const view = await m.viewOf(own.user)
  t.deepEqual(view.provider('revenuecat').subscriptionAction('rc:com.example.monthly' as never), {
    action: 'none',
    url: null,
    reason: 'elsewhere',
    subscription_id: id,
  })
  t.is(view.provider('stripe').subscriptionAction('price_web' as never).action, 'none', 'not sold twice')
})

test('a list of everything ends in the same state as the events, and a repeated event changes nothing', async (t) => {
  const { m, app, user, reload, hear } = await openSite(t)
  const item = app.subscribe({ user, ...monthly })
  app.cancel(item.id)
  app.buy({ user, product: 'com.example.book' })
  const imported = await m.operator.import({ provider: 'revenuecat', write: true } as never)
  t.truthy(imported)
  const before = (await reload()).subscriptions().map((s) => JSON.stringify({ ...s, updated_at: '' }))
  t.is(before.length, 1)
  await hear([...item.events, ...item.events])
  t.deepEqual(
    (await reload()).subscriptions().map((s) => JSON.stringify({ ...s, updated_at: '' })),
    before,
  )
})

test('a refund that no event told is found by comparing, also beside purchases of testers', async (t) => {
  const { m, app, clock, user, reload, hear } = await openSite(t)
  const { id, events } = app.subscribe({ user, ...monthly })
  await hear(events)
  const book = app.buy({ user, product: 'com.example.book', price: 4.5 })
  await hear(book.events)
  app.subscribe({ user, product: 'com.example.yearly', environment: 'sandbox' })
  app.buy({ user, product: 'com.example.book', environment: 'sandbox' })
  clock.move(dayMs)
  app.refund(id)
  app.refundPurchase(book.id)
  const { isWhole } = await m.operator.compare({ provider: 'revenuecat', write: true, yes: true })
  t.true(isWhole)
  const payments = (await reload()).payments()
  t.deepEqual(
    payments.map(({ amount, amount_refunded, status }) => [amount, amount_refunded, status]).sort(),
    [
      [450, 450, 'refunded'],
      [999, 999, 'refunded'],
    ],
  )
  t.false((await reload()).hasGate('pro' as never))
  t.false((await reload()).hasGate('book' as never))
  t.is((await reload()).subscriptions().length, 1, 'nothing of a tester')
})

test('while RevenueCat does not answer nothing is lost, and the answer is taken in later', async (t) => {
  const { m, app, clock, user, reload, hear } = await openSite(t)
  app.setDown(true)
  await hear(app.subscribe({ user, ...monthly }).events)
  t.is((await reload()).subscriptions().length, 0)
  app.setDown(false)
  clock.move(600_000)
  await m.runDueJobs()
  t.is((await reload()).subscriptions().length, 1)
})

test('the Authorization header alone is enough, and a wrong one is refused', (t) => {
  const provider = bareProvider(revenuecat)
  const body = Buffer.from(JSON.stringify(revenuecatEvent('RENEWAL')))
  const secrets = [{ label: 'main', secret: 'a long random text' }]
  const verify = (headers: Record<string, string>) => provider.verify({ body, headers }, secrets, new Date())
  t.is(verify({ authorization: 'a long random text' }), 'main')
  t.is(verify({ authorization: 'Bearer a long random text' }), 'main')
  t.is(verify({ authorization: 'a long random text', 'x-revenuecat-webhook-signature': 't=1,v1=00' }), 'main')
  for (const headers of [{ authorization: 'another' }, { 'x-revenuecat-webhook-signature': 't=1,v1=00' }, {}])
    t.throws(() => verify(headers as Record<string, string>), { code: 'ERR_WEBHOOK_SIGNATURE' })
  t.deepEqual(
    provider.changes(provider.read({ body: Buffer.from(JSON.stringify(transferEvent)), headers: {} })[0]!),
    [...transferEvent.event.transferred_from, ...transferEvent.event.transferred_to].map((id) => ({
      type: 'touch',
      ref: { kind: 'customer', id },
    })),
  )
})

test('two providers that read one store do not start', async (t) => {
  const { defineProvider } = await import('../../../src/index.ts')
  const { z } = await import('zod')
  const store = defineProvider({
    key: 'ownstore',
    options: z.object({}),
    create: () => ({
      key: 'ownstore',
      stores: ['app_store'] as const,
      verify: () => '',
      read: () => [],
      changes: () => [],
    }),
  })
  const open = async (stores: readonly string[]) =>
    createMembership({
      install: false,
      root: false,
      log: () => {},
      customProviders: [store],
      ...(await freshDatabase()),
      'membership.providers.ownstore': { webhook: 'x', livemode: true },
      'membership.providers.revenuecat': { webhook: 'y', livemode: true, stores },
    } as never)
  const error = await t.throwsAsync<Error & { action: string }>(() => open(['app_store', 'play_store']), {
    code: 'ERR_CONFIG',
  })
  t.regex(error.action, /revenuecat\.stores/)
  const m: Membership = await open(['play_store'])
  await m.close()
})

test('RevenueCat beside the App Store or Google Play itself does not start, unless it leaves that store out', async (t) => {
  const direct = { apple: { webhook: 'com.example.app' }, google: { webhook: 'aud', package: 'com.example' } }
  for (const [key, settings] of Object.entries(direct)) {
    const open = async (stores: Record<string, unknown>) =>
      createMembership({
        install: false,
        root: false,
        log: () => {},
        ...(await freshDatabase()),
        [`membership.providers.${key}`]: { ...settings, livemode: true },
        'membership.providers.revenuecat': { webhook: 'long random text', livemode: true, ...stores },
      } as never)
    const error = await t.throwsAsync(() => open({}), { code: 'ERR_CONFIG' }, key)
    t.regex(error.message, new RegExp(`${key} and revenuecat|revenuecat and ${key}`))
    const m: Membership = await open({ stores: ['amazon'] })
    await m.close()
  }
})

test('a person who pays in two places reads it in the account in English and German, with the page of each', async (t) => {
  const { m, app, clock, user, reload, hear } = await openSite(t)
  await hear(app.subscribe({ user, ...monthly }).events)
  await hear(app.subscribe({ user, product: 'com.example.yearly', store: 'play_store', days: 365 }).events)
  const view = await m.viewOf(await reload())
  const links = view
    .user()!
    .subscriptions()
    .map((s) => view.managedIn(s))
  t.deepEqual(links.map((link) => link?.store).sort(), ['app_store', 'play_store'])
  t.truthy(links.every((link) => link?.url?.startsWith('https://')))
  const voiceIn = (defaultLanguage: string) =>
    createWords({ root: false, defaultLanguage, site: '' }).voiceFor([])
  const page = (language: string) => {
    const { twice, twiceInStore, cards } = accountForPage(view, {
      voice: voiceIn(language),
      now: clock.now(),
    })
    return {
      twice,
      twiceInStore,
      papers: cards?.flatMap(({ papers }) => papers),
      said: cards?.map((card) => card.sentence),
    }
  }
  const [en, de] = [page('en'), page('de')]
  t.like(en, { twice: 'Pro', twiceInStore: true })
  t.deepEqual(en.papers?.map(({ label }) => label).sort(), [
    'Manage it in Google Play',
    'Manage it in the App Store',
  ])
  t.deepEqual(de.papers?.map(({ label }) => label).sort(), [
    'Im App Store verwalten',
    'In Google Play verwalten',
  ])
  const { memberships } = leavingOf(view, { voice: voiceIn('en'), now: clock.now() })
  t.deepEqual(memberships.map((membership) => membership.managed_in?.store).sort(), [
    'app_store',
    'play_store',
  ])
  t.true(en.said?.some((text) => text.includes('You bought it in the App Store')))
  t.true(de.said?.some((text) => text.includes('Sie haben es im App Store gekauft')))
})
