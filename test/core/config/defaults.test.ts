import { readFile } from 'node:fs/promises'
import test from 'ava'
import { parse } from 'yaml'
import { configKeys } from '../../../src/core/config/index.ts'
import { optionalMails } from '../../../src/generated/mail-kinds.ts'
import { load, stripe } from './support.ts'

const examples = new URL('../../../config/', import.meta.url)

test('an empty configuration has every default', async (t) => {
  const { config, definitions, sources, warnings } = await load(undefined)
  t.deepEqual(config, {
    url: null,
    base_path: '',
    name: null,
    site: null,
    secret: null,
    database: { url: 'sqlite:data/membership.db', synchronous: 'full', pool: 10 },
    provider: { handler: null, choices: [] },
    providers: {},
    members: { roles: ['member'], create: true },
    language: 'en',
    operator: { email: null },
    login: { minutes: 20, signup: false },
    mails: {
      language: null,
      kinds: [...optionalMails],
      trial_days: 7,
      renewal_days: 30,
    },
    account: { offer: null },
    brand: {
      logo: null,
      colors: { accent: null, background: null, surface: null, text: null },
      dark: { accent: null, background: null, surface: null, text: null },
      fonts: { text: null, headings: null, interface: null },
      stylesheet: null,
    },
    files: { folder: null, accel: null },
    feeds: { clients: 20, end_at_logout: false },
    pass: { seconds: 300, audience: null },
    notify: [],
    pages: { home: '/', account: null, prices: null },
    office: { enabled: false },
    shop: {
      name: null,
      address: [],
      email: null,
      country: null,
      tax: null,
      code_field: false,
      california: null,
    },
    features: {},
    ratelimit: { limit: 30, trust_proxy: 0, store: null, webhooks: false },
    gates: { past_due_seconds: 21 * 86_400 },
    webhooks: { retries: 10, keep_bodies_days: 90 },
    compare: { automatic: true },
    migration: { watch: false },
    reports: {
      system: null,
      contact: null,
      limit: 600,
      limit_visits: 30,
      limit_unchanged: 6000,
      relink_automatically: false,
      wait_seconds: 10,
      cache_mb: 64,
      crawl: {
        enabled: true,
        concurrency: 8,
        pause_seconds: 2,
        interval_days: 7,
        max_interval_days: 30,
        seeds: [],
        follow_links: true,
      },
    },
  })
  t.deepEqual([definitions, sources, warnings], [[], [], []])
})

test('a provider’s field is its key, and its own schema fills its options', async (t) => {
  const { config } = await load({ providers: { stripe: null } })
  t.deepEqual(config.providers.stripe, {
    field: 'stripe',
    webhook: [],
    account: null,
    livemode: null,
    checkout: {},
    metadata: {},
    change: { upgrade: 'now', downgrade: 'period_end', proration: [] },
    pause: null,
    discount: null,
    unknown_purchase: null,
    accepts: 'everything',
    prices: [],
    plans: {},
    options: { api_version: '2026-01-01', webhook_tolerance: 300 },
  })
})

test('every key has a description, and the default file names each with its default', async (t) => {
  const text = await readFile(new URL('membership.default.yml', examples), 'utf8')
  const file: unknown = parse(text)
  const joined = text.replace(/\n\s*#\s*(#\s*)?/g, ' ')
  for (const key of configKeys()) {
    t.not(key.description, '', `${key.key} has no description`)
    if (/^membership\.(plans|providers)/.test(key.key)) continue
    const value = key.key
      .split('.')
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], file)
    if (key.key.includes('[]')) t.true(joined.includes(key.description), key.key)
    else if (key.isSection) t.is(typeof value, 'object', key.key)
    else {
      t.deepEqual(value, key.default, key.key)
      t.true(joined.includes(key.description), `${key.key} has another sentence in the default file`)
    }
  }
})

test('the default file holds no key that the schema does not know', async (t) => {
  const file: unknown = parse(await readFile(new URL('membership.default.yml', examples), 'utf8'))
  t.deepEqual((await load(file)).config, (await load({})).config)
})

test('the keys of a provider appear in the reference under its name', (t) => {
  const tolerance = configKeys([stripe]).find(
    ({ key }) => key === 'membership.providers.stripe.webhook_tolerance',
  )
  t.is(tolerance?.default, 300)
})

test('the Stripe example loads', async (t) => {
  const file: unknown = parse(await readFile(new URL('stripe.example.yml', examples), 'utf8'))
  const { config, warnings } = await load(file, {
    env: { STRIPE_SECRET: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
  })
  t.is(config.provider.handler, 'stripe')
  t.deepEqual(config.providers.stripe?.webhook, [{ label: '', secret: 'whsec_1' }])
  t.deepEqual(
    config.providers.stripe?.plans.pro?.prices.map(({ id, retired }) => [id, retired]),
    [
      ['price_pro_monthly', false],
      ['price_pro_yearly', false],
      ['price_pro_2019', true],
    ],
  )
  t.deepEqual(warnings, [])
})

test('the sandbox example loads', async (t) => {
  const file: unknown = parse(await readFile(new URL('sandbox.example.yml', examples), 'utf8'))
  const { config } = await load(file)
  t.is(config.providers.sandbox?.plans.basic?.prices[0]?.trial_days, 14)
  t.is(config.providers.sandbox?.plans.handbook?.prices[0]?.type, 'one_time')
})

test('a key without a value has its default', async (t) => {
  const { config } = await load({
    ratelimit: { limit: null },
    members: null,
    'providers.stripe.api_version': null,
  })
  t.deepEqual(config.ratelimit.limit, 30)
  t.deepEqual(config.members.roles, ['member'])
  t.like(config.providers.stripe?.options, { api_version: '2026-01-01' })
})
