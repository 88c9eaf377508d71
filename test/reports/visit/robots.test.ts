import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { readRobots } from '../../../src/reports/visit/index.ts'
import { settings } from '../../support/converge.ts'
import { createClock, startIndex } from '../../support/index-host.ts'
import { kirbyPage, type Page, startWeb } from '../../support/web.ts'
import { until } from '../api/support.ts'

const agent = 'membership-index/2 (+index@operator.example)'
function rules(text: string) {
  return { verdict: 'rules' as const, rules: text, fetched_at: '' }
}
function isAllowed(text: string, path = '/page') {
  return readRobots(rules(text), `http://a.example${path}`, agent).isAllowed
}
function delayOf(text: string) {
  return readRobots(rules(text), 'http://a.example/', agent).delaySeconds
}

test('rules are parsed by RFC 9309', (t) => {
  t.true(isAllowed(''))
  t.false(isAllowed('User-agent: *\nDisallow: /'))
  t.true(isAllowed('User-agent: *\nDisallow: /private'))
  t.false(isAllowed('User-agent: *\nDisallow: /private', '/private/x'))
  t.true(isAllowed('User-agent: other\nDisallow: /'))
  t.false(isAllowed('User-agent: membership-index\nDisallow: /\n\nUser-agent: *\nAllow: /'))
  t.true(isAllowed('User-agent: *\nDisallow: /\n\nUser-agent: membership-index\nAllow: /'))
  t.true(isAllowed('User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c'), 'the longest match counts')
  t.false(isAllowed('User-agent: *\nDisallow: /*.php$', '/x.php'))
  t.true(isAllowed('User-agent: *\nDisallow: /*.php$', '/x.php?y'))
  t.false(isAllowed('\uFEFFUser-agent: *\r\nDisallow: /\r\n'))
  t.false(isAllowed('USER-AGENT: *\ndisallow: /  # everything'))
})

test('an unknown line, between two names or after them, changes nothing', (t) => {
  const group = 'User-agent: other\nCrawl-delay: 5\nUser-agent: *\nHost: a.example\nDisallow: /private'
  t.false(isAllowed(group, '/private'))
  t.true(isAllowed(group, '/'))
  t.is(delayOf(group), 5)
  t.is(delayOf('User-agent: *\nCrawl-delay: 600\nDisallow:'), 60, 'a minute at most')
  t.is(delayOf('User-agent: *\nCrawl-delay: soon'), 0)
})

function manyLines(line: (i: number) => string): string {
  const lines = ['User-agent: *']
  for (let bytes = 0; bytes < 500_000; bytes += lines.at(-1)!.length + 1) lines.push(line(lines.length))
  return lines.join('\n')
}
// Of this process's work: what others do on the machine counts for nothing.
function inTime<T>(t: ExecutionContext, ms: number, judge: () => T): T {
  const begun = process.cpuUsage()
  const judged = judge()
  const { user, system } = process.cpuUsage(begun)
  t.true((user + system) / 1000 < ms)
  return judged
}

// Measured at 25 to 120 ms each; without a bound at one second and more.
test('a robots.txt full of wildcards is evaluated in bounded time, and forbids no less', (t) => {
  const path = `/${'a'.repeat(1900)}`
  const judge = (line: (i: number) => string) => inTime(t, 1500, () => isAllowed(manyLines(line), path))
  t.false(judge((i) => `Disallow: /${'*a'.repeat(40)}${i}$`))
  t.false(judge((i) => `Disallow:/*${'bcdef'[i % 5]}`))
  t.false(
    judge((i) => (i % 2 ? 'Disallow: /*x' : `Allow: /*${'a'.repeat(9)}`)),
    'and no exception outweighs it',
  )
  t.true(judge((i) => `Disallow: /b*${'bcdef'[i % 5]}`))
  t.true(
    isAllowed(manyLines((i) => `Disallow: /*/private/${i}*`)),
    'an ordinary address is judged to the letter',
  )
})

// Two hundred kilobytes of it took all memory there was.
test('thousands of names before thousands of rules cost no more than another file', (t) => {
  const names = (name: (i: number) => string) =>
    Array.from({ length: 15_000 }, (_, i) => `user-agent:${name(i)}`).join('\n')
  const rules = 'allow:/\n'.repeat(30_000)
  t.true(inTime(t, 1500, () => isAllowed(`${names(() => '*')}\n${rules}`)))
  t.false(inTime(t, 1500, () => isAllowed(`${names(String)}\n${rules}User-agent: *\nDisallow: /`)))
})

test('groups of one name are merged; only the name counts, not its version', (t) => {
  const twice = 'User-agent: *\nDisallow: /a\n\nUser-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /b'
  t.deepEqual(
    ['/a', '/b', '/c'].map((path) => isAllowed(twice, path)),
    [false, false, true],
  )
  t.false(isAllowed('User-agent: Membership-Index/7.1\nDisallow: /\n\nUser-agent: *\nAllow: /'))
  t.true(isAllowed('User-agent: membership-index-two\nDisallow: /'))
  t.is(delayOf('User-agent: *\nDisallow: /x\n\nUser-agent: membership-index\nCrawl-delay: 3'), 3)
})

