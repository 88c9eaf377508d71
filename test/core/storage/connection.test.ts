import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { isMembershipError } from '../../../src/core/errors.ts'
import { openStorage, type Storage, step, UnitConflict } from '../../../src/core/storage/index.ts'
import { type Migration, migrations } from '../../../src/core/storage/migrations/index.ts'
import { openPostgres } from '../../../src/core/storage/postgres.ts'
import { postgresDatabases, type TestDatabase } from '../../support/databases.ts'

function now() {
  return new Date('2026-01-01T00:00:00Z')
}

let database: TestDatabase
test.before(async () => {
  database = await postgresDatabases()
})
test.after.always(() => database?.close())

function documents(storage: Storage) {
  return {
    insert: storage.prepareMany<{ space: string; key: string; value: string }>(
      'document-insert',
      { all: ['space', 'key', 'value'], key: ['space', 'key'] },
      (db, rows) => db.insertInto('documents').values(rows),
    ),
    update: storage.prepare<{ key: string; value: string }>('document-update', (db, p) =>
      db
        .updateTable('documents')
        .set({ value: p.value })
        .where('space', '=', 'line')
        .where('key', '=', p.key),
    ),
  }
}

test.serial(
  'postgres: cut connections lose nothing that was answered, and the next write opens a new one',
  async (t) => {
    const url = await database.url()
    const storage = await openStorage({ url, synchronous: 'full', pool: 4, now })
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    const { insert } = documents(storage)
    const find = storage.prepare<{ key: string }, { value: string }>('document-find', (db, p) =>
      db.selectFrom('documents').select('value').where('space', '=', 'cut').where('key', '=', p.key),
    )

    const answered: string[] = []
    const failures: unknown[] = []
    let isOver = false
    const write = async (writer: number) => {
      for (let n = 0; !isOver; n++) {
        const key = `${writer}-${n}`
        try {
          await storage.commit([step(insert, { space: 'cut', key, value: 'v' }, 1)])
          answered.push(key)
        } catch (error) {
          failures.push(error)
        }
      }
    }
    const read = async () => {
      while (!isOver)
        await storage.all(find, { key: '0-0' }).catch((error: unknown) => {
          failures.push(error)
        })
    }
    const working = [...Array.from({ length: 8 }, (_, i) => write(i)), read(), read()]
    for (let cuts = 0; cuts < 20; cuts++) {
      await pause(20 + (cuts % 7) * 3)
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
    }
    isOver = true
    await Promise.all(working)

    t.true(failures.length > 0, 'something was under way')
    t.true(
      failures.every((error) => isMembershipError(error, 'ERR_STORAGE')),
      'whoever was not answered is told to come again',
    )
    const { rows } = await admin.query<{ key: string }>(`select key from documents where space = 'cut'`)
    const stored = new Set(rows.map(({ key }) => key))
    t.deepEqual(
      answered.filter((key) => !stored.has(key)),
      [],
    )
    await storage.commit([step(insert, { space: 'cut', key: 'last', value: 'v' }, 1)])
    t.log(`20 cuts, ${answered.length} answered, ${failures.length} not`)
    await storage.close()
    await admin.end()
  },
)

