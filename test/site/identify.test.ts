import test from 'ava'
import { createMembership, type IdentifyInput } from '../../src/index.ts'
import { tokenOf } from '../support/browser.ts'
import { pagesOn, servePages } from '../support/pages.ts'

const plans = {
  pro: { prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' as const }] },
}

const kinds: Record<string, IdentifyInput['kind']> = {
  Koa: 'koa',
  'a Node listener': 'node',
  Express: 'express',
  Fastify: 'fastify',
  Hono: 'hono',
  fetch: 'web',
}

// What a host's session plugin would read: the request of that host, and of no other.
function ownAddressOf({ kind, request }: IdentifyInput): string | undefined {
  if (kind === 'koa') return request.get('x-user')
  if (kind === 'express') return request.get('x-user')
  if (kind === 'fastify') return request.hostname === '127.0.0.1' ? String(request.headers['x-user']) : ''
  if (kind === 'hono') return request.req.header('x-user')
  if (kind === 'node') return String(request.headers['x-user'])
  return kind === 'web' ? (request.headers.get('x-user') ?? undefined) : undefined
}

for (const host of Object.keys(pagesOn))
  test.serial(`${host}: identify gets one shape on the site's pages and on our routes`, async (t) => {
    const seen: { kind: string; path: string; headers: string | null; own: string | undefined }[] = []
    const { m, site, browse } = await servePages(t, host, () =>
      createMembership({
        'membership.database.url': 'sqlite::memory:',
        'membership.provider.handler': 'sandbox',
        'membership.providers.sandbox.plans': plans,
        'membership.compare.automatic': false,
        install: false,
        root: false,
        log: () => {},
        identify: (visit) => {
          const own = ownAddressOf(visit)
          const headers = visit.headers.get('x-user')
          seen.push({ kind: visit.kind, path: visit.url.pathname, headers, own })
          return own ? { email: own } : null
        },
      }),
    )
    const browser = browse()
    const as = { 'x-user': 'ada@example.com' }
    const html = await (await browser.request('/form', { headers: as })).text()
    await browser.request('/looked', { headers: as })
    t.is((await browser.request('/paid', { headers: { ...as, accept: 'text/html' } })).status, 403)
    t.is((await browser.request('/membership/account', { headers: as })).status, 200)
    const bought = await browser.request('/membership/subscribe/pro', {
      method: 'POST',
      headers: { ...as, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: tokenOf(html), price: 'pro_monthly' }),
    })
    t.is(bought.status, 303)
    const own = await browser.request('/buy', { method: 'POST', headers: { ...as, origin: site } })
    t.is(own.status, 303)

    t.deepEqual([...new Set(seen.map(({ kind }) => kind))], [kinds[host]!])
    t.deepEqual([...new Set(seen.map(({ own }) => own))], ['ada@example.com'])
    t.deepEqual([...new Set(seen.map(({ headers }) => headers))], ['ada@example.com'])
    for (const path of ['/looked', '/membership/account', '/membership/subscribe/pro'])
      t.true(
        seen.some((visit) => visit.path === path),
        path,
      )
    const { members } = await m.users.list()
    t.deepEqual(
      members.map(({ email }) => email),
      ['ada@example.com'],
    )
  })
