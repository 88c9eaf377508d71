// A server of the second comparison: node --import tsx apart-server.ts hand | thin | own DATABASE_URL [FOLDER]. Prints its port.
// `hand` is a composition that knows one version of one provider and stores what the package stores. It shares no code with
// the other comparisons. `thin` stores nothing but the body, under its id. FOLDER has another commit of the package, built.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Router from '@koa/router'
import Database from 'better-sqlite3'
import Koa from 'koa'
import pg from 'pg'

const [kind = 'hand', url = '', folder = join(import.meta.dirname, '../..')] = process.argv.slice(2)
const secret = 'whsec_apart'

interface Message {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly data: { readonly object: Subscription }
}
interface Subscription {
  readonly id: string
  readonly customer: string
  readonly status: string
  readonly livemode: boolean
  readonly start_date: number
  readonly cancel_at_period_end: boolean
  readonly cancel_at: number | null
  readonly canceled_at: number | null
  readonly ended_at: number | null
  readonly metadata: Readonly<Record<string, string>>
  readonly items: {
    readonly data: readonly {
      readonly id: string
      readonly quantity: number
      readonly current_period_start: number
      readonly current_period_end: number
      readonly price: {
        readonly id: string
        readonly product: string
        readonly unit_amount: number
        readonly currency: string
        readonly recurring: { readonly interval: string; readonly interval_count: number }
      }
    }[]
  }
}

const eventColumns =
  'provider, account, event_id, type, object_id, occurred_at, received_at, livemode, status, attempts, body_hash, body'
const subscriptionColumns =
  'provider, account, id, owner_id, status, price_id, ending, begun_at, pause_moments, data, at, source, marks, contested, revision'
const customerColumns = 'provider, account, customer_id, guest, deleted, purchased, revision'

/** The columns of one delivery's rows. */
function rowsOf(bytes: Buffer) {
  const message = JSON.parse(bytes.toString()) as Message
  const { object } = message.data
  const [item] = object.items.data
  if (item === undefined) throw new TypeError('no item')
  const day = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString())
  const at = day(message.created)!
  const period = {
    current_period_start: day(item.current_period_start),
    current_period_end: day(item.current_period_end),
  }
  const common = { price_id: item.price.id, product_id: item.price.product, quantity: item.quantity }
  const content = JSON.stringify({
    id: object.id,
    customer_id: object.customer,
    ...common,
    items: [{ id: item.id, ...common, ...period }],
    status: object.status,
    provider_status: null,
    currency: item.price.currency.toUpperCase(),
    unit_amount: item.price.unit_amount,
    interval: item.price.recurring.interval,
    interval_count: item.price.recurring.interval_count,
    started_at: day(object.start_date),
    trial_ends_at: null,
    ...period,
    cancel_at_period_end: object.cancel_at_period_end,
    cancel_at: day(object.cancel_at),
    canceled_at: day(object.canceled_at),
    ended_at: day(object.ended_at),
    paused_at: null,
    resumes_at: null,
    livemode: object.livemode,
    metadata: object.metadata,
    provider: 'stripe',
    account: '',
    updated_at: at,
    past_due_since: null,
  })
  const sha = (text: string | Buffer) => createHash('sha256').update(text)
  const mark = JSON.stringify([{ digest: sha(content).digest('base64url').slice(0, 22), stage: 'updated' }])
  const ending = object.cancel_at_period_end || object.cancel_at !== null ? 1 : 0
  return {
    event: [
      'stripe',
      '',
      message.id,
      message.type,
      object.id,
      at,
      new Date().toISOString(),
      object.livemode ? 1 : 0,
      'processed',
      0,
      sha(bytes).digest('hex'),
      bytes,
    ],
    subscription: [
      'stripe',
      '',
      object.id,
      object.customer,
      object.status,
      item.price.id,
      ending,
      day(object.start_date),
      `;${at}`,
      content,
      at,
      0,
      mark,
      0,
      0,
    ],
    customer: ['stripe', '', object.customer, 0, 0, 1, 0],
  }
}
type Rows = ReturnType<typeof rowsOf>

function statements(place: (n: number) => string) {
  const insert = (table: string, columns: string) =>
    `insert into ${table} (${columns}) values (${columns
      .split(', ')
      .map((_, n) => place(n + 1))
      .join(', ')})`
  return {
    event: insert('events', eventColumns),
    subscription: `${insert('subscriptions', subscriptionColumns)} on conflict (provider, account, id) do update set
      owner_id = excluded.owner_id, status = excluded.status, price_id = excluded.price_id, ending = excluded.ending,
      begun_at = excluded.begun_at, pause_moments = excluded.pause_moments, data = excluded.data,
      prior_at = subscriptions.at, prior_marks = subscriptions.marks, at = excluded.at, marks = excluded.marks,
      revision = subscriptions.revision + 1 where subscriptions.at < excluded.at`,
    customer: `${insert('customers', customerColumns)} on conflict do nothing`,
  }
}

/** Customers that have their row. */
const known = new Set<string>()
function isFirst({ customer }: Rows): boolean {
  const id = String(customer[2])
  if (known.has(id)) return false
  known.add(id)
  return true
}

