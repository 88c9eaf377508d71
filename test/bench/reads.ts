import Database from 'better-sqlite3'
import type { Compiled } from '../../src/core/storage/contract.ts'
import { type Statement, step } from '../../src/core/storage/index.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import { ledgerStatements } from '../../src/memberships/ledger/statements/index.ts'
import { memberDoorStatements } from '../../src/memberships/members/door-statements.ts'
import { memberStatements } from '../../src/memberships/members/statements.ts'
import { signed } from '../../src/testkit/index.ts'
import { benchEvent, median, secret } from './events.ts'
import { onlyAbsolute, ratio, report, table } from './report.ts'

const moment = '2026-01-01T00:00:00.000Z'

/** A database with so many members, three subscriptions each. */
export async function populated(url: string, members: number): Promise<Membership> {
  const m = await createMembership({
    'membership.database.url': url,
    'membership.database.synchronous': 'normal',
    'membership.providers.stripe.webhook': secret,
    install: false,
    root: false,
    log: () => {},
  })
  const ledger = ledgerStatements(m.storage)
  const example = JSON.parse(benchEvent('evt_x', 0, 1).toString()).data.object
  for (let from = 0; from < members; from += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, members - from) }, (_, i) => {
        const n = from + i
        const customer = `cus_${n}`
        const key = { provider: 'stripe', account: '' }
        const data = (k: number) =>
          JSON.stringify({
            id: `sub_${n}_${k}`,
            ...key,
            customer_id: customer,
            price_id: `price_${k}`,
            items: [],
            status: 'active',
            metadata: example.metadata,
            filler: 'x'.repeat(700),
          })
        return m.storage.commit([
          step(memberDoorStatements(m.storage).memberInsert, {
            id: `m_${n}`,
            email: `m${n}@example.com`,
            email_verified: 1,
            name: null,
            roles: '["member"]',
            language: null,
            content: '{}',
            created_by: null,
            created_at: moment,
            updated_at: moment,
          }),
          step(ledger.customerInsert, {
            ...key,
            customer_id: customer,
            guest: 0,
            member_id: `m_${n}`,
            email: `m${n}@example.com`,
            name: null,
            deleted: 0,
            moved_from: null,
            place: null,
            purchased: 1,
            revision: 0,
          }),
          ...[1, 2, 3].map((k) =>
            step(ledger.subscriptionInsert, {
              ...key,
              id: `sub_${n}_${k}`,
              owner_id: customer,
              status: 'active',
              price_id: `price_${k}`,
              arrears: null,
              pauses: null,
              pause_moments: null,
              ending: 0,
              trial_ends_at: null,
              begun_at: null,
              over_at: null,
              sold: null,
              shared: null,
              items: null,
              data: data(k),
              at: moment,
              source: 0,
              marks: '[]',
              tied: null,
              prior_at: null,
              prior_marks: null,
              contested: 0,
              revision: 0,
            }),
          ),
        ])
      }),
    )
  return m
}

async function timed(count: number, run: (i: number) => unknown): Promise<number> {
  const begun = process.hrtime.bigint()
  for (let i = 0; i < count; i++) await run(i)
  return Number(process.hrtime.bigint() - begun) / count
}

/** The same look-ups by statements prepared once, by hand. */
function rawLoad(file: string, m: Membership) {
  const db = new Database(file)
  const s = memberStatements(m.storage)
  const prepared = [s.byId, s.subscriptions, s.payments, s.grants, s.customers].map((item) =>
    db.prepare((item as unknown as Statement<never>).compile(1).sql),
  )
  const parameters = [s.byId, s.subscriptions, s.payments, s.grants, s.customers].map(
    (item) => (item as unknown as Statement<never>).compile(1).places,
  )
  return (id: string) => {
    const rows = prepared.map(
      (statement, i) =>
        statement.all(parameters[i]!.map((place) => (place.row < 0 ? place.constant : id)) as never[]) as {
          data?: string
        }[],
    )
    if (rows[1]!.length !== 3) throw new Error(`${id} has ${rows[1]!.length} subscriptions`)
    return rows[1]!.map(({ data }) => JSON.parse(data!))
  }
}

