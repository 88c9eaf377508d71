import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import test, { type ExecutionContext } from 'ava'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { expressHost } from '../../../src/entries/express.ts'
import { fastifyHost } from '../../../src/entries/fastify.ts'
import { honoHost } from '../../../src/entries/hono.ts'
import {
  createMembership,
  isMembershipError,
  type Membership,
  type MembershipOptions,
} from '../../../src/index.ts'
import { createWalls } from '../../../src/memberships/members/index.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { createBrowser } from '../../support/browser.ts'
import { allDatabases, freshDatabase } from '../../support/databases.ts'
import { startNextRequest } from '../../support/fake-next.ts'

const { nextHost } = await import('../../../src/entries/next.ts')

const start = '2026-03-05T12:00:00.000Z'
const text = 'The whole article.'
const wall = { free: 3, every: '30d', loggedIn: 5 } as const
const page = `<!doctype html><html><head><title>A</title></head><body><p>${text}</p></body></html>`
const privately = 'private, no-store'

async function openInstance(t: ExecutionContext, options: MembershipOptions = {}) {
  const clock = createClock(new Date(start))
  const m = await createMembership({
    ...(options['membership.database.url'] ? {} : await freshDatabase()),
    'membership.providers.sandbox': {
      plans: { pro: { prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' }] } },
    },
    'membership.provider.handler': 'sandbox',
    'membership.secret': 'x'.repeat(32),
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: () => {},
    now: clock.now,
    identify: ({ headers }) => {
      const id = headers.get('x-user')
      return id === null ? null : { member: id }
    },
    ...options,
  })
  t.teardown(() => m.close())
  return { m, clock }
}

async function serve(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function koaSite(t: ExecutionContext, m: Membership, terms: object = wall): Promise<string> {
  const app = new Koa()
  app.silent = true
  app.use(m.koa())
  app.use((ctx, next) => {
    if (ctx.path !== '/free') return next()
    ctx.body = 'free'
  })
  app.use((ctx, next) => {
    if (ctx.path !== '/banner') return next()
    ctx.body = ctx.membership.wall('pro')
  })
  app.use(m.gate('pro', terms))
  app.use((ctx) => {
    if (ctx.path === '/missing') return
    if (ctx.path === '/broken') throw new Error('broken')
    if (ctx.path === '/moved') return ctx.redirect('/a')
    ctx.body = page
  })
  return serve(t, app.callback())
}

/** A request as it stands: `fetch` would resolve dot segments. */
function raw(site: string, target: string, cookie = '') {
  return new Promise<{ status: number; location: string | null; cookie: string; text: string }>((done) => {
    const socket = connect(Number(new URL(site).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('close', () =>
      done({
        status: Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]),
        location: /^location: (.*)\r$/im.exec(answer)?.[1] ?? null,
        cookie: [...answer.matchAll(/^set-cookie: ([^;]+)/gim)].map(([, pair]) => pair).join('; '),
        text: answer,
      }),
    )
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n${cookie ? `Cookie: ${cookie}\r\n` : ''}\r\n`,
    )
  })
}

for (const host of ['koa', 'express'] as const)
  test(`${host}: an address that a router and URL read differently opens no page of a wall`, async (t) => {
    const { m } = await openInstance(t)
    let site: string
    if (host === 'koa') site = await koaSite(t, m)
    else {
      const app = express()
      const { middleware, gate } = expressHost(m)
      app.use(middleware())
      app.get('/articles/:id/:slug', gate('pro', wall), (_, answer) => void answer.send(page))
      site = await serve(t, app)
    }
    const { cookie } = await raw(site, '/articles/1/title')
    t.not(cookie, '')
    const read = async (path: (n: number) => string) => {
      let pages = 0
      for (let n = 1; n <= 8; n++) if ((await raw(site, path(n), cookie)).text.includes(text)) pages++
      return pages
    }
    for (const end of ['%2e%2e', '%2E.', '..', '.', '%2e', 'x\\..', '..\\', '..?a=1', '..#a'])
      t.is(await read((n) => `/articles/${n}/${end}`), 0, end)
    t.is(await read((n) => `http://x/articles/${n}/%2e%2e`), 0, 'the whole address')
    t.is(await read((n) => `/articles/${n}/title`), wall.free)
  })

test('the visit that shows if cookies are taken leads to no other site', async (t) => {
  const site = await koaSite(t, (await openInstance(t)).m)
  for (const target of [
    '//evil.example/x',
    '/.//evil.example/x',
    '/x/..//evil.example/x',
    '/%2e//evil.example',
    '/\\evil.example',
    '/x/..\\/evil.example',
    'http://evil.example//evil.example/x',
  ]) {
    const { status, location } = await raw(site, target)
    t.true(location === null ? status >= 400 : /^\/(?![/\\])/.test(location), `${target}: ${location}`)
  }
  t.is((await raw(site, '/a')).location, '/a?membership_wall=asked')
})

async function opened(browser: ReturnType<typeof createBrowser>, path: string) {
  return (await browser.open(path)).html.includes(text)
}

for (const makeDatabases of allDatabases) {
  const name = makeDatabases.name.replace('Databases', '')
  let databases: Awaited<ReturnType<typeof makeDatabases>>
  test.before(`${name} is there`, async () => {
    databases = await makeDatabases()
  })
  test.after.always(`${name} goes`, () => databases?.close())
  const open = async (t: ExecutionContext) =>
    openInstance(t, { 'membership.database.url': await databases.url() })

  test(`${name}: three pages are free, reloading costs nothing, and the period opens three more`, async (t) => {
    const { m, clock } = await open(t)
    const site = await koaSite(t, m)
    const browser = createBrowser(site)
    for (const path of ['/a', '/b', '/a', '/a?utm_source=mail', '/c'])
      t.true(await opened(browser, path), path)
    const banner = async () => (await browser.request('/banner')).json()
    t.deepEqual(await banner(), { free: 3, left: 0, resets_at: '2026-04-04T12:00:00.000Z' })
    const closed = await browser.open('/d')
    t.is(closed.status, 403)
    t.false(closed.html.includes(text))
    t.regex(closed.html, /You have read your 3 free pages\. The next ones are free from 4 April\./)
    t.true(await opened(browser, '/b'), 'a counted page stays open')
    t.false(await opened(browser, '/a?id=2'), 'another query is another page')
    clock.advance({ days: 30 })
    t.true(await opened(browser, '/d'))
    t.like(await banner(), { left: 2, resets_at: '2026-05-04T12:00:00.000Z' })
  })

  test(`${name}: 50 requests at once by one visitor open three distinct pages`, async (t) => {
    const { m } = await open(t)
    const site = await koaSite(t, m)
    const browser = createBrowser(site)
    // The cookie of a first visit, before anything is counted; each request sends this same one.
    await browser.request('/p0')
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const answer = await browser.request(`/p${i}`)
        return { path: `/p${i}`, isOpen: (await answer.text()).includes(text) }
      }),
    )
    const pages = answers.filter(({ isOpen }) => isOpen).map(({ path }) => path)
    t.is(pages.length, 3)
    const again = await Promise.all(pages.map((path) => opened(browser, path)))
    t.deepEqual(again, [true, true, true])
  })

  test(`${name}: 50 requests at once in two processes open three`, async (t) => {
    const url = await databases.url()
    const first = await openInstance(t, { 'membership.database.url': url })
    const second = await openInstance(t, { 'membership.database.url': url })
    const sites = [await koaSite(t, first.m), await koaSite(t, second.m)]
    const browser = createBrowser(sites[0]!)
    await browser.request('/p0')
    const cookie = [...browser.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const answer = await fetch(`${sites[i % 2]}/p${i}`, {
          headers: { accept: 'text/html', cookie },
          redirect: 'manual',
        })
        return (await answer.text()).includes(text)
      }),
    )
    t.is(answers.filter(Boolean).length, 3)
  })

  test(`${name}: what a stranger read counts for the account from the login on, once`, async (t) => {
    const { m, clock } = await open(t)
    const site = await koaSite(t, m)
    const ann = await m.users.create({ email: 'ann@example.com', verified: true })
    const laptop = createBrowser(site)
    const as = async (browser: typeof laptop, path: string) =>
      (await (await browser.request(path, { headers: { 'x-user': ann.id } })).text()).includes(text)
    for (const path of ['/a', '/b', '/c']) await opened(laptop, path)
    t.false(await opened(laptop, '/d'))
    const banner = await laptop.request('/banner', { headers: { 'x-user': ann.id } })
    t.like(await banner.json(), { free: 5, left: 2 }, 'before anything is stored')
    t.true(await as(laptop, '/d'))
    t.true(await as(laptop, '/a'), 'a page from before the login')
    const phone = createBrowser(site)
    t.true(await as(phone, '/b'), 'the account has it on every device')
    t.true(await as(phone, '/e'))
    t.false(await as(phone, '/f'))
    t.false(await opened(laptop, '/f'), 'logging out begins nothing anew')
    clock.advance({ days: 31 })
    for (const path of ['/1', '/2', '/3', '/4', '/5']) t.true(await as(laptop, path), path)
    t.false(await as(laptop, '/6'))
  })

  test(`${name}: two accounts that become one have one allowance`, async (t) => {
    const { m, clock } = await open(t)
    const site = await koaSite(t, m)
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map((who) => m.users.create({ email: `${who}@example.com`, verified: true })),
    )
    const as = async (id: string, path: string) =>
      (await (await fetch(`${site}${path}`, { headers: { 'x-user': id } })).text()).includes(text)
    for (const path of ['/a', '/b', '/c']) await as(ann!.id, path)
    for (const path of ['/c', '/d']) await as(bob!.id, path)
    await m.users.merge({ keep: ann!.id, merge: bob!.id, by: 'op', write: true })
    t.true(await as(ann!.id, '/d'))
    t.true(await as(ann!.id, '/e'))
    t.false(await as(ann!.id, '/f'))
    await m.users.unmerge({ merged: bob!.id, by: 'op' })
    clock.advance({ minutes: 1 })
    t.true(await as(bob!.id, '/d'), 'a counted page stays open')
    for (const path of ['/a', '/b', '/g']) t.true(await as(bob!.id, path), path)
    t.false(await as(bob!.id, '/h'), 'the two from before count, and no more than five')
    t.true(await as(ann!.id, '/e'))
    t.false(await as(ann!.id, '/h'))
    await m.users.merge({ keep: ann!.id, merge: bob!.id, by: 'op', write: true })
    t.true(await as(ann!.id, '/g'), 'as one again they have the pages of both')
    t.false(await as(ann!.id, '/h'))
  })
}

