import test, { type ExecutionContext } from 'ava'
import { type CrawlState, crawlRun, duration, stateLine, toState } from '../../src/cli/crawl-command.ts'
import { detectIn } from '../../src/cli/detect-command.ts'
import { columns, plain } from '../../src/cli/output.ts'
import { type CsvCell, toCsv, unguarded } from '../../src/core/dto/csv.ts'
import { startIndex } from '../support/index-host.ts'
import { kirbyPage, type Page, plainPage, startWeb } from '../support/web.ts'

async function start(
  t: ExecutionContext,
  hosts: Record<string, Record<string, Page>>,
  seeds: readonly string[] = Object.keys(hosts),
) {
  const web = await startWeb(hosts)
  t.teardown(web.close)
  const index = await startIndex(web, {
    'membership.reports.crawl.seeds': seeds.map((host) => `http://${host}/`),
    'membership.reports.crawl.concurrency': 2,
  })
  t.teardown(index.close)
  return { ...index, web }
}

function ioOf(onShow: (state: CrawlState) => void = () => undefined) {
  const finish = new AbortController()
  const states: CrawlState[] = []
  let ends = 0
  return {
    finish: finish.signal,
    stop: () => finish.abort(),
    everyMs: 20,
    states,
    ends: () => ends,
    show: (state: CrawlState) => {
      states.push(state)
      onShow(state)
    },
    end: () => {
      ends++
    },
  }
}

function slowly(html: string, ms = 150): Page {
  return (_, response) => {
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(html), ms)
  }
}

test('crawl run shows its progress repeatedly, and ends with a summary', async (t) => {
  const hosts = Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((name) => [`${name}.example`, { '/': slowly(kirbyPage(name)) }]),
  )
  const { m } = await start(t, { ...hosts, 'plain.example': { '/': plainPage() } })
  const io = ioOf()
  const result = await crawlRun(m, io)
  t.like(result, { visited: 5, listed: 4, rejected: 1, unreachable: 0, stopped: null })
  t.is(io.ends(), 1)
  t.true(io.states.length > 3)
  t.is(io.states[0]!.done, 0)
  t.true(io.states.some(({ done, left, secondsLeft }) => done > 0 && left > 0 && secondsLeft !== null))
  for (const [i, { done }] of io.states.entries()) t.true(i === 0 || done >= io.states[i - 1]!.done)
  t.deepEqual(await m.reports.crawl.status(), {
    ...(await m.reports.crawl.status()),
    websites: { listed: 4 },
    due: 0,
    due_candidates: 0,
  })
})

test('crawl run visits no more than --limit', async (t) => {
  const hosts = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [`${name}.example`, { '/': kirbyPage(name) }]),
  )
  const { m } = await start(t, hosts)
  const result = await crawlRun(m, ioOf(), { limit: 2 })
  t.deepEqual([result.visited, result.stopped], [2, null])
  t.is((await m.reports.crawl.status()).due_candidates, 1)
})

test('the first Ctrl-C waits for running visits; the rest stays due', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const hosts = Object.fromEntries(
    names.map((name) => [`${name}.example`, { '/': slowly(kirbyPage(name), 300) }]),
  )
  const { m, web } = await start(t, hosts)
  const io = ioOf()
  const result = crawlRun(m, io)
  while (!web.asked.some(({ path }) => path === '/')) await new Promise((next) => setTimeout(next, 5))
  io.stop()
  const { visited, listed, unreachable, stopped } = await result
  t.is(stopped, 'aborted')
  t.true(visited >= 1 && visited <= 2)
  t.deepEqual([listed, unreachable], [visited, 0])
  t.is((await m.reports.crawl.status()).due_candidates, names.length - visited)
})

