import { ApiError, type ApiHandlerOf, createApi, readJson } from '../engine/index.ts'
import type { Account } from './account.ts'
import { buyingRoutes } from './api-buying.ts'
import { webhookRoutes } from './api-events.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { errorAnswer, toApiError } from './errors.ts'
import { pageOf } from './routes.ts'

/** Answers API requests. Creem has no idempotency keys: https://docs.creem.io/api-reference/introduction */
export const creemApi: ApiHandlerOf<Account> = (account, secret, context) =>
  createApi({
    account,
    routes: [...buyingRoutes, ...subscriptionRoutes, ...webhookRoutes(context)],
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
