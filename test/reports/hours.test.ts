import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { hourOf } from '../../src/reports/hours.ts'
import { loader, sourceFile } from '../support/command.ts'
import { allDatabases, type TestDatabase } from '../support/databases.ts'
import { clientOf, createClock, type Index, startIndex } from '../support/index-host.ts'
import { kirbyPage, plainPage, startWeb } from '../support/web.ts'

const run = promisify(execFile)
const minute = 60_000
const hour = 60 * minute

/** Two processes of one index: two instances on one database, with one clock. */
async function startPair(database: TestDatabase) {
  const hosts: Record<string, Record<string, string>> = {}
  for (const name of ['one', 'two', 'three']) hosts[`${name}.example`] = { '/': kirbyPage(name) }
  const web = await startWeb(hosts)
  const clock = createClock('2026-03-01T10:20:30.000Z')
  const url = await database.url()
  const shared = { url, now: clock.now, 'membership.url': 'http://index.example' }
  const a = await startIndex(web, shared)
  const b = await startIndex(web, shared)
  const ann = await a.partner('ann')
  return {
    web,
    hosts,
    clock,
    a,
    b,
    ann,
    bob: await a.partner('bob'),
    /** The same request to both processes. */
    both: async (path: string, key = ann.key, headers: Record<string, string> = {}) =>
      Promise.all(
        [a, b].map(async ({ site }) => {
          const answer = await fetch(site + path, { headers: { 'X-API-KEY': key, ...headers } })
          return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() }
        }),
      ),
    close: async () => {
      await a.close()
      await b.close()
      await web.close()
    },
  }
}
type Pair = Awaited<ReturnType<typeof startPair>>

function titles(text: string): string[] {
  return (JSON.parse(text) as { data: { title: string }[] }).data.map(({ title }) => title)
}
async function idOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { data: { id: string } }).data.id
}

/** The crawler finds another title. */
async function crawlChange(pair: Pair, by: Index, host: string, title: string): Promise<void> {
  pair.hosts[host]!['/'] = kirbyPage(title)
  await by.m.reports.crawl.retry(`http://${host}/`)
  const { listed } = await by.m.reports.crawl.run()
  if (listed !== 1) throw new Error(`${listed} websites were crawled`)
}

