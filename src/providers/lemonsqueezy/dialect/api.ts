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
    if (asked.headers.authorization !== `Bearer ${secret}`) throw new ApiError(401, 'Unauthenticated.')
    const { route, id } = findRoute(routes, asked)
    const query = new URLSearchParams(asked.query)
    const result = route.run({ account, world: account.world, query, ...readBody(asked), id })
    const jsonapi = { version: '1.0' }
    if ('data' in result) return { status: result.status ?? 200, body: { jsonapi, data: result.data } }
    return { status: 200, body: { jsonapi, ...pageOf(result.list, query) } }
  }
  return {
    owns: (path) => path.startsWith('/v1/'),
    // There are none: https://docs.lemonsqueezy.com/api/getting-started/requests
    keyOf: () => undefined,
    changes: ({ method }) => method !== 'GET',
    failure: (status) => errorAnswer(new ApiError(status, 'Something went wrong.')),
    handle: async (asked) => {
      await wait()
      try {
        if (asked.breaks) return errorAnswer(new ApiError(500, 'Something went wrong.'))
        return JSON.parse(JSON.stringify(execute(asked))) as Answered
      } catch (error) {
        const said = error instanceof Refusal ? toApiError(error) : error
        if (said instanceof ApiError) return errorAnswer(said)
        // A mistake of the test double itself: loud, and no reason to try again.
        const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
        return errorAnswer(new ApiError(500, `The fake failed: ${detail}`))
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
