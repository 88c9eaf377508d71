import test from 'ava'
import { createMembership } from '../../src/index.ts'

test('m.storage.read goes on working, and is logged once', async (t) => {
  const logged: string[] = []
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: (message) => void logged.push(message),
  })
  t.teardown(() => m.close())
  await m.runDueJobs()
  t.false(logged.some((line) => line.startsWith('m.storage')))
  for (let reads = 0; reads < 2; reads++)
    t.deepEqual(await m.storage.read((db) => db.selectFrom('members').select('id')), [])
  t.is(m.storage.dialect, 'sqlite')
  t.is(logged.filter((line) => line.startsWith('m.storage.read is no longer part')).length, 1)
})
