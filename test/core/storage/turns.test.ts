import test from 'ava'
import { openStorage } from '../../../src/core/storage/index.ts'
import { sqliteDatabases } from '../../support/databases.ts'

test('a loop of reads in SQLite, which answers at once, lets timers and requests have their turn', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(database.close)
  const storage = await openStorage({
    url: await database.url(),
    synchronous: 'normal',
    pool: 1,
    now: () => new Date(),
  })
  t.teardown(() => storage.close())
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const end = performance.now() + 400
  let reads = 0
  while (performance.now() < end) {
    await storage.read((db) => db.selectFrom('members').select('id').limit(1))
    reads++
  }
  clearInterval(timer)
  t.true(reads > 100, String(reads))
  // One in ten milliseconds is forty; a busy machine takes most of them.
  t.true(turns >= 4, `${turns} turns in ${reads} reads`)
})
