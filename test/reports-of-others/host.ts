import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import express from 'express'
import Koa from 'koa'
import { signed } from '../../src/testkit/index.ts'
import { openHost, secret, stored } from '../support/host.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'
import { createMailbox, createVisitor } from '../support/visitor.ts'
import type { Report } from './report.ts'

async function listening(t: ExecutionContext, handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function delivery() {
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
  {
    link: 'https://github.com/outline/outline/issues/9923',
    kind: 'host',
    seller: null,
    wanted: 'behind a proxy that ends TLS, no form and no link of a page leads to http',
    why: 'The page that a login link opened had a form that was sent to http.',
    at6ca7: 'held',
    async run(t) {
      const { m, site } = await openHost(t, { 'membership.url': 'https://members.example' })
      const user = await m.users.create({ email: 'ann@example.com', verified: true })
      const link = new URL((await m.users.loginLink(user.id)).url)
      t.is(link.origin, 'https://members.example')
      for (const path of ['/membership/login', link.pathname]) {
        const answer = await fetch(new URL(path, site), { headers: { accept: 'text/html' } })
        const html = await answer.text()
        t.regex(html, /<form/, path)
        t.notRegex(html, /(?:action|href|src)="http:/, path)
        for (const cookie of answer.headers.getSetCookie()) t.regex(cookie, /; secure/i)
      }
    },
  },
  {
    link: 'https://github.com/Kovah/LinkAce/issues/249',
    kind: 'host',
    seller: null,
    wanted: 'a login works behind a proxy that speaks plain http to the site',
    why: 'The form token belonged to another address, and the page came back empty.',
    at6ca7: 'held',
    async run(t) {
      const mailbox = createMailbox()
      const options = { 'membership.url': 'https://members.example', ...mailbox.options }
      const { m, site } = await openHost(t, options)
      await m.users.create({ email: 'ann@example.com', verified: true })
      const visitor = createVisitor(site)
      const asBrowser = { accept: 'text/html', origin: 'https://members.example' }
      const asked = await visitor.send('/membership/login', { email: 'ann@example.com' }, asBrowser)
      t.true(asked.status < 400, asked.text)
      await m.runDueJobs()
      const opened = await visitor.send(mailbox.link('ann@example.com'), {}, asBrowser)
      t.true(opened.status < 400, opened.text)
      t.not(visitor.cookies.get('__Host-membership_session'), undefined)
    },
  },
  {
    link: 'https://github.com/saleor/storefront/pull/597',
    kind: 'host',
    seller: 'stripe',
    wanted: 'a webhook address with a slash at its end takes the message, and sends nobody elsewhere',
    why: 'The address answered with a redirect, which the provider does not follow.',
    at6ca7: 'held',
    async run(t) {
      const { m, hook } = await openHost(t)
      const answer = await fetch(`${hook}/`, { ...delivery(), redirect: 'manual' })
      t.is(answer.status, 200)
      t.is(await stored(m), 1)
    },
  },
  {
    link: 'https://github.com/payloadcms/payload/issues/3165',
    kind: 'host',
    seller: null,
    wanted: 'a login leads to a page of this website, whatever the link to it says',
    why: 'An address of somebody else in the link was where people arrived after they had logged in.',
    at6ca7: 'held',
    async run(t) {
      const mailbox = createMailbox()
      const { m, site } = await openHost(t, mailbox.options)
      await m.users.create({ email: 'ann@example.com', verified: true })
      const page = { accept: 'text/html' }
      for (const redirect of [
        'https://evil.example',
        '//evil.example',
        '/\\evil.example',
        '/\t/evil.example',
      ]) {
        const visitor = createVisitor(site)
        const login = await visitor.get(`/membership/login?redirect=${encodeURIComponent(redirect)}`, page)
        t.notRegex(login.text, /(?:value|href|action)="(?!\/membership\/)[^"]*evil/, redirect)
        const asked = await visitor.send('/membership/login', { email: 'ann@example.com', redirect }, page)
        t.is(asked.status, 400, redirect)
      }
      await m.runDueJobs()
      t.deepEqual(mailbox.sent, [])
      const visitor = createVisitor(site)
      await visitor.send('/membership/login', { email: 'ann@example.com', redirect: '/letters' }, page)
      await m.runDueJobs()
      t.is((await visitor.send(mailbox.link('ann@example.com'), {}, page)).location, '/letters')
    },
  },
  {
    link: 'https://github.com/opencollective/opencollective/issues/2195',
    kind: 'host',
    seller: null,
    wanted: 'the login says the same to a member’s address and to any other',
    why: 'It answered that there is no such user, so anybody could try addresses.',
    at6ca7: 'held',
    async run(t) {
      const mailbox = createMailbox()
      const { m, site } = await openHost(t, mailbox.options)
      await m.users.create({ email: 'ann@example.com', verified: true })
      for (const accept of ['application/json', 'text/html']) {
        const said = []
        for (const email of ['ann@example.com', 'ben@example.com']) {
          const visitor = createVisitor(site)
          const { status, text } = await visitor.send('/membership/login', { email }, { accept })
          const own = [await visitor.formToken(), email]
          said.push([status, own.reduce((left, word) => left.replaceAll(word, ''), text)])
        }
        t.deepEqual(said[0], said[1], accept)
      }
      await m.runDueJobs()
      t.deepEqual([...new Set(mailbox.sent.map(({ to }) => to))], ['ann@example.com'])
    },
  },
]