test('an aborted visit says nothing about its website, which stays due', async (t) => {
  const { m, web } = await start(t, { 'a.example': { '/': kirbyPage('a') } })
  await m.reports.crawl.run()
  web.hosts['a.example']!['/'] = () => undefined
  await m.reports.crawl.retry('a.example')
  const stop = new AbortController()
  const before = web.asked.length
  const run = m.reports.crawl.run({ signal: stop.signal })
  while (web.asked.length === before) await new Promise((next) => setTimeout(next, 5))
  stop.abort()
  t.like(await run, { visited: 0, unreachable: 0, stopped: 'aborted' })
  const { row, data } = await m.reports.operator.get('a.example')
  t.deepEqual([data.status, row.failures, data.details.checks.length], ['listed', 0, 1])
  t.is((await m.reports.crawl.status()).due, 1)
})

test('crawl run stops when our own network is down', async (t) => {
  const seeds = Array.from({ length: 12 }, (_, i) => `gone-${i}.example`)
  const { m } = await start(t, {}, seeds)
  const io = ioOf()
  t.is((await crawlRun(m, io)).stopped, 'own-network')
  t.is(io.ends(), 1)
  t.deepEqual((await m.reports.crawl.status()).candidates, { waiting: 12 })
})

test('detect prints system, version and points, and the evidence with --explain', async (t) => {
  const { m } = await start(t, { 'a.example': { '/': kirbyPage('A') } })
  const short = await detectIn(m, 'http://a.example', {})
  t.deepEqual(short.lines, ['Kirby 4.5.0, 100 of 100: http://a.example/'])
  t.deepEqual(short.value as unknown, {
    url: 'http://a.example/',
    system: 'kirby',
    name: 'Kirby',
    detected: true,
    version: '4.5.0',
    score: 100,
    other: null,
  })
  const { lines, value } = await detectIn(m, 'http://a.example', { explain: true })
  const text = lines.join('\n')
  t.regex(text, /Signs of Kirby\n/)
  t.regex(
    text,
    / {2}asset {3}\S*\/media\/pages\/home\/0a1b2c3d4e-1700000000\/cover-800x\.jpg\n {7}by the rule \S/,
  )
  t.regex(text, /looked in: cookie, meta, asset/)
  t.regex(text, /Read \d+ bytes in \d+ ms, HTTP 200: http:\/\/a\.example\/$/)
  const evidence = ('evidence' in value ? value.evidence : null) ?? []
  t.true(evidence.length >= 2)
  t.true(evidence.every((sign) => sign.weight > 0 && sign.matched !== '' && sign.rule !== ''))
})

test('detect names another system, or that nothing was found', async (t) => {
  const wordpress =
    '<html><head><meta name="generator" content="WordPress 6.5"></head><body><script src="/wp-includes/js/jquery/jquery.min.js"></script><img src="/wp-content/uploads/2024/01/a.jpg"></body></html>'
  const { m } = await start(t, { 'w.example': { '/': wordpress }, 'p.example': { '/': plainPage() } })
  const other = await detectIn(m, 'http://w.example', {})
  t.regex(other.lines[0]!, /^No Kirby, 0 of 100: /)
  t.regex(other.lines[1]!, /^It runs WordPress 6\.5, \d+ of 100\.$/)
  t.like(other.value, { detected: false, other: { system: 'wordpress', version: '6.5' } })
  const none = await detectIn(m, 'http://p.example', { explain: true })
  t.like(none.value, { detected: false, other: null })
  t.regex(none.lines.join('\n'), /Signs of Kirby\n {2}none\n/)
})

test('detect: unreadable and private addresses have their own errors', async (t) => {
  const { m, web } = await start(t, { 'a.example': {}, 'inside.example': { '/': kirbyPage() } })
  web.answers.set('inside.example', ['10.0.0.1'])
  const missing = await t.throwsAsync(detectIn(m, 'http://a.example/', {}))
  t.like(missing, {
    code: 'ERR_SITE_UNREACHABLE',
    message: 'http://a.example/ could not be read: http-4xx (HTTP 404).',
  })
  t.like(await t.throwsAsync(detectIn(m, 'http://inside.example/', {})), { code: 'ERR_URL_NOT_ALLOWED' })
  t.like(await t.throwsAsync(detectIn(m, 'none.example', {})), {
    code: 'ERR_SITE_UNREACHABLE',
    action: 'Look for a typing error, and at this machine’s network and name service.',
  })
})

