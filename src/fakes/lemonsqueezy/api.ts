import { ApiError, type ApiHandlerOf, createApi } from '../engine/index.ts'
import type { Account } from './account.ts'
import { buyingRoutes } from './api-buying.ts'
import { webhookRoutes } from './api-events.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { errorAnswer, toApiError } from './errors.ts'
import { pageOf, readBody } from './routes.ts'

const jsonapi = { version: '1.0' }

/**
 * Answers API requests. Lemon Squeezy has no idempotency keys:
 * https://docs.lemonsqueezy.com/api/getting-started/requests
 */
export const lemonSqueezyApi: ApiHandlerOf<Account> = (account, secret, context) =>
  createApi({
    account,
    routes: [...buyingRoutes, ...subscriptionRoutes, ...webhookRoutes(context)],
    wait: context.wait,
    replica: context.replica,
    owns: (path) => path.startsWith('/v1/'),
    admit: ({ headers }) => {
      if (headers.authorization !== `Bearer ${secret}`) throw new ApiError(401, 'Unauthenticated.')
    },
    read: readBody,
    show: (result, _asked, query) =>
      'document' in result
        ? { status: 200, body: { jsonapi, ...result.document } }
        : 'data' in result
          ? { status: result.status ?? 200, body: { jsonapi, links: result.data.links, data: result.data } }
          : { status: 200, body: { jsonapi, ...pageOf(result.list, query) } },
    unknown: ({ method, path }) => new ApiError(404, `There is no ${method} ${path}.`),
    refused: toApiError,
    failed: errorAnswer,
  })
