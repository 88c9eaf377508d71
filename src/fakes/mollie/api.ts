import type { Json } from '../../providers/narrow.ts'
import {
  type Answer,
  type ApiHandler,
  type Asked,
  endpointsOf,
  type Idempotency,
  mistakeText,
  Refusal,
  type ServerContext,
  type Webhook,
  type World,
} from '../engine/index.ts'
import { paymentRoutes } from './api-payments.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { MollieError, toFailure, toMollieError } from './errors.ts'
import { type Route, toPage } from './routes.ts'
import type { Shapes } from './shapes.ts'

const routes: readonly Route[] = [...paymentRoutes, ...subscriptionRoutes]

/** Answers API requests. `wait` runs between receiving a request and executing it. */
export function createApi(given: {
  world: World
  shapes: Shapes
  secret: string
  url: string
  idempotency: Idempotency
  context: Pick<ServerContext, 'wait' | 'endpoint' | 'replica'>
}): ApiHandler {
  const { world, shapes, secret, url, idempotency, context } = given

  // https://docs.mollie.com/reference/list-webhooks: not with an API key.
  const webhooks: Route = {
    method: 'GET',
    path: /^\/webhooks$/,
    run: (request) => {
      if (/^(test|live)_/.test(secret)) throw new MollieError(403, 'This needs an access token')
      const endpoints = endpointsOf(context).map((endpoint) => ({ id: 'hook_fake', ...endpoint }))
      return toPage(request, 'webhooks', endpoints, toWebhook)
    },
  }

  const read = (asked: Asked, run: () => Answer): Answer =>
    asked.method === 'GET' ? context.replica.reading(run, ({ body }) => '_embedded' in body) : run()
  const execute = (asked: Asked): Answer => {
    const path = asked.path.slice('/v2'.length)
    for (const route of [...routes, webhooks]) {
      const found = route.method === asked.method ? route.path.exec(path) : null
      if (found === null) continue
      const query = new URLSearchParams(asked.query)
      const body = route.run({ world, shapes, asked, query, ids: found.slice(1), base: `${url}/v2` })
      return { status: asked.method === 'POST' ? 201 : 200, body: structuredClone(body) as Answer['body'] }
    }
    throw new MollieError(404, 'No such resource')
  }
  return {
    owns: (path) => path.startsWith('/v2/'),
    keyOf,
    failure: (status) => toFailure(status),
    handle: async (asked) => {
      try {
        if (asked.headers.authorization !== `Bearer ${secret}`)
          throw new MollieError(401, 'Missing authentication, or failed to authenticate')
        const key = keyOf(asked)
        const known =
          key === undefined ? null : idempotency.begin(key, `${asked.method} ${asked.path} ${asked.body}`)
        await context.wait()
        if (known !== null) return known
        const done = asked.breaks ? toFailure(500) : settle(() => read(asked, () => execute(asked)))
        if (key !== undefined) idempotency.end(key, done)
        return done
      } catch (error) {
        return toAnswer(error)
      }
    },
  }
}

function toWebhook({ id, url, isEnabled, events }: Webhook & { readonly id: string }): Json {
  return {
    resource: 'webhook',
    id,
    url,
    eventTypes: events ?? ['*'],
    status: isEnabled === false ? 'disabled' : 'enabled',
    mode: 'test',
  }
}

// https://docs.mollie.com/reference/api-idempotency: for requests that change something.
function keyOf({ headers, method }: Asked): string | undefined {
  const key = headers['idempotency-key']
  return method !== 'GET' && typeof key === 'string' && key !== '' ? key : undefined
}

function settle(run: () => Answer): Answer {
  try {
    return run()
  } catch (error) {
    return toAnswer(error)
  }
}

function toAnswer(error: unknown): Answer {
  const extras = error instanceof Refusal ? toMollieError(error) : error
  if (extras instanceof MollieError) return toFailure(extras.status, extras.message, extras.field)
  return toFailure(500, mistakeText(error))
}
