import { z } from 'zod'
import { apiKeys, byApiKey } from '../api-keys.ts'
import type { Provider, ProviderContext } from '../contract.ts'
import { defineProvider } from '../define.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { createPolarApi } from './api.ts'
import { polarPrices } from './catalogue.ts'
import { polarChanges } from './changes.ts'
import { polarEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { polarDigits } from './minor-units.ts'
import { pullEvents } from './pull.ts'
import { readPolar } from './read.ts'
import { polarRefunds } from './refunds.ts'
import { polarSecrets } from './secrets.ts'
import { polarSessions } from './sessions.ts'
import { polarSubscriptions } from './subscriptions.ts'
import { polarScheme } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'Access token of the organization, polar_oat_…; without it Polar is never asked, only listened to. Labels like those of webhook for several organizations.',
  ),
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
  api_base: z.url().optional().describe('Another address of the API, for tests.'),
})

/** Polar: subscriptions, one-time purchases and refunds. */
export const polar = defineProvider({
  key: 'polar',
  lacks: {
    preview: 'It tells no costs of a change before it is made.',
    trial_once: 'It gives out no number of a card or account that would identify a buyer.',
  },
  options,
  customers: 'by_address',
  mode: 'host',
  secrets: polarSecrets,
  minorDigits: polarDigits,
  create: (context) => byApiKey(context.options.secret, (key) => ofKey(context, key)),
  testMode: { base: () => 'https://sandbox-api.polar.sh', proof: 'host' },
  fake: async () => (await import('../../fakes/polar/index.ts')).createFakePolar,
})

type Context = ProviderContext<z.infer<typeof options>>

/** Builds the provider for one access token. Without a token, only Polar's webhooks are received. */
const ofKey = (context: Context, secret: string | undefined): Provider => {
  const { webhook_tolerance: toleranceSeconds } = context.options
  return {
    key: 'polar',
    seller: { name: 'Polar', isAlways: true },
    verify: (delivery, secrets, now) => verifyHmac(polarScheme, { delivery, secrets, now, toleranceSeconds }),
    keeps: ['webhook-id'],
    read: readPolar,
    changes: polarChanges,
    sign: (body, text, now) => signHmac(polarScheme, body, text, now),
    ...(secret === undefined ? {} : acting(context, secret)),
  }
}

// The sandbox is a separate host, with its own organizations and tokens:
// https://polar.sh/docs/integrate/sandbox
const acting = ({ options, livemode, now }: Context, secret: string): Partial<Provider> => {
  const host = livemode === false ? 'https://sandbox-api.polar.sh' : 'https://api.polar.sh'
  const api = createPolarApi({ secret, base: (options.api_base ?? host).replace(/\/$/, ''), now })
  return {
    capabilities: { starts_later: true },
    fetch: api.fetch,
    ...polarSessions(api),
    ...polarSubscriptions(api),
    ...polarRefunds(api),
    prices: () => polarPrices(api),
    list: (from) => listAll(api, from),
    endpoints: () => polarEndpoints(api),
    pull: (since) => pullEvents(api, since),
  }
}
