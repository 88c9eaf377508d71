import test from 'ava'
import { loadConfig } from '../../../src/core/config/index.ts'
import { openStorage, type Storage } from '../../../src/core/storage/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import { configuredProviders } from '../../../src/providers/configured.ts'
import type { Check } from '../../../src/site/doctor/check.ts'
import { checkConfiguration } from '../../../src/site/doctor/configuration.ts'
import { checkReach } from '../../../src/site/doctor/reach.ts'
import { definitions } from '../../../src/testkit/definitions.ts'
import { sellers } from '../../simulation/sellers.ts'
import { ago, now, subscription } from './support.ts'

// What a start and `membership doctor` say of each provider's secrets, and of what it answers.

/**
 * Secrets as the providers' documentation shows them, each with a word that must be printed nowhere; and what
 * they are called in each other's place, null where nothing tells them apart.
 */
interface Secrets {
  readonly live: string
  /** null: a key does not tell its mode. */
  readonly test: string | null
  readonly webhook: string
  readonly keyAsWebhook: string | null
  readonly webhookAsKey: string | null
  readonly more?: Readonly<Record<string, unknown>>
}

const long = `MARKER${'0aB'.repeat(24)}`
const secrets: Readonly<Record<string, Secrets>> = {
  // https://docs.stripe.com/keys
  stripe: {
    live: `sk_live_${long}`,
    test: `rk_test_${long}`,
    webhook: 'whsec_MARKER',
    keyAsWebhook: 'an API key',
    webhookAsKey: 'a webhook secret',
  },
  // https://developer.paddle.com/api-reference/about/api-keys
  paddle: {
    live: `pdl_live_apikey_${long}`,
    test: `pdl_sdbx_apikey_${long}`,
    webhook: 'pdl_ntfset_MARKER',
    keyAsWebhook: 'an API key',
    webhookAsKey: 'a webhook secret',
  },
  // https://apidocs.chargebee.com/docs/api/auth
  chargebee: {
    live: `live_${long}`,
    test: `test_${long}`,
    webhook: 'user:MARKER password',
    keyAsWebhook: 'an API key',
    webhookAsKey: 'the user name and the password of a webhook',
    more: { site: 'acme' },
  },
  // https://polar.sh/docs/integrate/authentication
  polar: {
    live: `polar_oat_${long}`,
    test: null,
    webhook: 'polar_whs_MARKER',
    keyAsWebhook: 'an API key',
    webhookAsKey: 'a webhook secret',
  },
  // Eighty characters, and an id of fifty at most:
  // https://developer.paypal.com/docs/api/webhooks/v1/#verify-webhook-signature_post
  paypal: {
    live: `E${long}`,
    test: null,
    webhook: '8PT597110X687430LKGECATA',
    keyAsWebhook: 'the Client ID or the Secret of an app',
    webhookAsKey: 'the id of a webhook',
    more: { client_id: `A${long}` },
  },
  // https://docs.mollie.com/reference/authentication
  mollie: {
    live: `live_${long}`,
    test: `test_${long}`,
    webhook: 'MARKER of a webhook',
    keyAsWebhook: 'an API key',
    webhookAsKey: 'something else: it begins with live_ or test_',
  },
  // https://docs.lemonsqueezy.com/help/webhooks/signing-requests
  lemonsqueezy: {
    live: `eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.${long}`,
    test: null,
    webhook: 'MARKER of a webhook',
    keyAsWebhook: 'an API key',
    webhookAsKey: 'a signing secret of a webhook',
  },
  // https://docs.creem.io/getting-started/test-mode
  creem: {
    live: `creem_${long}`,
    test: `creem_test_${long}`,
    webhook: 'whsec_MARKER',
    keyAsWebhook: 'an API key',
    webhookAsKey: 'a webhook secret',
  },
  // Its keys have no shape: https://docs.dodopayments.com/api-reference/introduction
  dodo: {
    live: long,
    test: null,
    webhook: 'whsec_MARKER',
    keyAsWebhook: null,
    webhookAsKey: 'a webhook secret',
  },
}

let storage: Storage
test.before(async () => {
  storage = await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now: () => now })
})
test.after.always(() => storage.close())

/** The provider as a start makes it, and what it logged. */
async function start(key: string, settings: Readonly<Record<string, unknown>>) {
  const options = { [`membership.providers.${key}`]: settings }
  const { config } = await loadConfig({ options, root: false, env: {}, definitions })
  const log: string[] = []
  const providers = configuredProviders({
    config,
    definitions,
    storage,
    now: () => now,
    randomId: () => 'x1',
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    secret: () => 'x'.repeat(40),
    isProduction: false,
  })
  return { config, providers, log }
}

