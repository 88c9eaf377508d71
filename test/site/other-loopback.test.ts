import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { isOtherLoopback } from '../../src/core/url.ts'
import { createMembership } from '../../src/index.ts'
import { createBrowser, tokenOf } from '../support/browser.ts'
import { createMailbox } from '../support/visitor.ts'

for (const [named, opened] of [
  ['localhost', '127.0.0.1'],
  ['127.0.0.1', 'localhost'],
])
  test(`a site at ${named} also logs in and sells at ${opened}, and leads back there`, async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const mailbox = createMailbox()
    const m = await createMembership({
      'membership.url': `http://${named}:${port}`,
      'membership.database.url': 'sqlite::memory:',
      'membership.provider.handler': 'sandbox',
      'membership.providers.sandbox.plans': {
        pro: { prices: [{ id: 'price_pro', amount: 900, currency: 'EUR', interval: 'month' }] },
      },
      install: false,
      root: false,
      log: () => {},
      ...mailbox.options,
    })
    server.on('request', m.listener())
    t.teardown(async () => {
      server.closeAllConnections()
      server.close()
      await m.close()
    })
    const site = `http://${opened}:${port}`
    const browser = createBrowser(site)
    await browser.open('/membership/prices')
    const paying = await browser.submit('/membership/subscribe/pro', { price: 'price_pro' })
    t.is(paying.status, 200, paying.html)
    const paid = await browser.post(paying.path, {
      email: 'ada@example.com',
      name: 'Ada',
      card: '4242424242424242',
    })
    t.true(paid.headers.get('location')?.startsWith(`${site}/membership/subscribe/`))
    await browser.open(new URL(paid.headers.get('location')!).pathname)
    t.true(browser.cookies.has('membership_session'), 'the buyer is logged in')

    const form = { token: tokenOf((await browser.open('/membership/account')).html) }
    const send = (origin: string) =>
      browser.request('/membership/logout', {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams(form),
      })
    for (const origin of ['https://evil.example', `http://${named}:9`, `http://${named}:${port}`, 'null'])
      t.is((await send(origin)).status, 403, origin)
    t.is((await send(site)).status, 303)
  })

test('only another loopback name at the same port is the same site', (t) => {
  t.true(isOtherLoopback('http://localhost:3000', '127.0.0.1:3000'))
  t.true(isOtherLoopback('http://localhost:3000/app', '[::1]:3000'))
  t.true(isOtherLoopback('https://localhost', '127.0.0.1'))
  for (const [url, host] of [
    ['http://localhost:3000', 'localhost:3000'],
    ['http://localhost:3000', '127.0.0.1:3001'],
    ['http://localhost:3000', '127.0.0.1'],
    ['http://localhost:3000', 'evil.example:3000'],
    ['http://localhost:3000', '127.0.0.1:3000@evil.example'],
    ['http://localhost:3000', '127.0.0.1.evil.example:3000'],
    ['http://localhost:3000', ''],
    ['https://example.com', '127.0.0.1'],
    ['https://example.com', 'localhost'],
  ] as const)
    t.false(isOtherLoopback(url, host), `${url} ${host}`)
})
