import { z } from 'zod'
import { apiKeys, byApiKey } from '../api-keys.ts'
import type { Provider, ProviderContext } from '../contract.ts'
import { defineProvider } from '../define.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { createDodoApi } from './api.ts'
import { dodoPrices } from './catalogue.ts'
import { dodoChanges } from './changes.ts'
import { dodoEndpoints } from './endpoints.ts'
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
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
  api_base: z.url().optional().describe('Another address of the API, for tests.'),
})

/** Dodo Payments: subscriptions, one-time payments, refunds and disputes. */
export const dodo = defineProvider({
  key: 'dodo',
  lacks: {
    pause:
      'Dodo pauses at once, in the middle of what is paid, and until somebody resumes it: no pause after what is paid can be promised.',
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
  create: (context) => byApiKey(context.options.secret, (key) => ofKey(context, key)),
  testMode: { base: () => 'https://test.dodopayments.com', proof: 'host' },
  fake: async () => (await import('../../fakes/dodo/index.ts')).createFakeDodo,
})

type Context = ProviderContext<z.infer<typeof options>>

/** Builds the provider for one API key. Without a key, only Dodo's webhooks are received. */
const ofKey = (context: Context, secret: string | undefined): Provider => {
  const { webhook_tolerance: toleranceSeconds } = context.options
  return {
    key: 'dodo',
    seller: { name: 'Dodo Payments', isAlways: true },
    verify: (delivery, secrets, now) => verifyHmac(dodoScheme, { delivery, secrets, now, toleranceSeconds }),
    keeps: ['webhook-id'],
    read: readDodo,
    changes: dodoChanges,
    sign: (body, webhook, now) => signHmac(dodoScheme, body, webhook, now),
    ...(secret === undefined ? {} : acting(context, secret)),
  }
}

// Each mode has its own address: https://docs.dodopayments.com/api-reference/introduction
const acting = ({ options: { api_base }, livemode, now }: Context, secret: string): Partial<Provider> => {
  const base = api_base ?? `https://${livemode === false ? 'test' : 'live'}.dodopayments.com`
  const api = createDodoApi({ secret, base: base.replace(/\/$/, ''), now })
  return {
    fetch: api.fetch,
    ...dodoSessions(api),
    ...dodoSubscriptions(api, now),
    ...dodoRefunds(api),
    trialAmount: 'of_price',
    prices: () => dodoPrices(api),
    list: (from) => listAll(api, from),
    endpoints: () => dodoEndpoints(api),
  }
}
