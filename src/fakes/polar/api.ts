import { ApiError, type ApiHandlerOf, createApi, readJson } from '../engine/index.ts'
import type { Account } from './account.ts'
import { buyingRoutes } from './api-buying.ts'
import { webhookRoutes } from './api-events.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { errorAnswer, invalid, missing, toApiError } from './errors.ts'
import { pageOf } from './routes.ts'

/** Answers API requests. Polar has no idempotency keys. */
export const polarApi: ApiHandlerOf<Account> = (account, secret, context) =>
  createApi({
    account,
    routes: [...buyingRoutes, ...subscriptionRoutes, ...webhookRoutes(context)],
    wait: context.wait,
    replica: context.replica,
    owns: (path) => path.startsWith('/v1/'),
    admit: ({ headers }) => {
      if (headers.authorization === `Bearer ${secret}`) return
      const detail = 'The access token provided is expired, revoked or malformed.'
      throw new ApiError(401, detail, { code: 'invalid_token' })
    },
    read: ({ body }) => readJson(body, () => invalid('body', 'JSON decode error')),
    show: (result, _asked, query) =>
      'data' in result
        ? { status: result.status ?? 200, body: result.data }
        : { status: 200, body: pageOf(result.list, query) },
    unknown: missing,
    refused: toApiError,
    failed: errorAnswer,
  })
