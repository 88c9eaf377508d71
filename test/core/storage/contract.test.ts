import { execFileSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { sql } from 'kysely'
import type { Awaitable } from '../../../src/core/awaitable.ts'
import { isMembershipError } from '../../../src/core/errors.ts'
import {
  createDocuments,
  openStorage,
  type Storage,
  step,
  UnitConflict,
} from '../../../src/core/storage/index.ts'
import { migrations } from '../../../src/core/storage/migrations/index.ts'
import { newestMigration } from '../../../src/core/storage/migrations-table.ts'
import {
  postgresDatabases,
  sqliteDatabases,
  type TestDatabase,
  usualLocale,
} from '../../support/databases.ts'
import { hasPooler, pooledDatabases } from '../../support/pooler.ts'

function now() {
  return new Date('2026-01-01T00:00:00Z')
}

function statements(storage: Storage) {
  return {
    insert: storage.prepareMany<{ space: string; key: string; value: string }>(
      'document-insert',
      { all: ['space', 'key', 'value'], key: ['space', 'key'] },
      (db, rows) =>
        db
          .insertInto('documents')
          .values(rows)
          .onConflict((c) => c.columns(['space', 'key']).doNothing()),
    ),
    update: storage.prepare<{ space: string; key: string; from: string; value: string }>(
      'document-update',
      (db, p) =>
        db
          .updateTable('documents')
          .set({ value: p.value })
          .where('space', '=', p.space)
          .where('key', '=', p.key)
          .where('value', '=', p.from),
    ),
    find: storage.prepare<{ space: string; key: string }, { value: string }>('document-find', (db, p) =>
      db.selectFrom('documents').select('value').where('space', '=', p.space).where('key', '=', p.key),
    ),
    poison: storage.prepare<{ space: string }>('document-poison', (db, p) =>
      db.insertInto('documents').values({ space: p.space, key: 'x', value: null as never }),
    ),
  }
}

const locale = usualLocale()
// What is not installed here is left out, and says so.
const kinds: Record<string, (() => Promise<TestDatabase>) | string> = {
  sqlite: sqliteDatabases,
  postgres: postgresDatabases,
  'postgres ordered by en_US.UTF-8':
    locale === null
      ? 'the locale (localedef -i en_US -f UTF-8 en_US.UTF-8)'
      : () => postgresDatabases({ locale }),
  'postgres behind PgBouncer': hasPooler() ? pooledDatabases : 'PgBouncer (Debian: pgbouncer)',
}

for (const [name, databases] of Object.entries(kinds)) {
  test.serial(`${name}: the storage contract`, async (t) => {
    if (typeof databases === 'string') {
      t.log(`skipped: this machine is without ${databases}`)
      return t.pass()
    }
    const database = await databases()
    t.teardown(() => database.close())
    const url = await database.emptyUrl()
    const open = () => openStorage({ url, synchronous: 'full', pool: 4, now })
    const storage = await open()
    const s = statements(storage)
    const value = async (key: string) => (await storage.all(s.find, { space: 'a', key }))[0]?.value ?? null

    await storage.commit([step(s.insert, { space: 'a', key: '1', value: 'one' }, 1)])
    t.is(await value('1'), 'one', 'a committed unit is there to read')

    const conflict = await t.throwsAsync(
      storage.commit([
        step(s.insert, { space: 'a', key: '2', value: 'two' }, 1),
        step(s.update, { space: 'a', key: '1', from: 'other', value: 'new' }, 1),
      ]),
    )
    t.true(conflict instanceof UnitConflict)
    t.is(await value('2'), null, 'a unit whose expectation fails leaves nothing')

    const outcomes = await Promise.allSettled([
      storage.commit([step(s.insert, { space: 'a', key: '3', value: 'three' }, 1)]),
      storage.commit([
        step(s.insert, { space: 'a', key: '4', value: 'four' }),
        step(s.poison, { space: 'a' }),
      ]),
      storage.commit([step(s.insert, { space: 'a', key: '1', value: 'again' }, 1)]),
      storage.commit([step(s.insert, { space: 'a', key: '5', value: 'five' }, 1)]),
      storage.commit([step(s.insert, { space: 'a', key: '5', value: 'twin' })]),
    ])
    t.deepEqual(
      outcomes.map((o) => o.status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
    )
    t.deepEqual(
      await Promise.all(['3', '4', '1', '5'].map(value)),
      ['three', null, 'one', 'five'],
      'a poisoned unit and a conflict leave their neighbours alone',
    )

    const [poisoned, after] = await Promise.allSettled([
      storage.commit([step(s.poison, { space: 'a' })]),
      storage.commit([step(s.update, { space: 'a', key: '1', from: 'one', value: 'next' }, 1)]),
    ])
    t.is(poisoned.status, 'rejected')
    t.false(
      isMembershipError((poisoned as PromiseRejectedResult).reason, 'ERR_STORAGE'),
      'a wrong statement is not taken for a broken database',
    )
    t.is(after.status, 'fulfilled')
    t.is(await value('1'), 'next', 'nor does it hold up what would have run after it')

    const many = Array.from({ length: 200 }, (_, i) => i)
    await Promise.all(
      many.map((i) => storage.commit([step(s.insert, { space: 'b', key: String(i), value: 'v' }, 1)])),
    )
    const rows = await storage.read((db) => db.selectFrom('documents').select('key').where('space', '=', 'b'))
    t.is(rows.length, 200)

    await storage.commit([step(s.insert, { space: 'c', key: 'n', value: '0' }, 1)])
    const increase = async (store: Storage, own: ReturnType<typeof statements>) => {
      for (;;) {
        const [row] = await store.all(own.find, { space: 'c', key: 'n' })
        const from = row?.value ?? '0'
        try {
          return await store.commit([
            step(own.update, { space: 'c', key: 'n', from, value: String(Number(from) + 1) }, 1),
          ])
        } catch (error) {
          if (!(error instanceof UnitConflict)) throw error
        }
      }
    }
    const second = await open()
    const s2 = statements(second)
    await Promise.all(many.slice(0, 20).map((i) => (i % 2 ? increase(storage, s) : increase(second, s2))))
    t.is(
      (await storage.all(s.find, { space: 'c', key: 'n' }))[0]?.value,
      '20',
      'no guarded update is lost between two processes',
    )

    const documents = createDocuments(storage, 'list')
    for (const key of ['sub/b', 'sub/B', 'sub/a-1', 'sub/a/2', 'sub/é', 'subscription/1', 'su/1', 'Sub/a'])
      await documents.put(key, key)
    t.deepEqual(
      await documents.list('sub/'),
      ['sub/B', 'sub/a-1', 'sub/a/2', 'sub/b', 'sub/é'],
      'documents are found by how their keys begin, in the order of their bytes',
    )

    const elsewhere = createDocuments(second, 'list')
    const first = { key: 'guard', was: null, value: { n: 1 } }
    const written = await Promise.all([
      documents.swap(first, new Map([['by', 'one']])),
      elsewhere.swap({ ...first, value: { n: 2 } }, new Map([['by', 'two']])),
    ])
    t.is(written.filter(Boolean).length, 1, 'of two who put a document in place of the same, one does')
    const winner = written[0] ? ['one', 1] : ['two', 2]
    t.deepEqual([await documents.get('by'), (await documents.get<{ n: number }>('guard'))?.n], winner)
    t.false(await documents.swap({ key: 'guard', was: { n: 3 }, value: 4 }, new Map([['by', 'three']])))
    t.true(await documents.swap({ key: 'guard', was: { n: winner[1] }, value: 5 }, new Map()))
    t.deepEqual([await documents.get('by'), await documents.get('guard')], [winner[0], 5])

    const applied = await second.read((db) => db.selectFrom('membership_migrations').select('number'))
    t.is(applied.length, migrations.length, 'opening twice migrates once')
    t.is(newestMigration, migrations.length, 'what a start compares with')
    await storage.close()
    await second.close()
  })
}

// Texts that are near each other, and those that mean something where a list of texts is written.
const oddKeys = [
  'a',
  'A',
  'ä',
  ' a',
  'a ',
  '',
  'null',
  'NULL',
  '{a,b}',
  'a,b',
  '"',
  '\\',
  '\\"',
  "'",
  '$1',
  '1',
  'a\0',
  '😀',
]

for (const [name, databases] of Object.entries(kinds))
  test.serial(`${name}: each of many who read in one turn gets its own rows`, async (t) => {
    if (typeof databases === 'string') {
      t.log(`skipped: this machine is without ${databases}`)
      return t.pass()
    }
    const database = await databases()
    t.teardown(() => database.close())
    const open = async () => {
      const storage = await openStorage({ url, synchronous: 'full', pool: 1, now })
      t.teardown(() => storage.close())
      return storage
    }
    const url = await database.emptyUrl()
    const storage = await open()
    const { insert, find: findValue } = statements(storage)
    type Found = { key: string; value: string | null }
    const find = storage.prepare<{ key: string; space: string }, Found>('documents-of', (db, p) =>
      db
        .selectFrom('documents')
        .select(['key', 'value'])
        .where('space', '=', p.space)
        .where('key', '=', p.key)
        .unionAll([
          // Each has two rows, and a constant of the query stands between the parameters.
          db
            .selectFrom('documents')
            .select(['key', sql<null>`cast(null as text)`.as('value')])
            .where('value', '!=', 'nothing')
            .where('key', '=', p.key),
        ] as never),
    )
    for (const key of oddKeys)
      await storage.commit([step(insert, { space: 'odd', key, value: `of ${key}` }, 1)])
    const asked = [...oddKeys, ...oddKeys.toReversed(), 'missing', 'b', '{}'].map((key) => ({
      space: 'odd',
      key,
    }))
    const together = await Promise.all([
      ...asked.map((params) => storage.cached(find, params)),
      ...asked.map((params) => storage.all(find, params)),
    ])
    const values = asked.map((params) => storage.cached(findValue, params))
    const again = asked.map((params) => storage.cached(find, params))
    t.deepEqual(await Promise.all(again), together.slice(0, asked.length), 'beside another query')
    for (const [i, [row]] of (await Promise.all(values)).entries())
      t.is(row?.value, together[i]![0]?.value ?? undefined)
    for (const [i, { key }] of [...asked, ...asked].entries()) {
      // PostgreSQL's text has no such character.
      const stored = storage.dialect === 'postgres' ? key.replace('\0', '\uFFFD') : key
      const own = [
        { key: stored, value: `of ${stored}` },
        { key: stored, value: null },
      ]
      t.deepEqual([...together[i]!], oddKeys.includes(key) ? own : [], JSON.stringify(key))
    }
    t.deepEqual(await storage.cached(find, asked[0]!), together[0], 'alone')
    if (storage.dialect === 'sqlite') return

    const moment = storage.prepare<{ key: string }, { at: string }>('documents-moment', (db, p) =>
      db.selectFrom('documents').select(sql<string>`cast(now() as text)`.as('at')).where('key', '=', p.key),
    )
    type Read = (params: { key: string }) => Awaitable<readonly { at: string }[]>
    const moments = async (read: Read) => {
      const rows = await Promise.all(oddKeys.slice(0, 8).map((key) => read({ key })))
      return new Set(rows.map(([row]) => row!.at)).size
    }
    t.is(await moments((params) => storage.cached(moment, params)), 1, 'one statement')
    t.true((await moments((params) => storage.all(moment, params))) > 1, 'several')

    await storage.commit([step(insert, { space: 'odd', key: 'seven', value: '7' }, 1)])
    const number = storage.prepare<{ key: string }, { number: number }>('documents-number', (db, p) =>
      db
        .selectFrom('documents')
        .select(sql<number>`cast(value as integer)`.as('number'))
        .where('key', '=', p.key),
    )
    const numbers = async () =>
      (
        await Promise.allSettled(
          ['seven', 'a', 'missing', 'seven'].map((key) => storage.cached(number, { key })),
        )
      ).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code))
    const own = [[{ number: 7 }], '22P02', [], [{ number: 7 }]]
    t.deepEqual(await numbers(), own, 'a row that cannot be read fails its own reader only')
    t.deepEqual(await numbers(), own)

    await storage.send!('deallocate all', [])
    t.deepEqual(
      await Promise.all(asked.map((params) => storage.cached(find, params))),
      together.slice(0, asked.length),
      'the connection lost the names of its statements',
    )
  })

