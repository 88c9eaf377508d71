// What a site would write by hand for the same rows: a signature, two statements or three, one transaction for a batch.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Database from 'better-sqlite3'
import pg from 'pg'
import { openStorage, type Statement, type Value } from '../../src/core/storage/index.ts'
import { bind } from '../../src/core/storage/statement.ts'
import { ledgerStatements } from '../../src/memberships/ledger/statements/index.ts'
import type { CustomerRow, SubscriptionRow } from '../../src/memberships/ledger/statements/rows.ts'
import { type EventRow, inboxStatements } from '../../src/memberships/webhooks/statements.ts'
import { secret } from './events.ts'

function now() {
  return new Date()
}

export function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((done) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
  })
}
export function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const [, t = '', v1 = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['stripe-signature'])) ?? []
  const wanted = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  return v1 !== '' && timingSafeEqual(wanted, Buffer.from(v1, 'hex'))
}

/** The rows that ours writes for a subscription event, the third where nobody had told of the customer; made by hand. */
export function rowsOf(body: Buffer) {
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
  const stored: EventRow = {
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
    headers: null,
  }
  const subscription: SubscriptionRow = {
    provider: 'stripe',
    account: '',
    id: s.id,
    owner_id: s.customer,
    status: s.status,
    price_id: item.price.id,
    arrears: null,
    ending: 0,
    trial_ends_at: null,
    begun_at: period.current_period_start,
    over_at: null,
    sold: null,
    shared: null,
    pauses: null,
    pause_moments: `;${at}`,
    data: JSON.stringify(data),
    items: null,
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
  const customer: CustomerRow = {
    provider: 'stripe',
    account: '',
    customer_id: s.customer,
    guest: 0,
    member_id: null,
    email: null,
    name: null,
    deleted: 0,
    purchased: 1,
    moved_from: null,
    place: null,
    revision: 0,
  }
  return { stored, subscription, customer }
}

// Our own tables, indexes and SQL, so that all write the same.
export async function statementsByHand(url: string, synchronous: string) {
  const storage = await openStorage({ url, synchronous: synchronous as 'full', pool: 4, now })
  const event = inboxStatements(storage).insert as unknown as Statement<never>
  const ledger = ledgerStatements(storage)
  const subscription = ledger.subscriptionNewer as unknown as Statement<never>
  const customer = ledger.customerInsert as unknown as Statement<never>
  await storage.close()
  return { event: event.compile(1), subscription: subscription.compile(1), customer: customer.compile(1) }
}
export async function sqliteByHand(url: string, synchronous: string) {
  const { event, subscription, customer } = await statementsByHand(url, synchronous)
  const db = new Database(url.slice('sqlite:'.length))
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${synchronous}`)
  const insert = db.prepare(event.sql)
  const upsert = db.prepare(subscription.sql)
  const own = db.prepare(customer.sql)
  const write = (body: Buffer, isNew = false) => {
    const rows = rowsOf(body)
    insert.run(bind(event, [rows.stored as Record<string, Value>]))
    upsert.run(bind(subscription, [rows.subscription as Record<string, Value>]))
    if (isNew) own.run(bind(customer, [rows.customer as Record<string, Value>]))
  }
  return { write, begin: db.prepare('begin immediate'), commit: db.prepare('commit') }
}

// One transaction for a batch.
export async function committingSqlite(url: string, synchronous: string) {
  const { write, begin, commit } = await sqliteByHand(url, synchronous)
  return async (bodies: readonly Buffer[], isNew = false) => {
    begin.run()
    for (const body of bodies) write(body, isNew)
    commit.run()
  }
}
export async function committingPostgres(url: string, synchronous: string) {
  const { event, subscription, customer } = await statementsByHand(url, synchronous)
  const pool = new pg.Pool({ connectionString: url, max: 16, pipeline: true })
  return async (bodies: readonly Buffer[], isNew = false) => {
    const client = await pool.connect()
    const sent = [client.query('begin')]
    // In one order for all batches: two that wait for each other would be undone.
    const rows = bodies.map(rowsOf).sort((a, b) => (a.subscription.id < b.subscription.id ? -1 : 1))
    for (const { stored, subscription: s, customer: c } of rows)
      sent.push(
        client.query(named('event', event, stored)),
        client.query(named('subscription', subscription, s)),
        ...(isNew ? [client.query(named('customer', customer, c))] : []),
      )
    sent.push(client.query('commit'))
    await Promise.all(sent)
    client.release()
  }
}
export function named(name: string, compiled: ReturnType<Statement<never>['compile']>, row: object) {
  return {
    name,
    text: compiled.sql,
    values: bind(compiled, [row as Record<string, Value>]),
  }
}
