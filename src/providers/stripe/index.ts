import { z } from 'zod'
import { apiKeys, byApiKey } from '../api-keys.ts'
import type { Provider, ProviderContext } from '../contract.ts'
import { defineProvider } from '../define.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { createStripeApi } from './api.ts'
import { stripePrices } from './catalogue.ts'
import { stripeChanges } from './changes.ts'
import { stripeEndedBy } from './ended-by.ts'
import { stripeEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { stripeDigits } from './minor-units.ts'
import { pullEvents } from './pull.ts'
import { readStripe } from './read.ts'
import { stripeRefunds } from './refunds.ts'
import { stripeSecrets } from './secrets.ts'
import { stripeSessions } from './sessions.ts'
import { stripeSubscriptions } from './subscriptions.ts'
import { stripeScheme } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'API key, sk_live_… or sk_test_…; without it Stripe is never asked, only listened to. Labels like those of webhook for several accounts.',
  ),
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
  managed_payments: z
    .boolean()
    .default(false)
    .describe(
      'Stripe sells in its own name (Managed Payments): new purchases only. It writes the invoice and pays the tax.',
    ),
  api_base: z.url().optional().describe('Another address of the API, for tests.'),
})

/** Stripe: subscriptions, one-time payments, refunds and disputes of every API version since 2015. */
export const stripe = defineProvider({
  key: 'stripe',
  options,
  minorDigits: stripeDigits,
  needs: 'stripe',
  mode: 'message',
  rate: { requests: 100, seconds: 1, inTest: 25, source: 'https://docs.stripe.com/rate-limits' },
  secrets: stripeSecrets,
  products: 'prod_',
  create: (context) => byApiKey(context.options.secret, (key) => ofKey(context, key)),
  testMode: { base: () => 'https://api.stripe.com', proof: 'key' },
  fake: async () => (await import('../../fakes/stripe/index.ts')).createFakeStripe,
})

/** Builds the provider for one API key. */
const ofKey = (context: ProviderContext<z.infer<typeof options>>, secret: string | undefined): Provider => {
  const { api_base, webhook_tolerance, managed_payments: isManaged } = context.options
  const livemode = secret === undefined ? null : stripeSecrets.livemode(secret)
  const api = secret === undefined ? null : createStripeApi({ secret, apiBase: api_base, now: context.now })
  return {
    key: 'stripe',
    ...(livemode === null ? {} : { livemode }),
    // Earlier purchases stay the site's own:
    // https://docs.stripe.com/payments/managed-payments/update-checkout
    ...(isManaged ? { seller: { name: 'Stripe', isAlways: false } } : {}),
    verify: (delivery, secrets, now) =>
      verifyHmac(stripeScheme, { delivery, secrets, now, toleranceSeconds: webhook_tolerance }),
    read: readStripe,
    changes: stripeChanges,
    sign: (body, secretText, now) => signHmac(stripeScheme, body, secretText, now),
    // Without an API key, only Stripe's webhooks are received.
    ...(api === null
      ? {}
      : {
          capabilities: { starts_later: true },
          fetch: api.fetch,
          ...stripeSessions(api, { isManaged }),
          ...stripeSubscriptions(api, context.now),
          ...stripeRefunds(api),
          prices: () => stripePrices(api),
          list: (from) => listAll(api, from),
          endpoints: () => stripeEndpoints(api),
          pull: (since) => pullEvents(api, since, { now: context.now }),
          endedBy: stripeEndedBy(api, { now: context.now }),
        }),
  }
}