test('without cookies the wall is closed, at the address that search engines know', async (t) => {
  const { m } = await openInstance(t)
  const site = await koaSite(t, m)
  const first = await fetch(`${site}/a?b=1`, { headers: { accept: 'text/html' }, redirect: 'manual' })
  t.is(first.status, 302)
  t.is(first.headers.get('cache-control'), privately)
  t.is(first.headers.get('location'), '/a?b=1&membership_wall=asked')
  const second = await fetch(`${site}/a?b=1&membership_wall=asked`, { headers: { accept: 'text/html' } })
  t.is(second.status, 403)
  t.false((await second.text()).includes(text))
  const crawler = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }
  const seen = await fetch(`${site}/a`, { headers: crawler, redirect: 'manual' })
  const html = await seen.text()
  t.is(seen.status, 403)
  t.false(html.includes(text))
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? []
  t.like(JSON.parse(json), { isAccessibleForFree: false, hasPart: { cssSelector: '.paywall' } })
  t.is(seen.headers.get('cache-control'), 'public, max-age=0, s-maxage=60')
  t.regex(seen.headers.get('vary') ?? '', /Cookie/)
  t.is(seen.headers.get('set-cookie'), null)
  t.notRegex(html, /name="token"/, 'no form of another browser is in a page that caches keep')
  t.regex(html, /You can read 3 pages for free\. Your browser must allow cookies\./)
  const [, begin = ''] = /href="([^"]*membership_wall=start)"/.exec(html) ?? []
  t.true(
    await opened(createBrowser(site), begin.replace('&amp;', '&')),
    'the closed page begins the free ones',
  )
})

