import { z } from 'zod'
import { apiBase, apiKeys, byApiKey } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { signHmac } from '../signatures.ts'
import { createFetch, createMollieApi } from './api.ts'
import { mollieChanges } from './changes.ts'
import { mollieCalled, mollieEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { readMollie } from './read.ts'
import { mollieRefund } from './refunds.ts'
import { mollieSecrets } from './secrets.ts'
import { mollieCheckout } from './sessions.ts'
import { mollieSubscriptions } from './subscriptions.ts'
import { mollieSwaps } from './swaps.ts'
import { mollieScheme, mollieTrust, verifyMollie } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'API key, live_… or test_…: Mollie’s webhooks only name objects, which are asked for. Labels like those of webhook for several accounts.',
  ),
  trial_amount: z
    .number()
    .int()
    .nonnegative()
    .default(1)
    .describe(
      'The amount of the first payment of a trial, in minor units. It verifies a card or an account. 0 works for cards and PayPal only.',
    ),
  api_base: apiBase,
})

/** Mollie: payments, subscriptions, refunds and chargebacks, fetched when its webhooks name them. */
export const mollie = defineProvider({
  key: 'mollie',
  lacks: {
    discount: 'This package asks it for no discount on a running subscription.',
    portal: 'Mollie has no page for buyers: what they may do, your pages offer.',
    resume: 'Mollie ends a subscription at once and for good; it stays open until the end of what is paid.',
    pause: 'Mollie knows no pause.',
    change_later:
      'It cannot schedule another price. A cheaper one is set at once without a bill, and access stays until the end of the paid time.',
    bills: 'Mollie writes no bills for what is paid: its payments are all there is.',
    prices: 'Mollie knows no prices: what is sold, and for how much, stands in your plans.',
    past_events: 'Mollie keeps no list of its messages; its payments and subscriptions are listed instead.',
  },
  options,
  mode: 'secret',
  // No limit is published; answers report when requests are too many.
  rate: { requests: 5, seconds: 1, source: 'https://docs.mollie.com/reference/rate-limiting' },
  secrets: mollieSecrets,
  create: (context) =>
    byApiKey(context, {
      secrets: mollieSecrets,
      // Without a key, pings can only be refused.
      receive: () => ({
        key: 'mollie',
        trust: mollieTrust,
        verify: verifyMollie,
        read: readMollie,
        changes: mollieChanges,
        sign: (body, key, at) => signHmac(mollieScheme, body, key, at),
      }),
      act: ({ secret, livemode }) => {
        const { options, now, plans, webhookSecret } = context
        const { api_base: apiBase, trial_amount: trialAmount } = options
        const api = createMollieApi({ secret, apiBase, now })
        const fetch = createFetch(api)
        const deps = { api, fetch, plans, now, trialAmount }
        const { acting, known } = mollieSubscriptions(deps)
        return {
          capabilities: { choose_amount: true },
          fetch: fetch.fetch,
          ...mollieCheckout(deps),
          trialAmount,
          ...acting,
          ...mollieSwaps(deps, known),
          refund: mollieRefund(api, fetch),
          list: (from) => listAll(api, fetch, from),
          // A signing secret belongs to a newer webhook, which reports every object, whatever address the
          // object names.
          ...(webhookSecret() === ''
            ? { called: () => mollieCalled(api, livemode) }
            : { endpoints: () => mollieEndpoints(api) }),
        }
      },
    }),
  testMode: { base: () => 'https://api.mollie.com', path: '/v2', proof: 'key' },
  fake: async () => (await import('../../fakes/mollie/index.ts')).createFakeMollie,
})
