import {
  type Answer,
  type Answered,
  type ApiHandler,
  type Asked,
  type Idempotency,
  mistakeText,
  Refusal,
  type ServerContext,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { ApiError, invalid, toApiError, toFailure } from './errors.ts'
import { answer } from './expand.ts'
import { decodeForm } from './form.ts'
import { createReader } from './params.ts'
import type { Route } from './routes.ts'

/** Answers API requests. */
export function createApi(given: {
  account: Account
  secret: string
  routes: readonly Route[]
  idempotency: Idempotency
  context: Pick<ServerContext, 'wait' | 'replica'>
}): ApiHandler {
  const { account, secret, routes, idempotency, context } = given

  const read = (asked: Asked, run: () => Answer): Answer =>
    asked.method === 'GET' ? context.replica.reading(run, ({ body }) => body.object === 'list') : run()
  const handle = async (asked: Asked): Promise<Answer & { isReplayed: boolean }> => {
    checkKey(asked.headers.authorization, secret)
    const { route, ids } = findRoute(routes, asked)
    const key = asked.method === 'POST' ? keyOf(asked) : undefined
    const known = key === undefined ? null : idempotency.begin(key, `${asked.path}?${formOf(asked)}`)
    await context.wait()
    if (known !== null) return { ...known, isReplayed: true }
    const done = asked.breaks
      ? toFailure(500)
      : settle(() => read(asked, () => execute(account, route, ids, asked, key)))
    if (key !== undefined) idempotency.end(key, done)
    return { ...done, isReplayed: false }
  }
  return {
    owns: (path) => path.startsWith('/v1/'),
    keyOf,
    failure: toFailure,
    handle: async (asked): Promise<Answered> => {
      const { isReplayed, ...done } = await handle(asked).catch((error: unknown) => ({
        ...toAnswer(error),
        isReplayed: false,
      }))
      const key = keyOf(asked)
      return {
        ...done,
        headers: {
          'Request-Id': asked.requestId,
          'Stripe-Version': versionOf(account, asked),
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
          ...(isReplayed ? { 'Idempotent-Replayed': 'true' } : {}),
        },
      }
    },
  }
}

function formOf({ query, body }: Asked): string {
  return [query, body].filter((part) => part !== '').join('&')
}

function keyOf(asked: Asked): string | undefined {
  return headerOf(asked, 'Idempotency-Key')
}

function versionOf(account: Account, asked: Asked): string {
  return headerOf(asked, 'Stripe-Version') ?? account.apiVersion
}

function headerOf({ headers }: Asked, name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Checks the API key, given as the user name of basic authentication or as a bearer token.
 * https://docs.stripe.com/api/authentication
 */
function checkKey(authorization: string | undefined, secret: string): void {
  const [scheme = '', value = ''] = (authorization ?? '').split(' ')
  const key = /^basic$/i.test(scheme) ? Buffer.from(value, 'base64').toString().split(':')[0] : value
  if (key === secret) return
  const message = key
    ? `Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}${key.length > 16 ? key.slice(-4) : ''}`
    : 'You did not provide an API key.'
  throw new ApiError(401, { type: 'invalid_request_error', message })
}

function findRoute(routes: readonly Route[], { method, path }: Asked) {
  for (const route of routes) {
    if (route.method !== method) continue
    const found = route.path.exec(path)
    if (found) return { route, ids: found.slice(1).map(decode) }
  }
  throw new ApiError(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: ${path}).`,
  })
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function settle(run: () => Answer): Answer {
  try {
    return run()
  } catch (error) {
    return toAnswer(error)
  }
}

function toAnswer(error: unknown): Answer {
  const extras = error instanceof Refusal ? toApiError(error) : error
  if (extras instanceof ApiError) return { status: extras.status, body: { error: extras.body } }
  return { status: 500, body: { error: { type: 'api_error', message: mistakeText(error) } } }
}

function execute(
  account: Account,
  route: Route,
  ids: string[],
  asked: Asked,
  key: string | undefined,
): Answer {
  const params = createReader(decodeForm(formOf(asked)))
  params.only(...route.params)
  const paths = params.texts('expand') ?? []
  const version = versionOf(account, asked)
  const cause = asked.method === 'GET' ? null : { id: asked.requestId, idempotency_key: key ?? null }
  const run = () => route.run({ account, world: account.world, params, ids })
  const result = cause === null ? run() : account.events.causedBy(cause, run)
  if ('plain' in result) return { status: 200, body: result.plain }
  if ('object' in result)
    return { status: 200, body: snapshot(answer(account, result.object, version, paths)) }
  const { data, has_more } = result.page
  const inside = paths.map((path) => {
    if (!path.startsWith('data.')) throw invalid(`This property cannot be expanded (${path}).`, 'expand')
    return path.slice('data.'.length)
  })
  return {
    status: 200,
    body: {
      object: 'list',
      data: data.map((anyObject) => answer(account, anyObject, version, inside)),
      has_more,
      url: asked.path,
    },
  }
}

// A stored answer must not change.
function snapshot(body: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(body)) as Record<string, unknown>
}
