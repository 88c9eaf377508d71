import Database from 'better-sqlite3'
import pg from 'pg'
import { type PaymentData, paidTimeOf, type SubscriptionData } from '../../src/core/dto/index.ts'

type Row = Record<string, string | number | null>

function at(days: number, now: number): string {
  return new Date(now + days * 86_400_000).toISOString()
}
const key = { provider: 'stripe', account: '' }
const fact = {
  items: null,
  source: 0,
  marks: '[]',
  tied: null,
  prior_at: null,
  prior_marks: null,
  contested: 0,
  revision: 0,
}

/** Of a hundred members: what their subscription is like. */
function kindOf(n: number): { status: SubscriptionData['status']; ends?: number; trial?: number } {
  const of = n % 100
  if (of < 3) return { status: 'past_due' }
  if (of < 4) return { status: 'unpaid' }
  if (of < 8) return { status: 'trialing', trial: of === 4 ? 3 : 20 }
  if (of < 12) return { status: 'active', ends: 12 }
  if (of < 30) return { status: 'canceled' }
  return { status: 'active' }
}

function subscription(id: string, n: number, now: number, kind = kindOf(n)): Row {
  const { status, ends, trial } = kind
  const started = at(-30 - (n % 700), now)
  const data: SubscriptionData = {
    id,
    ...key,
    customer_id: `cus_${n}`,
    price_id: n % 3 === 0 ? 'price_year' : 'price_month',
    product_id: 'prod_1',
    quantity: 1,
    items: [],
    status,
    provider_status: null,
    currency: n % 4 === 0 ? 'USD' : 'EUR',
    unit_amount: n % 3 === 0 ? 9000 : 900,
    interval: n % 3 === 0 ? 'year' : 'month',
    interval_count: 1,
    started_at: started,
    trial_ends_at: trial === undefined ? null : at(trial, now),
    current_period_start: at(-10, now),
    current_period_end: at(20, now),
    cancel_at_period_end: ends !== undefined,
    cancel_at: ends === undefined ? null : at(ends, now),
    canceled_at: null,
    paused_at: null,
    ended_at: status === 'canceled' ? at(-(n % 25), now) : null,
    resumes_at: null,
    past_due_since: status === 'past_due' ? at(-4, now) : null,
    livemode: true,
    metadata: { intent_id: `int_${n}`, source: 'a site with words in its metadata' },
    updated_at: started,
  }
  return {
    ...key,
    id,
    owner_id: `cus_${n}`,
    status,
    price_id: data.price_id,
    arrears: null,
    ...fact,
    ending: data.cancel_at_period_end || data.cancel_at !== null ? 1 : 0,
    trial_ends_at: data.trial_ends_at,
    begun_at: paidTimeOf(data, started)?.from ?? null,
    over_at: paidTimeOf(data, started)?.until ?? null,
    data: JSON.stringify(data),
    at: started,
  }
}

function payment(n: number, k: number, now: number): Row {
  const paid = at(-20 - 30 * k - (n % 20), now)
  const refunded = n % 100 === 50 && k === 1 ? 300 : 0
  const isFailed = n % 100 === 51 && k === 0
  const status = isFailed ? 'failed' : refunded > 0 ? 'partially_refunded' : 'paid'
  const data = {
    id: `pay_${n}_${k}`,
    ...key,
    customer_id: `cus_${n}`,
    subscription_id: `sub_${n}`,
    price_id: 'price_month',
    invoice_id: `in_${n}_${k}`,
    items: [],
    quantity: 1,
    amount: 900,
    amount_refunded: refunded,
    currency: n % 4 === 0 ? 'USD' : 'EUR',
    status,
    purpose: 'recurring',
    paid_at: paid,
    invoice_url: null,
    livemode: true,
    metadata: {},
    updated_at: paid,
  } satisfies PaymentData
  return {
    ...key,
    id: data.id,
    owner_id: data.customer_id,
    subscription_id: data.subscription_id,
    status: data.status,
    price_id: data.price_id,
    data: JSON.stringify(data),
    buyer: null,
    revision: 0,
    unknown_since: null,
    unknown_step: 0,
    paid_at: paid,
    changed_at: paid,
    refunded: refunded > 0 ? 1 : 0,
  }
}