test('the revision differs after every write by anyone, and after nothing else', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const url = await database.emptyUrl()
  const [here, other] = [
    await openStorage({ url, synchronous: 'full', pool: 1, now }),
    await openStorage({ url, synchronous: 'full', pool: 1, now }),
  ]
  const write = (storage: Storage, key: string) =>
    storage.commit([step(statements(storage).insert, { space: 'r', key, value: '1' })])
  const read = (storage: Storage) => storage.all(statements(storage).find, { space: 'r', key: 'a' })

  const first = here.revision()
  await read(here)
  await read(other)
  t.is(here.revision(), first, 'reading changes nothing')
  await write(here, 'a')
  const second = here.revision()
  t.not(second, first, 'a write of its own')
  await write(other, 'b')
  const third = here.revision()
  t.not(third, second, 'a write of another process')
  t.is(here.revision(), third)
  await here.read((db) => db.deleteFrom('documents').where('space', '=', 'r'))
  t.not(here.revision(), third, 'a cold query that writes')
  await here.close()
  await other.close()
})

test('cached rows of a file are read again after any write, also within one turn of the event loop', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const url = await database.emptyUrl()
  const storage = await openStorage({ url, synchronous: 'full', pool: 1, now })
  t.teardown(() => storage.close())
  const s = statements(storage)
  const cached = () => storage.cached(s.find, { space: 'c', key: 'a' }) as readonly { value: string }[]
  const value = () => cached()[0]?.value
  const elsewhere = (sql: string) => {
    const code = "require('better-sqlite3')(process.argv[1]).prepare(process.argv[2]).run()"
    execFileSync(process.execPath, ['-e', code, url.slice('sqlite:'.length), sql])
  }

  t.is(value(), undefined)
  await storage.commit([step(s.insert, { space: 'c', key: 'a', value: '1' })])
  t.is(value(), '1', 'its own commit')
  t.is(cached(), cached(), 'nothing was written, so nothing is read')
  elsewhere("update documents set value = '2' where space = 'c'")
  t.is(value(), '2', 'another process, in the same turn')
  const change = (from: string, to: string, expectRows: number) =>
    storage.commit([step(s.update, { space: 'c', key: 'a', from, value: to }, expectRows)])
  await t.throwsAsync(change('2', '3', 2), { instanceOf: UnitConflict })
  t.is(value(), '2', 'a commit that was rolled back')
  await storage.read((db) => db.updateTable('documents').set({ value: '4' }).where('space', '=', 'c'))
  t.is(value(), '4', 'a cold query')
  await storage.read((db) =>
    db.updateTable('documents').set({ value: '5' }).where('space', '=', 'c').returning('key'),
  )
  t.is(value(), '5', 'a cold query that returns rows')
  const returning = storage.prepare<{ value: string }, { key: string }>('document-returning', (db, p) =>
    db.updateTable('documents').set({ value: p.value }).where('space', '=', 'c').returning('key'),
  )
  await storage.all(returning, { value: '6' })
  t.is(value(), '6', 'a prepared query that returns rows')
  elsewhere("delete from documents where space = 'c'")
  t.is(value(), undefined)
})

