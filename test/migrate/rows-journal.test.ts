import { readFileSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError, migrateSite } from '../../src/index.ts'
import { emptyFolder } from '../support/migrate.ts'
import { Database } from '../support/sqlite.ts'

const file = 'site/db/users.sqlite'
function v1(n: number) {
  return JSON.stringify({ customer: `cus_${n}`, purchases: [`price_${n}`] })
}
function v2(n: number) {
  return JSON.stringify({ customer: `cus_${n}`, payments: [`price_${n}`] })
}

async function siteOf(t: ExecutionContext, { wal = false } = {}) {
  const site = join(await emptyFolder(t), 'site-folder')
  await mkdir(dirname(join(site, file)), { recursive: true })
  const db = new Database(join(site, file))
  if (wal) db.pragma('journal_mode = wal')
  db.exec('create table users (id text primary key, stripe text, name text)')
  for (const n of [1, 2, 3]) db.prepare('insert into users values (?, ?, ?)').run(`u${n}`, v1(n), `Name ${n}`)
  db.close()
  return site
}
function rows(site: string): string[] {
  const db = new Database(join(site, file))
  const found = db.prepare('select stripe from users order by id').pluck().all() as string[]
  db.close()
  return found
}
function run(site: string, sql: string, ...values: string[]) {
  const db = new Database(join(site, file))
  db.prepare(sql).run(...values)
  db.close()
}

for (const wal of [false, true])
  test(`rows become v2 and v1 again${wal ? ', with a write-ahead log' : ''}`, async (t) => {
    const site = await siteOf(t, { wal })
    const { plan } = await migrateSite(site)
    t.is(plan?.databases[0]?.rows.length, 3)
    t.deepEqual(rows(site), [1, 2, 3].map(v1))
    const { written } = await migrateSite(site, { write: true })
    t.deepEqual(written?.written, [file])
    t.deepEqual(rows(site), [1, 2, 3].map(v2))
    t.is((await migrateSite(site)).plan?.databases.length, 0)
    t.deepEqual((await migrateSite(site, { rollback: true })).rolledBack?.restored, [file])
    t.deepEqual(rows(site), [1, 2, 3].map(v1))
  })

test('a later purchase stays, under the old name', async (t) => {
  const site = await siteOf(t)
  await migrateSite(site, { write: true })
  const newer = JSON.stringify({ customer: 'cus_2', payments: ['price_2', 'price_new'] })
  run(site, "update users set stripe = ? where id = 'u2'", newer)
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual(rolledBack?.merged, [file])
  t.deepEqual(rows(site), [
    v1(1),
    JSON.stringify({ customer: 'cus_2', purchases: ['price_2', 'price_new'] }),
    v1(3),
  ])
})

test('rows are found by their key if their numbers belong to other rows now', async (t) => {
  const site = await siteOf(t)
  await migrateSite(site, { write: true })
  run(site, "delete from users where id = 'u1'")
  run(site, 'vacuum')
  run(site, "update users set name = 'Newer' where id = 'u3'")
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual(rows(site), [v1(2), v1(3)])
  t.deepEqual([rolledBack?.restored, rolledBack?.merged], [[file], [file]])
  t.regex(rolledBack!.kept[0]!.reason, /: users\.stripe, row 1 \(it is gone\)$/)
  const [gone] = JSON.parse(readFileSync(rolledBack!.kept[0]!.current, 'utf8')) as { row: unknown }[]
  t.deepEqual(gone?.row, { id: 'u1', stripe: v1(1), name: 'Name 1' })
})

test('a row without a key whose other columns changed is restored if its text is the written one', async (t) => {
  const site = await siteOf(t)
  run(site, 'create table plain (stripe text, name text)')
  run(site, 'insert into plain values (?, ?)', v1(7), 'before')
  await migrateSite(site, { write: true })
  run(site, "update plain set name = 'after'")
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual(rolledBack?.kept, [])
  const db = new Database(join(site, file))
  t.deepEqual(db.prepare('select * from plain').all(), [{ stripe: v1(7), name: 'after' }])
  db.close()
})

