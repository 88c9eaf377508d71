import { ApiError, type ApiHandlerOf, createApi, readJson } from '../engine/index.ts'
import type { Account } from './account.ts'
import { buyingRoutes } from './api-buying.ts'
import { webhookRoutes } from './api-events.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { errorAnswer, invalid, toApiError } from './errors.ts'
import { pageOf } from './routes.ts'

/** Answers API requests. Dodo has no idempotency keys. */
export const dodoApi: ApiHandlerOf<Account> = (account, secret, context) =>
  createApi({
    account,
    routes: [...buyingRoutes, ...subscriptionRoutes, ...webhookRoutes(context)],
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
