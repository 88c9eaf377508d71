import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { nodeSqliteDriver } from '../../../src/core/storage/node-sqlite.ts'
import { endOfProcess } from '../../../src/core/storage/sqlite-driver.ts'

const Database = nodeSqliteDriver()
// Node 20 has no node:sqlite: `npm run nodes -- 22 24 'test/core/storage/*.test.ts'` runs these there.
const there = Database === null ? test.skip : test
if (Database === null) test('skipped on a Node without node:sqlite', (t) => t.pass())

there('rows, blobs, counts and single values are as better-sqlite3 gives them', (t) => {
  const db = new Database!(':memory:')
  db.exec('create table a (id integer primary key, name text, data blob)')
  const insert = db.prepare('insert into a (name, data) values (?, ?)')
  t.is(insert.run(['Ada', Buffer.from([1, 2])]).changes, 1)
  t.false(insert.reader)
  t.deepEqual(db.prepare('select * from a where name = ?').all('Ada'), [
    { id: 1, name: 'Ada', data: Buffer.from([1, 2]) },
  ])
  t.is(db.prepare('select count(*) from a').pluck().get(), 1)
  t.is(db.prepare('select 1 from a where id = 9').get(), undefined)
  t.deepEqual(db.prepare('select id, name from a').raw().all(), [[1, 'Ada']])
  t.true(db.prepare('delete from a returning id').reader)
  t.is(db.pragma('user_version', { simple: true }), 0)
  db.close()
  t.false(db.open)
})

there('a transaction that throws leaves nothing behind, and errors have codes', (t) => {
  const db = new Database!(':memory:')
  db.exec('create table a (id integer primary key)')
  const write = db.transaction(() => {
    db.prepare('insert into a values (1)').run()
    t.true(db.inTransaction)
    throw new Error('no')
  })
  t.throws(() => write.immediate(), { message: 'no' })
  t.false(db.inTransaction)
  t.is(db.prepare('select count(*) from a').pluck().get(), 0)
  db.prepare('insert into a values (1)').run()
  t.throws(() => db.prepare('insert into a values (1)').run(), { code: 'SQLITE_CONSTRAINT' })
  t.throws(() => new Database!(join(tmpdir(), 'not-there.db'), { fileMustExist: true }), {
    code: 'SQLITE_CANTOPEN',
  })
  db.close()
})

there('a file that somebody else writes to is busy, not broken', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'membership-node-sqlite-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [first, second] = [1, 2].map(() => new Database!(join(folder, 'a.db'), { timeout: 10 }))
  first!.exec('create table a (id integer)')
  first!.exec('begin immediate')
  t.throws(() => second!.exec('begin immediate'), { code: 'SQLITE_BUSY' })
  first!.exec('rollback')
  first!.close()
  second!.close()
})

test('a version of better-sqlite3 that would end the process is refused before it is loaded', (t) => {
  const refusal = (version: string | null, node: string, napi: string) => {
    const error = endOfProcess(version, { node, napi })
    return error && `${error.message} ${error.action}`
  }
  t.regex(
    refusal('13.2.0', '22.12.0', '9') ?? '',
    /^better-sqlite3 13\.2\.0 ends the process on Node 22\.12\.0.*Use Node 22\.14 or newer, or run: npm install better-sqlite3@12$/,
  )
  // Node 20 never had Node-API 10.
  t.regex(refusal('13.2.0', '20.20.2', '9') ?? '', /on Node 20\.20\.2/)
  t.regex(refusal('12.11.1', '24.19.0', '10') ?? '', /npm install better-sqlite3@13$/)
  t.is(refusal('13.2.0', '22.14.0', '10'), null)
  t.is(refusal('12.11.1', '22.12.0', '9'), null)
  t.is(refusal('12.11.1', '24.18.0', '10'), null)
  t.is(refusal(null, '22.12.0', '9'), null)
})
