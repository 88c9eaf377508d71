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
import { errorAnswer, toApiError } from './errors.ts'
import { pageOf, route } from './routes.ts'

/** Answers API requests. Creem has no idempotency keys: https://docs.creem.io/api-reference/introduction */
export const creemApi = (
  account: Account,
  secret: string,
  context: Pick<ServerContext, 'wait' | 'replica' | 'endpoint'>,
): ApiHandler =>
  createApi({
    account,
    routes: [
      ...buyingRoutes,
      ...subscriptionRoutes,
      // https://docs.creem.io/api-reference/endpoint/list-webhooks
      route('GET /webhooks', () => ({
        list: [context.endpoint()].flatMap((webhook): Json[] => (webhook ? [toEndpoint(webhook)] : [])),
      })),
    ],
    wait: context.wait,
    replica: context.replica,
    owns: (path) => path.startsWith('/v1/'),
    admit: ({ headers }) => {
      if (headers['x-api-key'] !== secret) throw new ApiError(403, 'Forbidden')
    },
    read: ({ body }) => readJson(body, () => new ApiError(400, 'The body is no JSON')),
    show: (result, _asked, query) => ({
      status: 200,
      body: 'data' in result ? result.data : pageOf(result.list, query),
    }),
    unknown: ({ method, path }) => new ApiError(404, `There is no ${method} ${path}.`),
    refused: toApiError,
    failed: errorAnswer,
    previews: (path) => path === '/v1/customers/billing',
  })

const toEndpoint = ({ url, isEnabled, events }: Webhook): Json => ({
  id: 'wh_of_the_fake',
  mode: 'test',
  object: 'webhook',
  store_id: 'sto_of_the_fake',
  name: null,
  url,
  delivery_mode: 'http',
  status: isEnabled === false ? 'disabled' : 'enabled',
  events: [...(events ?? all)],
})

const all = [
  'checkout.completed',
  'dispute.created',
  'refund.created',
  'subscription.active',
  'subscription.canceled',
  'subscription.expired',
  'subscription.past_due',
  'subscription.paid',
  'subscription.paused',
  'subscription.scheduled_cancel',
  'subscription.trialing',
  'subscription.unpaid',
  'subscription.update',
]
