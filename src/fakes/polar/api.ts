import { ApiError, type ApiHandler, createApi, readJson, type ServerContext } from '../engine/index.ts'
import type { Account } from './account.ts'
import { errorAnswer, invalid, missing, toApiError } from './errors.ts'
import { type PolarRoute, pageOf } from './routes.ts'

/** Answers API requests. Polar has no idempotency keys. */
export const polarApi = (
  account: Account,
  given: { secret: string; routes: readonly PolarRoute[]; context: ServerContext },
): ApiHandler =>
  createApi({
    account,
    routes: given.routes,
    wait: given.context.wait,
    replica: given.context.replica,
    owns: (path) => path.startsWith('/v1/'),
    admit: ({ headers }) => {
      if (headers.authorization === `Bearer ${given.secret}`) return
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