test('a rollback does not write a table with triggers until they are dropped', async (t) => {
  const site = await siteOf(t)
  await migrateSite(site, { write: true })
  run(site, "create trigger audit after update on users begin update users set name = 'audited'; end")
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual([rows(site), rolledBack?.restored], [[1, 2, 3].map(v2), []])
  t.regex(rolledBack!.kept[0]!.reason, /users\.stripe, row 1 \(.*drop trigger "audit"/)
  run(site, 'drop trigger audit')
  t.deepEqual((await migrateSite(site, { rollback: true })).rolledBack?.restored, [file])
  t.deepEqual(rows(site), [1, 2, 3].map(v1))
})

test('a row whose number is not exact is reported and left', async (t) => {
  const site = await siteOf(t)
  run(site, 'create table many (id integer primary key, stripe text)')
  run(site, 'insert into many values (9007199254740993, ?)', v1(9))
  const { plan } = await migrateSite(site)
  t.deepEqual(
    plan!.decisions.map(({ code, level }) => [code, level]),
    [['not-read', 'unproven']],
  )
})

test('the backup of a database holds whole rows, to the last digit and byte', async (t) => {
  const site = await siteOf(t)
  run(site, 'create table many (id integer primary key, stripe text, n, r, b, t, none)')
  run(
    site,
    "insert into many values (9007199254740993, ?, 9223372036854775807, 0.1, x'00ff', cast(x'ff41' as text), null)",
    v1(9),
  )
  run(
    site,
    "insert into many values (5, ?, 9223372036854775807, 0.1, x'00ff', cast(x'ff41' as text), null)",
    v1(8),
  )
  const { written } = await migrateSite(site, { write: true })
  const saved = JSON.parse(readFileSync(join(written!.backup, 'files', 'rows-001.json'), 'utf8')) as unknown[]
  t.deepEqual(saved[0], {
    id: { integer: '5' },
    stripe: v1(8),
    n: { integer: '9223372036854775807' },
    r: { real: '0.1' },
    b: { blob: 'AP8=' },
    t: { text: '/0E=' },
    none: null,
  })
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual([rolledBack?.restored, rolledBack?.merged, rolledBack?.kept], [[file], [], []])
})

test('an unmergeable row is kept, with both texts', async (t) => {
  const site = await siteOf(t)
  await migrateSite(site, { write: true })
  run(site, "update users set stripe = 'encrypted:abc' where id = 'u2'")
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual(rows(site), [v1(1), 'encrypted:abc', v1(3)])
  const [kept] = rolledBack!.kept
  t.is(kept?.file, file)
  const [both] = JSON.parse(readFileSync(kept!.current, 'utf8')) as { current: string; original: string }[]
  t.deepEqual([both?.current, both?.original], ['encrypted:abc', v1(2)])
})

test('a missing row or database is reported', async (t) => {
  const site = await siteOf(t)
  await migrateSite(site, { write: true })
  run(site, "delete from users where id = 'u1'")
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual(rows(site), [v1(2), v1(3)])
  t.is(rolledBack?.kept.length, 1)
  rmSync(join(site, file))
  t.regex((await migrateSite(site, { rollback: true })).rolledBack!.kept[0]!.reason, /not there/)
})

test('a database that somebody else is writing is a clear error, and nothing is lost', async (t) => {
  const site = await siteOf(t)
  const blocker = new Database(join(site, file))
  blocker.exec('begin immediate')
  const error = await t.throwsAsync(migrateSite(site, { write: true }))
  t.true(isMembershipError(error, 'ERR_STORAGE'), String(error))
  blocker.exec('rollback')
  blocker.close()
  t.deepEqual(rows(site), [1, 2, 3].map(v1))
  // What the stopped run left behind is taken back, and a new run goes through.
  await migrateSite(site, { rollback: true })
  t.is((await migrateSite(site, { write: true })).written?.written.length, 1)
})