function onSqlite() {
  const db = new Database(url.slice('sqlite:'.length))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  const sql = statements(() => '?')
  const [event, subscription, customer] = [
    db.prepare(sql.event),
    db.prepare(sql.subscription),
    db.prepare(sql.customer),
  ]
  return db.transaction((all: readonly Rows[]) => {
    for (const rows of all) {
      event.run(rows.event)
      subscription.run(rows.subscription)
      if (isFirst(rows)) customer.run(rows.customer)
    }
  })
}

function onPostgres() {
  const pool = new pg.Pool({ connectionString: url, max: 8, pipeline: true })
  const sql = statements((n) => `$${n}`)
  return async (all: readonly Rows[]): Promise<void> => {
    const client = await pool.connect()
    // In one order, so that two transactions never wait for each other.
    const sorted = [...all].sort((a, b) => (String(a.subscription[2]) < String(b.subscription[2]) ? -1 : 1))
    const sent = [client.query('begin')]
    for (const rows of sorted) {
      sent.push(client.query({ name: 'e', text: sql.event, values: rows.event }))
      sent.push(client.query({ name: 's', text: sql.subscription, values: rows.subscription }))
      if (isFirst(rows)) sent.push(client.query({ name: 'c', text: sql.customer, values: rows.customer }))
    }
    await Promise.all([...sent, client.query('commit')])
    client.release()
  }
}

/** Bodies under their ids, in a table of their own. */
const thinTable = 'create table bodies (id text primary key, body %)'
function thinInsert(places: string) {
  return `insert into bodies values (${places}) on conflict do nothing`
}
interface Body {
  readonly id: string
  readonly bytes: Buffer
}

function thinOnSqlite() {
  const db = new Database(url.slice('sqlite:'.length))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(thinTable.replace('%', 'blob'))
  const insert = db.prepare(thinInsert('?, ?'))
  return db.transaction((all: readonly Body[]) => {
    for (const { id, bytes } of all) insert.run(id, bytes)
  })
}

async function thinOnPostgres() {
  const pool = new pg.Pool({ connectionString: url, max: 8, pipeline: true })
  await pool.query(thinTable.replace('%', 'bytea'))
  return async (all: readonly Body[]): Promise<void> => {
    const client = await pool.connect()
    const sent = [client.query('begin')]
    for (const { id, bytes } of all)
      sent.push(client.query({ name: 't', text: thinInsert('$1, $2'), values: [id, bytes] }))
    await Promise.all([...sent, client.query('commit')])
    client.release()
  }
}

/** One commit for everything that a turn of the event loop brought. */
function committing<T>(commit: (all: readonly T[]) => unknown) {
  let waiting: { rows: T; done: () => void }[] = []
  const turn = async () => {
    const batch = waiting
    waiting = []
    await commit(batch.map(({ rows }) => rows))
    for (const { done } of batch) done()
  }
  return (rows: T): Promise<void> =>
    new Promise((done) => {
      if (waiting.push({ rows, done }) === 1) setImmediate(turn)
    })
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  await once(request, 'end')
  return Buffer.concat(pieces)
}

function isGenuine(header: string, bytes: Buffer): boolean {
  const fields = new Map(header.split(',').map((pair) => pair.split('=') as [string, string]))
  const [t, v1] = [fields.get('t') ?? '', Buffer.from(fields.get('v1') ?? '', 'hex')]
  const own = createHmac('sha256', secret).update(`${t}.`).update(bytes).digest()
  return v1.length === own.length && timingSafeEqual(v1, own) && Math.abs(Date.now() / 1000 - Number(t)) < 300
}

const isSqlite = url.startsWith('sqlite:')

function composed(store: (bytes: Buffer) => Promise<void>): Koa {
  const router = new Router()
  router.post('/membership/webhooks/stripe', async (ctx) => {
    const bytes = await bytesOf(ctx.req)
    if (!isGenuine(ctx.get('stripe-signature'), bytes)) ctx.throw(403)
    await store(bytes)
    ctx.body = { status: 'processed' }
  })
  return new Koa().use(router.routes() as unknown as Koa.Middleware)
}

function byHand(): Koa {
  const store = committing(isSqlite ? onSqlite() : onPostgres())
  return composed((bytes) => store(rowsOf(bytes)))
}

async function thin(): Promise<Koa> {
  const store = committing(isSqlite ? thinOnSqlite() : await thinOnPostgres())
  return composed((bytes) => store({ id: (JSON.parse(bytes.toString()) as Message).id, bytes }))
}

/** The package, built, as a site runs it. */
async function own(): Promise<Koa> {
  const { createMembership } = (await import(
    pathToFileURL(join(folder, 'dist/index.js')).href
  )) as typeof import('../../src/index.ts')
  const m = await createMembership({
    'membership.database.url': url,
    'membership.providers.stripe.webhook': secret,
    root: false,
    log: () => {},
  })
  return new Koa().use(m.koa())
}

const answer = (kind === 'hand' ? byHand() : kind === 'thin' ? await thin() : await own()).callback()
const server = createServer((request, response) => {
  if (request.url !== '/cpu') return void answer(request, response)
  const { user, system } = process.cpuUsage()
  response.end(String(user + system))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log((server.address() as AddressInfo).port)