/** A line to the database that can go dead: from the first message with `word` on, nothing gets through. */
async function createLine(t: ExecutionContext, url: string) {
  const target = new URL(url)
  const sockets: Socket[] = []
  let word: string | null = null
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    sockets.push(near, far)
    let isDead = false
    near.on('data', (bytes) => {
      isDead ||= word !== null && bytes.includes(word)
      if (!isDead) far.write(bytes)
    })
    far.on('data', (bytes) => isDead || near.write(bytes))
    near.on('error', () => {}).on('close', () => far.destroy())
    // A dead line does not tell that its other end is gone.
    far.on('error', () => {}).on('close', () => isDead || near.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const through = new URL(url)
  through.port = String((server.address() as { port: number }).port)
  return {
    url: through.href,
    dieAt: (text: string) => {
      word = text
    },
    mend: () => {
      word = null
    },
  }
}

test.serial(
  'postgres: a connection that dies within a transaction blocks the others only for a while',
  async (t) => {
    const url = await database.url()
    const line = await createLine(t, url)
    const patience = { lockMs: 200, idleMs: 1500, answerMs: 4000 }
    const lost = await openPostgres({ url: line.url, pool: 2, now, patience })
    const other = await openPostgres({ url, pool: 2, now, patience })
    const [l, o] = [documents(lost), documents(other)]
    await other.commit([step(o.insert, { space: 'line', key: 'held', value: '0' }, 1)])

    line.dieAt('commit')
    const unanswered = t.throwsAsync(lost.commit([step(l.update, { key: 'held', value: 'lost' }, 1)]))
    await pause(300)
    const held = await t.throwsAsync(other.commit([step(o.update, { key: 'held', value: 'other' }, 1)]))
    t.true(isMembershipError(held, 'ERR_STORAGE'), held?.message)
    await other.commit([step(o.insert, { space: 'line', key: 'free', value: '1' }, 1)])

    await pause(2000)
    await other.commit([step(o.update, { key: 'held', value: 'other' }, 1)])
    t.true(isMembershipError(await unanswered, 'ERR_STORAGE'))

    line.mend()
    await lost.commit([step(l.update, { key: 'held', value: 'again' }, 1)])
    const [row] = await other.read((db) =>
      db.selectFrom('documents').select('value').where('space', '=', 'line').where('key', '=', 'held'),
    )
    t.is(row?.value, 'again', 'the write that was not answered was undone')
    await lost.close()
    await other.close()
  },
)

test.serial('postgres: a query without an answer is given up', async (t) => {
  const line = await createLine(t, await database.url())
  const patience = { lockMs: 200, idleMs: 1000, answerMs: 500 }
  const storage = await openPostgres({ url: line.url, pool: 2, now, patience })
  const { insert } = documents(storage)
  line.dieAt('')
  const write = await t.throwsAsync(storage.commit([step(insert, { space: 'line', key: '1', value: '1' })]))
  t.true(isMembershipError(write, 'ERR_STORAGE'), write?.message)
  const read = await t.throwsAsync(storage.read((db) => db.selectFrom('documents').select('key')))
  t.true(isMembershipError(read, 'ERR_STORAGE'), read?.message)
  line.mend()
  await storage.commit([step(insert, { space: 'line', key: '1', value: '1' })])
  await storage.close()
})

test.serial(
  'postgres: a unit that waits for a locked row waits alone, and is written when the row is free',
  async (t) => {
    const url = await database.url()
    const storage = await openPostgres({ url, pool: 4, now })
    const { insert, update } = documents(storage)
    for (const key of ['held', 'other'])
      await storage.commit([step(insert, { space: 'line', key, value: '0' })])
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    t.teardown(() => admin.end())
    await admin.query(`begin; update documents set value = 'admin' where key = 'held'`)

    let isFree = false
    const written: string[] = []
    const write = async (key: string, units: Promise<void>) => {
      await units
      written.push(`${key} ${isFree ? 'after' : 'before'}`)
    }
    const waiting = ['held', 'held'].map((key) =>
      write(key, storage.commit([step(update, { key, value: 'w' }, 1)])),
    )
    const others = Array.from({ length: 20 }, (_, i) =>
      write('other', storage.commit([step(insert, { space: 'line', key: `n${i}`, value: '1' }, 1)])),
    )
    await Promise.all([
      ...others,
      write('other', storage.commit([step(update, { key: 'other', value: 'o' }, 1)])),
    ])
    t.deepEqual([...new Set(written)], ['other before'])
    isFree = true
    await admin.query('commit')
    await Promise.all(waiting)
    t.deepEqual(written.slice(-2), ['held after', 'held after'])
    await storage.close()
  },
)

test.serial(
  'postgres: two processes that change the same rows the other way round do not deadlock',
  async (t) => {
    const url = await database.url()
    const [first, other] = [
      await openPostgres({ url, pool: 2, now }),
      await openPostgres({ url, pool: 2, now }),
    ]
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`)
    const { insert } = documents(first)
    await Promise.all(keys.map((key) => first.commit([step(insert, { space: 'line', key, value: '0' })])))
    const write = async (storage: Storage, order: readonly string[]) => {
      const { update } = documents(storage)
      for (let round = 0; round < 5; round++)
        await Promise.all([
          storage.commit(order.map((key) => step(update, { key, value: String(round) }, 1))),
          ...order.map((key) => storage.commit([step(update, { key, value: String(round) }, 1)])),
          // Its neighbours are tried in parts, each of them in the same order of rows.
          t.throwsAsync(storage.commit([step(update, { key: 'missing', value: String(round) }, 1)])),
        ])
    }
    await Promise.all([write(first, keys), write(other, keys.toReversed())])
    await first.close()
    await other.close()
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    t.teardown(() => admin.end())
    const { rows } = await admin.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    t.is(Number(rows[0]?.deadlocks), 0)
  },
)

test.serial('postgres: each of many units in one transaction gets its own result', async (t) => {
  const storage = await openPostgres({ url: await database.url(), pool: 2, now })
  const { insert, update } = documents(storage)
  await storage.commit([step(insert, { space: 'line', key: 'there', value: '0' })])
  const outcomes = await Promise.allSettled([
    storage.commit([step(insert, { space: 'line', key: 'a', value: '1' }, 1)]),
    storage.commit([
      step(insert, { space: 'line', key: 'b', value: '1' }, 1),
      step(insert, { space: 'line', key: 'there', value: '1' }),
    ]),
    storage.commit([
      step(update, { key: 'missing', value: '1' }, 1),
      step(insert, { space: 'line', key: 'c', value: '1' }),
    ]),
    storage.commit([step(update, { key: 'there', value: '2' }, 1)]),
    storage.commit([step(insert, { space: 'line', key: 'd', value: '1' }, 1)]),
  ])
  t.deepEqual(
    outcomes.map((o) =>
      o.status === 'fulfilled' ? 'written' : o.reason instanceof UnitConflict ? 'conflict' : o.reason.code,
    ),
    ['written', '23505', 'conflict', 'written', 'written'],
  )
  const rows = await storage.read((db) => db.selectFrom('documents').select(['key', 'value']).orderBy('key'))
  t.deepEqual(
    rows.map(({ key, value }) => `${key}=${value}`),
    ['a=1', 'd=1', 'there=2'],
  )
  await storage.close()
})

test.serial(
  'postgres: an index for a large table is built while others write, and again after an interruption',
  async (t) => {
    const url = await database.emptyUrl()
    const later: Migration = {
      name: 'later',
      up: () => [],
      indexes: (db) => [db.schema.createIndex('sessions_since').on('sessions').column('since')],
    }
    await (await openStorage({ url, synchronous: 'full', pool: 2, now })).close()
    const open = () =>
      openStorage({ url, synchronous: 'full', pool: 2, now, migrations: [...migrations, later] })
    const connected = async () => {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => undefined)
      await client.connect()
      t.teardown(() => client.end())
      return client
    }
    const admin = await connected()
    const writer = await connected()
    const others = await connected()
    const session = (id: string) =>
      `insert into sessions (id, member_id, verified, created_at, expires_at) values ('${id}', 'm', 1, '', '')`
    const indexIs = async () =>
      (
        await admin.query<{ valid: boolean }>(
          `select indisvalid as valid from pg_index where indexrelid = to_regclass('sessions_since')`,
        )
      ).rows[0]?.valid ?? 'missing'
    const until = async (isSo: () => Promise<boolean>) => {
      for (let tries = 0; !(await isSo()) && tries < 6000; tries++) await pause(20)
    }

    // Somebody is in the middle of writing.
    await writer.query('begin')
    await writer.query(session('open'))
    const first = await open()
    await until(async () => (await indexIs()) !== 'missing')
    t.is(await indexIs(), false, 'it waits for whoever is writing')
    await others.query(`set lock_timeout = '2s'`)
    await others.query(session('meanwhile'))
    const second = await open()
    await second.close()

    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'create index concurrently%'`,
    )
    await first.close()
    await writer.query('commit')
    t.is(await indexIs(), false, 'cut off, half of it is left')
    const third = await open()
    await until(async () => (await indexIs()) === true)
    await third.close()
    t.is(await indexIs(), true)
  },
)

