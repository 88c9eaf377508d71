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
    if (asked.headers['x-api-key'] !== secret) throw new ApiError(403, 'Forbidden')
    const { route, id } = findRoute(routes, asked)
    const query = new URLSearchParams(asked.query)
    const result = route.run({ account, world: account.world, query, body: readBody(asked), id })
    return { status: 200, body: 'data' in result ? result.data : pageOf(result.list, query) }
  }
  return {
    owns: (path) => path.startsWith('/v1/'),
    // There are none: https://docs.creem.io/api-reference/introduction
    keyOf: () => undefined,
    changes: ({ method, path }) => method !== 'GET' && path !== '/v1/customers/billing',
    failure: (status) => errorAnswer(new ApiError(status, 'Something went wrong'), ''),
    handle: async (asked) => {
      await wait()
      try {
        if (asked.breaks) return errorAnswer(new ApiError(500, 'Something went wrong'), asked.requestId)
        return JSON.parse(JSON.stringify(execute(asked))) as Answered
      } catch (error) {
        const said = error instanceof Refusal ? toApiError(error) : error
        if (said instanceof ApiError) return errorAnswer(said, asked.requestId)
        // A mistake of the test double itself: loud, and no reason to try again.
        const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
        return errorAnswer(new ApiError(500, `The fake failed: ${detail}`), asked.requestId)
      }
    },
  }
}

const findRoute = (routes: readonly Route[], { method, path }: Asked): { route: Route; id: string } => {
  for (const route of routes) {
    if (route.method !== method) continue
    const found = route.path.exec(path)
    if (found) return { route, id: decodeURIComponent(found[1] ?? '') }
  }
  throw new ApiError(404, `There is no ${method} ${path}.`)
}
