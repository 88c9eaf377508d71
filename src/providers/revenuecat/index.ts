import { z } from 'zod'
import { type StoreName, storeNames } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { apiBase, apiKeys, baseOf, byApiKey, webhookTolerance } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { storeLacks } from '../stores.ts'
import { createRevenueCatApi } from './api.ts'
import { revenuecatChanges } from './changes.ts'
import { revenuecatEndpoints } from './endpoints.ts'
import { managedIn } from './facts.ts'
import { listAll } from './list.ts'
import { readRevenueCat } from './read.ts'
import { revenuecatSecrets } from './secrets.ts'
import { revenuecatMethods } from './verify.ts'

const names = Object.keys(storeNames) as [StoreName, ...StoreName[]]

const options = z.object({
  secret: apiKeys.describe(
    'Secret API key of version 2, sk_…; without it RevenueCat’s events open nothing. Labels like those of webhook for several projects.',
  ),
  project: z
    .union([z.string().min(1), z.record(z.string(), z.string().min(1))], {
      error: 'must be the id of a project, or ids by label',
    })
    .optional()
    .describe('Id of the project, proj…; with several keys, one for each label.'),
  stores: z
    .array(z.enum(names))
    .min(1)
    .default(names)
    .describe('App stores whose purchases are read. Leave out a store that another provider here reads.'),
  webhook_tolerance: webhookTolerance(),
  api_base: apiBase,
})

const hosts = { live: 'https://api.revenuecat.com', test: 'https://api.revenuecat.com' }

/** RevenueCat: purchases of the App Store, Google Play and other app stores. It only reads. */
export const revenuecat = defineProvider({
  key: 'revenuecat',
  lacks: {
    ...storeLacks('An app store'),
    past_events: 'RevenueCat gives out no past messages; the state of every customer is listed instead.',
  },
  options,
  customers: 'by_member',
  mode: 'message',
  secrets: revenuecatSecrets,
  // "Customer Information" allows 480 requests a minute.
  rate: { requests: 480, seconds: 60, source: 'https://www.revenuecat.com/docs/api-v2' },
  create: (context) =>
    byApiKey(context, {
      secrets: revenuecatSecrets,
      receive: () => ({
        key: 'revenuecat',
        stores: context.options.stores,
        amounts: 'gross',
        managedIn,
        ...revenuecatMethods(context.options.webhook_tolerance),
        read: readRevenueCat(context.livemode),
        changes: revenuecatChanges(new Set(context.options.stores)),
      }),
      act: ({ secret, label, isTest }) => {
        const { options, now, livemode } = context
        const api = createRevenueCatApi(
          { secret, base: baseOf(options, hosts, isTest), now },
          { project: projectOf(options.project, label), stores: new Set(options.stores), livemode },
        )
        return {
          fetch: api.fetch,
          subscriptionsOf: async (id) => (await api.customer(id)) ?? { changes: [], at: now().toISOString() },
          list: (from) => listAll(api, from),
          endpoints: () => revenuecatEndpoints(api),
        }
      },
    }),
})

function projectOf(
  given: string | Readonly<Record<string, string>> | undefined,
  label: string | null,
): string {
  const project = typeof given === 'object' ? given[label ?? ''] : given
  if (project !== undefined) return project
  throw new MembershipError(
    'ERR_CONFIG',
    'membership.providers.revenuecat.secret is set without a project.',
    {
      action: `Set membership.providers.revenuecat.project${label === null ? '' : `.${label}`} to the project’s id, proj… (Project settings, General).`,
    },
  )
}
