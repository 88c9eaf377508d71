import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { openStorage } from '../../../src/core/storage/index.ts'
import { migrations } from '../../../src/core/storage/migrations/index.ts'
import { postgresDatabases } from '../../support/databases.ts'
import { releasedSchema } from '../../support/released-schema.ts'

const connected = async (url: string) => {
  const client = new pg.Client({ connectionString: url })
  // The database is dropped after a test that failed, whoever is there.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A database as release 2.0.0 left it, and somebody who looks. */
const released = async (t: ExecutionContext) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const url = await database.emptyUrl()
  const admin = await connected(url)
  for (const text of releasedSchema()) await admin.query(text)
  return { url, admin }
}

test('while an upgrade waits for a table that somebody reads for long, others read and write it', async (t) => {
  const { url, admin } = await released(t)
  // As a copy of the database does.
  const reader = await connected(url)
  await reader.query('begin')
  await reader.query('select count(*) from payments')
  const opening = openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date() })
  const isWaiting = async () => {
    const { rows } = await admin.query<{ n: number }>(
      "select count(*)::int as n from pg_locks where not granted and relation = 'payments'::regclass",
    )
    return (rows[0]?.n ?? 0) > 0
  }
  while (!(await isWaiting())) await pause(5)
  await admin.query('select count(*) from payments')
  await admin.query("update payments set revision = 1 where id = 'ch_1'")
  const { rows } = await admin.query<{ n: number }>('select max(number)::int as n from membership_migrations')
  t.is(rows[0]?.n, 7, 'it waits still')
  await reader.query('commit')
  const storage = await opening
  const applied = await storage.read((db) => db.selectFrom('membership_migrations').select('number'))
  t.is(applied.length, migrations.length)
  await storage.close()
  await Promise.all([admin.end(), reader.end()])
})

test('an upgrade locks no table while it rewrites another: what was applied stands, and the next start goes on', async (t) => {
  const { url, admin } = await released(t)
  // What the 22nd cannot pass.
  await admin.query("insert into fetches values ('stripe', '', 'x', '1', '2026', 0, 0, null)")
  await admin.query('alter table fetches add column precedence integer')
  const open = () => openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date() })
  await t.throwsAsync(open, { message: /precedence/ })
  const { rows } = await admin.query<{ n: number }>('select max(number)::int as n from membership_migrations')
  t.is(rows[0]?.n, 21)
  await admin.query('alter table fetches drop column precedence')
  await (await open()).close()
  await admin.end()
  t.pass()
})

test('what was typed at a checkout is looked for before payments are locked, and is kept', async (t) => {
  const { url, admin } = await released(t)
  for (const n of [1, 2]) {
    await admin.query(
      `insert into customers values ('stripe', '', 'cus_${n}', 0, null, 'ann${n}@example.com', 'Ann', 0, 1, 0)`,
    )
    await admin.query(
      `insert into payments values ('stripe', '', 'ch_${n}', 'cus_${n}', null, 'paid', null, 'null', 0)`,
    )
  }
  await admin.query(
    `insert into facts values ('stripe', '', 'customer', 'cus_2', '{"email":"Ann2@example.com"}', '2026', 0, '[]', null, null, null, 0, 0)`,
  )
  const holder = await connected(url)
  await holder.query('begin; lock table customers in access exclusive mode')
  const opening = openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date() })
  const isWaiting =
    "select count(*)::int as n from pg_locks where not granted and relation = 'customers'::regclass"
  while ((await admin.query<{ n: number }>(isWaiting)).rows[0]?.n === 0) await pause(5)
  await t.notThrowsAsync(() => admin.query('begin; lock table payments in access share mode nowait; commit'))
  await holder.query('commit')
  const storage = await opening
  const rows = await storage.read((db) => db.selectFrom('payments').select(['id', 'buyer']).orderBy('id'))
  t.deepEqual(
    rows.map(({ buyer }) => JSON.parse(buyer ?? 'null')),
    [['1970-01-01T00:00:00.000Z', 'ann1@example.com', 'Ann'], null],
  )
  await storage.close()
  await Promise.all([admin.end(), holder.end()])
})

test('what is rewritten is rewritten in parts: whoever holds one row keeps no other waiting, and what stands goes on', async (t) => {
  const { url, admin } = await released(t)
  const put = (kind: string, from: number, to: number) =>
    admin.query(
      `insert into facts select 'stripe', '', $1, 'ch_' || n, '{"refs":[],"subscription_id":null,"price_id":"price_1"}', '2026', 0, '[]', null, null, null, 0, 0
       from generate_series(${from}, ${to}) n`,
      [kind],
    )
  await put('charge', 1000, 4499)
  const holder = await connected(url)
  // Earlier migrations take the whole table: the row is held against whoever changes it, and no sooner.
  await admin.query(`create function wait_for_it() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(42); return new; end $$`)
  await admin.query(
    "create trigger held before update on facts for each row when (old.id = 'ch_4499') execute function wait_for_it()",
  )
  await holder.query('begin; select pg_advisory_xact_lock(42)')
  const said: string[] = []
  const log = (message: string) => void said.push(message)
  const opening = openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date(), log })
  const countOf = async (kind: string) => {
    const { rows } = await admin.query<{ n: number }>(
      'select count(*)::int as n from facts where kind = $1',
      [kind],
    )
    return rows[0]?.n ?? 0
  }
  while ((await countOf('payment')) === 0) await pause(5)
  t.true((await countOf('charge')) > 0, 'the held one is not')
  const { rows } = await admin.query<{ n: number }>('select max(number)::int as n from membership_migrations')
  t.is(rows[0]?.n, 20)
  await admin.query("set lock_timeout = 200; update facts set revision = 9 where id = 'ch_1000'")
  // A process of the release before, which still runs, hears of the same charge.
  await put('charge', 1000, 1000)
  while (!said.includes('the upgrade of the database waits for somebody who uses it')) await pause(5)
  await holder.query('commit')
  const storage = await opening
  t.is(await countOf('payment'), 3500)
  t.true(said.includes('the database is upgraded: facts is rewritten'))
  const purposes = await admin.query<{ data: string }>(
    "select distinct data from facts where kind = 'payment'",
  )
  t.deepEqual(
    purposes.rows.map(({ data }) => JSON.parse(data).purpose),
    ['one_time'],
  )
  await storage.close()
  await Promise.all([admin.end(), holder.end()])
})
