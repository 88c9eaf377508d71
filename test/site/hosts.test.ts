import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import test from 'ava'
import Koa from 'koa'
import { createMembership, isMembershipError, type MembershipOptions } from '../../src/index.ts'
import { signed } from '../../src/testkit/index.ts'
import { tokenOf, until } from '../support/browser.ts'
import { openHost, secret, stored } from '../support/host.ts'
import { pagesOn, servePages } from '../support/pages.ts'
import { endless, hosts, type Sending, sayAndWait, thenSilence } from '../support/senders.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

const options = {
  'membership.database.url': 'sqlite::memory:',
  'membership.providers.stripe.webhook': 'whsec_x',
  install: false,
  root: false,
  log: () => {},
} as const

test('a web-standard request is identified by the host’s own login', async (t) => {
  const m = await createMembership({
    ...options,
    identify: ({ kind, request }) => {
      const email = kind === 'web' ? request.headers.get('x-user') : null
      return email === null ? null : { email }
    },
  })
  t.teardown(() => m.close())
  const ada = await m.users.create({ email: 'ada@example.com', verified: true })
  await m.users.grant({ memberId: ada.id, gate: 'price_1' })
  const ask = (headers: Record<string, string>) => m.viewOf(new Request('https://example.com/a', { headers }))
  const inside = await ask({ 'x-user': 'ada@example.com' })
  t.is(inside.user()?.id, ada.id)
  t.true(inside.allows('price_1'))
  const outside = await ask({})
  t.is(outside.user(), null)
  t.false(outside.allows('price_1'))
})

test('a stream runs after the middleware: it gets an error, and a passed view answers', async (t) => {
  const m = await createMembership(options)
  const app = new Koa()
  app.use(m.koa())
  app.use((ctx) => {
    const view = ctx.membership
    const lines = async function* () {
      await new Promise(setImmediate)
      try {
        m.user()
        yield 'found'
      } catch (error) {
        yield isMembershipError(error, 'ERR_NO_VIEW') ? 'no view;' : String(error)
      }
      yield view.user() === null ? 'a visitor' : 'somebody'
    }
    ctx.type = 'text'
    ctx.body = Readable.from(lines())
  })
  const server = app.listen(0)
  t.teardown(async () => {
    server.close()
    await m.close()
  })
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  t.is(await answer.text(), 'no view;a visitor')
})

function valid() {
  return signed('stripe', stripeEvent('customer.subscription.created', subscriptionObject()), { secret })
}
function whole(address?: string): Sending {
  const { body, headers } = valid()
  return { pieces: [body], headers, address }
}
function inPieces(): Sending {
  const { body, headers } = valid()
  return { pieces: Array.from(body, (_, i) => body.subarray(i, i + 1)), headers }
}
function large(bytes: number) {
  return thenSilence(Buffer.alloc(bytes, 0x20))
}

// One list for every host: what is sent, and what it is answered everywhere.
const sendings: readonly [string, () => Sending, number, string | null][] = [
  ['signed', whole, 200, null],
  ['signed, a byte at a time', inPieces, 200, null],
  ['unsigned', () => ({ pieces: [Buffer.from('{}')] }), 403, 'ERR_WEBHOOK_SIGNATURE'],
  ['nothing', () => ({ pieces: [] }), 403, 'ERR_WEBHOOK_SIGNATURE'],
  [
    'longer than a mebibyte, as it says',
    () => ({ pieces: thenSilence(), headers: { 'content-length': '1048577' } }),
    413,
    'ERR_BODY_TOO_LARGE',
  ],
  ['without an end', () => ({ pieces: endless().pieces }), 413, 'ERR_BODY_TOO_LARGE'],
  [
    'three bytes and no more',
    () => ({ pieces: thenSilence(Buffer.from('{"a')), headers: { 'content-length': '1000000' } }),
    408,
    'ERR_BODY_SLOW',
  ],
  [
    'a form without an end',
    () => ({ path: '/membership/login', headers: form, pieces: endless().pieces }),
    413,
    'ERR_BODY_TOO_LARGE',
  ],
  [
    'a form that stops in the middle',
    () => ({ path: '/membership/login', headers: form, pieces: thenSilence(Buffer.from('email=a')) }),
    408,
    'ERR_BODY_SLOW',
  ],
]
const form = { 'content-type': 'application/x-www-form-urlencoded' }

