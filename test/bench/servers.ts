// One of the servers that are compared: node --import tsx servers.ts KIND DATABASE_URL SYNCHRONOUS. Prints its port.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Koa from 'koa'
import pg from 'pg'
import {
  collect,
  committingPostgres,
  committingSqlite,
  isSigned,
  named,
  rowsOf,
  sqliteByHand,
  statementsByHand,
} from './by-hand.ts'
import { secret } from './events.ts'

const [kind = 'a', url = 'sqlite::memory:', synchronous = 'full'] = process.argv.slice(2)

const listeners: Record<string, () => Promise<RequestListener>> = {
  a: async () => async (request, response) => {
    const body = await collect(request)
    response.statusCode = isSigned(request, body) ? 200 : 403
    response.end('{"status":"processed"}')
  },
  b: async () => {
    const { write, begin, commit } = await sqliteByHand(url, synchronous)
    return async (request, response) => {
      const body = await collect(request)
      if (isSigned(request, body)) {
        begin.run()
        write(body)
        commit.run()
      } else response.statusCode = 403
      response.end('{"status":"processed"}')
    }
  },
  c: async () => {
    const commit = url.startsWith('sqlite:')
      ? await committingSqlite(url, synchronous)
      : await committingPostgres(url, synchronous)
    let queue: { body: Buffer; done: () => void }[] = []
    const flush = async () => {
      const batch = queue
      queue = []
      await commit(batch.map(({ body }) => body))
      for (const { done } of batch) done()
    }
    const router = new Router()
    router.post('/membership/webhooks/:provider', async (ctx) => {
      const body = await collect(ctx.req)
      if (!isSigned(ctx.req, body)) ctx.throw(403)
      await new Promise<void>((done) => {
        if (queue.push({ body, done }) === 1) setImmediate(flush)
      })
      ctx.type = 'application/json'
      ctx.body = '{"status":"processed"}'
    })
    const app = new Koa()
    app.use(router.routes() as unknown as Koa.Middleware)
    return app.callback()
  },
  // The built package, as a site runs it.
  d: async () => {
    const built = new URL('../../dist/index.js', import.meta.url).href
    const { createMembership } = (await import(built)) as typeof import('../../src/index.ts')
    const m = await createMembership({
      'membership.database.url': url,
      'membership.database.synchronous': synchronous as 'full' | 'normal',
      'membership.providers.stripe.webhook': secret,
      root: false,
      log: () => {},
    })
    const app = new Koa()
    app.use(m.koa())
    return app.callback()
  },
  e: async () => {
    const { event, subscription } = await statementsByHand(url, synchronous)
    const pool = new pg.Pool({ connectionString: url, max: 16 })
    return async (request, response) => {
      const body = await collect(request)
      if (isSigned(request, body)) {
        const rows = rowsOf(body)
        const client = await pool.connect()
        await client.query('begin')
        await client.query(named('event', event, rows.stored))
        await client.query(named('subscription', subscription, rows.subscription))
        await client.query('commit')
        client.release()
      } else response.statusCode = 403
      response.end('{"status":"processed"}')
    }
  },
}

const server = createServer(await listeners[kind]!())
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
