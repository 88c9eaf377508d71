// One of the servers that are compared: node --import tsx servers.ts KIND DATABASE_URL SYNCHRONOUS. Prints its port.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Database from 'better-sqlite3'
import Koa from 'koa'
import pg from 'pg'
import { openStorage, type Statement, type Value } from '../../src/core/storage/index.ts'
import { bind } from '../../src/core/storage/statement.ts'
import { ledgerStatements } from '../../src/memberships/ledger/statements/index.ts'
import { inboxStatements } from '../../src/memberships/webhooks/statements.ts'
import { secret } from './events.ts'

const [kind = 'a', url = 'sqlite::memory:', synchronous = 'full'] = process.argv.slice(2)
const now = () => new Date()

const collect = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((done) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
  })
const isSigned = (request: IncomingMessage, body: Buffer): boolean => {
  const [, t = '', v1 = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['stripe-signature'])) ?? []
  const wanted = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  return v1 !== '' && timingSafeEqual(wanted, Buffer.from(v1, 'hex'))
}

/** The two rows that ours writes for a subscription event, made by hand. */
const rowsOf = (body: Buffer) => {
  const event = JSON.parse(body.toString('utf8'))
  const s = event.data.object
  const item = s.items.data[0]
  const at = new Date(event.created * 1000).toISOString()
  const iso = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString())
  const period = {
    current_period_start: iso(item.current_period_start),
    current_period_end: iso(item.current_period_end),
  }
  const data = {
    id: s.id,
    customer_id: s.customer,
    price_id: item.price.id,
    product_id: item.price.product,
    quantity: item.quantity,
    items: [
      {
        id: item.id,
        price_id: item.price.id,
        product_id: item.price.product,
        quantity: item.quantity,
        ...period,
      },
    ],
    status: s.status,
    provider_status: null,
    currency: 'EUR',
    unit_amount: item.price.unit_amount,
    interval: item.price.recurring.interval,
    interval_count: item.price.recurring.interval_count,
    started_at: iso(s.start_date),
    trial_ends_at: iso(s.trial_end),
    ...period,
    cancel_at_period_end: s.cancel_at_period_end,
    cancel_at: iso(s.cancel_at),
    canceled_at: iso(s.canceled_at),
    ended_at: iso(s.ended_at),
    paused_at: null,
    resumes_at: null,
    livemode: s.livemode,
    metadata: s.metadata,
    provider: 'stripe',
    account: '',
    updated_at: at,
  }
  const stored = {
    provider: 'stripe',
    account: '',
    event_id: event.id,
    type: event.type,
    object_id: s.id,
    occurred_at: at,
    received_at: now().toISOString(),
    livemode: 0,
    status: 'processed',
    reason: null,
    attempts: 0,
    next_try_at: null,
    body_hash: createHash('sha256').update(body).digest('hex'),
    body,
  }
  const subscription = {
    provider: 'stripe',
    account: '',
    id: s.id,
    owner_id: s.customer,
    status: s.status,
    price_id: item.price.id,
    data: JSON.stringify(data),
    at,
    source: 0,
    marks: JSON.stringify([
      {
        id: event.id,
        digest: 'x'.repeat(22),
        follows: 'y'.repeat(22),
        stage: 'updated',
        rank: 4,
        source: 'event',
      },
    ]),
    tied: null,
    prior_at: null,
    prior_marks: null,
    contested: 0,
    revision: 0,
  }
  return { stored, subscription }
}

// Our own tables, indexes and SQL, so that all write the same.
const statements = async () => {
  const storage = await openStorage({ url, synchronous: synchronous as 'full', pool: 4, now })
  const event = inboxStatements(storage).insert as unknown as Statement<never>
  const subscription = ledgerStatements(storage).subscriptionNewer as unknown as Statement<never>
  await storage.close()
  return { event: event.compile(1), subscription: subscription.compile(1) }
}
const sqlite = async () => {
  const { event, subscription } = await statements()
  const db = new Database(url.slice('sqlite:'.length))
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${synchronous}`)
  const insert = db.prepare(event.sql)
  const upsert = db.prepare(subscription.sql)
  const write = (body: Buffer) => {
    const rows = rowsOf(body)
    insert.run(bind(event, [rows.stored as Record<string, Value>]))
    upsert.run(bind(subscription, [rows.subscription as Record<string, Value>]))
  }
  return { write, begin: db.prepare('begin immediate'), commit: db.prepare('commit') }
}

// One transaction for a batch.
const committingSqlite = async () => {
  const { write, begin, commit } = await sqlite()
  return (bodies: Buffer[]) => {
    begin.run()
    for (const body of bodies) write(body)
    commit.run()
  }
}
const committingPostgres = async () => {
  const { event, subscription } = await statements()
  const pool = new pg.Pool({ connectionString: url, max: 16, pipeline: true })
  return async (bodies: Buffer[]) => {
    const client = await pool.connect()
    const sent = [client.query('begin')]
    // In one order for all batches: two that wait for each other would be undone.
    const rows = bodies.map(rowsOf).sort((a, b) => (a.subscription.id < b.subscription.id ? -1 : 1))
    for (const { stored, subscription: s } of rows)
      sent.push(
        client.query(named('event', event, stored)),
        client.query(named('subscription', subscription, s)),
      )
    sent.push(client.query('commit'))
    await Promise.all(sent)
    client.release()
  }
}
const named = (name: string, compiled: ReturnType<Statement<never>['compile']>, row: object) => ({
  name,
  text: compiled.sql,
  values: bind(compiled, [row as Record<string, Value>]),
})

const listeners: Record<string, () => Promise<RequestListener>> = {
  a: async () => async (request, response) => {
    const body = await collect(request)
    response.statusCode = isSigned(request, body) ? 200 : 403
    response.end('{"status":"processed"}')
  },
  b: async () => {
    const { write, begin, commit } = await sqlite()
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
    const commit = url.startsWith('sqlite:') ? await committingSqlite() : await committingPostgres()
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
    const { event, subscription } = await statements()
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