export async function benchReads(file: string, sizes: readonly number[]): Promise<void> {
  const measured: { size: number; load: Cost; apply: Cost; check: number }[] = []
  for (const size of sizes) {
    process.stderr.write(`  ${size} members …        \r`)
    const path = `${file}-${size}.db`
    const m = await populated(`sqlite:${path}`, size)
    const raw = rawLoad(path, m)
    const id = (i: number) => `m_${(i * 7919) % size}`
    const own: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < 7; round++) {
      own.push(await timed(1500, async (i) => (await m.users.findById(id(i + round)))!.subscriptions()))
      theirs.push(await timed(1500, (i) => raw(id(i + round))))
    }
    const load = { own: median(own.slice(1)), raw: median(theirs.slice(1)) }
    const apply = await benchWrites(m, path, size)
    const user = await m.users.findById('m_1')
    const view = await m.viewOf(user)
    const provider = view.provider('stripe')
    const count = 2_000_000
    const begun = process.hrtime.bigint()
    for (let i = 0; i < count; i++)
      if (provider.subscriptionForPrice(i & 1 ? 'price_1' : 'price_2') === null) throw new Error('lost')
    measured.push({ size, load, apply, check: Number(process.hrtime.bigint() - begun) / count })
    await m.close()
  }
  const [{ load, apply, check }] = measured as [(typeof measured)[number]]
  report(
    'reads',
    'Reading and applying, SQLite: time',
    table(
      measured,
      {
        members: ({ size }) => size,
        'load a member, of raw statements': (row) => ratio(row.load.own / row.load.raw),
        'apply an event, of raw statements': (row) => ratio(row.apply.own / row.apply.raw),
        [`load a member, of ${sizes[0]} members`]: (row) => ratio(row.load.own / load.own),
        'by raw statements': (row) => ratio(row.load.raw / load.raw),
        [`apply an event, of ${sizes[0]} members`]: (row) => ratio(row.apply.own / apply.own),
        'its raw statements': (row) => ratio(row.apply.raw / apply.raw),
      },
      {
        'load µs': (row) => us(row.load.own),
        'by raw statements, µs': (row) => us(row.load.raw),
        'apply µs': (row) => us(row.apply.own),
        'by its raw statements, µs': (row) => us(row.apply.raw),
      },
    ),
    `In the time that loading a member takes, \`subscriptionForPrice\` answers ${Number((load.own / check).toPrecision(1))} times on a loaded view.`,
    ...onlyAbsolute(`It takes ${check.toFixed(0)} ns.`),
  )
}

/** Nanoseconds of the package, and of the statements alone. */
interface Cost {
  readonly own: number
  readonly raw: number
}

function valuesOf(compiled: Compiled, row: Readonly<Record<string, unknown>>) {
  return compiled.places.map((place) =>
    place.row < 0 ? place.constant : (row[place.name] ?? null),
  ) as never[]
}

function us(ns: number): string {
  return (ns / 1000).toFixed(1)
}

/** Applying events to existing customers, 64 at a time, against the bare statements in batches of 64. */
async function benchWrites(m: Membership, path: string, size: number): Promise<Cost> {
  const ledger = ledgerStatements(m.storage)
  const upsert = (ledger.subscriptionNewer as unknown as Statement<never>).compile(1)
  const db = new Database(path)
  db.pragma('synchronous = normal')
  const statement = db.prepare(upsert.sql)
  const event = db.prepare(
    "insert into events (provider, account, event_id, type, object_id, occurred_at, received_at, livemode, status, attempts, body_hash, body) values ('stripe', '', ?, 't', 'o', ?, ?, 0, 'processed', 0, ?, ?) on conflict do nothing",
  )
  const look = (ledger.customer as unknown as Statement<never>).compile(1)
  const owner = db.prepare(look.sql)
  const seen = new Set<number>()
  const own: number[] = []
  const raw: number[] = []
  let version = 1
  for (let round = 0; round < 5; round++) {
    const events = Array.from({ length: 1024 }, (_, i) =>
      benchEvent(`evt_own_${size}_${round}_${i}`, (i * 7919 + round * 131) % size, version + round),
    )
    const deliveries = events.map((body) => signed('stripe', body, { secret }))
    const begun = process.hrtime.bigint()
    for (let i = 0; i < deliveries.length; i += 64)
      await Promise.all(deliveries.slice(i, i + 64).map((delivery) => m.webhooks.receive('stripe', delivery)))
    own.push(Number(process.hrtime.bigint() - begun) / deliveries.length)

    const begunRaw = process.hrtime.bigint()
    for (let i = 0; i < 1024; i += 64)
      db.transaction(() => {
        for (let k = i; k < i + 64; k++) {
          const body = events[k]!
          const n = (k * 7919 + round * 131) % size
          // Whose purchase it is: ours, too, asks once for each customer.
          const key: Record<string, string> = { provider: 'stripe', account: '', customer_id: `cus_${n}` }
          if (!seen.has(n)) owner.get(valuesOf(look, key))
          seen.add(n)
          const parsed = JSON.parse(body.toString()) as { data: { object: object } }
          const at = new Date(Date.UTC(2027, 0, 1) + (version + round) * 1000).toISOString()
          event.run(`evt_raw_${size}_${round}_${k}`, at, at, 'h'.repeat(64), body)
          const row: Record<string, unknown> = {
            provider: 'stripe',
            account: '',
            id: `sub_${n}_raw`,
            owner_id: `cus_${n}`,
            status: 'active',
            price_id: 'p',
            ending: 0,
            data: JSON.stringify({ text: JSON.stringify(parsed.data.object).slice(0, 1200) }),
            at,
            source: 0,
            marks: 'm'.repeat(140),
            contested: 0,
            revision: 0,
          }
          statement.run(valuesOf(upsert, row))
        }
      })()
    raw.push(Number(process.hrtime.bigint() - begunRaw) / 1024)
    version += 10
  }
  db.close()
  return { own: median(own.slice(1)), raw: median(raw.slice(1)) }
}
