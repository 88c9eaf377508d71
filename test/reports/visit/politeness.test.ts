import test from 'ava'
import { createSlots } from '../../../src/reports/crawl/database-slots.ts'
import { createStatements } from '../../../src/reports/statements/index.ts'
import { allDatabases, type TestDatabase } from '../../support/databases.ts'
import { startIndex } from '../../support/index-host.ts'
import { kirbyPage, startWeb } from '../../support/web.ts'

const party = 'prt_one'

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
    `${open.name}: a domain gets one visit at a time with its pause, across two processes`,
    async (t) => {
      const slots = await startTwo(t)
      const pauseMs = 60
      const holders = new Map<string, number>()
      const freedAt = new Map<string, number>()
      let together = 0
      let tooSoon = 0
      const visit = async (n: number) => {
        const domain = `domain-${n % 3}`
        const release = await slots[n % 2]!.take({ domain, address: '10.0.0.1', party })
        if ((holders.get(domain) ?? 0) > 0) together++
        holders.set(domain, 1)
        // A clock of milliseconds on either side.
        if (Date.now() - (freedAt.get(domain) ?? 0) < pauseMs - 5) tooSoon++
        await new Promise((next) => setTimeout(next, 5))
        holders.set(domain, 0)
        freedAt.set(domain, Date.now())
        await release(pauseMs)
      }
      await Promise.all(Array.from({ length: 24 }, (_, n) => visit(n)))
      t.is(together, 0)
      t.is(tooSoon, 0)
    },
  )

  test.serial(
    `${open.name}: an address gets at most four visits at a time, across two processes`,
    async (t) => {
      const slots = await startTwo(t)
      let running = 0
      let most = 0
      const visit = async (n: number) => {
        const release = await slots[n % 2]!.take({ domain: `domain-${n}`, address: '10.0.0.1', party })
        running++
        most = Math.max(most, running)
        await new Promise((next) => setTimeout(next, 20))
        running--
        await release(60_000)
      }
      await Promise.all(Array.from({ length: 16 }, (_, n) => visit(n)))
      t.is(most, 4)
    },
  )

  test.serial(`${open.name}: one website’s pause delays no other at its address`, async (t) => {
    const [slots] = await startTwo(t)
    const address = '10.0.0.1'
    for (let n = 0; n < 8; n++) await (await slots!.take({ domain: `slow-${n}`, address, party }))(60_000)
    await (await slots!.take({ domain: 'quick', address, party }, AbortSignal.timeout(50_000)))(0)
    await t.throwsAsync(slots!.take({ domain: 'slow-1', address, party }, AbortSignal.timeout(200)), {
      any: true,
    })
  })

  test.serial(
    `${open.name}: different domains at different addresses do not wait for each other`,
    async (t) => {
      const [slots] = await startTwo(t)
      const all = await Promise.all(
        Array.from({ length: 10 }, (_, n) => slots!.take({ domain: `${n}`, address: `${n}`, party })),
      )
      t.is(all.length, 10)
      for (const release of all) await release(0)
    },
  )

  test.serial(
    `${open.name}: a dead process’s places are freed by time; an aborted wait ends at once`,
    async (t) => {
      let ahead = 0
      const [first, second] = await startTwo(t, () => new Date(Date.now() + ahead))
      const x = { domain: 'x', address: '10.0.0.1', party }
      await first!.take(x)
      const stop = new AbortController()
      const waiting = second!.take(x, stop.signal)
      setTimeout(() => stop.abort(new Error('enough')), 50)
      await t.throwsAsync(waiting, { message: 'enough' })
      // Nothing of what it wanted is kept.
      await (await second!.take({ domain: 'y', address: '10.0.0.1', party }))(0)
      ahead = 31_000
      const release = await second!.take(x)
      await release(0)
      t.pass()
    },
  )

  test.serial(`${open.name}: slow visits of one party keep four places, but no seat`, async (t) => {
    const slots = await startTwo(t)
    const address = '10.0.0.1'
    const drips = Array.from({ length: 12 }, (_, n) =>
      slots[n % 2]!.take({ domain: `drip-${n}`, address, party: 'prt_slow' }),
    )
    let running = 0
    for (const drip of drips) drip.then(() => running++)
    await new Promise((next) => setTimeout(next, 1500))
    t.is(running, 4)
    const began = performance.now()
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        slots[n % 2]!.take({ domain: `quick-${n}`, address, party: 'prt_quick' }),
      ),
    )
    // The slow ones hold their places until the end of the test.
    t.true(performance.now() - began < 20_000)
    t.is(running, 4)
    for (const release of others) await release(0)
    // Each that ends lets the next of its party in.
    const first = await Promise.race(drips)
    await first(0)
    await new Promise((next) => setTimeout(next, 600))
    t.is(running, 5)
    const ending = drips.map((drip) => drip.then((release) => release(0)))
    await Promise.all(ending)
  })

  test.serial(`${open.name}: parties take turns at an address`, async (t) => {
    const [slots] = await startTwo(t)
    const address = '10.0.0.1'
    const order: string[] = []
    const visit = async (party: string, n: number) => {
      const release = await slots!.take({ domain: `${party}-${n}`, address, party })
      order.push(party)
      await new Promise((next) => setTimeout(next, 20))
      await release(0)
    }
    await Promise.all([
      ...Array.from({ length: 12 }, (_, n) => visit('prt_many', n)),
      ...Array.from({ length: 2 }, (_, n) => visit('prt_few', n)),
    ])
    t.true(order.lastIndexOf('prt_few') < 8, order.join(' '))
  })

  test.serial(`${open.name}: a pause from before the clock was set back delays nobody`, async (t) => {
    let ahead = 3_600_000
    const x = { domain: 'x', address: '10.0.0.1', party }
    const [first, second] = await startTwo(t, () => new Date(Date.now() + ahead))
    await (await first!.take(x))(30_000)
    ahead = 0
    const release = await second!.take(x, AbortSignal.timeout(25_000))
    // What is held now is still held.
    await t.throwsAsync(first!.take(x, AbortSignal.timeout(300)), { any: true })
    await release(0)
  })
}

test('robots.txt and its page are one visit on one connection; the domain’s next visit follows the pause', async (t) => {
  const web = await startWeb({ 'a.example': { '/': kirbyPage() } })
  const index = await startIndex(web, { 'membership.reports.crawl.pause_seconds': 1 })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  await index.m.reports.detect('http://a.example/')
  await index.m.reports.detect('http://a.example/')
  const [robots, page, second] = web.asked
  t.is(robots?.path, '/robots.txt')
  t.is(page?.line, robots?.line)
  t.true((page?.at ?? 0) - (robots?.at ?? 0) < 900)
  t.not(second?.line, page?.line)
  t.true((second?.at ?? 0) - (page?.at ?? 0) >= 990)
})

test('if a website closes its connection after robots.txt, its page is requested over another', async (t) => {
  const page = kirbyPage()
  const web = await startWeb({
    'a.example': {
      // Says nothing of closing, and does it a moment later.
      '/robots.txt': (_, response) => {
        response.on('finish', () => setImmediate(() => response.socket?.destroy()))
        response.writeHead(404, { 'content-type': 'text/plain', 'content-length': 0 }).end()
      },
      '/': page,
    },
  })
  const index = await startIndex(web)
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const { finding } = await index.m.reports.detect('http://a.example/')
  t.is(finding.kind, 'listed')
})
