import { z } from 'zod'
import { readersOf } from '../api.ts'
import { apiBase, apiKeys, byApiKey, webhookTolerance } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { hmacMethods } from '../signatures.ts'
import { createStripeApi } from './api.ts'
import { stripePrices } from './catalogue.ts'
import { stripeChanges } from './changes.ts'
import { connectStripe, stripeEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { stripeDigits } from './minor-units.ts'
import { pullEvents, stripeEndedBy } from './pull.ts'
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
  webhook_tolerance: webhookTolerance(),
  managed_payments: z
    .boolean()
    .default(false)
    .describe(
      'Stripe sells in its own name (Managed Payments): new purchases only. It writes the invoice and pays the tax.',
    ),
  api_base: apiBase,
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
  create: (context) =>
    byApiKey(context, {
      secrets: stripeSecrets,
      receive: () => ({
        key: 'stripe',
        // Earlier purchases stay the site's own:
        // https://docs.stripe.com/payments/managed-payments/update-checkout
        ...(context.options.managed_payments ? { seller: { name: 'Stripe', isAlways: false } } : {}),
        ...hmacMethods(stripeScheme, context.options.webhook_tolerance),
        read: readStripe,
        changes: stripeChanges,
      }),
      act: ({ secret }) => {
        const { options, now } = context
        const api = createStripeApi({ secret, apiBase: options.api_base, now })
        return {
          capabilities: { starts_later: true, choose_amount: true, needs_coupon: true },
          ...readersOf(api, { prices: stripePrices, list: listAll, endpoints: stripeEndpoints }),
          connect: (request) => connectStripe(api, request),
          ...stripeSessions(api, { isManaged: options.managed_payments }),
          ...stripeSubscriptions(api, now),
          ...stripeRefunds(api),
          pull: (since) => pullEvents(api, since, { now }),
          endedBy: stripeEndedBy(api, { now }),
        }
      },
    }),
  testMode: { base: () => 'https://api.stripe.com', proof: 'key' },
  fake: async () => (await import('../../fakes/stripe/index.ts')).createFakeStripe,
})