test.serial('postgres: a replaced index is dropped after its successors exist', async (t) => {
  const url = await database.emptyUrl()
  const later: Migration = {
    name: 'later',
    up: () => [],
    indexes: (db) => [db.schema.createIndex('payments_new_owner').on('payments').columns(['owner_id', 'id'])],
    outgrown: ['payments_of_owner'],
  }
  await (await openStorage({ url, synchronous: 'full', pool: 2, now })).close()
  const open = () =>
    openStorage({ url, synchronous: 'full', pool: 2, now, migrations: [...migrations, later] })
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.teardown(() => admin.end())
  const indexes = async () =>
    (
      await admin.query<{ name: string }>(
        "select indexname as name from pg_indexes where tablename = 'payments' and indexname like 'payments%owner' order by 1",
      )
    ).rows.map(({ name }) => name)
  t.deepEqual(await indexes(), ['payments_of_owner'])
  const storage = await open()
  for (let tries = 0; (await indexes()).join() !== 'payments_new_owner' && tries < 600; tries++)
    await pause(20)
  t.deepEqual(await indexes(), ['payments_new_owner'])

  // Cut off between the two, it is dropped by whoever comes next.
  await admin.query('create index payments_of_owner on payments (owner_id, provider, account)')
  await storage.close()
  const next = await open()
  for (let tries = 0; (await indexes()).length > 1 && tries < 600; tries++) await pause(20)
  t.deepEqual(await indexes(), ['payments_new_owner'])
  await next.close()
})

