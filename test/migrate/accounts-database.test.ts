import { hash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { planDatabase, readRows, revertValue, writeRows } from '../../src/migrate/accounts/index.ts'
import { applyEdits } from '../../src/migrate/edits.ts'
import { openInstance } from '../support/converge.ts'
import { sqliteDatabases } from '../support/databases.ts'
import { Database } from '../support/sqlite.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
function sha256(text: string) {
  return hash('sha256', text, 'hex')
}

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-database-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function withDatabase(t: ExecutionContext, fill: (db: Database) => void) {
  const folder = await folderOf(t)
  const path = join(folder, 'site.sqlite')
  const db = new Database(path)
  fill(db)
  db.close()
  return { folder, path }
}

/** What a plan would make of each place. */
function valuesAfter(path: string) {
  const { rows } = planDatabase(path, 'site.sqlite', facts)
  const texts = readRows(path, rows)
  return rows.map(({ table, column, rowid, before, after, edits }, i) => {
    const value = applyEdits(texts[i]!, edits)
    return [table, column, rowid, value, sha256(texts[i]!) === before && sha256(value) === after]
  })
}

const yaml = 'customer: cus_1\npurchases:\n- price_1\n'
const content = 'Name: Ann\n\n----\n\nStripe:\n\ncustomer: cus_1\npurchases:\n- price_1\n'

test('provider data is found in its own column and in content columns, in any format', async (t) => {
  const { path } = await withDatabase(t, (db) => {
    db.exec(`
      create table users (id text primary key, email text, stripe text, bio text);
      create table "odd ""table" (rowid text, _rowid_ text, "the content" text);
      create table posts (id integer primary key, body text);
      create table pairs (a text primary key, stripe text) without rowid;
      create view everyone as select * from users;
      create virtual table search using fts5(stripe);
    `)
    const user = db.prepare('insert into users values (?, ?, ?, ?)')
    user.run('a', 'a@example.com', yaml, 'Loves purchases: all of them')
    user.run('b', 'b@example.com', '{"customer":"cus_2","purchases":[]}', null)
    user.run('c', 'c@example.com', 'customer: cus_3\npayments: []\n', null)
    user.run('d', 'd@example.com', null, null)
    const odd = db.prepare('insert into "odd ""table" values (?, ?, ?)')
    odd.run('x', 'y', content)
    odd.run('x', 'y', '{"name":"Bo","stripe":{"customer":"cus_4","purchases":["price_1"]}}')
    odd.run('x', 'y', '{"name":"Bo","stripe":"customer: cus_4\\npurchases:\\n- price_1"}')
    odd.run('x', 'y', 'name: Cy\nstripe:\n  purchases: [price_1]\n')
    db.prepare('insert into posts (body) values (?)').run('{ "a": our purchases')
    db.prepare('insert into posts (body) values (?)').run('Stripe and purchases\n\n- one: two\n three')
    db.prepare('insert into pairs values (?, ?)').run('k', yaml)
    db.prepare('insert into search values (?)').run(yaml)
  })
  t.deepEqual(valuesAfter(path), [
    ['odd "table', 'the content', 1, content.replace('purchases', 'payments'), true],
    [
      'odd "table',
      'the content',
      2,
      '{"name":"Bo","stripe":{"customer":"cus_4","payments":["price_1"]}}',
      true,
    ],
    [
      'odd "table',
      'the content',
      3,
      '{"name":"Bo","stripe":"customer: cus_4\\npayments:\\n- price_1"}',
      true,
    ],
    ['odd "table', 'the content', 4, 'name: Cy\nstripe:\n  payments: [price_1]\n', true],
    ['users', 'stripe', 1, yaml.replace('purchases', 'payments'), true],
    ['users', 'stripe', 2, '{"customer":"cus_2","payments":[]}', true],
  ])
  const { findings, summary } = planDatabase(path, 'site.sqlite', facts)
  // Rows without a number cannot be named, so they are said and left.
  t.deepEqual(
    findings.map(({ level, code, reason }) => [level, code, /Table "\w+"/.exec(reason)?.[0]]),
    [['unproven', 'not-read', 'Table "pairs"']],
  )
  t.deepEqual(summary, [
    'odd "table.the content: stripe.purchases → stripe.payments',
    'users.stripe: stripe.purchases → stripe.payments',
  ])
})

test('an unchangeable value is reported once per column, without values', async (t) => {
  const { path } = await withDatabase(t, (db) => {
    db.exec('create table users (stripe text, shop text)')
    const insert = db.prepare('insert into users values (?, ?)')
    for (let i = 0; i < 5; i++) insert.run('encrypted:m0Fv2xP1secret', null)
    insert.run('customer: cus_secret\n  purchases: [', null)
    insert.run(null, 'customer: cus_secret\npurchases: []\n')
    insert.run('purchases: [\ufffd]', null)
  })
  const { rows, findings } = planDatabase(path, 'data/site.sqlite', facts)
  t.deepEqual(rows, [])
  t.deepEqual(
    findings.map(({ code, file, line }) => [code, file, line]),
    [
      ['encrypted', 'data/site.sqlite', null],
      ['not-parsed', 'data/site.sqlite', null],
      ['other-field', 'data/site.sqlite', null],
      ['not-text', 'data/site.sqlite', null],
    ],
  )
  t.regex(findings[0]!.reason, /^Table "users", column "stripe", 5 rows \(1, 2, 3, …\): /)
  t.false(JSON.stringify(findings).includes('secret'))
})

for (const mode of ['delete', 'wal'])
  test(`planning leaves a database in ${mode} mode unchanged, with no file beside it`, async (t) => {
    const { folder, path } = await withDatabase(t, (db) => {
      db.pragma(`journal_mode = ${mode}`)
      db.exec('create table users (stripe text)')
      db.prepare('insert into users values (?)').run(yaml)
    })
    const before = await readFile(path)
    t.is(valuesAfter(path).length, 1)
    t.deepEqual(await readdir(folder), ['site.sqlite'])
    t.true((await readFile(path)).equals(before))
  })

test('data that a running site has not moved from its log to the file is read', async (t) => {
  const folder = await folderOf(t)
  const path = join(folder, 'site.sqlite')
  const site = new Database(path)
  t.teardown(() => site.close())
  site.pragma('journal_mode = wal')
  site.pragma('wal_autocheckpoint = 0')
  site.exec('create table users (stripe text)')
  site.prepare('insert into users values (?)').run(yaml)
  t.is(valuesAfter(path).length, 1)
})

test('a file that cannot be used is a finding, never an exception', async (t) => {
  const folder = await folderOf(t)
  const codesFor = (name: string) =>
    planDatabase(join(folder, name), name, facts).findings.map(({ code }) => code)
  await writeFile(join(folder, 'text.db'), 'Not a database, only named like one. '.repeat(20))
  t.deepEqual(codesFor('text.db'), ['not-a-database'])
  await writeFile(join(folder, 'empty.db'), '')
  t.deepEqual(codesFor('empty.db'), [])
  t.deepEqual(codesFor('missing.db'), ['database-unreadable'])
  const head = Buffer.alloc(4096, 7)
  head.write('SQLite format 3\0')
  await writeFile(join(folder, 'torn.db'), head)
  t.deepEqual(
    codesFor('torn.db').map((code) => /^(not-a-database|database-unreadable)$/.test(code)),
    [true],
  )
})

test('a database that another program writes to is a finding', async (t) => {
  const { path } = await withDatabase(t, (db) => db.exec('create table users (stripe text)'))
  const other = new Database(path)
  t.teardown(() => other.close())
  other.exec('begin exclusive')
  t.deepEqual(
    planDatabase(path, 'site.sqlite', facts).findings.map(({ code }) => code),
    ['database-locked'],
  )
})

test('this package’s own database is left alone', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const url = await database.url()
  const m = await openInstance(url, () => new Date(0))
  await m.users.create({ email: 'a@example.com', content: { stripe: { customer: 'c', purchases: [] } } })
  await m.close()
  t.deepEqual(planDatabase(url.slice('sqlite:'.length), 'membership.db', facts), {
    rows: [],
    findings: [],
    summary: [],
  })
})

