import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import express from 'express'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { createMembership, type Membership } from '../../../src/index.ts'
import { signed } from '../../../src/testkit/index.ts'
import { freshDatabase } from '../../support/databases.ts'
import { secret } from '../../support/host.ts'
import { stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

async function post(
  t: ExecutionContext,
  build: (m: Membership) => { listen: Koa['listen'] | express.Express['listen'] },
) {
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.providers.stripe.webhook': secret,
    install: false,
    'membership.compare.automatic': false,
    root: false,
    log: () => {},
  })
  const app = build(m) as Koa
  const server = app.listen(0)
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
  })
  const { body, headers } = signed(
    'stripe',
    stripeEvent('customer.subscription.created', subscriptionObject()),
    { secret },
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/membership/webhooks/stripe`
  return fetch(url, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { ...headers, 'content-type': 'application/json' },
  })
}

function koa(parser: Koa.Middleware) {
  return (m: Membership) => {
    const app = new Koa()
    app.use(parser)
    app.use(m.koa())
    return app
  }
}
function expressWith(...parsers: express.RequestHandler[]) {
  return (m: Membership) => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.use(m.listener())
    return app
  }
}
const keepRaw = express.json({
  verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
})

const refused: Record<string, Parameters<typeof post>[1]> = {
  'koa-body': koa(koaBody()),
  'express.json': expressWith(express.json()),
}
for (const [name, build] of Object.entries(refused))
  test(`${name} before the routes gets an error with the line to add`, async (t) => {
    const answer = await post(t, build)
    t.is(answer.status, 503)
    const problem = (await answer.json()) as { code: string; action: string }
    t.is(problem.code, 'ERR_BODY_CONSUMED')
    for (const hint of [/Koa/, /Express/, /Strapi/, /Next/, /includeUnparsed/, /rawBody/])
      t.regex(problem.action, hint)
  })

const taken: Record<string, Parameters<typeof post>[1]> = {
  'koa-body with its unparsed copy': koa(koaBody({ includeUnparsed: true })),
  'koa-body as raw text': koa(
    koaBody({ json: false, urlencoded: false, textTypes: ['*/*'], includeUnparsed: true }),
  ),
  'express.json that keeps rawBody': expressWith(keepRaw),
  'express.raw': expressWith(express.raw({ type: '*/*' })),
  'no parser in Express': expressWith(),
}
for (const [name, build] of Object.entries(taken))
  test(`${name} keeps bytes that verify`, async (t) => t.is((await post(t, build)).status, 200))

async function login(t: ExecutionContext, build: Parameters<typeof post>[1]) {
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.providers.stripe.webhook': secret,
    mails: { transport: async () => {} },
    install: false,
    root: false,
    log: () => {},
  })
  const server = (build(m) as Koa).listen(0)
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/membership/login`
  const answer = await fetch(url, {
    method: 'POST',
    body: 'email=ada%40example.com',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
  })
  return (await answer.json()) as { code: string; action: string }
}

for (const [name, build] of Object.entries({
  'koa-body': koa(koaBody()),
  'express.urlencoded': expressWith(express.urlencoded()),
}))
  test(`a form that ${name} read before keeps its fields`, async (t) => {
    // The form has no token of this browser: it was read as far as that.
    t.is((await login(t, build)).code, 'ERR_CSRF')
  })

test('a form that a parser read without keeping it names the line to move', async (t) => {
  const text = express.text({ type: '*/*' })
  const problem = await login(t, expressWith(text))
  t.is(problem.code, 'ERR_BODY_CONSUMED')
  t.regex(problem.action, /above every body parser.*Koa.*Express/)
})