test('beyond the bound never more is allowed than the file allows', (t) => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '$'), maxLength: 6 })
  const rule = fc.tuple(fc.constantFrom('Allow', 'Disallow'), pattern).map(([field, p]) => `${field}: /${p}`)
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 })
  const filler = `Disallow: /zzz${'*z'.repeat(600_000)}`
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 5 }), path, (lines, rest) => {
        const text = `User-agent: *\n${lines.join('\n')}`
        const here = `/${rest}`
        return !isAllowed(`${text}\n${filler}`, here) || isAllowed(text, here)
      }),
      settings(150),
    ),
  )
})

const outcomes: Record<string, { robots: Page; expected: string }> = {
  'no robots.txt allows': { robots: (_, r) => void r.writeHead(404).end(), expected: 'listed' },
  'one that is forbidden allows': { robots: (_, r) => void r.writeHead(403).end(), expected: 'listed' },
  'an error of the server forbids': {
    robots: (_, r) => void r.writeHead(503).end(),
    expected: 'robots-disallowed',
  },
  'a page in its place says nothing': { robots: kirbyPage('Not found'), expected: 'listed' },
  'what it forbids is not visited': {
    robots: (_, r) =>
      void r.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /'),
    expected: 'robots-disallowed',
  },
  'it may lead elsewhere': {
    robots: (_, r) => void r.writeHead(301, { location: 'http://b.example/robots.txt' }).end(),
    expected: 'robots-disallowed',
  },
  'one that leads in a circle is none': {
    robots: (_, r) => void r.writeHead(301, { location: '/robots.txt' }).end(),
    expected: 'listed',
  },
  'of an endless one the first 500 KiB count': {
    robots: (_, r) => {
      r.writeHead(200, { 'content-type': 'text/plain' }).write('User-agent: *\nDisallow: /\n')
      const more = () => {
        while (!r.destroyed && r.write('#'.repeat(65_536)));
      }
      r.on('drain', more).on('error', () => {})
      more()
    },
    expected: 'robots-disallowed',
  },
  'a line that is cut off at 500 KiB is no rule': {
    robots: (_, r) =>
      void r
        .writeHead(200, { 'content-type': 'text/plain' })
        .end(`User-agent: *\n${'#'.padEnd(511_975, '#')}\nDisallow: /private/and/more`),
    expected: 'listed',
  },
  'of exactly 500 KiB the last rule counts, without a line end, too': {
    robots: (_, r) =>
      void r
        .writeHead(200, { 'content-type': 'text/plain' })
        .end(`User-agent: *\n${'#'.padEnd(511_974, '#')}\nDisallow: /`),
    expected: 'robots-disallowed',
  },
  'it counts whatever its type': {
    robots: (_, r) =>
      void r.writeHead(200, { 'content-type': 'application/octet-stream' }).end('User-agent: *\nDisallow: /'),
    expected: 'robots-disallowed',
  },
  'a picture in its place says nothing': {
    robots: (_, r) =>
      void r
        .writeHead(200, { 'content-type': 'image/png' })
        .end(Buffer.from('89504e470d0a1a0a00ff3a0d', 'hex')),
    expected: 'listed',
  },
  'a NUL in it is left out': {
    robots: (_, r) =>
      void r.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /\0\n'),
    expected: 'robots-disallowed',
  },
  'what stands behind 500 KiB does not': {
    robots: (_, r) =>
      void r
        .writeHead(200, { 'content-type': 'text/plain' })
        .end(`${'#\n'.repeat(300_000)}User-agent: *\nDisallow: /`),
    expected: 'listed',
  },
}
for (const [name, { robots, expected }] of Object.entries(outcomes))
  test(name, async (t) => {
    const web = await startWeb({
      'a.example': { '/': kirbyPage(), '/robots.txt': robots },
      'b.example': {
        '/robots.txt': (_, r) =>
          void r.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /'),
      },
    })
    const index = await startIndex(web)
    t.teardown(async () => {
      await index.close()
      await web.close()
    })
    const { finding } = await index.m.reports.detect('http://a.example/')
    t.is<string, string>(finding.kind === 'unreachable' ? finding.reason : finding.kind, expected)
    if (expected === 'robots-disallowed') t.false(web.asked.some(({ path }) => path === '/'))
  })

