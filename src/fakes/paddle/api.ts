import { type ApiHandler, createApi, readJson, type ServerContext } from '../engine/index.ts'
import type { Account } from './account.ts'
import { errorAnswer, fault, invalid, toApiError } from './errors.ts'
import { type PaddleRoute, pageOf } from './routes.ts'

/** Answers API requests. Paddle has no idempotency keys: https://developer.paddle.com/api-reference/about/ */
export const paddleApi = (
  account: Account,
  given: { secret: string; routes: readonly PaddleRoute[]; context: ServerContext },
): ApiHandler =>
  createApi({
    account,
    routes: given.routes,
    wait: given.context.wait,
    replica: given.context.replica,
    owns: (path) => !path.startsWith('/pay') && !path.startsWith('/portal'),
    admit: ({ headers }) => {
      const [, key] = /^bearer (.*)$/i.exec(headers.authorization ?? '') ?? []
      const detail = 'Authentication header included, but incorrectly formatted'
      if (key !== given.secret) throw fault(403, 'authentication_malformed', detail)
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
