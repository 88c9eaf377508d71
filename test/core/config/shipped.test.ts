import { join } from 'node:path'
import test from 'ava'
import { loadConfig } from '../../../src/core/config/index.ts'
import { allDefinitions } from '../../../src/providers/registry.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'config')
const env = {
  STRIPE_SECRET: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  PADDLE_WEBHOOK_SECRET: 'pdl_ntfset_x',
  POLAR_WEBHOOK_SECRET: 'whsec_x',
  PAYPAL_WEBHOOK_ID: '96605875FF6516633',
  DODO_WEBHOOK_SECRET: 'whsec_x',
  CHARGEBEE_WEBHOOK_AUTH: 'user:password',
  LEMONSQUEEZY_WEBHOOK_SECRET: 'a text of ones own',
  CREEM_WEBHOOK_SECRET: 'whsec_x',
}

for (const name of [
  'magazine.yml',
  'sandbox.example.yml',
  'stripe.example.yml',
  'paddle.example.yml',
  'polar.example.yml',
  'paypal.example.yml',
  'dodo.example.yml',
  'lemonsqueezy.example.yml',
  'creem.example.yml',
  'chargebee.example.yml',
  'membership.default.yml',
])
  test(`config/${name} is taken by the real providers`, async (t) => {
    const { config } = await loadConfig({
      root: false,
      config: join(folder, name),
      env,
      definitions: allDefinitions(),
    })
    if (name.startsWith('membership')) t.deepEqual(Object.keys(config.providers), [])
    else t.truthy(config.provider.handler)
  })
