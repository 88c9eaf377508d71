import { z } from 'zod'
import { readersOf } from '../api.ts'
import { apiBase, apiKeys, byApiKey, clientOf, webhookTolerance } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { hmacMethods } from '../signatures.ts'
import { createDodoApi } from './api.ts'
import { dodoPrices } from './catalogue.ts'
import { dodoChanges } from './changes.ts'
import { connectDodo, dodoEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { readDodo } from './read.ts'
import { dodoRefunds } from './refunds.ts'
import { dodoSecrets } from './secrets.ts'
import { dodoSessions } from './sessions.ts'
import { dodoSubscriptions } from './subscriptions.ts'
import { dodoScheme } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'API key; without it Dodo is never asked, only listened to. Labels like those of webhook for several accounts.',
  ),
  webhook_tolerance: webhookTolerance(),
  api_base: apiBase,
})

// Each mode has its own address: https://docs.dodopayments.com/api-reference/introduction
const hosts = { live: 'https://live.dodopayments.com', test: 'https://test.dodopayments.com' }

/** Dodo Payments: subscriptions, one-time payments, refunds and disputes. */
export const dodo = defineProvider({
  key: 'dodo',
  lacks: {
    discount: 'This package asks it for no discount on a running subscription.',
    pause:
      'Dodo pauses at once, within the paid time, until somebody resumes. No pause can begin after the paid time.',
    trial_once: 'It gives out no number of a card or account that would identify a buyer.',
    past_events: 'It gives out no past messages; what they told is listed instead.',
  },
  options,
  customers: 'by_address',
  mode: 'host',
  rate: {
    requests: 100,
    seconds: 60,
    source: 'https://docs.dodopayments.com/api-reference/introduction',
  },
  secrets: dodoSecrets,
  create: (context) =>
    byApiKey(context, {
      secrets: dodoSecrets,
      receive: () => ({
        key: 'dodo',
        seller: { name: 'Dodo Payments', isAlways: true },
        // A cancellation takes effect at once, and "access continues until the end of the current billing period":
        // https://docs.dodopayments.com/features/subscription
        capabilities: { cancels_early: true },
        ...hmacMethods(dodoScheme, context.options.webhook_tolerance),
        keeps: ['webhook-id'],
        read: readDodo,
        changes: dodoChanges,
      }),
      act: (access) => {
        const { now } = context
        const api = createDodoApi(clientOf(context, access, hosts))
        return {
          capabilities: { cancels_early: true, choose_amount: 'once' },
          ...readersOf(api, { prices: dodoPrices, list: listAll, endpoints: dodoEndpoints }),
          connect: (request) => connectDodo(api, request),
          ...dodoSessions(api),
          ...dodoSubscriptions(api, now),
          ...dodoRefunds(api),
          trialAmount: 'of_price',
        }
      },
    }),
  testMode: { base: () => hosts.test, proof: 'host' },
  fake: async () => (await import('../../fakes/dodo/index.ts')).createFakeDodo,
})
