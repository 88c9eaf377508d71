import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import type { ExecutionContext } from 'ava'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import Koa, { type Context } from 'koa'
import { expressHost } from '../../src/entries/express.ts'
import { fastifyHost } from '../../src/entries/fastify.ts'
import { honoHost } from '../../src/entries/hono.ts'
import type { Membership, View } from '../../src/index.ts'
import { createBrowser } from './browser.ts'
import { keepAliveTimeout } from './patience.ts'

// The pages that every host has here, in its own manner: `/late` is streamed and asks late, `/form` with a form, `/paid` behind a gate, `/looked` that asks
// for a gate by itself, `/own` that does and sets its own header, `/plain` that asks nothing, `POST /who` with a body that
// is read, and `POST /buy`, which begins a purchase from code.
const wish = { url: '/membership/subscribe/pro', fields: { price: 'pro_monthly' }, label: 'Join & pay' }
const openly = 'public, max-age=600'
function looked(m: Membership) {
  return m.allows('pro') ? 'open' : 'closed'
}
/** A page whose first part says nothing of its visitor, and whose second one does. */
async function* late(view: View): AsyncGenerator<Uint8Array> {
  yield Buffer.from('Hello, ')
  await pause(20)
  yield Buffer.from(view.user()?.email ?? 'nobody')
}
const bought = { price: 'pro_monthly', redirect: '/looked' }

function onKoa(m: Membership): RequestListener {
  const app = new Koa()
  app.silent = true
  app.use(m.koa())
  const paid = m.gate('pro')
  const pages: Record<string, (ctx: Context) => unknown> = {
    '/form': (ctx) => m.pages.form(ctx, wish),
    '/paid': (ctx) =>
      paid(ctx as never, async () => {
        ctx.set('Cache-Control', openly)
        ctx.body = 'paid words'
      }).then(() => ctx.body),
    '/looked': () => looked(m),
    '/own': (ctx) => {
      ctx.set('Cache-Control', openly)
      return looked(m)
    },
    '/plain': () => 'plain',
    '/late': (ctx) => Readable.from(late(ctx.membership)),
    '/who': async (ctx) => {
      for await (const _ of ctx.req);
      return m.user()?.email ?? 'nobody'
    },
    '/buy': async (ctx) => {
      ctx.redirect((await m.checkout.start({ request: ctx, ...bought })).url)
      ctx.status = 303
      return ''
    },
  }
  app.use(async (ctx) => {
    try {
      ctx.body = (await pages[ctx.path]?.(ctx)) ?? null
    } catch (error) {
      ctx.status = (error as { status: number }).status
      ctx.body = (error as { code: string }).code
    }
  })
  return app.callback()
}

function onNode(m: Membership): RequestListener {
  const routes = m.listener()
  const guard = m.guard('pro')
  const pages: Record<string, (...given: Parameters<RequestListener>) => unknown> = {
    '/form': (request, response) => m.pages.form(request, response, wish),
    '/paid': async (request, response) => {
      const { allowed, error } = await guard(request)
      response.setHeader('Cache-Control', 'private, no-store')
      if (allowed) return 'paid words'
      response.statusCode = error.status
      return m.pages.locked(request, response, ['pro'])
    },
    '/looked': () => looked(m),
    '/own': (_request, response) => {
      response.setHeader('Cache-Control', openly)
      return looked(m)
    },
    '/plain': () => 'plain',
    '/late': async (request, response) => {
      for await (const part of late((request as typeof request & { membership: View }).membership))
        response.write(part)
    },
    '/who': async (request) => {
      for await (const _ of request);
      return m.user()?.email ?? 'nobody'
    },
    '/buy': async (request, response) => {
      const { url } = await m.checkout.start({ request, response, ...bought })
      response.writeHead(303, { location: url })
    },
  }
  return (request, response) =>
    routes(request, response, async () => {
      try {
        response.end((await pages[request.url ?? '']?.(request, response)) ?? '')
      } catch (error) {
        response.statusCode = (error as { status: number }).status
        response.end((error as { code: string }).code)
      }
    })
}

function onExpress(m: Membership): RequestListener {
  const host = expressHost(m)
  const app = express()
  app.use(host.middleware())
  app.use(express.json())
  app.get('/form', (request, response) => void response.send(host.form(request, response, wish)))
  app.get('/paid', host.gate('pro'), (_request, response) => {
    response.set('Cache-Control', openly).send('paid words')
  })
  app.get('/looked', (_request, response) => {
    response.send(response.locals.membership?.allows('pro') ? 'open' : 'closed')
  })
  app.get('/own', (_request, response) => void response.set('Cache-Control', openly).send(looked(m)))
  app.get('/plain', (_request, response) => void response.send('plain'))
  app.get('/late', async (request, response) => {
    for await (const part of late(request.membership!)) response.write(part)
    response.end()
  })
  app.post('/who', (_request, response) => void response.send(m.user()?.email ?? 'nobody'))
  app.post('/buy', async (request, response) => {
    response.redirect(303, (await m.checkout.start({ request, response, ...bought })).url)
  })
  app.use(((error, _request, response, _next) => {
    response.status(error.status).send(error.code)
  }) satisfies express.ErrorRequestHandler)
  return app
}