test('without cookies the wall is open where the site says so', async (t) => {
  const { m } = await openInstance(t)
  const site = await koaSite(t, m, { ...wall, withoutCookies: 'open' })
  for (const path of ['/a', '/b', '/c', '/d']) {
    const answer = await fetch(site + path, { redirect: 'manual' })
    t.true((await answer.text()).includes(text))
    t.is(answer.headers.get('cache-control'), privately)
  }
  const browser = createBrowser(site)
  for (const path of ['/a', '/b', '/c']) t.true(await opened(browser, path))
  t.false(await opened(browser, '/d'), 'a browser with cookies is counted')
})

test('errors, redirects, programs and pages loaded ahead take nothing; a cookie that is not ours counts for nobody', async (t) => {
  const { m } = await openInstance(t)
  const site = await koaSite(t, m)
  const browser = createBrowser(site)
  for (const path of ['/missing', '/broken', '/moved']) await browser.request(path)
  await browser.open('/missing')
  const ahead = await browser.request('/x', { headers: { 'sec-purpose': 'prefetch;prerender' } })
  t.is(ahead.status, 503)
  t.is((await browser.request('/x', { method: 'HEAD' })).status, 200)
  t.is((await browser.request('/x', { method: 'POST' })).status, 403, 'only reading is free')
  t.like(await (await browser.request('/banner')).json(), { left: 3 })
  for (const path of ['/a', '/b', '/c']) t.true(await opened(browser, path))
  const cookie = `membership_wall=${(browser.cookies.get('membership_wall') ?? '').replace(/^../, 'xx')}`
  const forged = await fetch(`${site}/a`, { headers: { accept: 'text/html', cookie }, redirect: 'manual' })
  t.is(forged.status, 302, 'as without a cookie')
  const program = await fetch(`${site}/a`, { headers: { accept: 'application/json' }, redirect: 'manual' })
  t.is(program.status, 403)
})

