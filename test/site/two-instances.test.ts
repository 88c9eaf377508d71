import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import test from 'ava'
import express from 'express'
import { Hono } from 'hono'
import Koa from 'koa'
import { expressHost } from '../../src/entries/express.ts'
import { honoHost } from '../../src/entries/hono.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import { serve } from '../support/pages.ts'

// Two sites in one process, such as two brands: each knows visitors by a header of its own.
async function openPair(t: Parameters<typeof serve>[0]) {
  const open = async (header: string) => {
    const m = await createMembership({
      'membership.database.url': 'sqlite::memory:',
      install: false,
      root: false,
      log: () => {},
      identify: ({ headers }) => (headers.has(header) ? { email: headers.get(header)! } : null),
    })
    t.teardown(() => m.close())
    const { id } = await m.users.create({ email: 'ann@example.com', verified: true })
    await m.users.grant({ memberId: id, gate: 'pro' })
    return m
  }
  return [await open('x-a'), await open('x-b')] as const
}

const sites: Record<string, (a: Membership, b: Membership) => RequestListener> = {
  Koa: (a, b) => {
    const app = new Koa()
    app.use(a.koa()).use(b.koa())
    const gates: Record<string, Koa.Middleware> = { '/a': a.gate('pro'), '/b': b.gate('pro') }
    app.use((ctx, next) => gates[ctx.path]!(ctx, next))
    app.use((ctx) => {
      ctx.body = 'paid words'
    })
    return app.callback()
  },
  Express: (a, b) => {
    const [first, second] = [expressHost(a), expressHost(b)]
    const app = express().use(first.middleware()).use(second.middleware())
    app.get('/a', first.gate('pro'), (_request, response) => void response.send('paid words'))
    app.get('/b', second.gate('pro'), (_request, response) => void response.send('paid words'))
    return app
  },
  Hono: (a, b) => {
    const [first, second] = [honoHost(a), honoHost(b)]
    const app = new Hono().use(first.middleware()).use(second.middleware())
    app.get('/a', first.gate('pro'), (c) => c.text('paid words'))
    app.get('/b', second.gate('pro'), (c) => c.text('paid words'))
    return getRequestListener(app.fetch)
  },
}

for (const [host, listen] of Object.entries(sites))
  test(`${host}: each of two instances on one site decides for its own visitors`, async (t) => {
    const [a, b] = await openPair(t)
    const site = await serve(t, listen(a, b))
    const ask = async (path: string, header: string) =>
      (await fetch(`${site}${path}`, { headers: { [header]: 'ann@example.com' } })).status
    t.is(await ask('/a', 'x-a'), 200)
    t.is(await ask('/b', 'x-b'), 200)
    t.is(await ask('/a', 'x-b'), 403)
    t.is(await ask('/b', 'x-a'), 403)
  })

test('a view of another instance is refused', async (t) => {
  const [a, b] = await openPair(t)
  const request = new Request('https://example.com/', { headers: { 'x-b': 'ann@example.com' } })
  const view = await b.viewOf(request)
  t.deepEqual(await b.guard('pro')(view), { allowed: true })
  await t.throwsAsync(a.guard('pro')(view), { code: 'ERR_USAGE' })
  t.throws(() => a.runAs(view, () => a.allows('pro')), { code: 'ERR_USAGE' })
})