test('the picture moves with a merge if the other has none', async (t) => {
  const { m, partner } = await start(t, { 'a.example': { '/': kirbyPage(), '/b': kirbyPage('B') } }, [])
  const acme = await partner('acme')
  await acme.add('http://a.example/')
  await acme.add('http://a.example/b')
  const from = await m.reports.operator.get('a.example/b')
  const { default: sharp } = await import('sharp')
  const jpeg = await sharp({ create: { width: 1200, height: 800, channels: 3, background: '#345' } })
    .jpeg()
    .toBuffer()
  t.true((await acme.upload(from.row.id, jpeg)).ok)
  const { preview } = (await m.reports.operator.get(from.row.id)).data
  await m.reports.operator.merge({ keep: 'a.example', merge: 'a.example/b', write: true })
  const { row, data } = await m.reports.operator.get('a.example')
  t.deepEqual(data.preview, preview)
  const answer = (await (await acme.read(row.id)).json()) as { data: { preview: { url: string } } }
  t.is((await m.fetch(new Request(answer.data.preview.url))).status, 200)
})

test('the rest, the speed, and the expected end', (t) => {
  const progress = { visited: 9, listed: 6, rejected: 2, unreachable: 1, excluded: 1, queued: 4, running: 2 }
  const state = toState(progress, { seconds: 5, due: 14, limit: 1000 })
  t.deepEqual(state, {
    done: 10,
    left: 20,
    running: 2,
    perSecond: 2,
    secondsLeft: 10,
    states: '6 listed, 2 rejected, 1 unreachable, 1 excluded',
  })
  t.is(
    stateLine(state),
    'visited 10 (2.0/s), 20 left: 6 listed, 2 rejected, 1 unreachable, 1 excluded; ends in 10 s',
  )
  t.like(toState(progress, { seconds: 5, due: 14, limit: 12 }), { left: 2, secondsLeft: 1 })
  t.like(toState({ ...progress, visited: 0, excluded: 0 }, { seconds: 0, due: 0, limit: 9 }), {
    perSecond: 0,
    secondsLeft: null,
  })
  t.deepEqual([45, 59, 60, 200, 7500].map(duration), ['45 s', '59 s', '1 min', '3 min', '2 h 5 min'])
})

test('cells of a CSV are quoted when needed, never formulas, and negative amounts stay numbers', (t) => {
  const of = (cell: CsvCell) =>
    toCsv([['a', () => cell]], [null])
      .split('\r\n')
      .slice(1)
      .join('\r\n')
  t.is(of('x,y'), '"x,y"\r\n')
  t.is(of('"'), '""""\r\n')
  t.is(of('l1\nl2'), '"l1\nl2"\r\n')
  t.is(of(null), '\r\n')
  t.is(of(-1), '-1\r\n')
  t.is(of({ decimal: '-9.00' }), '-9.00\r\n')
  for (const first of ['=', '+', '-', '@', '\t=', ' =', "'="]) t.is(of(`${first}1`)[0], "'")
  for (const text of ['=1', "'=1", "''+1", "'tis", '-', 'plain']) t.is(unguarded(of(text).trimEnd()), text)
})

test('columns are as wide as their cells, and text cannot control the terminal', (t) => {
  t.deepEqual(
    columns([
      ['a', 'bb', 'c'],
      ['aaa', 'b', ''],
    ]),
    ['a    bb  c', 'aaa  b'],
  )
  t.is(plain('a\u001b[31m\u0007b\u202ec\tü\n'), 'a\ufffd[31m\ufffdb\ufffdc\tü\n')
})
