import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import express from 'express'
import Koa from 'koa'
import { expressHost } from '../../src/entries/express.ts'
import {
  createMembership,
  type Membership,
  type MembershipError,
  type MembershipOptions,
  type View,
} from '../../src/index.ts'
import { createBrowser, until } from '../support/browser.ts'
import { createMailbox } from '../support/visitor.ts'

const settings: MembershipOptions = {
  'membership.database.url': 'sqlite::memory:',
  'membership.provider.handler': 'sandbox',
  'membership.providers.sandbox.plans': {
    pro: { name: 'Pro', prices: [{ id: 'price_pro', amount: 500, currency: 'EUR', interval: 'month' }] },
  },
  'membership.secret': 'x'.repeat(32),
  'membership.base_path': '/app',
  'membership.ratelimit.limit': 10_000,
  install: false,
  root: false,
  log: () => {},
}

function viewIn(request: object) {
  return (request as { membership: View }).membership
}

/** How hosts mount a site that stands below a path. */
const mounts: Record<string, (m: Membership) => RequestListener> = {
  'Express, mounted below the path': (m) => {
    const app = express()
    app.use('/app', m.listener())
    app.get('/app/offer', (request, response) => {
      response.json(request.membership?.provider().subscriptionAction('price_pro'))
    })
    return app
  },
  'Koa, at the root': (m) => {
    const app = new Koa()
    app.use(m.koa())
    app.use((ctx) => {
      if (ctx.path === '/app/offer') ctx.body = ctx.membership.provider().subscriptionAction('price_pro')
    })
    return app.callback()
  },
  'web-standard requests': (m) => async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const answer = await m.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
        ...(body.length === 0 ? {} : { body }),
      }),
      { next: (view) => Response.json(view.provider().subscriptionAction('price_pro')) },
    )
    answer.headers.forEach((value, name) => {
      response.appendHeader(name, value)
    })
    response.statusCode = answer.status
    response.end(Buffer.from(await answer.arrayBuffer()))
  },
  // As `location /app/ { proxy_pass http://127.0.0.1:3000/; }` of nginx does.
  'a proxy that removes the path': (m) => {
    const own = m.listener()
    return (request, response) => {
      request.url = request.url?.replace(/^\/app(?=\/)/, '')
      own(request, response, () => {
        response.setHeader('Content-Type', 'application/json')
        response.end(JSON.stringify(viewIn(request).provider().subscriptionAction('price_pro')))
      })
    }
  },
}

async function serve(t: Pick<ExecutionContext, 'teardown'>): Promise<{ server: Server; origin: string }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function openSite(
  t: Pick<ExecutionContext, 'teardown'>,
  mount: (m: Membership) => RequestListener,
  options: MembershipOptions = {},
) {
  const { server, origin } = await serve(t)
  const mailbox = createMailbox()
  const m = await createMembership({
    ...settings,
    'membership.url': `${origin}/app`,
    ...mailbox.options,
    ...options,
  })
  t.teardown(() => m.close())
  server.on('request', mount(m))
  return { m, origin, mailbox }
}

