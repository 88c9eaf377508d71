import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { listenedTo } from '../features.ts'
import { signHmac } from '../signatures.ts'
import { createMollieApi } from './api.ts'
import { mollieChanges } from './changes.ts'
import { createFetch } from './fetch.ts'
import { readMollie } from './read.ts'
import { mollieSecrets } from './secrets.ts'
import { mollieScheme, mollieTrust, verifyMollie } from './verify.ts'

const options = z.object({
  secret: z
    .string()
    .min(1)
    .optional()
    .describe('API key (`live_…` or `test_…`): Mollie’s webhooks only name objects, which are asked for.'),
  api_base: z.url().optional().describe('Another address of the API, for tests.'),
})

/** Mollie: payments, subscriptions, refunds and chargebacks, asked for when its webhooks name them. */
export const mollie = defineProvider({
  key: 'mollie',
  lacks: {
    ...listenedTo,
    ask: undefined,
    prices: 'Mollie knows no prices: what is sold, and for how much, stands in your plans.',
  },
  options,
  mode: 'secret',
  secrets: mollieSecrets,
  create: ({ options: { secret, api_base: apiBase }, now }) => {
    const livemode = secret === undefined ? null : mollieSecrets.livemode(secret)
    return {
      key: 'mollie',
      trust: mollieTrust,
      verify: verifyMollie,
      read: readMollie,
      changes: mollieChanges,
      sign: (body, key, at) => signHmac(mollieScheme, body, key, at),
      ...(livemode === null ? {} : { livemode }),
      ...(secret === undefined
        ? {}
        : { fetch: createFetch(createMollieApi({ secret, apiBase, now })).fetch }),
    }
  },
})
