import { z } from 'zod'
import { readersOf } from '../api.ts'
import { apiBase, apiKeys, byApiKey, clientOf, webhookTolerance } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { hmacMethods } from '../signatures.ts'
import { createCreemApi } from './api.ts'
import { creemPrices } from './catalogue.ts'
import { creemChanges } from './changes.ts'
import { connectCreem, creemEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { readCreem } from './read.ts'
import { creemRefunds } from './refunds.ts'
import { creemSecrets } from './secrets.ts'
import { creemSessions } from './sessions.ts'
import { creemSubscriptions } from './subscriptions.ts'
import { schemeOf } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'API key, creem_… or creem_test_…; without it Creem is never asked, only listened to. Labels like those of webhook for several accounts.',
  ),
  webhook_tolerance: webhookTolerance().describe(
    'Seconds that a webhook’s signed time, where it has one, may be away from the server’s.',
  ),
  api_base: apiBase,
})

// Each mode has its own address: https://docs.creem.io/getting-started/test-mode
const hosts = { live: 'https://api.creem.io', test: 'https://test-api.creem.io' }

/** Creem: subscriptions, one-time purchases, refunds and disputes. */
export const creem = defineProvider({
  key: 'creem',
  lacks: {
    discount: 'This package asks it for no discount on a running subscription.',
    pause:
      'Creem pauses until somebody resumes, and does not say when it charges again. No pause can end by itself.',
    preview: 'It tells no costs of a change before it is made.',
    change_later:
      'It cannot schedule another product. A cheaper one is set without a bill, and access stays until the end of the paid time.',
    trial_once: 'It gives out no number of a card or account that would identify a buyer.',
    past_events: 'It gives out no past messages; what they told is listed instead.',
  },
  options,
  customers: 'by_address',
  mode: 'message',
  secrets: creemSecrets,
  create: (context) =>
    byApiKey(context, {
      secrets: creemSecrets,
      receive: (isAsked) => ({
        key: 'creem',
        seller: { name: 'Creem', isAlways: true },
        // Creem may report a subscription as canceled with paid days left and no refund. Its own plugin keeps
        // access then: https://docs.creem.io/code/sdks/better-auth/webhooks (`hasAccessGranted`)
        capabilities: { cancels_early: true, choose_amount: 'once' },
        ...hmacMethods(schemeOf, context.options.webhook_tolerance),
        read: readCreem,
        changes: creemChanges({ isAsked }),
      }),
      act: (access) => {
        const api = createCreemApi(clientOf(context, access, hosts))
        return {
          ...readersOf(api, { prices: creemPrices, list: listAll, endpoints: creemEndpoints }),
          connect: (request) => connectCreem(api, request),
          ...creemSessions(api),
          ...creemSubscriptions(api),
          ...creemRefunds(api),
          trialAmount: 'of_price',
        }
      },
    }),
  testMode: { base: () => hosts.test, proof: 'key' },
  fake: async () => (await import('../../fakes/creem/index.ts')).createFakeCreem,
})
