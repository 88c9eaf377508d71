import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import test from 'ava'
import express, { type Request, type Response } from 'express'
import { expressHost } from '../../src/entries/express.ts'
import { createMembership } from '../../src/index.ts'
import { createBrowser } from '../support/browser.ts'

// RFC 9112, section 3.2.2: a server must accept the absolute form.
test('an absolute-form request line reaches the same page through m.listener()', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': { pro: { prices: ['price_pro'] } },
    'membership.secret': 'x'.repeat(32),
    install: false,
    root: false,
    log: () => {},
  })
  const seen: (string | undefined)[] = []
  const own = m.listener()
  const server = createServer((request, response) =>
    own(request, response, () => {
      seen.push(request.url)
      response.end('own page')
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    await m.close()
  })
  const { port } = server.address() as AddressInfo
  const ask = async (target: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: site.example\r\nConnection: close\r\n\r\n`)
    return text(socket)
  }
  t.regex(await ask('http://site.example/membership/login'), /^HTTP\/1\.1 200 /)
  t.regex(await ask('HTTPS://site.example:443/membership/login?x=1'), /^HTTP\/1\.1 200 /)
  t.regex(await ask('http://site.example/about?a=http://b/'), /own page$/)
  t.regex(await ask('http://site.example?a=1'), /own page$/)
  t.deepEqual(seen, ['/about?a=http://b/', '/?a=1'])
})

test('a gate inside a mounted router leads back to the whole address of its page', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: { prices: [{ id: 'pro', amount: 900, currency: 'EUR', interval: 'month' }] },
    },
    install: false,
    root: false,
    log: () => {},
  })
  const { middleware, gate } = expressHost(m)
  const shop = express.Router()
  const page = (_: Request, response: Response) => void response.send('<p>open</p>')
  shop.get('/paid', gate('pro'), page)
  shop.get('/metered/:id', gate('pro', { free: 1 }), page)
  const app = express()
  app.use(middleware())
  app.use('/shop', shop)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    await m.close()
  })
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const closed = await createBrowser(site).open('/shop/paid?page=2')
  t.is(closed.status, 403)
  // The login, and the form of the language.
  const ways = [...closed.html.matchAll(/name="redirect" value="([^"]*)"/g)].map(([, way]) => way)
  t.true(ways.length >= 2)
  t.deepEqual([...new Set(ways)], ['/shop/paid?page=2'])
  // Without cookies, the link that starts the free pages.
  const asked = await fetch(`${site}/shop/metered/1?membership_wall=asked`, {
    headers: { accept: 'text/html' },
  })
  const html = await asked.text()
  t.regex(html, /href="\/shop\/metered\/1\?[^"]*=start"/)
})
