import { z } from 'zod'
import { managedAt } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { apiBase, apiKeys, baseOf, byApiKey } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { storeLacks } from '../stores.ts'
import { createGoogleApi } from './api.ts'
import { googleChanges } from './changes.ts'
import { pullVoided } from './pull.ts'
import { readGoogle } from './read.ts'
import { googleSecrets } from './secrets.ts'
import { createGoogleVerify, googleKeys } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'Key of a service account, the text of its JSON file. Google’s notifications only name purchases, which are asked for with it.',
  ),
  package: z.string().min(1).optional().describe('The package name of the app: com.example.app.'),
  push_account: z
    .string()
    .min(1)
    .optional()
    .describe('The address of the service account that the Pub/Sub subscription authenticates as.'),
  push_keys: z.url().default(googleKeys).describe('Another address of Google’s public keys, for tests.'),
  api_base: apiBase,
})
type Options = z.infer<typeof options>

// Purchases of licence testers come from the same address.
const host = 'https://androidpublisher.googleapis.com'

/** Google Play: subscriptions and purchases in apps, which are read and never changed, but acknowledged. */
export const google = defineProvider({
  key: 'google',
  lacks: {
    ...storeLacks('Google Play'),
    list: 'Google lists no purchases. Refunds of the last 30 days are pulled, each purchase is asked for when a notification names it, and purchases are imported by their tokens.',
  },
  options,
  customers: 'by_member',
  secrets: googleSecrets,
  rate: { requests: 3000, seconds: 60, source: 'https://developers.google.com/android-publisher/quotas' },
  create: (context) =>
    byApiKey(context, {
      secrets: googleSecrets,
      receive: () => ({
        key: 'google',
        trust: 'credentials',
        stores: ['play_store'],
        managedIn: ({ product_id: product }) => managedAt('play_store', pageOf(product, context.options)),
        verify: createGoogleVerify({
          keys: context.options.push_keys,
          account: context.options.push_account,
        }),
        read: readGoogle,
        changes: googleChanges(context.options.package),
      }),
      act: ({ secret }) => {
        const { options, now, livemode, plans, storedCustomer } = context
        const prices = () => plans().flatMap((plan) => plan.prices.map(({ id }) => id))
        const packageName = packageOf(options)
        const base = baseOf(options, { live: host, test: host }, false)
        const api = createGoogleApi({
          secret,
          packageName,
          livemode,
          prices,
          base,
          now,
          storedCustomer,
        })
        const { fetch, acknowledge } = api
        return {
          fetch,
          acknowledge,
          pulls: 'refunds',
          pull: (since) => pullVoided(api, since, { now, packageName }),
        }
      },
    }),
})

/** https://developer.android.com/google/play/billing/subscriptions#deep-links-manage-subs */
function pageOf(product: string | null, { package: packageName }: Options): string | null {
  if (product === null || packageName === undefined) return null
  const query = new URLSearchParams({ sku: product, package: packageName })
  return `https://play.google.com/store/account/subscriptions?${query}`
}

function packageOf({ package: name }: Options): string {
  if (name !== undefined) return name
  throw new MembershipError('ERR_CONFIG', 'membership.providers.google has a key, and no package name.', {
    action:
      'Set membership.providers.google.package to the package name of the app, such as com.example.app.',
  })
}