test('counted pages are private, pages without a gate stay cacheable, and a member with the plan is not counted', async (t) => {
  const { m } = await openInstance(t)
  const site = await koaSite(t, m)
  const browser = createBrowser(site)
  t.true(await opened(browser, '/a'))
  const counted = await browser.request('/a')
  t.is(counted.headers.get('cache-control'), privately)
  t.regex(await counted.text(), /<script type="application\/ld\+json">.*<\/script><\/head>/)
  const free = await browser.request('/free')
  t.is(free.headers.get('cache-control'), null)
  t.is(free.headers.get('set-cookie'), null)
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.users.grant({ memberId: ann.id, gate: 'pro' })
  const headers = { 'x-user': ann.id }
  for (const path of ['/1', '/2', '/3', '/4', '/5', '/6'])
    t.is((await fetch(site + path, { headers })).status, 200)
  t.is((await fetch(`${site}/banner`, { headers })).status, 204, 'no banner for who has the plan')
})

test('gates of one name have one allowance and one set of terms', async (t) => {
  const { m } = await openInstance(t)
  m.gate('pro', wall)
  t.notThrows(() => m.guard('pro', wall))
  for (const terms of [{ free: 4 }, { free: -1 }, { free: 3, every: 'soon' as '1d' }]) {
    const error = t.throws(() => m.gate('pro', terms))
    t.true(isMembershipError(error, 'ERR_USAGE'))
  }
})

