import { join } from 'node:path'
import test from 'ava'
import { loadConfig } from '../../../src/core/config/index.ts'
import { isMembershipError } from '../../../src/core/errors.ts'
import { allProviders } from '../../../src/providers/registry.ts'
import { definitions } from '../../../src/testkit/definitions.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'config')
const env = {
  STRIPE_SECRET: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  PADDLE_SECRET: 'pdl_live_apikey_x',
  PADDLE_CLIENT_TOKEN: 'live_x',
  PADDLE_WEBHOOK_SECRET: 'pdl_ntfset_x',
  POLAR_SECRET: 'polar_oat_x',
  POLAR_WEBHOOK_SECRET: 'whsec_x',
  MOLLIE_SECRET: 'test_x',
  PAYPAL_CLIENT_ID: 'client',
  PAYPAL_SECRET: 'secret',
  PAYPAL_WEBHOOK_ID: '96605875FF6516633',
  DODO_SECRET: 'dodo_test_x',
  DODO_WEBHOOK_SECRET: 'whsec_x',
  CHARGEBEE_SECRET: 'test_key_of_the_tests',
  CHARGEBEE_WEBHOOK_AUTH: 'user:password',
  LEMONSQUEEZY_SECRET: 'eyJ0eXAiOiJKV1Qi.x',
  LEMONSQUEEZY_WEBHOOK_SECRET: 'a text of ones own',
  GOOGLE_SECRET: '{}',
  APPLE_SECRET: '-----BEGIN PRIVATE KEY-----',
  CREEM_SECRET: 'creem_x',
  CREEM_WEBHOOK_SECRET: 'whsec_x',
}

for (const name of [
  'magazine.yml',
  'sandbox.example.yml',
  'stripe.example.yml',
  'paddle.example.yml',
  'mollie.example.yml',
  'polar.example.yml',
  'paypal.example.yml',
  'dodo.example.yml',
  'lemonsqueezy.example.yml',
  'creem.example.yml',
  'apple.example.yml',
  'google.example.yml',
  'chargebee.example.yml',
  'membership.default.yml',
])
  test(`config/${name} is accepted by the real providers`, async (t) => {
    const { config } = await loadConfig({
      root: false,
      config: join(folder, name),
      env,
      definitions,
    })
    if (name.startsWith('membership')) t.deepEqual(Object.keys(config.providers), [])
    else t.truthy(config.provider.handler)
  })

const paddleOnly = { 'membership.providers.paddle.webhook': 'pdl_ntfset_x' }
const wrong: [title: string, options: Record<string, unknown>, told: RegExp][] = [
  [
    'a provider that is misspelt',
    { 'membership.providers.polr.webhook': 'x' },
    /Providers: .*, chargebee, .*, stripe\. Did you mean "membership\.providers\.polar"\?/,
  ],
  [
    'a key of version 1',
    { 'membership.stripe.secret': 'x' },
    /version 2 it is "membership\.providers\.stripe\.secret"/,
  ],
  [
    'a handler that is not configured',
    { 'membership.provider.handler': 'polar' },
    /names "polar", which is not configured/,
  ],
  [
    'the key of another provider in a wrong place',
    { 'membership.ratelimit.limit': 'polar_whs_of_another' },
    /^membership\.ratelimit\.limit must be a whole number(?!.*of_another)/,
  ],
]
function wordsOf(error: unknown) {
  return isMembershipError(error) && [error.message, error.action]
}

for (const [title, options, told] of wrong)
  test(`${title} is reported as if every provider had been loaded`, async (t) => {
    const load = (known: Parameters<typeof loadConfig>[0]['definitions']) =>
      t.throwsAsync(
        loadConfig({ root: false, env: {}, options: { ...paddleOnly, ...options }, definitions: known }),
      )
    const error = await load(allProviders())
    t.regex(error?.message ?? '', told)
    t.deepEqual(wordsOf(error), wordsOf(await load(definitions)))
  })
