import { z } from 'zod'
import { apiBase, apiKeys, baseOf, byApiKey } from '../api-keys.ts'
import { defineProvider } from '../define.ts'
import { obj } from '../narrow.ts'
import { hmacMethods } from '../signatures.ts'
import { createLemonSqueezyApi } from './api.ts'
import { lemonSqueezyPrices } from './catalogue.ts'
import { type LemonSqueezySite, lemonSqueezyChanges } from './changes.ts'
import { connectLemonSqueezy, lemonSqueezyEndpoints } from './endpoints.ts'
import { createFinding } from './finding.ts'
import { listAll } from './list.ts'
import { lemonSqueezyPage } from './pages.ts'
import { readLemonSqueezy } from './read.ts'
import { lemonSqueezyRefunds } from './refunds.ts'
import { lemonSqueezySecrets } from './secrets.ts'
import { lemonSqueezySessions } from './sessions.ts'
import { lemonSqueezySubscriptions } from './subscriptions.ts'
import { lemonSqueezyScheme } from './verify.ts'

const options = z.object({
  secret: apiKeys.describe(
    'API key, eyJ0eXAi…; without it Lemon Squeezy is never asked, only listened to. Labels like those of webhook for several accounts.',
  ),
  store: z
    .string()
    .regex(/^\d+$/, 'must be the number of a store, in quotes')
    .optional()
    .describe('Id of the store that sells; needed where the account has several.'),
  api_base: apiBase,
})

// One address for both modes: https://docs.lemonsqueezy.com/help/getting-started/test-mode
const host = 'https://api.lemonsqueezy.com'

/** Lemon Squeezy: subscriptions, one-time payments and refunds. */
export const lemonsqueezy = defineProvider({
  key: 'lemonsqueezy',
  lacks: {
    discount: 'This package asks it for no discount on a running subscription.',
    pause:
      'A pause starts at once and ends without a payment, so a member who pauses over a renewal would get a free period.',
    preview: 'It tells no costs of a change before it is made.',
    change_later:
      'It cannot schedule another variant. A cheaper one is set at once without a bill, and access stays until the end of the paid time.',
    trial_once: 'It gives out no number of a card or account that would identify a buyer.',
    past_events: 'It gives out no past messages; what they told is listed instead.',
  },
  options,
  mode: 'message',
  rate: { requests: 300, seconds: 60, source: 'https://docs.lemonsqueezy.com/api/getting-started' },
  customers: 'by_address',
  secrets: lemonSqueezySecrets,
  create: (context) => {
    const siteOf = (isAsked: boolean): LemonSqueezySite => ({
      isSoldOnce: (variant) =>
        context
          .plans()
          .some(({ prices }) => prices.some(({ id, type }) => id === variant && type === 'one_time')),
      isAsked,
    })
    return byApiKey(context, {
      secrets: lemonSqueezySecrets,
      receive: (isAsked) => ({
        key: 'lemonsqueezy',
        seller: { name: 'Lemon Squeezy', isAlways: true },
        ...hmacMethods(lemonSqueezyScheme, null),
        read: readLemonSqueezy,
        changes: lemonSqueezyChanges(siteOf(isAsked)),
      }),
      act: ({ secret }) => {
        const { options, now, livemode, randomId, store: documents } = context
        const site = siteOf(true)
        const api = createLemonSqueezyApi({
          secret,
          base: baseOf(options, { live: host, test: host }, false),
          now,
          site,
        })
        const finding = createFinding(api, site)
        const isTest = livemode === null ? null : !livemode
        return {
          capabilities: { choose_amount: 'once' },
          fetch: finding.fetch,
          ...lemonSqueezySessions({ api, store: options.store ?? null, isTest, now }),
          ...lemonSqueezySubscriptions(api),
          ...lemonSqueezyRefunds(api, documents),
          trialAmount: 'of_price',
          prices: () => lemonSqueezyPrices(api),
          list: (from) => listAll(api, from),
          endpoints: () => lemonSqueezyEndpoints(api, options.store ?? null),
          connect: (request) =>
            connectLemonSqueezy(api, request, { store: options.store ?? null, isTest, randomId }),
          routes: (tools) => lemonSqueezyPage(finding.bring, tools),
        }
      },
    })
  },
  testMode: {
    base: () => host,
    // https://docs.lemonsqueezy.com/api/users/retrieve-user, `meta.test_mode`
    proof: {
      path: '/v1/users/me',
      headers: (secret) => ({ accept: 'application/vnd.api+json', authorization: `Bearer ${secret}` }),
      isTest: (answer) => obj(answer.meta).test_mode === true,
    },
  },
  fake: async () => (await import('../../fakes/lemonsqueezy/index.ts')).createFakeLemonSqueezy,
})
