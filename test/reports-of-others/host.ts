import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import express from 'express'
import Koa from 'koa'
import { signed } from '../../src/testkit/index.ts'
import { openHost, secret } from '../support/host.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'
import type { Report } from './report.ts'

const listening = async (t: ExecutionContext, handler: RequestListener): Promise<string> => {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const delivery = () => {
  const event = stripeEvent('customer.subscription.created', subscriptionObject())
  const { body, headers } = signed('stripe', event, { secret })
  return {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { ...headers, 'content-type': 'application/json' },
  }
}

/** The framework, the runtime or a cache stood between the site and its visitors. */
export const hostReports: readonly Report[] = [
  {
    link: 'https://github.com/stripe/stripe-node/issues/341',
    kind: 'host',
    seller: 'stripe',
    wanted: 'a body parser in front of the webhook gets an error that names the line to add',
    why: 'The signature failed without a reason, and people lost days over their body parser.',
    at6ca7: 'held',
    async run(t) {
      const { m } = await openHost(t)
      const app = express().use(express.json()).use(m.listener())
      const site = await listening(t, app)
      const answer = await fetch(`${site}/membership/webhooks/stripe`, delivery())
      const { code, action } = (await answer.json()) as { code: string; action: string }
      t.is(code, 'ERR_BODY_CONSUMED')
      t.regex(action, /Express.*rawBody/s)
    },
  },
  {
    link: 'https://github.com/stripe/stripe-node/issues/1294',
    kind: 'host',
    seller: 'stripe',
    wanted: 'a web-standard request, as Next hands it on, is verified over its own bytes',
    why: 'No way of reading the body in a Next route gave the bytes that were signed.',
    at6ca7: 'held',
    async run(t) {
      const { m, hook } = await openHost(t)
      const sent = delivery()
      t.is((await m.fetch(new Request(hook, sent))).status, 200)
      const pretty = JSON.stringify(JSON.parse(Buffer.from(sent.body).toString()), null, 2)
      t.is((await m.fetch(new Request(hook, { ...sent, body: pretty }))).status, 403)
    },
  },
  {
    link: 'https://github.com/guardian/membership-frontend/pull/88',
    kind: 'host',
    seller: null,
    wanted: 'no cache between the site and its readers keeps a page behind a gate',
    why: 'A network of caches stored a page for members, and gave it to everybody.',
    at6ca7: 'held',
    async run(t) {
      const { m } = await openHost(t, {
        'membership.providers.stripe.plans': { pro: { prices: ['price_gold'] } },
      })
      const app = new Koa()
      app.use(m.koa()).use(m.gate('pro' as never))
      app.use((ctx) => {
        ctx.set('Cache-Control', 'public, max-age=3600')
        ctx.body = 'for members'
      })
      const site = await listening(t, app.callback())
      const answer = await fetch(site)
      t.notRegex(await answer.text(), /for members/)
      t.regex(answer.headers.get('cache-control') ?? '', /private.*no-store/)
    },
  },
]
