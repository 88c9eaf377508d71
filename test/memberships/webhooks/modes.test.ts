import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { createFakeRevenueCat } from '../../../src/fakes/revenuecat/index.ts'
import {
  defineProvider,
  type Membership,
  MembershipError,
  type MembershipOptions,
} from '../../../src/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import type { Change, Fetched, ProviderDefinition } from '../../../src/providers/contract.ts'
import { definitions } from '../../../src/testkit/definitions.ts'
import { signed } from '../../../src/testkit/signed.ts'
import { chargebeeEvent, chargebeeSubscription } from '../../providers/chargebee/events.ts'
import { creemBook, creemEvent, creemSubscription } from '../../providers/creem/events.ts'
import { dodoEvent, dodoSubscription } from '../../providers/dodo/events.ts'
import { lemonBook, lemonEvent, lemonSubscription } from '../../providers/lemonsqueezy/events.ts'
import { mollieBook, mollieCustomer, mollieEvent } from '../../providers/mollie/events.ts'
import { startObjects } from '../../providers/mollie/objects.ts'
import { paddleEvent, paddleSubscription } from '../../providers/paddle/events.ts'
import { paypalSign, sandboxCertificate } from '../../providers/paypal/certificate.ts'
import { paypalEvent, paypalSubscription } from '../../providers/paypal/events.ts'
import { polarEvent, polarSubscription } from '../../providers/polar/events.ts'
import { revenuecatEvent } from '../../providers/revenuecat/events.ts'
import { openHost } from '../../support/host.ts'
import { own } from '../../support/own-providers.ts'
import { chargeObject, checkoutObject, stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

const at = '2026-03-01T12:00:00.000Z'

function open(t: ExecutionContext, key: string, livemode: boolean, more: MembershipOptions = {}) {
  return openHost(t, {
    [`membership.providers.${key}.webhook`]: 'a secret of both modes',
    [`membership.providers.${key}.livemode`]: livemode,
    ...more,
  })
}

/** Everything that could open something. */
async function taken(m: Membership): Promise<unknown[]> {
  return [
    ...(await m.storage.read((db) => db.selectFrom('facts').select('id'))),
    ...(await m.storage.read((db) => db.selectFrom('subscriptions').select('id'))),
    ...(await m.storage.read((db) => db.selectFrom('members').select('id'))),
  ]
}

async function send(site: string, key: string, body: Buffer, headers: Record<string, string>) {
  const address = `${site}/membership/webhooks/${key}`
  const answer = await fetch(address, { method: 'POST', body: new Uint8Array(body), headers })
  return { code: answer.status, status: ((await answer.json()) as { status?: unknown }).status }
}

function withoutMode<T extends { livemode: unknown }>({ livemode: _, ...event }: T) {
  return event
}
/** The object without a word, wherever it stands. */
function without(word: string, object: unknown): unknown {
  return JSON.parse(JSON.stringify(object, (key, value) => (key === word ? undefined : value)))
}
const price = {
  id: 'p_1',
  label: 'Gold',
  amount: 900,
  currency: 'EUR',
  interval: 'month',
  interval_count: 1,
  trial_days: 0,
}

interface Tried {
  readonly test: readonly unknown[]
  readonly wordless: readonly unknown[]
  readonly configured?: MembershipOptions | ((t: ExecutionContext) => Promise<MembershipOptions>)
  /** How its test mode signs, where no secret is enough. */
  readonly sign?: (body: Buffer) => Record<string, string>
}

async function optionsOf(t: ExecutionContext, given: Tried['configured']): Promise<MembershipOptions> {
  return typeof given === 'function' ? given(t) : (given ?? {})
}

/** Of each provider purchases of test mode, and others of which no word says the mode. */
const tests: Record<string, Tried> = {
  stripe: {
    test: [
      stripeEvent('customer.subscription.created', subscriptionObject()),
      stripeEvent('checkout.session.completed', checkoutObject()),
      stripeEvent('charge.succeeded', chargeObject()),
    ],
    wordless: [withoutMode(stripeEvent('checkout.session.completed', withoutMode(checkoutObject())))],
  },
  sandbox: {
    test: [
      {
        id: 'evt_1',
        type: 'payment.created',
        created: at,
        object: 'payment',
        data: {
          id: 'pay_1',
          customer: 'cus_1',
          subscription: null,
          checkout: null,
          price,
          quantity: 1,
          amount: 900,
          amount_refunded: 0,
          status: 'paid',
          paid: at,
          metadata: {},
          updated: at,
        },
      },
    ],
    wordless: [],
  },
  chargebee: {
    test: [chargebeeEvent('subscription_created', 1772323201, { subscription: chargebeeSubscription() })],
    wordless: [],
  },
  lemonsqueezy: {
    test: [
      lemonEvent('order_created', lemonBook()),
      lemonEvent('subscription_created', lemonSubscription()),
      // The message and its object disagree.
      lemonEvent('order_created', lemonBook({ id: '902', test_mode: false })),
    ],
    wordless: [without('test_mode', lemonEvent('order_created', lemonBook({ id: '903' })))],
  },
  creem: {
    test: [
      creemEvent('checkout.completed', at, creemBook()),
      creemEvent('subscription.paid', at, creemSubscription()),
    ],
    wordless: [creemEvent('checkout.completed', at, without('mode', creemBook()))],
  },
  // No message says it: what is of test mode comes from there, signed by a secret of there.
  paddle: { test: [paddleEvent('subscription.created', at, paddleSubscription())], wordless: [] },
  polar: { test: [polarEvent('subscription.active', at, polarSubscription())], wordless: [] },
  dodo: { test: [dodoEvent('subscription.active', at, dodoSubscription())], wordless: [] },
  // Its messages prove nothing but what to ask for.
  mollie: {
    test: [mollieEvent('payment.paid', mollieBook())],
    wordless: [],
    configured: async (t) => {
      const api = await startObjects(t, () => new Date())
      api.put(mollieCustomer(), mollieBook())
      return {
        'membership.providers.mollie.secret': 'test_key',
        'membership.providers.mollie.api_base': api.url,
      }
    },
  },
  // The event names the buyer, and the answer of the API has the purchase.
  revenuecat: {
    test: [revenuecatEvent('INITIAL_PURCHASE', { environment: 'SANDBOX' })],
    wordless: [],
    configured: async (t) => {
      const api = await createFakeRevenueCat({ now: () => new Date() })
      t.teardown(() => api.close())
      const buyer = revenuecatEvent('INITIAL_PURCHASE').event.app_user_id
      api.subscribe({ user: buyer, product: 'com.example.monthly', environment: 'sandbox' })
      return {
        'membership.providers.revenuecat.secret': api.secret,
        'membership.providers.revenuecat.project': api.project,
        'membership.providers.revenuecat.api_base': api.base,
      }
    },
  },
  paypal: {
    test: [paypalEvent('BILLING.SUBSCRIPTION.ACTIVATED', at, paypalSubscription())],
    wordless: [],
    configured: { 'membership.providers.paypal.certificate': sandboxCertificate },
    sign: (body) => paypalSign(body, 'a secret of both modes', new Date()),
  },
}

// Notifications of an app store are signed by keys of the store's own: test/providers/{key}/store.test.ts.
const shops = definitions.filter(
  (definition) => definition.key in tests || bareProvider(definition).stores === undefined,
)

test('every provider of the package is tested with a purchase in test mode', (t) => {
  t.deepEqual(Object.keys(tests).sort(), shops.map(({ key }) => key).sort())
})

for (const definition of shops) {
  const { key, mode } = definition
  test(`a test purchase at ${key} opens nothing on a live site`, async (t) => {
    const { test: purchases = [], wordless = [], configured, sign } = tests[key] ?? {}
    const { m, site } = await open(t, key, true, await optionsOf(t, configured))
    for (const purchase of [...purchases, ...wordless]) {
      const body = Buffer.from(JSON.stringify(purchase))
      if (mode === 'message')
        t.deepEqual(await send(site, key, body, m.webhooks.sign(key, body)), { code: 200, status: 'held' })
      else {
        const headers = sign?.(body) ?? signed(definition, body, { secret: 'a secret of test mode' }).headers
        t.is((await send(site, key, body, headers)).code, 403)
      }
    }
    await m.runDueJobs()
    t.deepEqual(await taken(m), [])
  })

  test(`the same purchase of ${key} opens something on a test site`, async (t) => {
    const { test: purchases = [], configured, sign } = tests[key] ?? {}
    const { m, site } = await open(t, key, false, await optionsOf(t, configured))
    for (const purchase of purchases) {
      const body = Buffer.from(JSON.stringify(purchase))
      t.deepEqual(await send(site, key, body, sign?.(body) ?? m.webhooks.sign(key, body)), {
        code: 200,
        status: 'processed',
      })
    }
    await m.runDueJobs()
    // An object that an event only names is asked for a moment later.
    for (let tries = 0; tries < 50 && (await taken(m)).length === 0; tries++) {
      await sleep(200)
      await m.runDueJobs()
    }
    t.not((await taken(m)).length, 0)
  })
}

interface Said {
  readonly id: string
  /** The word of the message, of the object in it, and the host that sent it. */
  readonly live?: boolean
  readonly objectLive?: boolean
  readonly host?: string
}

function bought(id: string, livemode?: boolean): Change[] {
  const mode = livemode === undefined ? {} : { livemode }
  const stage = 'updated' as const
  const buyer = { id: 'c_1', email: 'ann@example.com', name: 'Ann', deleted: false, ...mode }
  const paid = {
    amount: 900,
    currency: 'EUR',
    price_id: 'p_1',
    purpose: 'one_time' as const,
    state: 'paid' as const,
  }
  return [
    { type: 'customer', id: 'c_1', stage, data: buyer },
    {
      type: 'money',
      kind: 'payment',
      id,
      stage,
      data: { id, refs: [], customer_id: 'c_1', ...paid, ...mode },
    },
  ]
}

/** A provider of each kind; `told` gets the mode that the core tells it. */
function acme(mode: ProviderDefinition['mode'], told: (boolean | null)[] = [], answer?: Fetched) {
  return defineProvider({
    key: 'acme',
    ...(mode === undefined ? {} : { mode }),
    options: z.strictObject({}),
    create: ({ livemode }) => {
      told.push(livemode)
      return {
        key: 'acme',
        verify: ({ headers, body }, secrets) => {
          const signed = secrets.find(({ secret }) => secret === headers.signature)
          const { host } = JSON.parse(body.toString()) as Said
          const isHost = mode !== 'host' || host === (livemode ? 'api.acme.example' : 'test.acme.example')
          if (signed && isHost) return signed.label
          throw new MembershipError('ERR_WEBHOOK_SIGNATURE', 'No.')
        },
        read: ({ body }) => {
          const { id, live = null, ...object } = JSON.parse(body.toString()) as Said
          return [
            { id, type: 'bought', occurred_at: at, livemode: live, object_id: id, object: { id, ...object } },
          ]
        },
        changes: ({ object }) => {
          const { id, objectLive } = object as Said
          return answer ? [{ type: 'touch', ref: { kind: 'payment', id } }] : bought(id, objectLive)
        },
        ...(answer ? { fetch: async () => answer } : {}),
      }
    },
  })
}

interface Case {
  readonly mode: ProviderDefinition['mode']
  readonly said: Omit<Said, 'id'>
  readonly secret?: string
  readonly becomes: 'held' | 'processed' | 'refused'
}

// On a live site, whose secret is `live`.
const cases: [string, Case][] = [
  ['signed by the shared secret, says test', { mode: 'message', said: { live: false }, becomes: 'held' }],
  ['whose object says test', { mode: 'message', said: { objectLive: false }, becomes: 'held' }],
  [
    'whose object says test and itself live',
    { mode: 'message', said: { live: true, objectLive: false }, becomes: 'held' },
  ],
  ['that says nothing where every one says it', { mode: 'message', said: {}, becomes: 'held' }],
  ['that says live', { mode: 'message', said: { live: true }, becomes: 'processed' }],
  ['whose object says live', { mode: 'message', said: { objectLive: true }, becomes: 'processed' }],
  ['signed by the secret of test mode', { mode: 'secret', said: {}, secret: 'test', becomes: 'refused' }],
  ['signed by the secret of live mode', { mode: 'secret', said: {}, becomes: 'processed' }],
  ['signed by it, that says test all the same', { mode: 'secret', said: { live: false }, becomes: 'held' }],
  ['of the test host', { mode: 'host', said: { host: 'test.acme.example' }, becomes: 'refused' }],
  ['of the live host', { mode: 'host', said: { host: 'api.acme.example' }, becomes: 'processed' }],
  [
    'of the live host, whose object says test',
    { mode: 'host', said: { host: 'api.acme.example', objectLive: false }, becomes: 'held' },
  ],
  [
    'of a provider that declares nothing, whose object says test',
    { mode: undefined, said: { objectLive: false }, becomes: 'held' },
  ],
  [
    'of a provider that declares nothing, without a word',
    { mode: undefined, said: {}, becomes: 'processed' },
  ],
]

for (const [title, { mode, said, secret = 'live', becomes }] of cases)
  test(`if ${mode ?? 'nothing'} tells the mode, a purchase ${title} is ${becomes}`, async (t) => {
    const told: (boolean | null)[] = []
    const { m, site } = await open(t, 'acme', true, {
      customProviders: [acme(mode, told)],
      ...own({ 'membership.providers.acme.webhook': 'live' }),
    })
    t.deepEqual(told, [true], 'the provider is told')
    const body = Buffer.from(JSON.stringify({ id: 'ch_1', ...said }))
    const answer = await send(site, 'acme', body, { signature: secret })
    t.deepEqual(answer.code === 403 ? 'refused' : answer.status, becomes)
    await m.runDueJobs()
    const user = await m.users.findByEmail('ann@example.com')
    t.is(user?.hasPayment('p_1') ?? false, becomes === 'processed')
    if (becomes !== 'processed') t.deepEqual(await taken(m), [])
    else t.true(user!.payments()[0]!.livemode)
  })

test('objects fetched with a key of the other mode open nothing either', async (t) => {
  for (const [live, opens] of [
    [false, 0],
    [true, 2],
  ] as const) {
    const answer = { changes: bought('ch_1', live), at }
    const { m, site } = await open(t, 'acme', true, { customProviders: [acme('secret', [], answer)] })
    const body = Buffer.from(JSON.stringify({ id: 'ch_1' }))
    const headers = { signature: 'a secret of both modes' }
    t.is((await send(site, 'acme', body, headers)).status, 'processed')
    await m.runDueJobs()
    t.is((await m.storage.read((db) => db.selectFrom('facts').select('id'))).length, opens)
  }
})

test('a key of the other mode is reported at the start', async (t) => {
  const ofKey = (livemode: boolean) =>
    open(t, 'stripe', livemode, { 'membership.providers.stripe.secret': 'sk_test_1' })
  t.regex((await ofKey(true)).log.join('\n'), /API key of stripe is for test mode/)
  t.notRegex((await ofKey(false)).log.join('\n'), /API key/)
})