function ownLinks(html: string): string[] {
  return [...html.matchAll(/\s(?:href|action|formaction|src)="([^"]*\/membership[/?#"][^"]*)"/g)].map(
    ([, to = '']) => to,
  )
}

for (const [host, mount] of Object.entries(mounts))
  test(`below /app, forms, logins, purchases, assets and webhooks lead below /app: ${host}`, async (t) => {
    const { m, origin, mailbox } = await openSite(t, mount)
    await m.users.create({ email: 'ada@example.com', verified: true })
    const browser = createBrowser(origin)
    const open = async (path: string) => {
      const page = await browser.open(path)
      t.is(page.status, 200, path)
      const links = ownLinks(page.html)
      t.true(links.length > 0, `${path} links to the package`)
      for (const to of links) t.regex(to, /^\/app\/membership\//, `on ${path}`)
      return page
    }

    // The page of prices, with every asset that it loads.
    const prices = await open('/app/membership/prices')
    for (const to of ownLinks(prices.html).filter((link) => link.includes('/assets/')))
      t.is((await browser.request(to)).status, 200, to)

    // A form post, and a login by the mailed link.
    await open('/app/membership/login')
    const sent = await browser.submit('/app/membership/login', {
      email: 'ada@example.com',
      redirect: '/app/welcome',
    })
    t.is(sent.status, 200)
    const mails = await until(
      async () => {
        await m.runDueJobs()
        return mailbox.of('ada@example.com')
      },
      (found) => found.length > 0,
    )
    const [link = ''] = /http\S+\/membership\/login\/[\w.~-]+/.exec(mails[0]!.text) ?? []
    t.true(link.startsWith(`${origin}/app/membership/login/`), link)
    const { pathname } = new URL(link)
    await open(pathname)
    const answer = await browser.post(pathname, {})
    t.is(answer.status, 303)
    t.is(answer.headers.get('location'), '/app/welcome')
    for (const cookie of answer.headers.getSetCookie()) t.regex(cookie, /; path=\/app(?:;|$)/i, cookie)
    t.true(browser.cookies.has('membership_session'))

    // A page that needs a login asks for it, and leads back.
    const outside = createBrowser(origin)
    const asked = await outside.request('/app/membership/account/delete')
    t.regex(asked.headers.get('location') ?? '', /^\/app\/membership\/login\?/)

    // Addresses in what a site's own templates get, and in JSON.
    const offer = (await (await browser.request('/app/offer')).json()) as { url: string }
    t.is(offer.url, '/app/membership/subscribe/pro')
    const me = (await (
      await browser.request('/app/membership/me', { headers: { accept: 'application/json' } })
    ).json()) as { pages: Record<string, string>; plans: { prices: { action: { url: string } }[] }[] }
    t.is(me.pages.login, '/app/membership/login')
    t.is(me.pages.account, '/app/membership/account')
    t.regex(me.plans[0]!.prices[0]!.action.url, /^\/app\/membership\/order\?/)

    // A purchase: the page of the provider, its webhook, and the way back.
    await open('/app/membership/prices')
    const paying = await browser.submit(offer.url, {
      price: 'price_pro',
      redirect: '/app/membership/account',
    })
    t.regex(paying.path, /^\/app\/membership\/sandbox\/checkout\//)
    const paid = await browser.post(paying.path, {
      email: 'ada@example.com',
      name: 'Ada',
      card: '4242424242424242',
    })
    t.true(paid.headers.get('location')?.startsWith(`${origin}/app/membership/subscribe/`))
    await open(new URL(paid.headers.get('location')!).pathname)
    const received = await until(
      () => m.webhooks.list({}),
      (events) => events.length > 0,
    )
    t.true(received.length > 0, 'the sandbox delivered its webhooks')
    const account = await open('/app/membership/account')
    const [invoice = ''] = /\/app\/membership\/invoices\/[\w-]+/.exec(account.html) ?? []
    await open(invoice)

    // Problems and the description of the routes.
    const missing = await browser.request('/app/membership/nothing', {
      headers: { accept: 'application/json' },
    })
    if (host !== 'Koa, at the root')
      t.is(((await missing.json()) as { type: string }).type, '/app/membership/errors/ERR_NOT_FOUND')
    const described = (await (await browser.request('/app/membership/openapi.json')).json()) as {
      servers: { url: string }[]
    }
    t.deepEqual(described.servers, [{ url: '/app' }])
  })

test('links that were mailed before the path was known go on working', async (t) => {
  const { origin, m } = await openSite(t, mounts['Koa, at the root']!)
  const ada = await m.users.create({ email: 'ada@example.com', verified: true })
  const { url } = await m.users.loginLink(ada.id)
  const before = new URL(url).pathname.replace('/app/', '/')
  t.true(before.startsWith('/membership/login/'))
  const browser = createBrowser(origin)
  t.is((await browser.open(before)).status, 200)
  const answer = await browser.post(before, {})
  t.is(answer.status, 303)
  t.is(answer.headers.get('location'), '/app/')
})

const asksJson = { headers: { accept: 'application/json' } }

test('sentences and addresses of errors have the path in front', async (t) => {
  const { m, origin } = await openSite(t, mounts['Express, mounted below the path']!)
  const dead = (await (await fetch(`${origin}/app/membership/login/not-a-link`, asksJson)).json()) as {
    action: string
  }
  t.regex(dead.action, / \/app\/membership\/login\.$/)
  const outside = (await (await fetch(`${origin}/app/membership/account/export`, asksJson)).json()) as {
    action: string
  }
  t.regex(outside.action, /^POST \/app\/membership\/login /)

  // A purchase from code, which a host's own route answers.
  const ada = await m.users.create({ email: 'ada@example.com', verified: true })
  const browser = createBrowser(origin)
  await browser.open(new URL((await m.users.loginLink(ada.id)).url).pathname)
  await browser.submit(new URL((await m.users.loginLink(ada.id)).url).pathname, {})
  await browser.open('/app/membership/prices')
  const paying = await browser.submit('/app/membership/subscribe/pro', { price: 'price_pro' })
  await browser.post(paying.path, { email: 'ada@example.com', name: 'Ada', card: '4242424242424242' })
  await until(
    async () => (await m.users.findByEmail('ada@example.com'))!.subscriptions(),
    (found) => found.length > 0,
  )
  const user = (await m.users.findByEmail('ada@example.com'))!
  const refused = await t.throwsAsync(m.checkout.start({ user, plan: 'pro', price: 'price_pro' }))
  t.regex(String((refused as MembershipError).extensions.change_url), /^\/app\/membership\/change\//)
})

test('a login of the host leads back below the path', async (t) => {
  const identify = Object.assign(async () => null, {
    loginPage: (redirect: string) => `/login?${new URLSearchParams({ redirect })}`,
  })
  const { origin } = await openSite(t, mounts['Express, mounted below the path']!, { identify })
  const browser = createBrowser(origin)
  const asked = await browser.request('/app/membership/login?redirect=/membership/join/abc')
  t.is(asked.headers.get('location'), '/login?redirect=%2Fapp%2Fmembership%2Fjoin%2Fabc')
})

test('a gift lets its owner join, from the page below the path', async (t) => {
  const { m, origin, mailbox } = await openSite(t, mounts['Koa, at the root']!, {
    'membership.login.signup': false,
  })
  const [gift] = await m.gifts.create({ plan: 'pro', months: 1, count: 1 })
  const mailed = async (redirect: string, email: string): Promise<number> => {
    const browser = createBrowser(origin)
    await browser.open('/app/membership/login')
    await browser.submit('/app/membership/login', { email, redirect })
    await m.runDueJobs()
    return mailbox.of(email).length
  }
  const page = `/app/membership/redeem/${gift!.code}`
  t.is(await mailed('/app/membership/redeem/AAAA-BBBB-CCCC-DDDD', 'eve@example.com'), 0)
  t.is(await mailed(page, 'ada@example.com'), 1)
  t.is(await mailed(`${page.replace('membership', 'Membership')}?from=mail`, 'bob@example.com'), 1)
})

test('the whole address of a request line is read like its path, also by Koa', async (t) => {
  const { origin } = await openSite(t, mounts['Koa, at the root']!)
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.write(
    `GET ${origin}/app/membership/login HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nConnection: close\r\n\r\n`,
  )
  t.regex(await text(socket), /^HTTP\/1\.1 200 [\s\S]*action="\/app\/membership\/login"/)
})

test('a proxy that removes the path is left out of the way back to a closed page', async (t) => {
  const { origin } = await openSite(t, (m) => {
    const app = express()
    const { middleware, gate } = expressHost(m)
    app.use(middleware())
    app.get('/articles/1', gate('pro'), (_, response) => void response.send('open'))
    return (request, response) => {
      request.url = request.url?.replace(/^\/app(?=\/)/, '')
      app(request, response)
    }
  })
  const { status, html } = await createBrowser(origin).open('/app/articles/1')
  t.is(status, 403)
  t.regex(html, /name="redirect" value="\/app\/articles\/1"/)
})

test('a site without an address that is mounted elsewhere than it says logs where', async (t) => {
  const log: string[] = []
  const { origin } = await openSite(
    t,
    (m) => {
      const app = express()
      app.use('/shop', m.listener())
      return app
    },
    { log: (message) => log.push(message) },
  )
  await fetch(`${origin}/shop/membership/login`)
  await fetch(`${origin}/shop/membership/login`)
  t.is(log.filter((line) => line.includes('Set membership.base_path to "/shop"')).length, 1)
})

async function refused(t: ExecutionContext, options: MembershipOptions): Promise<string> {
  const error = await t.throwsAsync(async () => {
    const m = await createMembership({ ...settings, ...options })
    await m.close()
  })
  const { code, message, action } = error as MembershipError
  t.is(code, 'ERR_CONFIG')
  return `${message}\n${action}`
}

test('an address with a path needs the reading of that path', async (t) => {
  const message = await refused(t, {
    'membership.url': 'https://example.com/app/',
    'membership.base_path': null,
  })
  t.true(message.includes("membership.base_path: '/app'"), message)
  t.true(message.includes("membership.base_path: '/'"), message)
  t.true(message.includes('https://example.com/app/membership/webhooks/'), message)
})

test('base paths that cannot be meant stop the start', async (t) => {
  for (const path of ['app', '/app?x', '/a/../b', '//app', '/membership', '/reports/x'])
    t.regex(await refused(t, { 'membership.base_path': path }), /membership\.base_path/, path)
  t.regex(
    await refused(t, { 'membership.url': 'https://example.com/other' }),
    /membership\.base_path is "\/app".*ends with \/other/s,
  )
})

test('a path that was always ignored is ignored with base_path "/"', async (t) => {
  const { origin, m } = await openSite(t, mounts['Koa, at the root']!, { 'membership.base_path': '/' })
  const ada = await m.users.create({ email: 'ada@example.com', verified: true })
  t.true((await m.users.loginLink(ada.id)).url.startsWith(`${origin}/app/membership/login/`))
  const browser = createBrowser(origin)
  const { html } = await browser.open('/membership/login')
  t.regex(html, /action="\/membership\/login"/)
  const [cookie = ''] = (await createBrowser(origin).request('/membership/login')).headers.getSetCookie()
  t.regex(cookie, /; path=\/(?:;|$)/)
  t.is((await browser.request('/app/membership/login')).status, 404)
})

test('the description of the routes ignores case in its address, as the routes do', async (t) => {
  const m = await createMembership({ ...settings, 'membership.url': 'https://example.com/app' })
  t.teardown(() => m.close())
  for (const path of ['/app/Membership/login', '/app/Membership/openapi.json'])
    t.is((await m.fetch(new Request(`https://example.com${path}`))).status, 200, path)
})

test('over https, cookies of a site below a path have the name for them', async (t) => {
  const m = await createMembership({ ...settings, 'membership.url': 'https://example.com/app' })
  t.teardown(() => m.close())
  const answer = await m.fetch(
    new Request('https://example.com/app/membership/login', { headers: { accept: 'text/html' } }),
  )
  const [cookie = ''] = answer.headers.getSetCookie()
  t.regex(cookie, /^__Secure-membership_browser=/)
  t.regex(cookie, /; path=\/app;.*secure/i)
})
