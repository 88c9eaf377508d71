import { z } from 'zod'
import { apiKeys, byApiKey } from '../api-keys.ts'
import type { Provider, ProviderContext } from '../contract.ts'
import { defineProvider } from '../define.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { createCreemApi } from './api.ts'
import { creemPrices } from './catalogue.ts'
import { creemChanges } from './changes.ts'
import { creemEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { readCreem } from './read.ts'
import { creemRefunds } from './refunds.ts'
import { creemSecrets } from './secrets.ts'
import { creemSessions } from './sessions.ts'
import { creemSubscriptions } from './subscriptions.ts'
import { creemScheme, schemeOf } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'API key, creem_… or creem_test_…; without it Creem is never asked, only listened to. Labels like those of webhook for several accounts.',
  ),
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time, where it has one, may be away from the server’s.'),
  api_base: z.url().optional().describe('Another address of the API, for tests.'),
})

/** Creem: subscriptions, one-time purchases, refunds and disputes. */
export const creem = defineProvider({
  key: 'creem',
  lacks: {
    pause:
      'Creem pauses until somebody resumes it, and does not say when it is paid for again: no pause that ends by itself can be promised.',
    preview: 'It tells no costs of a change before it is made.',
    change_later:
      'It cannot plan another product for later: a cheaper one is set unbilled, and what is paid stays open until its end.',
    trial_once: 'It gives out no number of a card or account that would identify a buyer.',
    past_events: 'It gives out no past messages; what they told is listed instead.',
  },
  options,
  customers: 'by_address',
  mode: 'message',
  secrets: creemSecrets,
  create: (context) => byApiKey(context.options.secret, (key) => ofKey(context, key)),
  testMode: { base: () => 'https://test-api.creem.io', proof: 'key' },
  fake: async () => (await import('../../fakes/creem/index.ts')).createFakeCreem,
})

type Context = ProviderContext<z.infer<typeof options>>

/** Builds the provider for one API key. Without a key, only Creem's webhooks are received. */
const ofKey = (context: Context, secret: string | undefined): Provider => {
  const { webhook_tolerance: toleranceSeconds } = context.options
  const keyMode = secret === undefined ? null : creemSecrets.livemode(secret)
  return {
    key: 'creem',
    seller: { name: 'Creem', isAlways: true },
    ...(keyMode === null ? {} : { livemode: keyMode }),
    // Creem may report a subscription as canceled with paid days left and no refund. Its own plugin keeps
    // access then: https://docs.creem.io/code/sdks/better-auth/webhooks (`hasAccessGranted`)
    capabilities: { cancels_early: true },
    verify: (delivery, secrets, now) =>
      verifyHmac(schemeOf(delivery), { delivery, secrets, now, toleranceSeconds }),
    read: readCreem,
    changes: creemChanges({ isAsked: secret !== undefined }),
    sign: (body, secretText, now) => signHmac(creemScheme, body, secretText, now),
    ...(secret === undefined ? {} : acting(context, secret, (keyMode ?? context.livemode) === false)),
  }
}

// Each mode has its own address: https://docs.creem.io/getting-started/test-mode
const acting = (
  { options: { api_base }, now }: Context,
  secret: string,
  isTest: boolean,
): Partial<Provider> => {
  const base = api_base ?? (isTest ? 'https://test-api.creem.io' : 'https://api.creem.io')
  const api = createCreemApi({ secret, base: base.replace(/\/$/, ''), now })
  return {
    fetch: api.fetch,
    ...creemSessions(api),
    ...creemSubscriptions(api),
    ...creemRefunds(api),
    trialAmount: 'of_price',
    prices: () => creemPrices(api),
    list: (from) => listAll(api, from),
    endpoints: () => creemEndpoints(api),
  }
}