/** The id of the member with that number. Ids of neighbours lie far apart, as random ones do. */
export function memberId(n: number): string {
  return `m_${((n * 2654435761) % 2 ** 32).toString(16).padStart(8, '0')}_${n}`
}

const names = ['Ann', 'Ben', 'Chloë', 'Dora', 'Emil', 'Farah', 'Grace', 'Hugo']

/** Rows of a site with so many members: table by table, so many at a time. */
function* rowsOf(members: number, now: number): Generator<readonly [table: string, rows: Row[]]> {
  for (let from = 0; from < members; from += 2000) {
    const all = Array.from({ length: Math.min(2000, members - from) }, (_, i) => from + i)
    yield ['members', all.map((n) => memberRow(memberId(n), n, at(-30 - (n % 700), now)))]
    yield [
      'customers',
      all.map((n) => ({
        ...key,
        customer_id: `cus_${n}`,
        guest: 0,
        member_id: memberId(n),
        email: `m${n}@example.com`,
        name: null,
        deleted: 0,
        purchased: 1,
        revision: 0,
        moved_from: null,
      })),
    ]
    yield ['subscriptions', all.map((n) => subscription(`sub_${n}`, n, now))]
    // Of those who left a third came back; one in a thousand pays twice.
    const again = all.filter((n) => (kindOf(n).status === 'canceled' && n % 3 === 0) || n % 1000 === 500)
    yield ['subscriptions', again.map((n) => subscription(`sub_${n}_again`, n, now, { status: 'active' }))]
    yield ['payments', all.flatMap((n) => [payment(n, 0, now), payment(n, 1, now)])]
    yield ['events', all.map((n) => eventRow(n, at(-(n % 60), now)))]
    yield ['grants', all.filter((n) => n % 50 === 0).map((n) => grantRow(memberId(n), n, at(-40, now)))]
  }
}

function memberRow(id: string, n: number, created_at: string): Row {
  return {
    id,
    email: memberEmail(n),
    email_verified: 1,
    name: `${names[n % 8]} Number ${n}`,
    roles: '["member"]',
    language: null,
    content: '{}',
    created_by: null,
    created_at,
    updated_at: created_at,
    password_hash: null,
    merged_into: null,
  }
}

function eventRow(n: number, received_at: string): Row {
  return {
    ...key,
    event_id: `evt_${n}`,
    type: n % 500 === 0 ? 'charge.refunded' : 'invoice.paid',
    object_id: `in_${n}_0`,
    occurred_at: received_at,
    received_at,
    livemode: 1,
    status: n % 200 === 0 ? 'dead' : 'processed',
    reason: null,
    attempts: 1,
    next_try_at: null,
    body_hash: `hash_${n}`,
    body: null,
    headers: null,
  }
}

function grantRow(member_id: string, n: number, created_at: string): Row {
  return {
    id: `grant_${n}`,
    member_id,
    gate: 'team',
    source: 'manual',
    reason: 'prize',
    starts_at: null,
    expires_at: null,
    created_at,
    revoked_at: null,
    moved_from: null,
  }
}

/** The address of the member with that number. */
export function memberEmail(n: number): string {
  return `m${n}.${names[n % 8]!.toLowerCase()}@example.com`
}

/**
 * Puts a site of so many members, with twice as many payments and as many received events, into a migrated
 * database; of some tables alone where they are named.
 */
export async function fillOffice(
  url: string,
  members: number,
  now: number,
  tables?: readonly string[],
): Promise<void> {
  if (url.startsWith('sqlite:')) return fillSqlite(url.slice('sqlite:'.length), members, now, tables)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const [table, rows] of rowsOf(members, now)) {
    if (rows.length === 0 || tables?.includes(table) === false) continue
    const columns = Object.keys(rows[0]!).map((name) => `"${name}"`)
    await client.query(
      `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    )
  }
  await client.query('analyze')
  await client.end()
}

function fillSqlite(file: string, members: number, now: number, tables?: readonly string[]): void {
  const db = new Database(file)
  db.exec('begin')
  for (const [table, rows] of rowsOf(members, now)) {
    if (rows.length === 0 || tables?.includes(table) === false) continue
    const columns = Object.keys(rows[0]!)
    const places = columns.map((name) => `@${name}`).join(', ')
    const insert = db.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`)
    for (const row of rows) insert.run(row)
  }
  db.exec('commit')
  db.close()
}
