import { type ChildProcess, fork } from 'node:child_process'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import type { MembershipOptions } from '../../../src/index.ts'
import { loader, programFile } from '../../support/command.ts'
import { postgresDatabases, sqliteDatabases, type TestDatabase } from '../../support/databases.ts'
import { createClock, startIndex } from '../../support/index-host.ts'
import { kirbyPage, type Page, plainPage, startWeb } from '../../support/web.ts'

const minute = 60_000
const day = 86_400_000

async function open(
  t: ExecutionContext,
  hosts: Record<string, Record<string, Page>>,
  more: MembershipOptions & { url?: string } = {},
  addresses = 1,
) {
  const web = await startWeb(hosts, addresses)
  const clock = createClock()
  const index = await startIndex(web, { now: clock.now, ...more })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const { reports } = index.m
  const stateOf = async (url: string) => (await reports.operator.get(url)).data
  return { web, clock, index, reports, stateOf, ann: await index.partner('ann') }
}

function pagesOf(count: number, page: (i: number) => Page = (i) => kirbyPage(`Site ${i}`)) {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`site-${i}.example`, { '/': page(i) }]))
}
function seedsOf(count: number) {
  return Array.from({ length: count }, (_, i) => `http://site-${i}.example/`)
}

test('the index grows only from its seeds and from links on listed websites', async (t) => {
  const links =
    '<a href="http://b.example/deep?x=1">b</a><a href="/own">own</a><a href="http://127.0.0.1/">in</a><a href="mailto:x@example.com">mail</a>'
  const { reports, stateOf, web } = await open(
    t,
    {
      'a.example': { '/': kirbyPage('A', links) },
      'b.example': { '/': kirbyPage('B', '<a href="http://c.example/">c</a>') },
      'c.example': { '/': `${plainPage()}<a href="http://d.example/">d</a>` },
      'd.example': { '/': kirbyPage('D') },
    },
    { 'membership.reports.crawl.seeds': ['http://a.example/', 'nonsense'] },
  )
  const result = await reports.crawl.run()
  t.like(result, { visited: 3, listed: 2, rejected: 1, stopped: null })
  t.like(await stateOf('http://a.example/'), { status: 'listed', title: 'A' })
  t.like(await stateOf('http://b.example/'), { status: 'listed', title: 'B' })
  await t.throwsAsync(stateOf('http://c.example/'), { code: 'ERR_NOT_FOUND' })
  t.deepEqual([...new Set(web.asked.map(({ host }) => host))], ['a.example', 'b.example', 'c.example'])
  t.is((await reports.crawl.run()).visited, 0, 'nothing is due any more')
})

test('due websites are visited again, and a partner’s website is the same entry', async (t) => {
  const { reports, clock, ann, web, stateOf } = await open(t, { 'a.example': { '/': kirbyPage('First') } })
  await ann.add('http://a.example/')
  t.is((await reports.crawl.run()).visited, 0)
  web.hosts['a.example']!['/'] = kirbyPage('Second')
  clock.move(7 * day)
  t.is((await reports.crawl.run()).visited, 1)
  t.is((await stateOf('a.example')).title, 'Second')
})

test('an exclusion applies to the crawler and to partners until it is lifted', async (t) => {
  const { reports, ann, clock } = await open(
    t,
    {
      'a.example': {
        '/': kirbyPage(),
        '/blog': kirbyPage('Blog'),
        '/blog/x': kirbyPage(),
        '/blogger': kirbyPage(),
      },
      'sub.a.example': { '/': kirbyPage() },
      'b.example': { '/': kirbyPage() },
    },
    { 'membership.reports.crawl.seeds': ['http://b.example/', 'http://sub.a.example/'] },
  )
  await ann.add('http://a.example/blog')
  await reports.operator.exclude('a.example/blog', 'asked')
  t.is((await ann.add('http://a.example/blog/x')).status, 403)
  t.is((await ann.add('http://a.example/blogger')).status, 201)
  await reports.operator.exclude('b.example', 'asked')
  t.like(await reports.crawl.run(), { listed: 1, excluded: 1 })
  clock.move(40 * day)
  await reports.crawl.run()
  const { websites } = await reports.crawl.status()
  t.deepEqual(websites, { listed: 2, rejected: 1 })
  await reports.operator.restore('a.example/blog')
  await reports.crawl.run()
  t.deepEqual((await reports.crawl.status()).websites, { listed: 3 })
  // What the crawler met meanwhile, too.
  await reports.operator.restore('b.example')
  await reports.crawl.run()
  t.deepEqual((await reports.crawl.status()).websites, { listed: 4 })
})

