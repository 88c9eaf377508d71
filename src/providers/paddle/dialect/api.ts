import { type Answered, type ApiHandler, type Asked, Refusal } from '../../../merchant/index.ts'
import type { Account } from './account.ts'
import { ApiError, errorAnswer, toApiError } from './errors.ts'
import { pageOf, type Route, readBody } from './routes.ts'

/** Answers API requests. `wait` stands between taking a request and doing it. */
export const createApi = (given: {
  account: Account
  secret: string
  routes: readonly Route[]
  wait: () => Promise<void>
}): ApiHandler => {
  const { account, secret, routes, wait } = given

  const execute = (asked: Asked): Answered => {
    if (
      !/^bearer /i.test(asked.headers.authorization ?? '') ||
      asked.headers.authorization?.slice(7) !== secret
    )
      throw new ApiError(
        403,
        'authentication_malformed',
        'Authentication header included, but incorrectly formatted',
      )
    const { route, id } = findRoute(routes, asked)
    const query = new URLSearchParams(asked.query)
    const result = route.run({ account, world: account.world, query, body: readBody(asked), id })
    const meta = { request_id: asked.requestId }
    if ('data' in result) return { status: result.status ?? 200, body: { data: result.data, meta } }
    const { data, pagination } = pageOf(result.list, query, `${account.url}${asked.path}`)
    return { status: 200, body: { data, meta: { ...meta, pagination } } }
  }
  return {
    owns: (path) => !path.startsWith('/pay') && !path.startsWith('/portal'),
    // There are none: https://developer.paddle.com/api-reference/about/
    keyOf: () => undefined,
    changes: ({ method, path }) => method !== 'GET' && !path.endsWith('/preview'),
    failure: (status) => errorAnswer(new ApiError(status, 'internal_error', 'Something went wrong'), ''),
    handle: async (asked) => {
      await wait()
      try {
        return asked.breaks
          ? errorAnswer(new ApiError(500, 'internal_error', ''), asked.requestId)
          : copy(execute(asked))
      } catch (error) {
        const said = error instanceof Refusal ? toApiError(error) : error
        if (said instanceof ApiError) return errorAnswer(said, asked.requestId)
        // A mistake of the test double itself: loud, and no reason to try again.
        const detail = `The fake failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
        return errorAnswer(new ApiError(500, 'internal_error', detail), asked.requestId)
      }
    },
  }
}

const copy = (answered: Answered): Answered => JSON.parse(JSON.stringify(answered)) as Answered

const findRoute = (routes: readonly Route[], { method, path }: Asked): { route: Route; id: string } => {
  for (const route of routes) {
    if (route.method !== method) continue
    const found = route.path.exec(path)
    if (found) return { route, id: decodeURIComponent(found[1] ?? '') }
  }
  throw new ApiError(404, 'invalid_url', `Path ${path} not found`)
}