for (const database of allDatabases) {
  const name = database.name.replace('Databases', '')
  const withPair = (title: string, check: (t: import('ava').ExecutionContext, pair: Pair) => Promise<void>) =>
    test.serial(`${name}: ${title}`, async (t) => {
      const pair = await startPair(opened[name]!)
      t.teardown(pair.close)
      await check(t, pair)
    })

  withPair('the crawler’s changes wait for the full hour, in both processes alike', async (t, pair) => {
    const { clock, a, b, ann } = pair
    t.is((await ann.add('http://one.example/')).status, 201)
    // One process has the list ready before the crawler writes, the other makes it after.
    const before = await (await fetch(`${a.site}/reports`, { headers: { 'X-API-KEY': ann.key } })).text()
    await crawlChange(pair, b, 'one.example', 'changed')
    const [first, second] = await pair.both('/reports')
    t.is(first!.text, before)
    t.is(second!.text, before)
    t.is(first!.etag, second!.etag)
    t.deepEqual(titles(first!.text), ['one'])

    clock.set('2026-03-01T10:59:59.999Z')
    t.deepEqual(
      (await pair.both('/reports')).map(({ text }) => titles(text)),
      [['one'], ['one']],
    )
    clock.set('2026-03-01T11:00:00.000Z')
    const after = await pair.both('/reports')
    t.deepEqual(
      after.map(({ text }) => titles(text)),
      [['changed'], ['changed']],
    )
    t.is(after[0]!.text, after[1]!.text)
    t.not(after[0]!.etag, first!.etag)
  })

  withPair('two changes of the crawler within an hour show as one, at the next', async (t, pair) => {
    await pair.ann.add('http://one.example/')
    await crawlChange(pair, pair.a, 'one.example', 'second')
    await crawlChange(pair, pair.b, 'one.example', 'third')
    t.deepEqual(
      (await pair.both('/reports')).map(({ text }) => titles(text)),
      [['one'], ['one']],
    )
    pair.clock.move(hour)
    t.deepEqual(
      (await pair.both('/reports')).map(({ text }) => titles(text)),
      [['third'], ['third']],
    )
  })

  withPair('own writes show at once in both processes', async (t, pair) => {
    const { ann, web } = pair
    const shown = async () => (await pair.both('/reports')).map(({ text }) => titles(text))
    const id = await idOf(await ann.add('http://one.example/'))
    t.deepEqual(await shown(), [['one'], ['one']])
    await ann.add('http://two.example/')
    // Added in the same millisecond: the order is that of their ids.
    t.deepEqual(
      (await shown()).map((list) => list.toSorted()),
      [
        ['one', 'two'],
        ['one', 'two'],
      ],
    )
    web.hosts['one.example']!['/'] = kirbyPage('refreshed')
    t.is((await ann.refresh(id)).status, 200)
    t.deepEqual(
      (await shown()).map((list) => list.includes('refreshed')),
      [true, true],
    )
    t.is((await ann.remove(id)).status, 204)
    t.deepEqual(await shown(), [['two'], ['two']])
  })

  withPair(
    'own writes and revoked keys count within the same millisecond, in both processes',
    async (t, pair) => {
      const { ann, b } = pair
      const id = await idOf(await ann.add('http://one.example/'))
      const { now } = Date
      const still = now()
      Date.now = () => still
      t.teardown(() => {
        Date.now = now
      })
      await pair.both('/reports')
      t.is((await ann.remove(id)).status, 204)
      t.deepEqual(
        (await pair.both('/reports')).map(({ text }) => titles(text)),
        [[], []],
      )
      await b.m.reports.keys.revoke(ann.keyId)
      t.deepEqual(
        (await pair.both('/reports')).map(({ status }) => status),
        [401, 401],
      )
    },
  )

  withPair('one address added in both processes at once is one attempt', async (t, pair) => {
    const { ann, a, b, web } = pair
    for (let n = 0; n < 5; n++) {
      web.hosts[`plain${n}.example`] = { '/': plainPage() }
      const answers = await Promise.all(
        [a, b].map(({ site }) => clientOf(site, ann.key).add(`http://plain${n}.example/`)),
      )
      t.deepEqual(
        answers.map(({ status }) => status),
        [422, 422],
      )
      const [first, second] = await Promise.all(
        answers.map(async (answer) => ((await answer.json()) as { id: string }).id),
      )
      t.is(first, second)
    }
    const rows = await a.m.storage.read((db) => db.selectFrom('reports').select('url_key'))
    t.is(rows.length, 5)
  })

  withPair('a finished 202 and a relink show at once', async (t, pair) => {
    const { ann, bob, a, web } = pair
    let release = () => {}
    const gate = new Promise<void>((done) => {
      release = done
    })
    web.hosts['three.example']!['/'] = (_request, response) =>
      void gate.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage('three')))
    const answer = await ann.add('http://three.example/', { Prefer: 'respond-async' })
    t.is(answer.status, 202)
    const statuses = async () =>
      (await pair.both('/reports')).map(({ text }) =>
        JSON.parse(text).data.map((item: { status: string }) => item.status),
      )
    t.deepEqual(await statuses(), [['pending'], ['pending']])
    release()
    for (let i = 0; i < 100 && (await statuses())[0]![0] !== 'listed'; i++)
      await new Promise((next) => setTimeout(next, 20))
    t.deepEqual(await statuses(), [['listed'], ['listed']])

    t.deepEqual(titles((await pair.both('/reports', bob.key))[1]!.text), [])
    const { counts } = await a.m.reports.operator.relink('three.example', bob.id, { write: true })
    t.is(counts.reassigned, 1)
    t.deepEqual(
      (await pair.both('/reports')).map(({ text }) => titles(text)),
      [[], []],
    )
    t.deepEqual(
      (await pair.both('/reports', bob.key)).map(({ text }) => titles(text)),
      [['three'], ['three']],
    )
  })

  withPair('another key of the same partner sees the same; another partner sees nothing', async (t, pair) => {
    const { ann, bob, a } = pair
    const { key } = await a.m.reports.keys.issue(ann.id, { label: 'second' })
    await pair.both('/reports', key)
    const id = await idOf(await ann.add('http://one.example/'))
    t.deepEqual(
      (await pair.both('/reports', key)).map(({ text }) => titles(text)),
      [['one'], ['one']],
    )
    t.deepEqual(
      (await pair.both('/reports', bob.key)).map(({ text }) => titles(text)),
      [[], []],
    )
    t.deepEqual(
      (await pair.both(`/reports/${id}`, bob.key)).map(({ status }) => status),
      [404, 404],
    )
  })

  withPair('a key that is revoked at half past ends at once, whatever is ready', async (t, pair) => {
    const { ann, b, clock } = pair
    await ann.add('http://one.example/')
    clock.set('2026-03-01T10:30:00.000Z')
    t.deepEqual(
      (await pair.both('/reports')).map(({ status }) => status),
      [200, 200],
    )
    await b.m.reports.keys.revoke(ann.keyId)
    t.deepEqual(
      (await pair.both('/reports')).map(({ status }) => status),
      [401, 401],
    )
  })

  withPair('meta tells which state it is, and until when', async (t, pair) => {
    const { clock, ann } = pair
    await ann.add('http://one.example/')
    clock.move(5 * minute)
    const [first] = await pair.both('/reports')
    t.like(JSON.parse(first!.text).meta, {
      generated_at: '2026-03-01T10:20:30.000Z',
      valid_until: '2026-03-01T11:00:00.000Z',
    })
    clock.set('2026-03-01T11:00:00.000Z')
    const [next] = await pair.both('/reports')
    t.like(JSON.parse(next!.text).meta, {
      generated_at: '2026-03-01T11:00:00.000Z',
      valid_until: '2026-03-01T12:00:00.000Z',
    })
  })

  withPair('a clock that is set back shows a state of its own and nothing newer', async (t, pair) => {
    const { clock, ann, a } = pair
    await ann.add('http://one.example/')
    clock.set('2026-03-01T11:00:00.000Z')
    await crawlChange(pair, a, 'one.example', 'changed')
    clock.set('2026-03-01T10:59:00.000Z')
    const back = await pair.both('/reports')
    t.deepEqual(
      back.map(({ text }) => titles(text)),
      [['one'], ['one']],
    )
    t.is(back[0]!.text, back[1]!.text)
    clock.set('2026-03-01T10:59:59.999Z')
    t.deepEqual(
      (await pair.both('/reports')).map(({ text }) => titles(text)),
      [['one'], ['one']],
    )
    clock.set('2026-03-01T12:00:00.000Z')
    t.deepEqual(
      (await pair.both('/reports')).map(({ text }) => titles(text)),
      [['changed'], ['changed']],
    )
  })

  withPair('304 across processes, until the hour or an own write', async (t, pair) => {
    const { ann, clock, b } = pair
    const id = await idOf(await ann.add('http://one.example/'))
    for (const path of ['/reports', '/reports?expand=1', `/reports/${id}`]) {
      const [{ etag } = { etag: null }] = await pair.both(path)
      const known = { 'If-None-Match': etag ?? '' }
      t.deepEqual(
        (await pair.both(path, ann.key, known)).map(({ status }) => status),
        [304, 304],
        path,
      )
      t.is((await pair.both(path, ann.key, { 'If-None-Match': `"x", W/${etag}` }))[0]!.status, 304, path)
    }
    const [{ etag } = { etag: null }] = await pair.both('/reports')
    await crawlChange(pair, b, 'one.example', 'changed')
    t.is((await pair.both('/reports', ann.key, { 'If-None-Match': etag ?? '' }))[1]!.status, 304)
    clock.move(hour)
    t.deepEqual(
      (await pair.both('/reports', ann.key, { 'If-None-Match': etag ?? '' })).map(({ status }) => status),
      [200, 200],
    )
  })

  withPair('If-Match compares the stored version, not what is ready', async (t, pair) => {
    const { ann, a, b } = pair
    const id = await idOf(await ann.add('http://one.example/'))
    const [{ etag } = { etag: null }] = await pair.both(`/reports/${id}`)
    // The crawler's change is not the partner's: the tag it has still names the newest of its own versions.
    await crawlChange(pair, b, 'one.example', 'changed')
    const refreshed = await ann.refresh(id, { 'If-Match': etag ?? '' })
    t.is(refreshed.status, 200)
    const stale = await fetch(`${b.site}/reports/${id}`, {
      method: 'DELETE',
      headers: { 'X-API-KEY': ann.key, 'If-Match': etag ?? '' },
    })
    t.is(stale.status, 412)
    const fresh = refreshed.headers.get('etag') ?? ''
    await a.m.reports.operator.relink('one.example', pair.bob.id, { write: true })
    await a.m.reports.operator.relink('one.example', ann.id, { write: true })
    t.is((await ann.remove(id, { 'If-Match': fresh })).status, 412)
    t.is(
      (await ann.remove(id, { 'If-Match': `"nonsense", ${(await ann.read(id)).headers.get('etag')}` }))
        .status,
      204,
    )
  })

  withPair('a herd at the full hour makes the list once in each process', async (t, pair) => {
    const { ann, a, clock } = pair
    await ann.add('http://one.example/')
    clock.set('2026-03-01T11:00:00.000Z')
    let made = 0
    const { storage } = a.m
    const { all } = storage
    Object.assign(storage, {
      all: (statement: { name: string }, params: never) => {
        if (statement.name === 'report-page') made++
        return all(statement as never, params)
      },
    })
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => fetch(`${a.site}/reports`, { headers: { 'X-API-KEY': ann.key } })),
    )
    t.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    t.is(made, 1)
  })
}

const opened: Record<string, TestDatabase> = {}
test.before(async () => {
  for (const open of allDatabases) opened[open.name.replace('Databases', '')] = await open()
})
test.after.always(async () => {
  for (const database of Object.values(opened)) await database.close()
})

test('an hour is a UTC hour, even in time zones with half hours', async (t) => {
  t.is(hourOf(new Date('2026-03-01T10:59:59.999Z')) + 1, hourOf(new Date('2026-03-01T11:00:00.000Z')))
  const code = `import { hourOf } from '${pathToFileURL(sourceFile('reports/hours', { whole: false })).href}'; console.log(hourOf(new Date('2026-03-01T10:59:59.999Z')))`
  const hours = await Promise.all(
    ['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns'].map(async (TZ) => {
      const { stdout } = await run(process.execPath, [...loader, '--input-type=module', '-e', code], {
        env: { ...process.env, TZ },
      })
      return stdout.trim()
    }),
  )
  t.deepEqual(new Set(hours), new Set([String(hourOf(new Date('2026-03-01T10:30:00.000Z')))]))
})