test('ten different failing websites at once mean that our own network is down: nothing is marked, and it is retried', async (t) => {
  const { reports, clock, ann, web } = await open(t, pagesOf(12), {
    'membership.reports.crawl.concurrency': 2,
  })
  for (const url of seedsOf(12)) await ann.add(url)
  clock.move(8 * day)
  // The name service is gone: for every name.
  for (const host of Object.keys(web.hosts)) web.answers.set(host, [])
  const result = await reports.crawl.run()
  t.is(result.stopped, 'own-network')
  t.deepEqual((await reports.crawl.status()).websites, { listed: 12 })
  t.is((await reports.crawl.status()).due, 0, 'not at once')
  clock.move(15 * minute)
  for (const host of Object.keys(web.hosts)) web.answers.delete(host)
  t.like(await reports.crawl.run(), { stopped: null, listed: 12 })
})

test('nine failing websites are marked as failed', async (t) => {
  const { reports, clock, ann, web } = await open(t, pagesOf(9), {
    'membership.reports.crawl.concurrency': 1,
  })
  for (const url of seedsOf(9)) await ann.add(url)
  clock.move(8 * day)
  for (const host of Object.keys(web.hosts)) web.answers.set(host, [])
  t.like(await reports.crawl.run(), { stopped: null, unreachable: 9 })
  t.deepEqual((await reports.crawl.status()).websites, { unreachable: 9 })
})

test('one answer in between shows that the network works', async (t) => {
  const { reports, clock, ann, web } = await open(t, pagesOf(16), {
    'membership.reports.crawl.concurrency': 1,
  })
  for (const url of seedsOf(16)) {
    await ann.add(url)
    clock.move(1000)
  }
  clock.move(8 * day)
  for (let i = 0; i < 16; i++) if (i !== 8) web.answers.set(`site-${i}.example`, [])
  t.like(await reports.crawl.run(), { stopped: null, unreachable: 15, listed: 1 })
  t.deepEqual((await reports.crawl.status()).websites, { listed: 1, unreachable: 15 })
})

test('an aborted run loses nothing and marks nobody', async (t) => {
  const stop = new AbortController()
  const { reports, ann, clock, web } = await open(
    t,
    pagesOf(10, (i) => (_, response) => {
      if (web.asked.length > 30) return void stop.abort()
      response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage(`Site ${i}`))
    }),
    { 'membership.reports.crawl.concurrency': 3 },
  )
  for (const url of seedsOf(10)) await ann.add(url)
  clock.move(8 * day)
  const first = await reports.crawl.run({ signal: stop.signal })
  t.is(first.stopped, 'aborted')
  t.true(first.visited < 10)
  t.deepEqual((await reports.crawl.status()).websites, { listed: 10 })
  web.asked.length = 0
  const second = await reports.crawl.run()
  t.is(first.visited + second.visited, 10)
})

