import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { openStorage } from '../../../src/core/storage/index.ts'
import { type Migration, migrations } from '../../../src/core/storage/migrations/index.ts'
import { failedRefunds } from '../../../src/office/needs-statements.ts'
import { allDatabases, postgresDatabases } from '../../support/databases.ts'
import { Database } from '../../support/sqlite.ts'

function now() {
  return new Date('2026-01-01T00:00:00Z')
}
function opened(url: string, more: Partial<Parameters<typeof openStorage>[0]> = {}) {
  return openStorage({ url, synchronous: 'full', pool: 1, now, ...more })
}

async function connected(url: string) {
  const client = new pg.Client({ connectionString: url })
  // The database is dropped after a test that failed, whoever is there.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Rewrites a table with many rows, adds a column to another, and replaces an index, as a later release may. */
const second: Migration = {
  name: 'second',
  rewrites: () => [
    {
      table: 'facts',
      key: ['provider', 'account', 'kind', 'id'],
      texts: (range) => [
        `update facts set data = replace(data, '"old"', '"new"') where data like '%"old"%' and ${range}`,
      ],
    },
  ],
  up: (db) => [db.schema.alterTable('payments').addColumn('note', 'text')],
  indexes: (db) => [db.schema.createIndex('facts_kind').on('facts').columns(['kind', 'at'])],
  outgrown: ['facts_disputes'],
}
const third: Migration = {
  name: 'third',
  up: (db) => [db.schema.alterTable('fetches').addColumn('note', 'text')],
}

/** A PostgreSQL of this release with rows to rewrite, and somebody who looks. */
async function released(t: ExecutionContext, rows = 10) {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const url = await database.emptyUrl()
  await (await opened(url)).close()
  const admin = await connected(url)
  await admin.query(
    `insert into facts (provider, account, kind, id, data, at, source, marks, contested, revision)
     select 'stripe', '', 'payment', 'ch_' || n, '{"word":"old"}', '2026', 0, '[]', 0, 0
     from generate_series(1000, ${999 + rows}) n`,
  )
  await admin.query(
    `insert into payments (provider, account, id, owner_id, status, data, revision)
     values ('stripe', '', 'ch_1', 'cus_1', 'paid', 'null', 0)`,
  )
  const numberOf = async () => {
    const { rows: found } = await admin.query<{ n: number }>(
      'select max(number)::int as n from membership_migrations',
    )
    return found[0]?.n
  }
  const countOf = async (word: string) => {
    const { rows: found } = await admin.query<{ n: number }>(
      'select count(*)::int as n from facts where data like $1',
      [`%"${word}"%`],
    )
    return found[0]?.n ?? 0
  }
  return { url, admin, numberOf, countOf }
}

test('the baseline is frozen: a database that has it never gets it again', (t) => {
  const file = new URL('../../../src/core/storage/migrations/0001-baseline.ts', import.meta.url)
  t.is(
    createHash('sha256').update(readFileSync(file)).digest('hex'),
    '79a9c36d8688e1e599519cd6ec6a3f152ffae1aa31d61d6eeee716bea5d6eda0',
    'Leave the baseline as it is and add a migration behind it, which a database that is there gets, too.',
  )
  t.is(migrations[0]?.name, 'baseline')
})

for (const open of allDatabases)
  test(`${open.name}: a database from before the baseline is refused unchanged, with the commit that opens it`, async (t) => {
    const database = await open()
    t.teardown(() => database.close())
    const url = await database.emptyUrl()
    const statements = [
      'create table membership_migrations (number integer primary key, name text, applied_at text)',
      "insert into membership_migrations values (1, 'foundation', '2026'), (49, 'intent-accounts', '2026')",
      'create table members (id text primary key, email text)',
      "insert into members values ('m_1', 'ann@example.com')",
    ]
    const look = async () => {
      const sql = 'select * from members'
      if (url.startsWith('sqlite:')) {
        const file = new Database(url.slice('sqlite:'.length))
        const tables = file.prepare('select name from sqlite_master order by name').all()
        const rows = file.prepare(sql).all()
        file.close()
        return [tables, rows]
      }
      const client = await connected(url)
      const tables = await client.query("select relname from pg_class where relname like 'm%' order by 1")
      const rows = await client.query(sql)
      await client.end()
      return [tables.rows, rows.rows]
    }
    if (url.startsWith('sqlite:')) {
      const file = new Database(url.slice('sqlite:'.length))
      for (const text of statements) file.exec(text)
      file.close()
    } else {
      const client = await connected(url)
      for (const text of statements) await client.query(text)
      await client.end()
    }
    const before = await look()
    const error = await t.throwsAsync(opened(url), { code: 'ERR_STORAGE' })
    t.regex(error?.message ?? '', /older than 2\.0\.0-rc\.1/)
    t.regex((error as { action?: string }).action ?? '', /commit [0-9a-f]{8}/)
    t.deepEqual(await look(), before)
  })

for (const open of allDatabases)
  test(`${open.name}: a second migration rewrites existing rows once, and new rows get it too`, async (t) => {
    const database = await open()
    t.teardown(() => database.close())
    const url = await database.emptyUrl()
    const first = await opened(url)
    await first.read((db) =>
      db.insertInto('facts').values({
        provider: 'stripe',
        account: '',
        kind: 'payment',
        id: 'ch_1',
        data: '{"word":"old"}',
        at: '2026',
        source: 0,
        marks: '[]',
        contested: 0,
        revision: 0,
      } as never),
    )
    await first.close()
    const all = [...migrations, second, third]
    for (let start = 0; start < 2; start++) {
      const storage = await opened(url, { migrations: all })
      const [fact] = await storage.read((db) => db.selectFrom('facts').select('data'))
      t.is(fact?.data, '{"word":"new"}')
      const applied = await storage.read((db) =>
        db.selectFrom('membership_migrations').select(['number', 'name']).orderBy('number'),
      )
      t.deepEqual(
        applied.map(({ name }) => name),
        [...migrations.map((migration) => migration.name), 'second', 'third'],
      )
      await storage.read((db) => db.updateTable('payments').set({ note: 'a' } as never))
      await storage.close()
    }
    // The release before refuses what a newer one made.
    await t.throwsAsync(opened(url), {
      code: 'ERR_STORAGE',
      message: new RegExp(`has migration ${migrations.length + 2}`),
    })
    const fresh = await opened(await database.emptyUrl(), { migrations: all })
    await fresh.read((db) => db.updateTable('fetches').set({ note: 'a' } as never))
    await fresh.close()
  })

test('others read and write a table while an upgrade waits for a long reader', async (t) => {
  const { url, admin, numberOf } = await released(t)
  // As a copy of the database does.
  const reader = await connected(url)
  await reader.query('begin')
  await reader.query('select count(*) from payments')
  const opening = opened(url, { migrations: [...migrations, second] })
  const isWaiting = async () => {
    const { rows } = await admin.query<{ n: number }>(
      "select count(*)::int as n from pg_locks where not granted and relation = 'payments'::regclass",
    )
    return (rows[0]?.n ?? 0) > 0
  }
  while (!(await isWaiting())) await pause(5)
  await admin.query('select count(*) from payments')
  await admin.query("update payments set revision = 1 where id = 'ch_1'")
  t.is(await numberOf(), migrations.length, 'it waits still')
  await reader.query('commit')
  await (await opening).close()
  t.is(await numberOf(), migrations.length + 1)
  await Promise.all([admin.end(), reader.end()])
})

test('an upgrade locks no table while it rewrites another, and the next start continues it', async (t) => {
  const { url, admin, numberOf, countOf } = await released(t)
  // What the third cannot pass.
  await admin.query('alter table fetches add column note integer')
  const open = () => opened(url, { migrations: [...migrations, second, third] })
  await t.throwsAsync(open, { message: /note/ })
  t.is(await numberOf(), migrations.length + 1)
  t.is(await countOf('new'), 10)
  await admin.query('alter table fetches drop column note')
  await (await open()).close()
  t.is(await numberOf(), migrations.length + 2)
  await admin.end()
})

test('rows are rewritten in batches: a locked row delays no other, and progress is kept', async (t) => {
  const { url, admin, numberOf, countOf } = await released(t, 3500)
  const holder = await connected(url)
  await holder.query('begin')
  await holder.query("select from facts where id = 'ch_4499' for update")
  const said: string[] = []
  const log = (message: string) => void said.push(message)
  const opening = opened(url, { migrations: [...migrations, second], log })
  while ((await countOf('new')) === 0) await pause(5)
  t.true((await countOf('old')) > 0, 'the held one is not')
  t.is(await numberOf(), migrations.length)
  await admin.query("set lock_timeout = 200; update facts set revision = 9 where id = 'ch_1000'")
  while (!said.includes('the upgrade of the database waits for somebody who uses it')) await pause(5)
  await holder.query('commit')
  const storage = await opening
  t.is(await countOf('new'), 3500)
  t.true(said.includes('the database is upgraded: facts is rewritten'))
  // The index is made while others write, and the one that it replaces goes.
  const indexes = async () =>
    (
      await admin.query<{ name: string }>(
        "select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indisvalid and c.relname in ('facts_kind', 'facts_disputes')",
      )
    ).rows.map(({ name }) => name)
  while ((await indexes()).join() !== 'facts_kind') await pause(20)
  await storage.close()
  await Promise.all([admin.end(), holder.end()])
  t.pass()
})

for (const open of allDatabases)
  test(`${open.name}: a refund that failed before its state had a column is found after the upgrade`, async (t) => {
    const database = await open()
    t.teardown(() => database.close())
    const url = await database.emptyUrl()
    const before = migrations.slice(0, migrations.map(({ name }) => name).indexOf('fact-states'))
    const old = await opened(url, { migrations: before })
    for (const [id, state] of [
      ['re_failed', 'failed'],
      ['re_paid', 'paid'],
    ] as const)
      await old.read((db) =>
        db.insertInto('facts').values({
          provider: 'stripe',
          account: '',
          kind: 'refund',
          id,
          at: '2026-01-01T00:00:00.000Z',
          data: JSON.stringify({ state, amount: 900, currency: 'EUR', reason: 'a \\u0000 sign' }),
          source: 0,
          marks: '[]',
          contested: 0,
          revision: 0,
        } as never),
      )
    await old.close()
    const storage = await opened(url)
    t.teardown(() => storage.close())
    const found = await failedRefunds(storage, '2026')
    t.deepEqual(
      found.map(({ key, amount }) => [key, amount]),
      [['refund stripe  re_failed', 900]],
    )
  })
