import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { createStripeApi } from './api.ts'
import { stripePrices } from './catalogue.ts'
import { stripeChanges } from './changes.ts'
import { stripeDigits } from './minor-units.ts'
import { pullEvents } from './pull.ts'
import { readStripe } from './read.ts'
import { stripeSessions } from './sessions.ts'
import { stripeSubscriptions } from './subscriptions.ts'
import { stripeScheme } from './verify.ts'

const options = z.object({
  secret: z
    .string()
    .min(1)
    .optional()
    .describe('API key, sk_live_… or sk_test_…; without it Stripe is never asked, only listened to.'),
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
  api_base: z.url().optional().describe('Another address of the API, for tests.'),
})

/** Stripe: subscriptions, one-time payments, refunds and disputes of every API version since 2015. */
export const stripe = defineProvider({
  key: 'stripe',
  options,
  minorDigits: stripeDigits,
  create(context) {
    const { secret, api_base, webhook_tolerance } = context.options
    const api = secret === undefined ? null : createStripeApi({ secret, apiBase: api_base, now: context.now })
    return {
      key: 'stripe',
      // Without an API key Stripe is listened to, never asked.
      capabilities: {
        portal: api !== null,
        pause: api !== null,
        swap: api !== null,
        quantity: api !== null,
        invoice_preview: api !== null,
        one_time: true,
        fetch: api !== null,
        catalogue: api !== null,
        pull: api !== null,
      },
      // Stripe's keys say it: sk_live_…, rk_test_….
      ...(secret !== undefined && /_(live|test)_/.test(secret)
        ? { livemode: secret.includes('_live_') }
        : {}),
      verify: (delivery, secrets, now) =>
        verifyHmac(stripeScheme, { delivery, secrets, now, toleranceSeconds: webhook_tolerance }),
      read: readStripe,
      changes: stripeChanges,
      sign: (body, secretText, now) => signHmac(stripeScheme, body, secretText, now),
      ...(api === null
        ? {}
        : {
            fetch: api.fetch,
            ...stripeSessions(api),
            ...stripeSubscriptions(api, context.now),
            prices: () => stripePrices(api),
            pull: (since) => pullEvents(api, since, { now: context.now }),
          }),
    }
  },
})