test('an attempt of a dead process is continued by the crawler, as its partner’s own', async (t) => {
  const { reports, ann, clock, index, web } = await open(t, {
    'a.example': { '/': (_, response) => void response.on('close', () => {}) },
  })
  const pending = ann.add('http://a.example/', { Prefer: 'respond-async' })
  const { id } = ((await (await pending).json()) as { data: { id: string } }).data
  // The process that began the check is gone: its row waits.
  await index.m.storage.read((db) =>
    db.updateTable('reports').set({ due_at: '2026-03-01T10:30:00.000Z' }).where('id', '=', id),
  )
  web.hosts['a.example']!['/'] = kirbyPage('Later')
  clock.move(10 * minute)
  t.like(await reports.crawl.run(), { listed: 1 })
  const shown = (await (await ann.read(id)).json()) as { data: { status: string } }
  t.is(shown.data.status, 'listed', 'at once, not at the next hour')
})

test('a hundred addresses of one slow domain do not delay the others', async (t) => {
  const page: Page = (_, response) =>
    void setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage()), 20)
  const slow = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`/${i}`, page]))
  const others = Array.from({ length: 15 }, (_, i) => `site-${i + 1}.example`)
  const { reports, web } = await open(
    t,
    { 'slow.example': slow, ...Object.fromEntries(others.map((host) => [host, { '/': kirbyPage() }])) },
    {
      'membership.reports.crawl.seeds': [
        ...Object.keys(slow).map((path) => `http://slow.example${path}`),
        ...others.map((host) => `http://${host}/`),
      ],
      'membership.reports.crawl.concurrency': 4,
    },
    16,
  )
  t.is((await reports.crawl.run()).listed, 115)
  const pages = web.asked.filter(({ path }) => path !== '/robots.txt').map(({ host }) => host)
  const lastOther = pages.findLastIndex((host) => host !== 'slow.example')
  const slowBefore = pages.slice(0, lastOther).filter((host) => host === 'slow.example').length
  t.true(slowBefore < 20, `${slowBefore} of the slow domain came before the last of the others`)
})

test('a host’s screenshots: taken for listed websites, never over a partner’s own, and harmless when they fail', async (t) => {
  const shot = await sharp({ create: { width: 1600, height: 900, channels: 3, background: '#123' } })
    .png()
    .toBuffer()
  const asked: string[] = []
  let answer: () => Promise<Uint8Array | null> = async () => shot
  const web = await startWeb({ 'a.example': { '/': kirbyPage() }, 'b.example': { '/': plainPage() } })
  const index = await startIndex(web, {
    reports: {
      ...web.options,
      screenshot: ({ url }) => {
        asked.push(url)
        return answer()
      },
    },
  })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const ann = await index.partner('ann')
  interface Item {
    data: { id: string; preview: { width: number; custom: boolean; url: string } | null }
  }
  const added = (await (await ann.add('http://a.example/')).json()) as Item
  t.like(added.data.preview, { width: 1280, custom: false })
  t.is((await fetch(added.data.preview!.url)).headers.get('content-type'), 'image/jpeg')
  await ann.add('http://b.example/')
  t.deepEqual(asked, ['http://a.example/'])
  for (const bad of [
    async () => Promise.reject(new Error('no browser')),
    async () => new Uint8Array([1, 2, 3]),
    async () => null,
  ]) {
    answer = bad
    t.is((await ann.refresh(added.data.id)).status, 200)
  }
  const own = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer()
  await ann.upload(added.data.id, own)
  asked.length = 0
  answer = async () => shot
  const kept = (await (await ann.refresh(added.data.id)).json()) as Item
  t.like(kept.data.preview, { width: 50, custom: true })
  t.deepEqual(asked, [])
})

test('progress adds up', async (t) => {
  const { reports } = await open(
    t,
    pagesOf(5, (i) => (i === 4 ? plainPage() : kirbyPage())),
    {
      'membership.reports.crawl.seeds': seedsOf(6),
    },
  )
  const seen: number[] = []
  const result = await reports.crawl.run({
    onProgress: ({ visited, listed, rejected, unreachable }) => {
      if (visited !== listed + rejected + unreachable) throw new Error('the counts do not add up')
      seen.push(visited)
    },
  })
  t.like(result, { visited: 6, listed: 4, rejected: 1, unreachable: 1, queued: 0, running: 0 })
  t.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  )
})

