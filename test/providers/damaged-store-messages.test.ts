import test, { type ExecutionContext } from 'ava'
import { isMembershipError } from '../../src/core/errors.ts'
import { createFakeApple, type FakeApple } from '../../src/fakes/apple/index.ts'
import { createFakeGoogle, type FakeGoogle } from '../../src/fakes/google/index.ts'
import { createFakeRevenueCat } from '../../src/fakes/revenuecat/index.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import { apple } from '../../src/providers/apple/index.ts'
import { bareProvider } from '../../src/providers/bare.ts'
import type { Delivery, Provider } from '../../src/providers/contract.ts'
import { google } from '../../src/providers/google/index.ts'
import { revenuecat } from '../../src/providers/revenuecat/index.ts'
import { movable } from '../support/account.ts'
import { freshDatabase } from '../support/databases.ts'
import { told } from './revenuecat/events.ts'

// A store may leave out a field or change its type. Such a message is still signed, so its content is all that protects.

type Fields = Readonly<Record<string, unknown>>

interface Damaged {
  /** The damaged field and its replacement, for the message of a failed test. */
  readonly title: string
  readonly message: Fields
}

// No field can hold this number; another one might be a sound message with another meaning.
const replacements = [undefined, null, -1, ['x']] as const

/** Every form of the message with one field, at any depth, removed or replaced. */
function damagedForms(message: Fields, path: readonly string[] = []): Damaged[] {
  return Object.entries(message).flatMap(([name, value]) => {
    const place = [...path, name]
    const here = replacements.map((replacement) => ({
      title: `${place.join('.')}: ${JSON.stringify(replacement) ?? 'removed'}`,
      message: { ...message, [name]: replacement },
    }))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return here
    const inside = damagedForms(value as Fields, place).map(({ title, message: inner }) => ({
      title,
      message: { ...message, [name]: inner },
    }))
    return [...here, ...inside]
  })
}

interface Attempt {
  readonly title: string
  readonly delivery: Delivery
}

/** Reads a message as the site does. Only a MembershipError may refuse it. */
async function readAlone(
  t: ExecutionContext,
  provider: Pick<Provider, 'verify' | 'read' | 'changes'>,
  { title, delivery }: Attempt,
  given: { secret: string; now: Date },
): Promise<void> {
  try {
    await provider.verify(delivery, [{ label: '', secret: given.secret }], given.now)
    for (const event of provider.read(delivery)) provider.changes(event)
  } catch (error) {
    t.true(isMembershipError(error), `${title}: ${String(error)}`)
  }
}

/**
 * Delivers the messages to the site, and returns those of the first batch after which one of the plans is
 * open. `atOnce` above 1 is for messages about different purchases, none of which closes what another opened.
 */
async function openers(
  t: ExecutionContext,
  m: Membership,
  attempts: readonly Attempt[],
  { provider, gates, atOnce = 1 }: { provider: string; gates: readonly string[]; atOnce?: number },
): Promise<string[]> {
  for (let i = 0; i < attempts.length; i += atOnce) {
    const batch = attempts.slice(i, i + atOnce)
    for (const { title, delivery } of batch)
      try {
        await m.webhooks.receive(provider, delivery)
      } catch (error) {
        t.true(isMembershipError(error), `${title}: ${String(error)}`)
      }
    await m.runDueJobs()
    const user = (await m.users.findByEmail('ann@example.com'))!
    if (gates.some((gate) => user.hasGate(gate as never))) return batch.map(({ title }) => title)
  }
  return []
}

const common = { install: false, root: false, log: () => {}, 'membership.compare.automatic': false } as const

// Apple: the notification, with the two signed objects in it.

const appleProducts = { pro: { price: 9990 }, book: { price: 19_990, type: 'Non-Consumable' } } as const
const applePlans = {
  pro: { name: 'Pro', prices: ['apple:pro'] },
  book: { name: 'Book', prices: [{ id: 'apple:book', type: 'one_time' }] },
} as const

function decoded(jws: unknown): Fields | undefined {
  if (typeof jws !== 'string') return undefined
  return JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString('utf8')) as Fields
}