for (const [name, open] of Object.entries(hosts)) {
  test(`${name}: requests get the same answers as on every other host`, async (t) => {
    const { send } = await open(t)
    await Promise.all(
      sendings.map(async ([what, sending, status, code], i) => {
        const answer = await send({ address: `127.0.1.${i + 1}`, ...sending() })
        t.is(answer.status, status, what)
        t.is(answer.code, code, what)
        if (status >= 400) t.regex(answer.header('ratelimit') ?? '', /r=29/, `${what}: it counts`)
      }),
    )
  })

  test(`${name}: an endless body is read no further than its limit`, async (t) => {
    const { send } = await open(t)
    const { state, pieces } = endless()
    t.is((await send({ pieces })).status, 413)
    t.true(state.sent < 8_000_000, `${state.sent} bytes were taken`)
  })

  test(`${name}: an incomplete body counts against its address, and a signed delivery is still accepted`, async (t) => {
    const { send, m } = await open(t, { 'membership.ratelimit.limit': 12 })
    const tooLarge = { pieces: thenSilence(), headers: { 'content-length': '2000000' } }
    await send({ pieces: [Buffer.from('{')], headers: { 'content-length': '10' }, isCut: true })
    let sent = 0
    let left = 12
    // The end of a line is noticed soon, not at once.
    while (left > 12 - 1 - sent && sent < 10) {
      const answer = await send(tooLarge)
      sent++
      left = Number(/r=(\d+)/.exec(answer.header('ratelimit') ?? '')?.[1])
    }
    t.is(left, 12 - 1 - sent, 'what was cut off and what was too large')
    for (; left > 0; left--) t.is((await send(tooLarge)).status, 413)
    t.is((await send(tooLarge)).status, 429)
    t.is(
      (await send({ ...tooLarge, address: '127.0.0.9' })).status,
      413,
      'another address has its own minute',
    )
    t.is((await send(whole())).status, 200)
    t.is(await stored(m), 1)
  })

  test(`${name}: bodies that use up the space give way, the largest first, without blame`, async (t) => {
    const { send } = await open(t)
    let answered = 0
    const filling = Array.from({ length: 40 }, () =>
      send({
        pieces: large(1_000_000),
        headers: { 'content-length': '1000001' },
        address: '127.0.0.66',
      }).finally(() => answered++),
    )
    const refused = await Promise.any(filling)
    t.is(refused.status, 503)
    t.is(refused.code, 'ERR_BUSY')
    t.is(refused.header('retry-after'), '5')
    t.is(refused.header('ratelimit'), null, 'our own want of room counts against nobody')
    for (const address of ['127.0.0.66', '127.0.0.67']) {
      t.is((await send(whole(address))).status, 200, address)
      t.true(answered < filling.length, 'while the others still wait')
    }
    const forged = await send({ pieces: [Buffer.from('{}')], address: '127.0.0.66' })
    t.regex(forged.header('ratelimit') ?? '', /r=29/)
  })
}

test('forty connections that announce a mebibyte and send three bytes use no space', async (t) => {
  const { port, hook, log } = await openHost(t)
  const head = 'POST /membership/webhooks/stripe HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n{"a'
  const waiting = Array.from({ length: 40 }, () => sayAndWait(t, port, head))
  await Promise.all(waiting.map((socket) => once(socket, 'connect')))
  const statuses = await Promise.all(
    Array.from({ length: 79 }, async () => {
      const { body, headers } = valid()
      return (await fetch(hook, { method: 'POST', body: new Uint8Array(body), headers })).status
    }),
  )
  t.deepEqual([...new Set(statuses)], [200])
  t.false(log.join().includes('too much'), log.join())
})

