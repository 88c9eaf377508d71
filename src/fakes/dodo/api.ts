import {
  ApiError,
  type ApiHandler,
  createApi,
  type Json,
  readJson,
  type ServerContext,
  type Webhook,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { errorAnswer, invalid, toApiError } from './errors.ts'
import { pageOf, route } from './routes.ts'

/** Answers API requests. Dodo has no idempotency keys. */
export const dodoApi = (
  account: Account,
  secret: string,
  context: Pick<ServerContext, 'wait' | 'replica' | 'endpoint'>,
): ApiHandler =>
  createApi({
    account,
    routes: [
      ...buyingRoutes,
      ...subscriptionRoutes,
      // https://docs.dodopayments.com/api-reference/webhooks/list-webhooks
      route('GET /webhooks', () => ({
        data: {
          data: [context.endpoint()].flatMap((webhook): Json[] =>
            webhook ? [toEndpoint(webhook, account.world.clock.now())] : [],
          ),
          done: true,
          iterator: '',
        },
      })),
    ],
    wait: context.wait,
    replica: context.replica,
    owns: (path) => !path.startsWith('/session/') && !path.startsWith('/portal/'),
    admit: ({ headers }) => {
      if (headers.authorization === `Bearer ${secret}`) return
      throw new ApiError(401, 'Invalid API key', { code: 'UNAUTHORIZED' })
    },
    read: ({ body }) => readJson(body, () => invalid('The body is no JSON')),
    show: (result, _asked, query) => ({
      status: 200,
      body: 'data' in result ? result.data : pageOf(result.list, query),
    }),
    unknown: ({ method, path }) => new ApiError(404, `There is no ${method} ${path}`, { code: 'NOT_FOUND' }),
    refused: toApiError,
    failed: errorAnswer,
    previews: (path) => path.endsWith('/preview') || path.endsWith('/customer-portal/session'),
  })

const toEndpoint = ({ url, isEnabled, events }: Webhook, now: Date): Json => ({
  id: 'ep_of_the_fake',
  url,
  description: '',
  metadata: {},
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
  disabled: isEnabled === false,
  filter_types: events === undefined ? null : [...events],
})