test('an address of unknown kind is refused with a suggestion', async (t) => {
  const error = await t.throwsAsync(openStorage({ url: 'mysql://x', synchronous: 'full', pool: 1, now }))
  t.is((error as { code?: string }).code, 'ERR_CONFIG')
})

test('a database from a newer version is refused', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const url = await database.emptyUrl()
  const storage = await openStorage({ url, synchronous: 'full', pool: 1, now })
  const insert = storage.prepare<{ number: number }>('newer', (db, p) =>
    db.insertInto('membership_migrations').values({ number: p.number, name: 'later', applied_at: '' }),
  )
  await storage.commit([step(insert, { number: 99 })])
  await storage.close()
  const error = await t.throwsAsync(openStorage({ url, synchronous: 'full', pool: 1, now }))
  t.regex(error?.message ?? '', /migration 99/)
})

test('a deleted or replaced database file accepts no more writes', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  for (const isReplaced of [false, true]) {
    const url = await database.emptyUrl()
    const file = url.slice('sqlite:'.length)
    const storage = await openStorage({ url, synchronous: 'full', pool: 1, now })
    const s = statements(storage)
    const write = (key: string) => storage.commit([step(s.insert, { space: 'gone', key, value: '1' }, 1)])
    await write('before')
    renameSync(file, `${file}.away`)
    if (isReplaced) writeFileSync(file, '')
    await new Promise((next) => setImmediate(next))
    const why = isReplaced ? /Another file/ : /deleted/
    const asked = [
      () => write('after'),
      () => storage.all(s.find, { space: 'gone', key: 'before' }),
      () => storage.read((db) => db.selectFrom('documents').select('key')),
      async () => storage.revision(),
    ]
    for (const ask of asked)
      t.regex((await t.throwsAsync(ask, { code: 'ERR_STORAGE' }))?.message ?? '', why, String(ask))
    renameSync(`${file}.away`, file)
    await new Promise((next) => setImmediate(next))
    await write('again')
    t.is((await storage.all(s.find, { space: 'gone', key: 'again' })).length, 1, 'it is put back')
    await storage.close()
  }
})
