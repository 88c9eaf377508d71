import { z } from 'zod'
import { managedAt } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { apiBase, apiKeys, baseOf, byApiKey } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { storeLacks } from '../stores.ts'
import { createAppleApi } from './api.ts'
import { appleRoot } from './certificates.ts'
import { appleChanges } from './changes.ts'
import { pullEvents } from './pull.ts'
import { readApple } from './read.ts'
import { appleSecrets } from './secrets.ts'
import { createAppleVerify } from './verify.ts'

const appId = z.number().int().positive()

const options = z.object({
  secret: apiKeys.describe(
    'In-app purchase key of App Store Connect: the text of its .p8 file. Without it the App Store is never asked, only listened to. Labels like those of webhook for several apps.',
  ),
  key_id: z.string().min(1).optional().describe('The id of that key, ten letters and digits.'),
  issuer_id: z.string().min(1).optional().describe('The issuer id, which stands above the keys.'),
  app_id: z
    .union([appId, z.record(z.string(), appId)])
    .optional()
    .describe(
      'The Apple ID of the app, a number; production needs it. Labels like those of webhook for several apps.',
    ),
  root_certificate: z.string().optional().describe('Another root certificate as PEM, for tests.'),
  api_base: apiBase,
})
type Options = z.infer<typeof options>

// Each environment has its own address: https://developer.apple.com/documentation/appstoreserverapi
const hosts = { live: 'https://api.storekit.apple.com', test: 'https://api.storekit-sandbox.apple.com' }

/** Apple's App Store: subscriptions and purchases in apps, which are read and never changed. */
export const apple = defineProvider({
  key: 'apple',
  lacks: {
    ...storeLacks('The App Store'),
    list: 'Apple lists the purchases of one person at a time. Missed notifications are pulled from its history of 180 days, and purchases are imported by their ids.',
  },
  options,
  customers: 'by_member',
  mode: 'message',
  secrets: appleSecrets,
  // Of each endpoint that is read here; the sandbox allows a tenth.
  rate: {
    requests: 50,
    seconds: 1,
    inTest: 5,
    source: 'https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits',
  },
  create: (context) =>
    byApiKey(context, {
      secrets: appleSecrets,
      receive: () => ({
        key: 'apple',
        verify: createAppleVerify({
          root: context.options.root_certificate ?? appleRoot,
          appleIdOf: (label) => appIdOf(context.options, label),
        }),
        stores: ['app_store'],
        managedIn: () => managedAt('app_store'),
        read: readApple,
        changes: appleChanges,
      }),
      act: ({ secret, label, isTest }) => {
        const { options, now, webhookSecret } = context
        const { keyId, issuerId } = keyOf(options)
        const bundleId = webhookSecret(label ?? undefined)
        const base = baseOf(options, hosts, isTest)
        const api = createAppleApi({ secret, keyId, issuerId, bundleId, base, now })
        return { fetch: api.fetch, pull: (since) => pullEvents(api, since, { now, isTest }) }
      },
    }),
})

function appIdOf({ app_id: id }: Options, label: string): number | undefined {
  return typeof id === 'object' ? id[label] : id
}

function keyOf({ key_id: keyId, issuer_id: issuerId }: Options): { keyId: string; issuerId: string } {
  if (keyId !== undefined && issuerId !== undefined) return { keyId, issuerId }
  throw new MembershipError(
    'ERR_CONFIG',
    'membership.providers.apple has a key, and its id or the issuer id is missing.',
    {
      action:
        'Set membership.providers.apple.key_id and membership.providers.apple.issuer_id to what App Store Connect shows beside the key (Users and Access, Integrations, In-App Purchase).',
    },
  )
}