test('a deleted account leaves no count, and a copy of it says how many pages were free', async (t) => {
  const { m } = await openInstance(t)
  const site = await koaSite(t, m)
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await fetch(`${site}/a`, { headers: { 'x-user': ann.id } })
  const { free_pages } = await m.users.export((await m.users.findById(ann.id))!)
  t.like(free_pages, [{ wall: 'pro', used: 1 }])
  await m.users.delete(ann.id)
  await m.runDueJobs()
  t.deepEqual(await m.storage.read((db) => db.selectFrom('wall_counts').selectAll()), [])
})

test('the counts of strangers stay few: old ones go, and of too many the oldest', async (t) => {
  const { m, clock } = await openInstance(t)
  const site = await koaSite(t, m)
  const walls = createWalls({
    storage: m.storage,
    secure: () => false,
    now: clock.now,
    randomId: () => 'x',
    trustProxy: 0,
    most: 2,
    tokens: { signVisitor: (id) => id, visitorOf: (id) => id },
    newcomers: { consume: () => Promise.reject(new Error('unused')) },
    log: () => {},
  })
  const rows = () => m.storage.read((db) => db.selectFrom('wall_counts').select('ends_at').orderBy('ends_at'))
  for (let i = 0; i < 5; i++) {
    await createBrowser(site).open('/a')
    clock.advance({ minutes: 1 })
  }
  t.is((await rows()).length, 5)
  await walls.letGoDue()
  t.is((await rows()).length, 3)
  clock.advance({ days: 31 })
  await walls.letGoDue()
  t.is((await rows()).length, 0)
})

const hosts: Record<string, (m: Membership) => Promise<RequestListener>> = {
  Express: async (m) => {
    const { middleware, gate } = expressHost(m)
    const app = express()
    app.use(middleware())
    // A router that cuts its path off: both have a page /1.
    for (const path of ['/x', '/y'])
      app.use(path, gate('pro', wall), (request, response) => {
        if (request.path === '/missing') response.status(404).send('no such page')
        else response.send(page)
      })
    return app
  },
  Fastify: async (m) => {
    const { plugin, gate } = fastifyHost(m)
    const app = fastify()
    await app.register(plugin)
    app.get('/*', { preHandler: gate('pro', wall) }, async (request, reply) =>
      request.url.endsWith('/missing') ? reply.code(404).send('no') : reply.type('text/html').send(page),
    )
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
  Hono: async (m) => {
    const { middleware, gate } = honoHost(m)
    const app = new Hono()
    app.use(middleware())
    app.get('/*', gate('pro', wall), (c) =>
      c.req.path.endsWith('/missing') ? c.text('no', 404) : c.html(page),
    )
    return getRequestListener(app.fetch)
  },
  Next: async (m) => {
    const { gated } = nextHost(async () => m)
    const handler = gated(
      'pro',
      (request) =>
        request.url.endsWith('/missing')
          ? new Response('no', { status: 404 })
          : new Response(page, { headers: { 'content-type': 'text/html' } }),
      wall,
    )
    startNextRequest({})
    return getRequestListener((request) => handler(request))
  },
}

for (const [name, make] of Object.entries(hosts))
  test(`${name}: the same wall`, async (t) => {
    const { m } = await openInstance(t)
    const site = await serve(t, await make(m))
    const browser = createBrowser(site)
    await browser.open('/x/missing')
    for (const path of ['/x/1', '/y/1', '/x/2', '/x/1']) {
      const answer = await browser.open(path)
      t.is(answer.status, 200, path)
      t.true(answer.html.includes(text))
      t.regex(answer.html, /isAccessibleForFree.*<\/head>/)
    }
    t.is((await browser.request('/x/1')).headers.get('cache-control'), privately)
    const closed = await browser.request('/x/3')
    t.is(closed.status, 403)
    t.false((await closed.text()).includes(text))
    t.is(closed.headers.get('cache-control'), privately)
    const crawler = await fetch(`${site}/x/3`, { headers: { accept: 'text/html', 'user-agent': 'bingbot' } })
    t.regex(await crawler.text(), /isAccessibleForFree/)
    t.is(crawler.headers.get('cache-control'), 'public, max-age=0, s-maxage=60')
    t.is(crawler.headers.get('set-cookie'), null)
  })
