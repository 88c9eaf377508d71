import { z } from 'zod'
import { readersOf } from '../api.ts'
import { apiBase, apiKeys, byApiKey, clientOf, webhookTolerance } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { hmacMethods } from '../signatures.ts'
import { createPaddleApi } from './api.ts'
import { paddlePrices } from './catalogue.ts'
import { paddleChanges } from './changes.ts'
import { connectPaddle, paddleEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { paddlePage } from './pages.ts'
import { pullEvents } from './pull.ts'
import { readPaddle } from './read.ts'
import { paddleRefunds } from './refunds.ts'
import { paddleSecrets } from './secrets.ts'
import { paddleSessions } from './sessions.ts'
import { paddleSubscriptions } from './subscriptions.ts'
import { paddleScheme } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'API key, pdl_live_apikey_… or pdl_sdbx_apikey_…; without it Paddle is never asked, only listened to. Labels like those of webhook for several accounts.',
  ),
  client_token: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Token for browsers, live_… or test_…: Paddle’s checkout opens in a page of this site. Without it, on the default payment link.',
    ),
  webhook_tolerance: webhookTolerance(),
  api_base: apiBase,
})

// Test and live are two accounts at two addresses:
// https://developer.paddle.com/api-reference/about/authentication
const hosts = { live: 'https://api.paddle.com', test: 'https://sandbox-api.paddle.com' }

/** Paddle Billing: subscriptions, one-time payments, refunds and disputes. */
export const paddle = defineProvider({
  key: 'paddle',
  lacks: {
    discount: 'This package asks it for no discount on a running subscription.',
    change_later:
      'It cannot schedule another price. A cheaper one is set at once without a bill, and access stays until the end of the paid time.',
    trial_once: 'It gives out no number of a card or account that would identify a buyer.',
  },
  options,
  customers: 'by_address',
  mode: 'host',
  rate: {
    requests: 240,
    seconds: 60,
    source: 'https://developer.paddle.com/api-reference/about/rate-limiting',
  },
  secrets: paddleSecrets,
  products: 'pro_',
  create: (context) =>
    byApiKey(context, {
      secrets: paddleSecrets,
      receive: () => ({
        key: 'paddle',
        seller: { name: 'Paddle', isAlways: true },
        ...hmacMethods(paddleScheme, context.options.webhook_tolerance),
        read: readPaddle,
        changes: paddleChanges,
      }),
      act: (access) => {
        const { options, now } = context
        const { client_token: clientToken } = options
        const api = createPaddleApi(clientOf(context, access, hosts))
        return {
          ...readersOf(api, { prices: paddlePrices, list: listAll, endpoints: paddleEndpoints }),
          connect: (request) => connectPaddle(api, request),
          ...paddleSessions(api, { ownPage: clientToken !== undefined, now }),
          ...paddleSubscriptions(api, now),
          ...paddleRefunds(api),
          capabilities: { choose_amount: true },
          trialAmount: 'of_price',
          pull: (since) => pullEvents(api, since, { now }),
          ...(clientToken === undefined
            ? {}
            : { routes: (tools) => paddlePage({ api, clientToken, isTest: access.isTest }, tools) }),
        }
      },
    }),
  testMode: { base: () => hosts.test, proof: 'host' },
  fake: async () => (await import('../../fakes/paddle/index.ts')).createFakePaddle,
})
