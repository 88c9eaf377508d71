import { z } from 'zod'
import { MembershipError } from '../../core/errors.ts'
import { readersOf } from '../api.ts'
import { apiBase, apiKeys, byApiKey } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { createChargebeeApi } from './api.ts'
import { chargebeePrices } from './catalogue.ts'
import { chargebeeChanges } from './changes.ts'
import { chargebeeEndpoints, connectChargebee } from './endpoints.ts'
import { listAll } from './list.ts'
import { pullEvents } from './pull.ts'
import { readChargebee } from './read.ts'
import { chargebeeRefunds } from './refunds.ts'
import { chargebeeSecrets } from './secrets.ts'
import { chargebeeSessions } from './sessions.ts'
import { chargebeeSubscriptions } from './subscriptions.ts'
import { verifyCredentials, writeCredentials } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'API key, live_… or test_…; without it Chargebee is never asked, only listened to. Labels like those of webhook for several accounts.',
  ),
  site: z
    .union([z.string().min(1), z.record(z.string(), z.string().min(1))])
    .optional()
    .describe(
      'The site’s name, acme of acme.chargebee.com and acme-test of its test site; needed with `secret`. Labels like those of secret for several accounts.',
    ),
  api_base: apiBase,
})

/** Chargebee: subscriptions of items, one-time charges and refunds, on its hosted pages. */
export const chargebee = defineProvider({
  key: 'chargebee',
  lacks: {
    discount: 'This package asks it for no discount on a running subscription.',
    trial_once: 'It gives out no number of a card or account that would identify a buyer.',
  },
  options,
  mode: 'host',
  // Limit of a starter plan and of every test site; higher plans allow more.
  rate: {
    requests: 150,
    seconds: 60,
    source: 'https://www.chargebee.com/docs/billing/2.0/kb/platform/what-are-the-chargebee-api-limits',
  },
  secrets: chargebeeSecrets,
  create: (context) =>
    byApiKey(context, {
      secrets: chargebeeSecrets,
      receive: () => ({
        key: 'chargebee',
        trust: 'credentials',
        verify: verifyCredentials,
        read: readChargebee,
        changes: chargebeeChanges,
        sign: (_body, password) => writeCredentials(password),
      }),
      act: ({ secret, label }) => {
        const { options, now, randomId } = context
        const api = createChargebeeApi({ secret, base: addressOf(options, label), now })
        return {
          capabilities: { starts_later: true, choose_amount: true },
          ...readersOf(api, { prices: chargebeePrices, list: listAll, endpoints: chargebeeEndpoints }),
          connect: (request) => connectChargebee(api, request, randomId),
          ...chargebeeSessions(api, now),
          ...chargebeeSubscriptions(api, now),
          ...chargebeeRefunds(api),
          pull: (since) => pullEvents(api, since),
        }
      },
    }),
  testMode: { base: (site) => `https://${site ?? 'acme-test'}.chargebee.com`, proof: 'key' },
  fake: async () => (await import('../../fakes/chargebee/index.ts')).createFakeChargebee,
})

/** Returns the address of a site's API. @throws ERR_CONFIG without the site's name */
function addressOf({ site, api_base }: z.infer<typeof options>, label: string | null): string {
  if (api_base !== undefined) return api_base.replace(/\/$/, '')
  const name = typeof site === 'object' ? site[label ?? ''] : site
  if (name !== undefined && /^[a-z\d][a-z\d-]*$/i.test(name)) return `https://${name}.chargebee.com`
  throw new MembershipError(
    'ERR_CONFIG',
    'membership.providers.chargebee.secret is set, and no site whose key that is.',
    { action: 'Set membership.providers.chargebee.site to its name: acme of acme.chargebee.com.' },
  )
}
