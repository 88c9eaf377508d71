import { type ApiHandlerOf, createApi, readJson } from '../engine/index.ts'
import type { Account } from './account.ts'
import { buyingRoutes } from './api-buying.ts'
import { eventRoutes } from './api-events.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { errorAnswer, fault, invalid, toApiError } from './errors.ts'
import { pageOf } from './routes.ts'

/** Answers API requests. Paddle has no idempotency keys: https://developer.paddle.com/api-reference/about/ */
export const paddleApi: ApiHandlerOf<Account> = (account, secret, context) =>
  createApi({
    account,
    routes: [...buyingRoutes, ...subscriptionRoutes, ...eventRoutes(context)],
    wait: context.wait,
    replica: context.replica,
    owns: (path) => !path.startsWith('/pay') && !path.startsWith('/portal'),
    admit: ({ headers }) => {
      const [, key] = /^bearer (.*)$/i.exec(headers.authorization ?? '') ?? []
      const detail = 'Authentication header included, but incorrectly formatted'
      if (key !== secret) throw fault(403, 'authentication_malformed', detail)
    },
    read: ({ body }) => readJson(body, () => invalid('body', 'Invalid JSON provided')),
    show: (result, { requestId, path }, query) => {
      const meta = { request_id: requestId }
      if ('data' in result) return { status: result.status ?? 200, body: { data: result.data, meta } }
      const { data, pagination } = pageOf(result.list, query, `${account.url}${path}`)
      return { status: 200, body: { data, meta: { ...meta, pagination } } }
    },
    unknown: ({ path }) => fault(404, 'invalid_url', `Path ${path} not found`),
    refused: toApiError,
    failed: errorAnswer,
    previews: (path) => path.endsWith('/preview'),
  })