async function onFastify(m: Membership): Promise<RequestListener> {
  const host = fastifyHost(m)
  const app = fastify()
  await app.register(host.plugin)
  app.get('/form', (request, reply) => reply.type('text/html').send(host.form(request, reply, wish)))
  app.get('/paid', { preHandler: host.gate('pro') }, (_request, reply) =>
    reply.header('Cache-Control', openly).send('paid words'),
  )
  app.get('/looked', async ({ membership }) => (membership.allows('pro') ? 'open' : 'closed'))
  app.get('/own', (_request, reply) => reply.header('Cache-Control', openly).send(looked(m)))
  app.get('/plain', async () => 'plain')
  app.get('/late', ({ membership }, reply) => reply.send(Readable.from(late(membership))))
  app.post('/who', async () => m.user()?.email ?? 'nobody')
  app.post('/buy', async (request, reply) => {
    const { url } = await m.checkout.start({ request: request.raw, response: reply.raw, ...bought })
    return reply.redirect(url, 303)
  })
  app.setErrorHandler((error: { status: number; code: string }, _request, reply) =>
    reply.status(error.status).send(error.code),
  )
  await app.ready()
  return (request, response) => app.routing(request, response)
}

function onHono(m: Membership): RequestListener {
  const host = honoHost(m)
  const app = new Hono()
  app.use(host.middleware())
  app.get('/form', (c) => c.html(host.form(c, wish)))
  app.get('/paid', host.gate('pro'), (c) => c.text('paid words', 200, { 'Cache-Control': openly }))
  app.get('/looked', (c) => c.text(c.get('membership').allows('pro') ? 'open' : 'closed'))
  app.get('/own', (c) => c.text(looked(m), 200, { 'Cache-Control': openly }))
  app.get('/plain', (c) => c.text('plain'))
  app.get('/late', (c) =>
    stream(c, async (out) => {
      for await (const part of late(c.get('membership'))) await out.write(part)
    }),
  )
  app.post('/who', async (c) => {
    await c.req.text()
    return c.text(m.user()?.email ?? 'nobody')
  })
  app.post('/buy', async (c) =>
    c.redirect((await m.checkout.start({ request: c.req.raw, ...bought })).url, 303),
  )
  app.onError((error, c) =>
    c.text((error as unknown as { code: string }).code, (error as never as { status: 403 }).status),
  )
  return getRequestListener(app.fetch)
}

function onFetch(m: Membership): RequestListener {
  const guard = m.guard('pro')
  const pages: Record<string, (request: Request, view: View) => Response | Promise<Response>> = {
    '/form': (request) => new Response(m.pages.form(request, wish).html),
    '/paid': async (request) => {
      const { allowed, error } = await guard(request)
      const unshared = { 'Cache-Control': 'private, no-store' }
      if (allowed) return new Response('paid words', { headers: unshared })
      const { html, headers } = await m.pages.locked(request, ['pro'])
      headers.set('Cache-Control', 'private, no-store')
      return new Response(html, { status: error.status, headers })
    },
    '/looked': () => new Response(looked(m)),
    '/own': () => new Response(looked(m), { headers: { 'Cache-Control': openly } }),
    '/plain': () => new Response('plain'),
    '/late': (_request, view) => new Response(Readable.toWeb(Readable.from(late(view))) as ReadableStream),
    '/who': async (request) => {
      await request.text()
      return new Response(m.user()?.email ?? 'nobody')
    },
    '/buy': async (request) =>
      new Response(null, {
        status: 303,
        headers: { location: (await m.checkout.start({ request, ...bought })).url },
      }),
  }
  return getRequestListener((request, { incoming }: { incoming: { socket: { remoteAddress?: string } } }) =>
    m.fetch(request, {
      address: incoming.socket.remoteAddress,
      next: async (view) => {
        try {
          return await pages[new URL(request.url).pathname]!(request, view)
        } catch (error) {
          return new Response((error as { code: string }).code, {
            status: (error as { status: number }).status,
          })
        }
      },
    }),
  )
}

/** Every host with the same pages. */
export const pagesOn: Record<string, (m: Membership) => RequestListener | Promise<RequestListener>> = {
  Koa: onKoa,
  'a Node listener': onNode,
  Express: onExpress,
  Fastify: onFastify,
  Hono: onHono,
  fetch: onFetch,
}

/** A listener behind a real HTTP server; its address. */
export async function serve(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The pages behind a real HTTP server. */
export async function servePages(
  t: ExecutionContext,
  host: string,
  open: (site: string) => Promise<Membership>,
) {
  let listener: RequestListener
  const server = createServer({ keepAliveTimeout }, (request, response) =>
    listener(request, response),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const m = await open(site)
  listener = await pagesOn[host]!(m)
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
  })
  return { m, site, browse: () => createBrowser(site) }
}
