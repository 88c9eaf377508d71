import { isObject, type Json } from '../../providers/narrow.ts'
import type { Answer, ApiHandler, Asked, Idempotency, ServerContext } from '../engine/index.ts'
import type { Account } from './account.ts'
import { ApiError, missing, toAnswer, toFailure } from './errors.ts'
import { certificatePath } from './signing.ts'

/** One request. */
export interface Call {
  readonly account: Account
  /** The id in its path. */
  readonly id: string
  readonly query: URLSearchParams
  readonly body: Json
  /** List that was sent, or an empty one. */
  readonly list: readonly Json[]
}

/** One path of the API. `takesKey`: it accepts PayPal-Request-Id. */
export interface Route {
  readonly method: string
  readonly path: RegExp
  readonly takesKey: boolean
  run(call: Call): Answer
}

/**
 * Builds a route from text such as `POST /v1/billing/plans/:id`; a star after it means that a key is
 * accepted. A POST answers 201 by default.
 */
export function route(
  line: string,
  run: (call: Call) => Record<string, unknown> | null,
  status?: number,
): Route {
  const [method = '', path = '', star] = line.split(' ')
  return {
    method,
    path: new RegExp(`^${path.replace(':id', '([^/]+)')}$`),
    takesKey: star === '*',
    run: (call) => {
      const body = run(call)
      return body === null
        ? { status: 204, body: {} }
        : { status: status ?? (method === 'POST' ? 201 : 200), body }
    },
  }
}

/** Answers API requests. `token` issues and checks access tokens. */
export function createApi(given: {
  readonly account: Account
  readonly routes: readonly Route[]
  readonly idempotency: Idempotency
  readonly tokens: { give(basic: string): Answer; isGood(bearer: string): boolean }
  readonly context: Pick<ServerContext, 'wait' | 'replica'>
}): ApiHandler {
  const { account, routes, idempotency, tokens, context } = given

  // An object has an id at the end of its path; `transactions` and the like are lists.
  const read = (asked: Asked, run: () => Answer): Answer =>
    asked.method === 'GET'
      ? context.replica.reading(
          run,
          ({ body: { id, dispute_id } }) => id === undefined && dispute_id === undefined,
        )
      : run()
  const handle = async (asked: Asked): Promise<Answer> => {
    const authorization = String(asked.headers.authorization ?? '')
    await context.wait()
    if (asked.path === '/v1/oauth2/token') return tokens.give(authorization)
    if (!tokens.isGood(authorization)) throw new ApiError(401, 'AUTHENTICATION_FAILURE')
    const { route, id } = findRoute(routes, asked)
    const key = route.takesKey ? keyOf(asked) : undefined
    const known = key === undefined ? null : idempotency.begin(key, `${asked.method} ${asked.path}`)
    if (known !== null) return known
    const done = asked.breaks
      ? toFailure(500)
      : carryOut(() => read(asked, () => route.run(toCall(account, asked, id))))
    // A failed request may be repeated under the same key.
    if (key !== undefined)
      idempotency.end(key, done.status < 300 ? snapshot(done) : { status: 400, body: {} })
    return done
  }

  return {
    // Certificates are public, and not part of the API.
    owns: (path) => /^\/v[12]\//.test(path) && path !== certificatePath,
    keyOf,
    changes: ({ method, path }) => method !== 'GET' && path !== '/v1/oauth2/token',
    failure: toFailure,
    handle: (asked) => handle(asked).catch(toAnswer),
  }
}

function keyOf({ headers }: Asked): string | undefined {
  const key = headers['paypal-request-id']
  return typeof key === 'string' && key !== '' ? key : undefined
}

function findRoute(routes: readonly Route[], { method, path }: Asked) {
  for (const route of routes) {
    const found = route.method === method ? route.path.exec(path) : null
    if (found) return { route, id: decodeURIComponent(found[1] ?? '') }
  }
  throw missing()
}

function toCall(account: Account, { query, body }: Asked, id: string): Call {
  const sent: unknown = body === '' ? {} : JSON.parse(body)
  return {
    account,
    id,
    query: new URLSearchParams(query),
    body: isObject(sent) ? sent : {},
    list: Array.isArray(sent) ? sent : [],
  }
}

function carryOut(run: () => Answer): Answer {
  try {
    return run()
  } catch (error) {
    return toAnswer(error)
  }
}

// A stored answer must not change.
function snapshot(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer)) as Answer
}
