import {
  type Answer,
  type Answered,
  type ApiHandler,
  type Asked,
  createIdempotency,
  Refusal,
} from '../../../merchant/index.ts'
import type { Account } from './account.ts'
import { ApiError, errorAnswer, keyTrouble, missing, toApiError } from './errors.ts'
import type { Json } from './options.ts'
import { pageOf, type Route, readParams } from './routes.ts'

// https://apidocs.chargebee.com/docs/api/idempotency
const keptSeconds = 30 * 60
const header = 'chargebee-idempotency-key'

/** Answers API requests. `wait` stands between taking a request and doing it. */
export const createApi = (given: {
  account: Account
  secret: string
  routes: readonly Route[]
  wait: () => Promise<void>
}): ApiHandler => {
  const { account, secret, routes, wait } = given
  const { clock } = account.world
  const keys = createIdempotency({
    seconds: () => clock.seconds(),
    keptSeconds,
    maxLength: 100 + 200,
    refuse: (trouble) => keyTrouble(trouble),
  })

  const execute = (asked: Asked): Answer => {
    if (asked.headers.authorization !== `Basic ${Buffer.from(`${secret}:`).toString('base64')}`)
      throw new ApiError(401, 'api_authentication_failed', 'Sorry, authentication failed. Invalid api key')
    const { route, id } = findRoute(routes, asked)
    const query = new URLSearchParams(asked.query)
    const result = route.run({ account, world: account.world, query, body: readParams(asked.body), id })
    const body = Array.isArray(result.list) ? pageOf(result.list as Json[], query) : (result as Json)
    return { status: 200, body: JSON.parse(JSON.stringify(body)) as Json }
  }
  const answer = (asked: Asked): Answer => {
    try {
      if (asked.breaks) throw new ApiError(500, 'internal_error', 'Something went wrong', { type: 'api' })
      return execute(asked)
    } catch (error) {
      const said = error instanceof Refusal ? toApiError(error) : error
      if (said instanceof ApiError) return errorAnswer(said)
      // A mistake of the test double itself: loud, and no reason to try again.
      const detail = `The fake failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
      return errorAnswer(new ApiError(500, 'internal_error', detail))
    }
  }
  /** Once for each key, where there is one; keys are of an address. */
  const once = (asked: Asked): Answered => {
    const given = asked.headers[header]
    if (typeof given !== 'string' || asked.method !== 'POST') return answer(asked)
    if (given.length > 100) return errorAnswer(keyTrouble('too long'))
    const key = `${asked.path} ${given}`
    const before = keys.begin(key, asked.body)
    if (before !== null) return { ...before, headers: { 'chargebee-idempotency-replayed': 'true' } }
    const made = answer(asked)
    keys.end(key, made)
    return made
  }
  return {
    owns: (path) => path.startsWith('/api/'),
    keyOf: ({ headers }) => {
      const key = headers[header]
      return typeof key === 'string' ? key : undefined
    },
    changes: ({ method, path }) => method !== 'GET' && !path.includes('/estimates/'),
    failure: (status) => errorAnswer(new ApiError(status, 'internal_error', 'Something went wrong')),
    handle: async (asked) => {
      await wait()
      try {
        return once(asked)
      } catch (error) {
        if (error instanceof ApiError) return errorAnswer(error)
        throw error
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
  throw missing('The path', path)
}
