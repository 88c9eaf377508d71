import { z } from 'zod'
import { readersOf } from '../api.ts'
import { apiBase, apiKeys, byApiKey, clientOf, webhookTolerance } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { hmacMethods } from '../signatures.ts'
import { createPolarApi } from './api.ts'
import { polarPrices } from './catalogue.ts'
import { polarChanges } from './changes.ts'
import { connectPolar, polarEndpoints } from './endpoints.ts'
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
  webhook_tolerance: webhookTolerance(),
  api_base: apiBase,
})

// The sandbox is a separate host, with its own organizations and tokens:
// https://polar.sh/docs/integrate/sandbox
const hosts = { live: 'https://api.polar.sh', test: 'https://sandbox-api.polar.sh' }

/** Polar: subscriptions, one-time purchases and refunds. */
export const polar = defineProvider({
  key: 'polar',
  lacks: {
    discount: 'This package asks it for no discount on a running subscription.',
    preview: 'It tells no costs of a change before it is made.',
    trial_once: 'It gives out no number of a card or account that would identify a buyer.',
  },
  options,
  customers: 'by_address',
  mode: 'host',
  secrets: polarSecrets,
  minorDigits: polarDigits,
  create: (context) =>
    byApiKey(context, {
      secrets: polarSecrets,
      receive: () => ({
        key: 'polar',
        seller: { name: 'Polar', isAlways: true },
        ...hmacMethods(polarScheme, context.options.webhook_tolerance),
        keeps: ['webhook-id'],
        read: readPolar,
        changes: polarChanges,
      }),
      act: (access) => {
        const api = createPolarApi(clientOf(context, access, hosts))
        return {
          // A subscription takes products and seats, and no amount:
          // https://polar.sh/docs/api-reference/subscriptions/update
          capabilities: { starts_later: true, choose_amount: true, changes_amount: false },
          ...readersOf(api, { prices: polarPrices, list: listAll, endpoints: polarEndpoints }),
          connect: (request) => connectPolar(api, request),
          ...polarSessions(api),
          ...polarSubscriptions(api),
          ...polarRefunds(api),
          pull: (since) => pullEvents(api, since),
        }
      },
    }),
  testMode: { base: () => hosts.test, proof: 'host' },
  fake: async () => (await import('../../fakes/polar/index.ts')).createFakePolar,
})
