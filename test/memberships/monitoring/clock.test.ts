import test from 'ava'
import { openStorage } from '../../../src/core/storage/index.ts'
import { createClockWatch } from '../../../src/memberships/monitoring/clock.ts'
import { createHealth } from '../../../src/memberships/monitoring/health.ts'
import { allDatabases } from '../../support/databases.ts'

for (const open of allDatabases)
  test(`${open.name}: health and log report a clock more than two minutes from the database’s`, async (t) => {
    const database = await open()
    const real = () => new Date()
    const storage = await openStorage({ url: await database.url(), synchronous: 'full', pool: 2, now: real })
    t.teardown(async () => {
      await storage.close()
      await database.close()
    })
    const log: string[] = []
    let offBy = 0
    const now = () => new Date(Date.now() + offBy)
    const clock = createClockWatch({ storage, now, log: (message) => log.push(message) })
    // Read anew each time: what was read is kept for a few seconds.
    const health = () =>
      createHealth({
        deliveries: { list: async () => [] },
        troubles: { list: async () => [] },
        clock,
        isWatched: () => true,
        now,
      })()
    const isServer = storage.dialect === 'postgres'
    for (const [ms, words] of [
      [90_000, null],
      [360_000, /360 s ahead of the database/],
      [-360_000, /360 s ahead of the database/],
      [0, null],
    ] as const) {
      offBy = ms
      await clock.runDue()
      const { status, troubles } = await health()
      t.is(status, isServer && words !== null ? 'trouble' : 'ok', `${ms} ms`)
      if (!isServer || words === null) continue
      t.like(troubles[0], { kind: 'clock', provider: '' })
      t.regex(troubles[0]!.message, ms > 0 ? words : /360 s behind/)
    }
    t.deepEqual(
      log.map((line) => line.replace(/\d+ s .*/, '')),
      isServer ? ['The clock of this server is ', 'over: The clock of this server is '] : [],
      'said once when it begins, and once when it is over',
    )
  })

test('health answers within two seconds although the database hangs', async (t) => {
  const health = createHealth({
    deliveries: { list: async () => [] },
    troubles: { list: () => new Promise<never>(() => {}) },
    clock: { trouble: () => null },
    isWatched: () => true,
    now: () => new Date(),
  })
  const begun = performance.now()
  await t.throwsAsync(health(), { code: 'ERR_STORAGE', message: /did not answer within 2 s/ })
  t.true(performance.now() - begun < 3000)
})