test('housekeeping deletes expired data and nothing else', async (t) => {
  const { index, ann, clock } = await open(t, {
    'a.example': { '/': kirbyPage() },
    'b.example': { '/': plainPage() },
  })
  await ann.add('http://a.example/', { 'Idempotency-Key': '"x"' })
  await ann.add('http://b.example/')
  const countOf = async (table: 'reports' | 'idempotency_keys' | 'robots' | 'visits') =>
    (await index.m.storage.read((db) => db.selectFrom(table).selectAll())).length
  t.deepEqual(
    [await countOf('reports'), await countOf('idempotency_keys'), (await countOf('robots')) > 0],
    [2, 1, true],
  )
  clock.move(30 * day)
  await index.m.runDueJobs()
  t.deepEqual(
    await Promise.all((['reports', 'idempotency_keys', 'robots', 'visits'] as const).map(countOf)),
    [1, 0, 0, 0],
  )
})

// Several processes.
const databases: TestDatabase[] = []
test.after.always(async () => {
  for (const database of databases) await database.close()
})
function startChild(url: string, port: number): ChildProcess {
  return fork(programFile('crawl-process'), [url, String(port)], { execArgv: [...loader], silent: true })
}
function ended(childProcess: ChildProcess) {
  return new Promise<number | null>((done) => childProcess.once('exit', (code) => done(code)))
}

for (const openDatabase of [sqliteDatabases, postgresDatabases])
  test.serial(
    `${openDatabase.name}: two processes visit sixty websites together, each once and none twice at a time`,
    async (t) => {
      const database = await openDatabase()
      databases.push(database)
      const running = new Map<string, number>()
      let twice = 0
      const hosts = pagesOf(60, () => (request, response) => {
        const host = String(request.headers.host)
        running.set(host, (running.get(host) ?? 0) + 1)
        if (running.get(host)! > 1) twice++
        setTimeout(() => {
          running.set(host, running.get(host)! - 1)
          response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage(host))
        }, 20)
      })
      const url = await database.url()
      const { reports, web } = await open(
        t,
        hosts,
        { url, now: () => new Date(), 'membership.reports.crawl.seeds': seedsOf(60) },
        16,
      )
      // Noted, not visited.
      await reports.crawl.run({ signal: AbortSignal.abort() })
      const children = [startChild(url, web.port), startChild(url, web.port)]
      t.deepEqual(await Promise.all(children.map(ended)), [0, 0])
      t.is(twice, 0)
      const pages = web.asked.filter(({ path }) => path === '/').map(({ host }) => host)
      t.is(pages.length, 60)
      t.is(new Set(pages).size, 60)
      t.like(await reports.crawl.status(), { websites: { listed: 60 } })
    },
  )

test.serial('a process killed midway loses nothing', async (t) => {
  const database = await sqliteDatabases()
  databases.push(database)
  const url = await database.url()
  const hosts = pagesOf(
    30,
    (i) => (_, response) =>
      void setTimeout(
        () => response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage(`${i}`)),
        15,
      ),
  )
  const started = Date.now()
  let ahead = 0
  const { reports, web } = await open(
    t,
    hosts,
    {
      url,
      now: () => new Date(Date.now() + ahead),
      'membership.reports.crawl.seeds': seedsOf(30),
    },
    16,
  )
  await reports.crawl.run({ signal: AbortSignal.abort() })
  const first = startChild(url, web.port)
  const dead = ended(first)
  while (web.asked.filter(({ path }) => path === '/').length < 8 && Date.now() - started < 120_000)
    await new Promise((next) => setTimeout(next, 10))
  first.kill('SIGKILL')
  await dead
  // After ten minutes nobody has them any more.
  ahead = 11 * minute
  await reports.crawl.run()
  t.deepEqual((await reports.crawl.status()).websites, { listed: 30 })
})
