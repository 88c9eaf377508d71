import test from 'ava'
import { openStorage } from '../../../src/core/storage/index.ts'
import { createMarks } from '../../../src/memberships/trials/trials.ts'
import { allDatabases } from '../../support/databases.ts'

for (const databases of allDatabases) {
  const name = databases.name.replace('Databases', '')
  test.serial(`${name}: a purchase after a trial does not count as an earlier trial`, async (t) => {
    const database = await databases()
    const now = () => new Date('2026-03-01T00:00:00.000Z')
    const url = await database.url()
    const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now })
    t.teardown(async () => {
      await storage.close()
      await database.close()
    })
    const marks = createMarks({ storage, secrets: () => ['s'.repeat(32)], now })
    const card = [['method', 'stripe', 'card-1']] as const
    const place = (id: string) => ({ provider: 'stripe', account: '', id })
    // The year that was bought second is looked at first.
    await storage.commit(marks.note('a', card, place('sub_year'), { beganAt: '2026-02-02T00:00:00.000Z' }))
    const trial = { ...place('sub_trial'), startedAt: '2026-02-01T00:00:00.000Z' }
    t.false(await marks.isKnown('a', card, trial))
    t.true(await marks.isKnown('a', card, { ...trial, startedAt: '2026-02-03T00:00:00.000Z' }))
    t.true(await marks.isKnown('a', card), 'who is about to begin one had a purchase before')
  })
}