/** The last notification, with its signed objects opened. */
function lastOfApple(store: FakeApple): Fields {
  const { signedPayload } = JSON.parse(store.notifications.at(-1)!.body.toString('utf8')) as Fields
  const { data, ...rest } = decoded(signedPayload) as { data: Fields } & Fields
  const { signedTransactionInfo, signedRenewalInfo, ...more } = data
  const renewal = decoded(signedRenewalInfo)
  return {
    ...rest,
    data: {
      ...more,
      signedTransactionInfo: decoded(signedTransactionInfo),
      ...(renewal === undefined ? {} : { signedRenewalInfo: renewal }),
    },
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Signs the notification. Each one is about another purchase, so that none is a repetition of an earlier one. */
function signedByApple(store: FakeApple, message: Fields, serial: number): Delivery {
  const numbered = (raw: Fields, names: readonly string[]): Fields => ({
    ...raw,
    ...Object.fromEntries(
      names.filter((name) => typeof raw[name] === 'string').map((name) => [name, `${serial}000`]),
    ),
  })
  const ids = ['transactionId', 'originalTransactionId']
  const signed = (raw: unknown) => (isFields(raw) ? store.signer.sign(numbered(raw, ids)) : raw)
  const { data } = message
  const payload = {
    ...numbered(message, ['notificationUUID']),
    data: isFields(data)
      ? {
          ...data,
          signedTransactionInfo: signed(data.signedTransactionInfo),
          signedRenewalInfo: signed(data.signedRenewalInfo),
        }
      : data,
  }
  const body = Buffer.from(JSON.stringify({ signedPayload: store.signer.sign(payload) }))
  return { body, headers: {} }
}

const appleLives: readonly (readonly [
  title: string,
  live: (store: FakeApple, token: string) => void,
  settings: Fields,
])[] = [
  [
    'a subscription that is over',
    (store, token) => {
      store.buy({ product: 'pro', token })
      store.setAutoRenew(store.purchase(store.buy({ product: 'pro', token })).id, false)
      store.moveTo(new Date('2026-04-02T00:00:00Z'))
    },
    {},
  ],
  [
    'a failed renewal whose grace is over',
    (store, token) => {
      const id = store.buy({ product: 'pro', token })
      store.clock.moveTo(Date.parse('2026-04-01T00:00:00Z'))
      store.failRenewal(id, 16)
      store.clock.moveTo(Date.parse('2026-04-17T00:00:00Z'))
      store.endGrace(id)
    },
    {},
  ],
  [
    'a refunded subscription',
    (store, token) => {
      const id = store.buy({ product: 'pro', token })
      store.clock.moveTo(Date.parse('2026-03-05T00:00:00Z'))
      store.refund(id)
    },
    {},
  ],
  [
    'a refunded purchase',
    (store, token) => {
      const id = store.buy({ product: 'book', token })
      store.clock.moveTo(Date.parse('2026-03-05T00:00:00Z'))
      store.refund(id)
    },
    {},
  ],
  [
    'a revoked purchase',
    (store, token) => {
      const id = store.buy({ product: 'pro', token })
      store.clock.moveTo(Date.parse('2026-03-05T00:00:00Z'))
      store.revoke(id)
    },
    {},
  ],
  [
    'a subscription of the sandbox on a live site',
    (store, token) => void store.buy({ product: 'pro', token }),
    { livemode: true },
  ],
  [
    'a purchase of the sandbox on a live site',
    (store, token) => void store.buy({ product: 'book', token }),
    { livemode: true },
  ],
]

for (const [title, live, settings] of appleLives)
  test(`apple: a damaged notification of ${title} opens nothing`, async (t) => {
    const store = await createFakeApple({ products: appleProducts })
    t.teardown(() => store.close())
    const m = await createMembership({
      ...common,
      now: store.clock.now,
      ...(await freshDatabase()),
      'membership.provider.handler': 'apple',
      // Without a key the notifications alone count.
      'membership.providers.apple': { plans: applePlans, ...store.settings, secret: undefined, ...settings },
    })
    t.teardown(() => m.close())
    const token = await m.appUserId(await m.users.create({ email: 'ann@example.com', name: null }))
    live(store, token)
    const intact = lastOfApple(store)
    const attempts = [{ title: 'intact', message: intact }, ...damagedForms(intact)].map((form, serial) => ({
      title: form.title,
      delivery: signedByApple(store, form.message, serial),
    }))
    t.true(attempts.length > 80)
    const provider = bareProvider(apple, { root_certificate: store.signer.root, app_id: 1_234_567_890 })
    const given = { secret: 'com.example.app', now: store.clock.now() }
    for (const attempt of attempts) await readAlone(t, provider, attempt, given)
    t.deepEqual(await openers(t, m, attempts, { provider: 'apple', gates: ['pro', 'book'], atOnce: 20 }), [])
  })

// Google: the push, with the notification in it. Its signature stands in a header, and Google is asked for the state.

function lastOfGoogle(store: FakeGoogle): Fields {
  const push = JSON.parse(store.pushes.at(-1)!.body.toString('utf8')) as { message: Fields } & Fields
  const data = JSON.parse(Buffer.from(String(push.message.data), 'base64').toString('utf8')) as Fields
  return { ...push, message: { ...push.message, data } }
}

async function signedByGoogle(store: FakeGoogle, push: Fields, serial: number): Promise<Delivery> {
  const { message } = push
  const sent = isFields(message)
    ? {
        ...message,
        ...(typeof message.messageId === 'string' ? { messageId: String(serial) } : {}),
        data: isFields(message.data)
          ? Buffer.from(JSON.stringify(message.data)).toString('base64')
          : message.data,
      }
    : message
  const body = Buffer.from(JSON.stringify({ ...push, message: sent }))
  return { body, headers: { authorization: `Bearer ${await store.sign()}` } }
}

const googleLives: readonly (readonly [
  title: string,
  live: (store: FakeGoogle, account: string) => void,
  settings: Fields,
])[] = [
  [
    'a subscription that is over',
    (store, account) => {
      const token = store.buy({ product: 'pro', account })
      store.setAutoRenew(token, false)
      store.clock.moveTo(Date.parse('2026-04-02T00:00:00Z'))
      store.expire(token)
    },
    {},
  ],
  [
    'a subscription on hold',
    (store, account) => {
      const token = store.buy({ product: 'pro', account })
      store.clock.moveTo(Date.parse('2026-04-01T00:00:00Z'))
      store.failRenewal(token, 7)
      store.clock.moveTo(Date.parse('2026-04-08T00:00:00Z'))
      store.hold(token)
    },
    {},
  ],
  [
    'a refunded purchase',
    (store, account) => store.refund(store.purchase(store.buy({ product: 'book', account })).orders[0]!.id),
    {},
  ],
  [
    'a licence tester’s subscription on a live site',
    (store, account) => void store.buy({ product: 'pro', account }),
    { livemode: true },
  ],
  [
    'a licence tester’s purchase on a live site',
    (store, account) => void store.buy({ product: 'book', account }),
    { livemode: true },
  ],
]

for (const [title, live, settings] of googleLives)
  test(`google: a damaged notification of ${title} opens nothing`, async (t) => {
    const store = await createFakeGoogle({
      products: { pro: { basePlan: 'monthly', price: 9.99 }, book: { price: 19.99 } },
    })
    t.teardown(() => store.close())
    const plans = {
      pro: { name: 'Pro', prices: ['google:pro:monthly'] },
      book: { name: 'Book', prices: [{ id: 'google:book', type: 'one_time' }] },
    } as const
    const m = await createMembership({
      ...common,
      now: store.clock.now,
      ...(await freshDatabase()),
      'membership.provider.handler': 'google',
      'membership.providers.google': { plans, ...store.settings, ...settings },
    })
    t.teardown(() => m.close())
    const account = await m.appUserId(await m.users.create({ email: 'ann@example.com', name: null }))
    live(store, account)
    const intact = lastOfGoogle(store)
    const attempts: Attempt[] = []
    for (const form of [{ title: 'intact', message: intact }, ...damagedForms(intact)])
      attempts.push({
        title: form.title,
        delivery: await signedByGoogle(store, form.message, attempts.length),
      })
    t.true(attempts.length > 40)
    const { webhook, livemode: _, ...options } = store.settings
    const provider = bareProvider(google, options)
    const given = { secret: String(webhook), now: store.clock.now() }
    for (const attempt of attempts) await readAlone(t, provider, attempt, given)
    t.deepEqual(await openers(t, m, attempts, { provider: 'google', gates: ['pro', 'book'] }), [])
  })

// RevenueCat: the event, after which RevenueCat is asked for the customer.

test('revenuecat: a damaged event is read or refused, and never breaks', async (t) => {
  const provider = bareProvider(revenuecat)
  for (const intact of told)
    for (const { title, message } of damagedForms(intact as Fields)) {
      const delivery = {
        body: Buffer.from(JSON.stringify(message)),
        headers: { authorization: 'a long random text' },
      }
      await readAlone(t, provider, { title, delivery }, { secret: 'a long random text', now: new Date() })
    }
  t.pass()
})

test('revenuecat: a damaged event of a subscription that is over, of a refund or of a sandbox purchase opens nothing', async (t) => {
  const clock = movable('2026-03-01T00:00:00Z')
  const app = await createFakeRevenueCat({ now: clock.now })
  t.teardown(() => app.close())
  const m = await createMembership({
    ...common,
    now: clock.now,
    ...(await freshDatabase()),
    'membership.provider.handler': 'revenuecat',
    'membership.providers.revenuecat': {
      secret: app.secret,
      project: app.project,
      webhook: app.signingSecret,
      api_base: app.base,
      livemode: true,
      plans: {
        pro: { name: 'Pro', prices: ['rc:com.example.monthly'] },
        book: { name: 'Book', prices: ['rc:com.example.book'] },
      },
    },
  })
  t.teardown(() => m.close())
  const user = await m.appUserId(await m.users.create({ email: 'ann@example.com', name: null }))
  const product = 'com.example.monthly'
  const sandbox = app.subscribe({ user, product, environment: 'sandbox' }).events
  const refunded = app.refund(app.subscribe({ user, product }).id)
  const book = app.refundPurchase(app.buy({ user, product: 'com.example.book' }).id)
  const { id } = app.subscribe({ user, product })
  clock.move(31 * 86_400_000)
  const over = app.expire(id)
  const attempts = [...sandbox, ...refunded, ...book, ...over]
    .flatMap((event) => [{ title: 'intact', message: event as Fields }, ...damagedForms(event as Fields)])
    .map(({ title, message }, serial) => {
      const { event } = message
      const numbered =
        isFields(event) && typeof event.id === 'string'
          ? { ...message, event: { ...event, id: `event-${serial}` } }
          : message
      return { title, delivery: app.delivery(numbered) }
    })
  t.true(attempts.length > 200)
  t.deepEqual(await openers(t, m, attempts, { provider: 'revenuecat', gates: ['pro', 'book'] }), [])
})
