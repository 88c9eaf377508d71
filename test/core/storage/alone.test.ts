import test from 'ava'
import { sql } from 'kysely'
import { openStorage, step } from '../../../src/core/storage/index.ts'
import { postgresDatabases } from '../../support/databases.ts'

test('postgres: units of one moment share a transaction, except one that must run alone', async (t) => {
  const database = await postgresDatabases()
  const storage = await openStorage({
    url: await database.url(),
    synchronous: 'full',
    pool: 4,
    now: () => new Date(),
  })
  t.teardown(async () => {
    await storage.close()
    await database.close()
  })
  const put = storage.prepareMany<{ space: string; key: string; value: string }>(
    'documents-put-test',
    { all: ['space', 'key', 'value'], key: ['space', 'key'] },
    (db, rows) => db.insertInto('documents').values(rows),
  )
  const write = (key: string, isAlone: boolean) =>
    storage.commit([step(put, { space: 'alone', key, value: '1' }, 1)], { isAlone })
  await Promise.all([
    write('a', false),
    write('b', false),
    write('c', true),
    write('d', false),
    write('e', false),
  ])
  const rows = await storage.read((db) =>
    db
      .selectFrom('documents')
      .select(['key', sql<string>`xmin::text`.as('transaction')])
      .where('space', '=', 'alone')
      .orderBy('key'),
  )
  const [a, b, c, d, e] = rows.map(({ transaction }) => transaction)
  t.is(a, b)
  t.is(d, e)
  t.is(new Set([a, c, d]).size, 3, 'what goes alone comes after those before it, and before those after it')
})
