import { z } from 'zod'
import { apiKeys, byApiKey } from '../api-keys.ts'
import type { Provider, ProviderContext } from '../contract.ts'
import { defineProvider } from '../define.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { createPaddleApi, type PaddleApi } from './api.ts'
import { paddlePrices } from './catalogue.ts'
import { paddleChanges } from './changes.ts'
import { paddleEndpoints } from './endpoints.ts'
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
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
  api_base: z.url().optional().describe('Another address of the API, for tests.'),
})

/** Paddle Billing: subscriptions, one-time payments, refunds and disputes. */
export const paddle = defineProvider({
  key: 'paddle',
  lacks: {
    change_later:
      'It cannot plan another price for later: a cheaper one is set at once and unbilled, and what is paid stays open until its end.',
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
  create: (context) => byApiKey(context.options.secret, (key) => ofKey(context, key)),
  testMode: { base: () => 'https://sandbox-api.paddle.com', proof: 'host' },
  fake: async () => (await import('../../fakes/paddle/index.ts')).createFakePaddle,
})

type Context = ProviderContext<z.infer<typeof options>>

/** Builds the provider for one API key. Without a key, only Paddle's webhooks are received. */
const ofKey = (context: Context, secret: string | undefined): Provider => {
  const { webhook_tolerance: toleranceSeconds } = context.options
  const keyMode = secret === undefined ? null : paddleSecrets.livemode(secret)
  return {
    key: 'paddle',
    seller: { name: 'Paddle', isAlways: true },
    ...(keyMode === null ? {} : { livemode: keyMode }),
    verify: (delivery, secrets, now) =>
      verifyHmac(paddleScheme, { delivery, secrets, now, toleranceSeconds }),
    read: readPaddle,
    changes: paddleChanges,
    sign: (body, secretText, now) => signHmac(paddleScheme, body, secretText, now),
    ...(secret === undefined ? {} : acting(context, secret, (keyMode ?? context.livemode) === false)),
  }
}

// Test and live are two accounts at two addresses:
// https://developer.paddle.com/api-reference/about/authentication
const acting = ({ options, now }: Context, secret: string, isTest: boolean): Partial<Provider> => {
  const { api_base, client_token: clientToken } = options
  const base = api_base ?? (isTest ? 'https://sandbox-api.paddle.com' : 'https://api.paddle.com')
  const api: PaddleApi = createPaddleApi({ secret, base: base.replace(/\/$/, ''), now })
  return {
    fetch: api.fetch,
    ...paddleSessions(api, { ownPage: clientToken !== undefined, now }),
    ...paddleSubscriptions(api, now),
    ...paddleRefunds(api),
    trialAmount: 'of_price',
    prices: () => paddlePrices(api),
    list: (from) => listAll(api, from),
    endpoints: () => paddleEndpoints(api),
    pull: (since) => pullEvents(api, since, { now }),
    ...(clientToken === undefined
      ? {}
      : { routes: (tools) => paddlePage({ api, clientToken, isTest }, tools) }),
  }
}