test('only rows that are unchanged since the plan are written', async (t) => {
  const { path } = await withDatabase(t, (db) => {
    db.exec('create table users (stripe text, n integer)')
    for (let i = 0; i < 3; i++) db.prepare('insert into users values (?, ?)').run(yaml, i)
  })
  const { rows } = planDatabase(path, 'site.sqlite', facts)
  const db = new Database(path)
  t.teardown(() => db.close())
  db.prepare('update users set stripe = ? where rowid = 2').run('customer: other\npurchases: []\n')
  const value = yaml.replace('purchases', 'payments')
  const writes = rows.map(({ table, column, rowid, before }) => ({
    table,
    column,
    rowid,
    expect: before,
    value,
  }))
  const gone = { table: 'no such', column: 'stripe', rowid: 1, expect: sha256(''), value: '' }
  t.deepEqual(writeRows(path, [...writes, gone]), { written: [0, 2], kept: [1, 3] })
  t.deepEqual(db.prepare('select stripe from users').pluck().all(), [
    value,
    'customer: other\npurchases: []\n',
    value,
  ])
  t.deepEqual(
    planDatabase(path, 'site.sqlite', facts).rows.map(({ rowid }) => rowid),
    [2],
  )
  t.deepEqual(readRows(path, [rows[0]!, gone]), [value, null])
})

test('a failed write writes nothing', async (t) => {
  const { path } = await withDatabase(t, (db) => {
    db.exec("create table users (stripe text check (stripe not like '%forbidden%'))")
    for (let i = 0; i < 2; i++) db.prepare('insert into users values (?)').run(yaml)
  })
  const [first, second] = planDatabase(path, 'site.sqlite', facts).rows
  const error = t.throws(() =>
    writeRows(path, [
      { ...first!, expect: first!.before, value: 'fine' },
      { ...second!, expect: second!.before, value: 'forbidden' },
    ]),
  )
  t.is((error as { code?: string }).code, 'ERR_STORAGE')
  t.deepEqual(readRows(path, [first!, second!]), [yaml, yaml])
})

test('a row that changed since is reverted by its key alone', (t) => {
  t.is(
    revertValue('customer: cus_1\npayments:\n- price_1\n- price_2\n', 'stripe', facts),
    'customer: cus_1\npurchases:\n- price_1\n- price_2\n',
  )
  t.is(revertValue('{"stripe":{"payments":[1]}}', 'content', facts), '{"stripe":{"purchases":[1]}}')
  t.is(revertValue('payments: [1]\npurchases: [2]', 'stripe', facts), null)
})