/** What is wrong with the configuration, by name, as doctor has it; a start must have said it, too. */
async function wrongWith(key: string, settings: Readonly<Record<string, unknown>>) {
  const { config, providers, log } = await start(key, settings)
  const checks = checkConfiguration(config, { providers, isProduction: false })
  const of = (name: string) => checks.filter((check) => check.name === name && check.status === 'problem')
  const whats = (found: readonly Check[]) => found.map(({ what }) => what)
  return {
    mixedUp: whats(of('secret-mixed-up')),
    mode: whats(of('mode')),
    log,
    text: JSON.stringify([checks, log]),
  }
}

test('the secrets of every provider are recognised by their shapes', (t) => {
  t.deepEqual(Object.keys(secrets).sort(), sellers.map(({ key }) => key).sort())
  t.deepEqual(
    Object.keys(secrets).sort(),
    definitions
      .filter((definition) => !definition.inProcess && bareProvider(definition).stores === undefined)
      .map(({ key }) => key)
      .sort(),
  )
})

for (const [key, { live, test: testKey, webhook, keyAsWebhook, webhookAsKey, more }] of Object.entries(
  secrets,
))
  test(`${key}: a misplaced secret is named at the start and by doctor, and not shown`, async (t) => {
    const right = { secret: live, webhook, livemode: true, ...more }
    const well = await wrongWith(key, right)
    t.deepEqual([well.mixedUp, well.mode, well.log], [[], [], []])

    const webhookIs = (what: string | null) => what && `The webhook secret of ${key} looks like ${what}.`
    const keyIs = (what: string | null) => what && `The API key of ${key} looks like ${what}.`
    for (const [title, wrong, told] of [
      ['swapped', { secret: webhook, webhook: live }, [webhookIs(keyAsWebhook), keyIs(webhookAsKey)]],
      ['the key twice', { webhook: live }, [webhookIs('the API key')]],
    ] as const) {
      const { mixedUp, log, text } = await wrongWith(key, { ...right, ...wrong })
      const expected = told.filter((item) => item !== null)
      t.deepEqual(mixedUp, expected, title)
      for (const item of expected)
        t.true(
          log.some((line) => line.startsWith(item)),
          `${title}, at the start`,
        )
      t.notRegex(text, /MARKER/)
    }

    for (const [secret, livemode, ofKey] of [
      [testKey, true, 'test'],
      [live, false, 'live'],
    ] as const) {
      if (testKey === null || secret === null) continue
      const { mode, log, text } = await wrongWith(key, { ...right, secret, livemode })
      const told = `The API key of ${key} is for ${ofKey} mode, and membership.providers.${key}.livemode says ${livemode ? 'live' : 'test'} mode`
      t.true(mode[0]?.startsWith(told), mode[0] ?? 'nothing')
      t.true(
        log.some((line) => line.startsWith(told)),
        'at the start',
      )
      t.notRegex(text, /MARKER/)
    }
  })

// Numbers, and UUIDs: another form is an error there, and no missing object.
const unknownIds: Readonly<Record<string, string>> = {
  lemonsqueezy: '4711',
  polar: '6f0c4a52-7d1e-4b39-8c55-0a1d2e3f4711',
}

for (const { key, open, apiPath = '', settings, webhook } of sellers)
  test(`${key} is asked for one stored object, and the result is reported`, async (t) => {
    const fake = await open({ seed: 1, start: now })
    t.teardown(() => fake.close())
    const id = unknownIds[key] ?? 'sub_gone'
    const asked = async (secret: string, known: Storage | null) => {
      const own = {
        secret,
        webhook,
        livemode: false,
        api_base: `${fake.url}${apiPath}`,
        ...settings?.(fake),
      }
      const { providers } = await start(key, own)
      const before = fake.requests().length
      const checks = await checkReach({ providers, storage: known, now: () => now })
      return {
        said: checks.filter(({ name }) => name === 'api-key').map(({ status, what }) => [status, what]),
        paths: fake
          .requests()
          .slice(before)
          .map(({ path }) => path),
        text: JSON.stringify(checks),
      }
    }
    t.deepEqual((await asked(fake.secret, null)).said, [['ok', `${key} answers and accepts the API key.`]])

    const other = await openStorage({
      url: 'sqlite::memory:',
      synchronous: 'normal',
      pool: 1,
      now: () => now,
    })
    t.teardown(() => other.close())
    await other.read((db) =>
      db
        .insertInto('subscriptions')
        .values(subscription({ provider: key, id, owner_id: 'cst_gone', at: ago(1) })),
    )
    const gone = await asked(fake.secret, other)
    t.deepEqual(gone.said, [
      [
        'warning',
        `${key} accepts the API key, and does not know subscription ${id}, which stands in this database.`,
      ],
    ])
    t.true(
      gone.paths.some((path) => path.includes('subscription')),
      gone.paths.join(' '),
    )

    const refused = await asked(`${fake.secret}MARKER`, other)
    t.deepEqual(refused.said, [['problem', `${key} does not accept the API key.`]])
    t.notRegex(refused.text, /MARKER/)

    await fake.close()
    const [[status, what] = []] = (await asked(fake.secret, other)).said
    t.is(status, 'warning')
    t.true(what?.startsWith(`${key} gives no usable answer`), what)
  })