test('robots.txt is requested once a day for all visits', async (t) => {
  const clock = createClock()
  const web = await startWeb({ 'a.example': { '/': kirbyPage() } })
  const index = await startIndex(web, { now: clock.now })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const asked = () => web.asked.filter(({ path }) => path === '/robots.txt').length
  for (let i = 0; i < 3; i++) await index.m.reports.detect('http://a.example/')
  t.is(asked(), 1)
  clock.move(86_400_000)
  await index.m.reports.detect('http://a.example/')
  t.is(asked(), 2)
})

test('a forbidding robots.txt is read again only for the partner who asks again', async (t) => {
  let rules = 'User-agent: *\nDisallow: /'
  const web = await startWeb({
    'a.example': {
      '/': kirbyPage(),
      '/old': (_, r) => void r.writeHead(301, { location: '/' }).end(),
      '/robots.txt': (_, r) => void r.writeHead(200, { 'content-type': 'text/plain' }).end(rules),
    },
  })
  const clock = createClock()
  const index = await startIndex(web, { now: clock.now })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const ann = await index.partner('ann')
  const asked = () => web.asked.filter(({ path }) => path === '/robots.txt').length
  const problem = (await (await ann.add('http://a.example/')).json()) as { id: string; reason: string }
  t.deepEqual([problem.reason, asked()], ['robots-disallowed', 1])
  t.is((await ann.refresh(problem.id)).status, 200)
  t.is(
    ((await (await ann.read(problem.id)).json()) as { data: { status: string } }).data.status,
    'unreachable',
  )
  t.is(asked(), 2, 'once for a visit')
  // Mended; the crawler believes what is kept, and so do lists of addresses.
  rules = 'User-agent: *\nAllow: /'
  await index.m.reports.crawl.retry('http://a.example/')
  t.like(await index.m.reports.crawl.run(), { visited: 1, unreachable: 1 })
  await ann.ask('POST', '/reports/imports', { 'Content-Type': 'text/plain' }, 'http://a.example/listed')
  const lines = () => index.m.storage.read((db) => db.selectFrom('import_lines').select('outcome'))
  await until(lines, ([line]) => line?.outcome === 'unreachable')
  t.is(asked(), 2)
  t.is((await ann.add('http://a.example/old')).status, 201)
  t.is(asked(), 3, 'once for all hops')
  t.is((await ann.refresh(problem.id)).status, 200)
  t.is(asked(), 3, 'what allows is kept for its day')
})

// The line stays open until the next request is on its way, and is cut then.
test('a site that closes a reused connection is still visited', async (t) => {
  const answer = (type: string, body: string) =>
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const server = createServer((socket) => {
    let asked = 0
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      if (++asked > 1) return void socket.destroy()
      const isRobots = chunk.toString('latin1').startsWith('GET /robots.txt')
      socket.write(
        isRobots ? answer('text/plain', 'User-agent: *\nDisallow:\n') : answer('text/html', kirbyPage()),
      )
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const web = await startWeb()
  const index = await startIndex(web, {
    reports: { ...web.options, resolve: async () => [{ address: '127.0.0.1', port }] },
  })
  t.teardown(async () => {
    await index.close()
    await web.close()
    server.close()
  })
  const { finding } = await index.m.reports.detect('http://cutting.example/')
  t.is<string, string>(finding.kind === 'unreachable' ? finding.reason : finding.kind, 'listed')
})

test('every visit identifies itself', async (t) => {
  let seen = ''
  const web = await startWeb({
    'a.example': {
      '/': (request, response) => {
        seen = request.headers['user-agent'] ?? ''
        response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage())
      },
    },
  })
  const index = await startIndex(web)
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  await index.m.reports.detect('http://a.example/')
  t.is(seen, agent)
})

// Source: RFC 9309, section 2.2.2: its table, both ways, and unreserved characters in either spelling.
for (const [rule, path] of [
  ['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
  ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar'],
  ['/foo/bar/\u30C4', '/foo/bar/%E3%83%84'],
  ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84'],
  ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
  ['/%7Eann/', '/~ann/'],
  ['/a%2Db/', '/a-b/'],
  ["/q?name='x'", "/q?name='x'"],
] as const)
  test(`robots.txt: ${rule} and ${path} are one address`, (t) => {
    t.false(isAllowed(`User-agent: *\nDisallow: ${rule}`, path))
    t.false(isAllowed(`User-agent: *\nDisallow: ${path}`, rule))
  })

test('reserved characters keep their two spellings apart, and signs of rules mean themselves in an address', (t) => {
  t.true(isAllowed('User-agent: *\nDisallow: /a%2Fb', '/a/b'))
  t.true(isAllowed('User-agent: *\nDisallow: /a/b', '/a%2Fb'))
  t.false(isAllowed('User-agent: *\nDisallow: /a%2Ab', '/a*b'))
  t.true(isAllowed('User-agent: *\nDisallow: /a%2Ab', '/axb'))
  t.false(isAllowed('User-agent: *\nDisallow: /a$b', '/a$b/c'))
  t.true(isAllowed('User-agent: *\nDisallow: /a$', '/a$'))
})
