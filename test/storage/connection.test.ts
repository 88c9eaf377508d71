import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import pg from 'pg'
import { isMembershipError } from '../../src/errors.ts'
import { openStorage, step } from '../../src/storage/index.ts'
import { postgresDatabases } from '../support/databases.ts'

const now = () => new Date('2026-01-01T00:00:00Z')

test('postgres: connections that are cut lose nothing that was answered, and the next write finds a new one', async (t) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const url = await database.url()
  const storage = await openStorage({ url, synchronous: 'full', pool: 4, now })
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const insert = storage.prepareMany<{ space: string; key: string; value: string }>(
    'document-insert',
    { all: ['space', 'key', 'value'], key: ['space', 'key'] },
    (db, rows) => db.insertInto('documents').values(rows),
  )

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
})