test('sqlite: deleted or overwritten data is in no gap of the file after it was erased', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-forget-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'site.db')
  const storage = await openStorage({ url: `sqlite:${path}`, synchronous: 'normal', pool: 1, now })
  const { insert } = documents(storage)
  const remove = storage.prepare<{ key: string }>('document-remove', (db, p) =>
    db.deleteFrom('documents').where('space', '=', 'line').where('key', '=', p.key),
  )
  const keys = Array.from(
    { length: 1500 },
    (_, n) => `${(n * 7919) % 1500}-${n % 2 ? 'quillfeather' : 'else'}`,
  )
  await storage.commit(
    keys.map((key, n) => step(insert, { space: 'line', key, value: key.repeat(1 + ((n * 31) % 25)) }, 1)),
  )
  await storage.commit(keys.filter((key) => key.endsWith('r')).map((key) => step(remove, { key }, 1)))

  const isThere = () =>
    [path, `${path}-wal`].some(
      (file) => existsSync(file) && readFileSync(file, 'latin1').includes('quillfeather'),
    )
  await storage.forget()
  t.false(isThere())

  // Again within the minute: it waits, and is done at the latest when the storage closes.
  await storage.commit(
    keys.map((key, n) =>
      step(insert, { space: 'line', key: `again ${key}`, value: key.repeat(1 + ((n * 17) % 25)) }, 1),
    ),
  )
  await storage.commit(
    keys.filter((key) => key.endsWith('r')).map((key) => step(remove, { key: `again ${key}` }, 1)),
  )
  await storage.forget()
  t.true(isThere(), 'the file is not written anew for each who leaves')
  await storage.close()
  t.false(isThere())
})

test('sqlite: a write right after the file was written anew and became smaller is no overwritten file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-forget-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const url = `sqlite:${join(folder, 'site.db')}`
  const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now })
  t.teardown(() => storage.close())
  const { insert } = documents(storage)
  const rows = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) =>
      step(insert, { space: 'line', key: `${name} ${n}`, value: 'x'.repeat(3000) }, 1),
    )
  const remove = storage.prepare<{ space: string }>('documents-remove', (db, p) =>
    db.deleteFrom('documents').where('space', '=', p.space),
  )
  await storage.commit(rows('first', 1500))
  await storage.commit([step(remove, { space: 'line' })])
  await storage.forget()
  // These pages are in the write-ahead log alone.
  await t.notThrowsAsync(storage.commit(rows('next', 20)))
  t.is((await storage.read((db) => db.selectFrom('documents').select('key'))).length, 20)
})

test('a server that accepts and never answers stops the start with ERR_STORAGE', async (t) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const url = `postgres://site@127.0.0.1:${port}/site`
  const patience = { lockMs: 500, idleMs: 500, answerMs: 500 }
  const started = Date.now()
  const opening = openPostgres({ url, pool: 1, now, patience })
  await t.throwsAsync(opening, { code: 'ERR_STORAGE' })
  t.true(Date.now() - started < 60_000)
})