const plans = {
  pro: { prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' as const }] },
}
function selling(more: MembershipOptions = {}) {
  return createMembership({
    ...options,
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': plans,
    'membership.compare.automatic': false,
    mails: { transport: async () => undefined },
    identify: undefined,
    ...more,
  })
}
const unshared = 'private, no-store'
// The others ask, and answer in their own way.
const withGates = new Set(['Koa', 'Express', 'Fastify', 'Hono'])

for (const host of Object.keys(pagesOn)) {
  test.serial(
    `${host}: a form, a purchase from code, its payment and the gate work as on every other host`,
    async (t) => {
      const { m, site, browse } = await servePages(t, host, () => selling())
      const browser = browse()
      const first = await browser.request('/form')
      const html = await first.text()
      t.is(first.headers.getSetCookie().filter((item) => item.startsWith('membership_browser=')).length, 1)
      t.regex(html, /action="\/membership\/subscribe\/pro"[\s\S]*value="pro_monthly"[\s\S]*Join &amp; pay/)
      const again = await browser.request('/form')
      t.deepEqual([again.headers.getSetCookie(), await again.text()], [[], html])

      const send = (headers: Record<string, string>, token = tokenOf(html), from = browser) =>
        from.request('/membership/subscribe/pro', {
          method: 'POST',
          headers: { accept: 'application/json', ...headers },
          body: new URLSearchParams({ token, price: 'pro_monthly' }),
        })
      t.is((await send({ origin: site })).status, 201)
      t.is((await send({ origin: 'https://elsewhere.example' })).status, 403, 'a form of another site')
      t.is((await send({ origin: site }, tokenOf(html), browse())).status, 403, 'another browser')

      const denied = await browser.request('/paid')
      t.deepEqual([denied.status, denied.headers.get('cache-control')], [403, unshared])
      const locked = await denied.text()
      t.regex(locked, /href="\/membership\/login\?redirect=%2Fpaid"/, 'the login leads back')
      t.regex(locked, /value="pro_monthly"/, 'what opens it is offered')
      t.is((await send({ origin: site }, tokenOf(locked))).status, 201, 'and its form sells')
      t.is((await send({ origin: site }, tokenOf(locked), browse())).status, 403, 'to this browser')
      if (withGates.has(host)) {
        const program = await browser.request('/paid', { headers: { accept: 'application/json' } })
        t.deepEqual([program.status, program.headers.get('cache-control')], [403, unshared])
        t.like(await program.json(), { code: 'ERR_GATED' })
      }
      t.is(await (await browser.request('/looked')).text(), 'closed')

      const foreign = await browse().request('/buy', {
        method: 'POST',
        headers: { origin: 'https://elsewhere.example' },
      })
      t.deepEqual([foreign.status, await foreign.text()], [403, 'ERR_CSRF'])
      const buyer = browse()
      const begun = await buyer.request('/buy', { method: 'POST', headers: { origin: site } })
      t.is(begun.status, 303)
      t.true(buyer.cookies.has('membership_browser'), 'the cookie that logs the buyer in')
      const page = new URL(begun.headers.get('location') ?? '').pathname
      await buyer.open(page)
      await buyer.submit(page, { email: 'ann@example.com', name: 'Ann', card: '4242424242424242' })
      await until(
        () => m.users.findByEmail('ann@example.com'),
        (user) => user !== null,
      )
      const paid = await until(
        () => buyer.request('/paid'),
        ({ status }) => status === 200,
      )
      t.is(await paid.text(), 'paid words')
      t.is(paid.headers.get('cache-control'), unshared, 'whatever the page sets')
      const [look, own, plain] = await Promise.all(
        ['/looked', '/own', '/plain'].map((path) => buyer.request(path)),
      )
      t.deepEqual([await look?.text(), look?.headers.get('cache-control')], ['open', unshared])
      t.is(own?.headers.get('cache-control'), 'public, max-age=600', 'the host said so')
      t.is(plain?.headers.get('cache-control'), null)
      const json = { 'content-type': 'application/json' }
      const who = await buyer.request('/who', { method: 'POST', headers: json, body: '{"a":1}' })
      t.is(await who.text(), 'ann@example.com')

      // The session of a purchase is unverified: from code, too, it cancels what it bought and does nothing more.
      const cookie = [...buyer.cookies].map((pair) => pair.join('=')).join('; ')
      const [subscription] = (await m.users.findByEmail('ann@example.com'))!.subscriptions()
      const asking = { request: new Request(site, { headers: { cookie } }), subscriptionId: subscription!.id }
      await t.throwsAsync(m.subscriptions.cancel({ ...asking, request: new Request(site) }), {
        code: 'ERR_LOGIN_REQUIRED',
      })
      await t.throwsAsync(m.subscriptions.pause(asking), { code: 'ERR_UNVERIFIED' })
      t.true((await m.subscriptions.cancel(asking)).subscription.cancel_at_period_end)
    },
  )

  test.serial(
    `${host}: over https cookies have names that no subdomain can set, and purchases from code are counted`,
    async (t) => {
      const { site, browse } = await servePages(t, host, () =>
        selling({ 'membership.url': 'https://site.example', 'membership.ratelimit.limit': 3 }),
      )
      const [cookie] = (await browse().request('/form')).headers.getSetCookie()
      t.regex(cookie ?? '', /^__Host-membership_browser=[^;]+; path=\/.*; secure/)
      const buy = () =>
        browse().request('/buy', { method: 'POST', headers: { origin: 'https://site.example' } })
      const statuses = [await buy(), await buy(), await buy(), await buy()].map(({ status }) => status)
      t.deepEqual(statuses, [303, 303, 303, 429])
      const other = await fetch(`${site}/membership/login`, { method: 'POST', body: new URLSearchParams() })
      t.is(other.status, 429, 'the same count as the forms have')
    },
  )
}
