import test from 'ava'
import { createSlots } from '../../../src/reports/crawl/slots.ts'
import { createStatements } from '../../../src/reports/statements/index.ts'
import { allDatabases, type TestDatabase } from '../../support/databases.ts'
import { startIndex } from '../../support/index-host.ts'
import { kirbyPage, startWeb } from '../../support/web.ts'

const opened: TestDatabase[] = []
test.after.always(async () => {
  for (const database of opened) await database.close()
})

for (const open of allDatabases) {
  /** The places of two processes on one database. */
  const startTwo = async (t: import('ava').ExecutionContext, now = () => new Date()) => {
    const database = await open()
    opened.push(database)
    const web = await startWeb()
    const url = await database.url()
    const [a, b] = [await startIndex(web, { url }), await startIndex(web, { url })]
    t.teardown(async () => {
      await a.close()
      await b.close()
      await web.close()
    })
    return [a, b].map(({ m }) =>
      createSlots({
        storage: m.storage,
        statements: createStatements(m.storage),
        longestPauseMs: 60_000,
        now,
      }),
    )
  }

  test.serial(
    `${open.name}: one at a time for a domain and for an address, with a pause between, in two processes`,
    async (t) => {
      const slots = await startTwo(t)
      const pauseMs = 60
      const holders = new Map<string, number>()
      const freedAt = new Map<string, number>()
      let together = 0
      let tooSoon = 0
      const visit = async (n: number) => {
        const keys = [`d:domain-${n % 3}`, `a:10.0.0.${n % 2}`]
        const release = await slots[n % 2]!.take(keys)
        for (const key of keys) {
          if ((holders.get(key) ?? 0) > 0) together++
          holders.set(key, 1)
          // A clock of milliseconds on either side.
          if (Date.now() - (freedAt.get(key) ?? 0) < pauseMs - 5) tooSoon++
        }
        await new Promise((next) => setTimeout(next, 5))
        for (const key of keys) {
          holders.set(key, 0)
          freedAt.set(key, Date.now())
        }
        await release(pauseMs)
      }
      await Promise.all(Array.from({ length: 24 }, (_, n) => visit(n)))
      t.is(together, 0)
      t.is(tooSoon, 0)
    },
  )

  test.serial(
    `${open.name}: different domains at different addresses do not wait for each other`,
    async (t) => {
      const [slots] = await startTwo(t)
      const all = await Promise.all(Array.from({ length: 10 }, (_, n) => slots!.take([`d:${n}`, `a:${n}`])))
      t.is(all.length, 10)
      for (const release of all) await release(0)
    },
  )

  test.serial(
    `${open.name}: a process that is gone frees its places by time; a wait that is broken off ends at once`,
    async (t) => {
      let ahead = 0
      const [first, second] = await startTwo(t, () => new Date(Date.now() + ahead))
      await first!.take(['d:x'])
      const stop = new AbortController()
      const waiting = second!.take(['d:x', 'a:y'], stop.signal)
      setTimeout(() => stop.abort(new Error('enough')), 50)
      await t.throwsAsync(waiting, { message: 'enough' })
      // What it wanted beside that is free.
      await (await second!.take(['a:y']))(0)
      ahead = 31_000
      const release = await second!.take(['d:x'])
      await release(0)
      t.pass()
    },
  )

  test.serial(`${open.name}: a pause of before the clock was set back holds nobody up`, async (t) => {
    let ahead = 3_600_000
    const [first, second] = await startTwo(t, () => new Date(Date.now() + ahead))
    await (await first!.take(['d:x']))(30_000)
    ahead = 0
    const release = await second!.take(['d:x'], AbortSignal.timeout(3000))
    // What is held now is still held.
    await t.throwsAsync(first!.take(['d:x'], AbortSignal.timeout(300)), { any: true })
    await release(0)
  })
}

test('a visit of several requests pauses between them', async (t) => {
  const web = await startWeb({ 'a.example': { '/': kirbyPage() } })
  const index = await startIndex(web, { 'membership.reports.crawl.pause_seconds': 1 })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  await index.m.reports.detect('http://a.example/')
  const [robots, page] = web.asked
  t.is(robots?.path, '/robots.txt')
  t.true((page?.at ?? 0) - (robots?.at ?? 0) >= 990)
})
