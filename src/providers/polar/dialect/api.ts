import { type Answered, type ApiHandler, type Asked, Refusal } from '../../../merchant/index.ts'
import type { Account } from './account.ts'
import { ApiError, errorAnswer, missing, toApiError } from './errors.ts'
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
    if (asked.headers.authorization !== `Bearer ${secret}`)
      throw new ApiError(401, 'invalid_token', 'The access token provided is expired, revoked or malformed.')
    const { route, id } = findRoute(routes, asked)
    const query = new URLSearchParams(asked.query)
    const result = route.run({ account, world: account.world, query, body: readBody(asked), id })
    if ('one' in result) return { status: result.status ?? 200, body: result.one }
    return { status: 200, body: pageOf(result.list, query) }
  }
  return {
    owns: (path) => path.startsWith('/v1/'),
    // There are none.
    keyOf: () => undefined,
    changes: ({ method }) => method !== 'GET',
    failure: (status) => errorAnswer(new ApiError(status, 'InternalServerError', 'Internal Server Error')),
    handle: async (asked) => {
      await wait()
      try {
        return asked.breaks
          ? errorAnswer(new ApiError(500, 'InternalServerError', ''))
          : (JSON.parse(JSON.stringify(execute(asked))) as Answered)
      } catch (error) {
        const said = error instanceof Refusal ? toApiError(error) : error
        if (said instanceof ApiError) return errorAnswer(said)
        // A mistake of the test double itself: loud, and no reason to try again.
        const detail = `The fake failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
        return errorAnswer(new ApiError(500, 'InternalServerError', detail))
      }
    },
  }
}

const findRoute = (routes: readonly Route[], { method, path }: Asked): { route: Route; id: string } => {
  for (const route of routes) {
    const found = route.method === method ? route.path.exec(path) : null
    if (found) return { route, id: decodeURIComponent(found[1] ?? '') }
  }
  throw missing()
}
