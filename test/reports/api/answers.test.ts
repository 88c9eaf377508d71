import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { kirbyPage, type Page, plainPage } from '../../support/web.ts'
import {
  added,
  bodyOf,
  dayMs,
  type List,
  openIndex,
  type Problem,
  refused,
  until,
  wholeOf,
} from './support.ts'

// The rows of the decisions’ table “Answers”: adding, reading, refreshing, deleting.

function sites(): Record<string, Record<string, Page>> {
  return {
    'a.example': { '/': kirbyPage('Site A') },
    'b.example': { '/': kirbyPage('Site B') },
    'plain.example': { '/': plainPage() },
    'weak.example': { '/': plainPage().replace('<p>', '<img src="/media/pages/home/cover.jpg"><p>') },
  }
}

/** A page that is sent when the test says so. */
function slowPage() {
  const waiting: ServerResponse[] = []
  const page: Page = (_, response) => void waiting.push(response)
  return {
    page,
    isAsked: () => waiting.length > 0,
    send: (html: string) => {
      for (const response of waiting.splice(0))
        response.writeHead(200, { 'content-type': 'text/html' }).end(html)
    },
  }
}

test('a new website is answered 201 with its address and the report', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const answer = await partner.add('http://a.example/')
  t.is(answer.status, 201)
  const { data } = await bodyOf(answer)
  t.is(answer.headers.get('location'), `${index.site}/reports/${data.id}`)
  t.is(answer.headers.get('vary'), 'X-API-KEY')
  t.is(answer.headers.get('cache-control'), 'private, no-cache')
  const read = await partner.ask('GET', answer.headers.get('location')!)
  t.is(read.headers.get('etag'), answer.headers.get('etag'))
  t.deepEqual((await bodyOf(read)).data, data)
})

test('with Prefer: respond-async a website is pending, then listed, and can be read all the while', async (t) => {
  const slow = slowPage()
  const index = await openIndex(t, { 'slow.example': { '/': slow.page } })
  const partner = await index.partner('ann')
  const answer = await partner.add('http://slow.example/', { prefer: 'respond-async' })
  t.is(answer.status, 202)
  t.regex(answer.headers.get('retry-after')!, /^\d+$/)
  const location = answer.headers.get('location')!
  const { data } = await bodyOf(answer)
  t.is(location, `${index.site}/reports/${data.id}`)
  t.is(data.status, 'pending')
  t.is((await bodyOf(await partner.ask('GET', location))).data.status, 'pending')
  const again = await partner.add('http://slow.example/', { prefer: 'respond-async' })
  t.is(again.status, 202)
  t.is((await bodyOf(again)).data.id, data.id)
  await until(async () => slow.isAsked(), Boolean)
  slow.send(kirbyPage('At last'))
  const done = await until(
    async () => (await bodyOf(await partner.ask('GET', location))).data,
    ({ status }) => status !== 'pending',
  )
  t.like(done, { id: data.id, status: 'listed', title: 'At last' })
  t.is((await partner.add('http://slow.example/')).status, 200)
})

test('a website slower than wait_seconds is answered 202, and a refused one keeps its id', async (t) => {
  const slow = slowPage()
  const index = await openIndex(
    t,
    { 'slow.example': { '/': slow.page } },
    { 'membership.reports.wait_seconds': 1 },
  )
  const partner = await index.partner('ann')
  const began = performance.now()
  const answer = await partner.add('http://slow.example/')
  t.is(answer.status, 202)
  t.true(performance.now() - began > 900)
  const { data } = await bodyOf(answer)
  t.is(data.status, 'pending')
  await until(async () => slow.isAsked(), Boolean)
  slow.send(plainPage())
  const done = await until(
    async () => (await bodyOf(await partner.read(data.id))).data,
    ({ status }) => status !== 'pending',
  )
  t.like(done, { status: 'rejected', status_reason: 'system-not-detected' })
})

test('a website linked to the caller is answered 200 with the existing report', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const before = index.web.asked.length
  for (const url of [
    'http://a.example/',
    'http://A.example',
    'https://www.a.example/',
    'http://a.example/#top',
  ]) {
    const answer = await partner.add(url)
    t.is(answer.status, 200, url)
    t.is((await bodyOf(answer)).data.id, id, url)
  }
  t.is(index.web.asked.length, before)
  t.is((await bodyOf<List>(await partner.list())).data.length, 1)
})

test('added several times at once a website is one report', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const answers = await Promise.all(Array.from({ length: 6 }, () => partner.add('http://a.example/')))
  const ids = await Promise.all(answers.map(async (answer) => (await bodyOf(answer)).data.id))
  t.deepEqual(
    answers.filter(({ status }) => status !== 201 && status !== 200),
    [],
  )
  const { data } = await bodyOf<List>(await partner.list())
  t.is(data.length, 1)
  t.deepEqual([...new Set(ids)], [data[0]!.id])
})

test('refused several times at once a website is one attempt', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const answers = await Promise.all(Array.from({ length: 6 }, () => partner.add('http://plain.example/')))
  const ids = await Promise.all(answers.map(async (answer) => (await bodyOf<Problem>(answer)).id))
  const { data } = await bodyOf<List>(await partner.list('?status=rejected'))
  t.is(data.length, 1)
  t.deepEqual([...new Set(ids)], [data[0]!.id])
})

test('another’s or nobody’s website is answered 409, without its partner', async (t) => {
  const index = await openIndex(t, sites(), { 'membership.reports.crawl.seeds': ['http://b.example/'] })
  const [ann, bob, cid] = [await index.partner('ann'), await index.partner('bob'), await index.partner('cid')]
  await index.m.reports.crawl.run()
  const id = await added(t, ann, 'http://a.example/')
  const ofAnn = await wholeOf(await cid.add('http://a.example/'))
  await index.m.reports.operator.relink('http://a.example/', bob.id, { write: true })
  const ofBob = await wholeOf(await cid.add('http://a.example/'))
  const ofNobody = await wholeOf(await cid.add('http://b.example/'))
  t.is(ofAnn.status, 409)
  const bare = (answer: typeof ofAnn) => ({ ...answer, headers: { ...answer.headers, ratelimit: '' } })
  t.deepEqual(bare(ofAnn), bare(ofBob))
  t.is(ofAnn.body.replaceAll('a.example', 'b.example'), ofNobody.body)
  const problem = JSON.parse(ofAnn.body) as Problem
  t.is(problem.code, 'ERR_REPORT_EXISTS')
  t.regex(problem.action!, /index@operator\.example/)
  for (const secret of [id, ann.id, bob.id, 'ann', 'bob']) t.false(ofAnn.body.includes(secret), secret)
})

test('of two partners who add a website at the same moment one gets it, the other a 409', async (t) => {
  const index = await openIndex(t, sites())
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const answers = await Promise.all([ann.add('http://a.example/'), bob.add('http://a.example/')])
  t.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
  const lists = await Promise.all(
    [ann, bob].map(async (item) => (await bodyOf<List>(await item.list())).data.length),
  )
  t.deepEqual(lists.sort(), [0, 1])
})

test('a website that does not run the system is answered 422 with the channels, the score and the id', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const body = await refused(t, await partner.add('http://plain.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  t.is(body.score, 0)
  for (const channel of ['cookie', 'meta', 'asset']) t.true(body.channels!.includes(channel), channel)
  t.regex(body.detail, /0 of 100/)
  const read = await bodyOf(await partner.read(body.id!, '?expand=1'))
  t.like(read.data, { id: body.id, status: 'rejected', status_reason: 'system-not-detected' })
  t.is(read.data.system.confidence, body.score!)
})

test('a website that fails is answered 422 with the reason and the id', async (t) => {
  const answer =
    (status: number, headers: Record<string, string> = {}, body = ''): Page =>
    (_, response) =>
      void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
  const index = await openIndex(t, {
    'missing.example': {},
    'down.example': { '/': answer(500) },
    'text.example': { '/': answer(200, { 'content-type': 'image/png' }, 'x') },
    'closed.example': { '/robots.txt': 'User-agent: *\nDisallow: /', '/': kirbyPage() },
    'round.example': { '/': answer(302, { location: 'http://round.example/' }) },
    'inner.example': { '/': answer(302, { location: 'http://127.0.0.1/' }) },
    'broken.example': { '/': answer(200, { 'content-encoding': 'gzip' }, 'no gzip') },
    'busy.example': { '/': answer(429, { 'retry-after': '60' }) },
    'cut.example': { '/': (request) => void request.socket.destroy() },
  })
  const partner = await index.partner('ann')
  const reasons = {
    'nowhere.example': 'dns',
    'missing.example': 'http-4xx',
    'down.example': 'http-5xx',
    'text.example': 'not-html',
    'closed.example': 'robots-disallowed',
    'round.example': 'too-many-redirects',
    'inner.example': 'redirect-not-allowed',
    'broken.example': 'bad-encoding',
    'busy.example': 'rate-limited',
    'cut.example': 'refused',
  }
  for (const [host, reason] of Object.entries(reasons)) {
    const body = await refused(t, await partner.add(`http://${host}/`), 422, 'ERR_SITE_UNREACHABLE')
    t.is(body.reason, reason, host)
    t.regex(body.action!, new RegExp(`-X PATCH .*/reports/${body.id}`))
    const { data } = await bodyOf(await partner.read(body.id!))
    t.like(data, { status: 'unreachable', status_reason: reason }, host)
  }
})

test('a refused address is answered 422, the same whatever is behind it', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  for (const url of [
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://[::1]/',
    'http://localhost/',
    'http://user:secret@a.example/',
    'http://a.example:8080/',
    'file:///etc/passwd',
    `http://a.example/${'x'.repeat(2000)}`,
    `http://a.example/${'ü'.repeat(1000)}`,
  ])
    await refused(t, await partner.add(url), 422, 'ERR_URL_NOT_ALLOWED')
  index.web.hosts['inside.example'] = {}
  const bodies = new Set<string>()
  // Something listens on none but the first.
  for (const address of ['127.0.0.2', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1']) {
    index.web.answers.set('inside.example', [address])
    const body = await refused(t, await partner.add('http://inside.example/'), 422, 'ERR_URL_NOT_ALLOWED')
    t.false('id' in body)
    bodies.add(JSON.stringify(body))
  }
  t.is(bodies.size, 1)
  t.deepEqual((await bodyOf<List>(await partner.list())).data, [])
})

test('an excluded website is answered 403, below its folder, too', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  await index.m.reports.operator.exclude('a.example', 'the owner asked')
  await index.m.reports.operator.exclude('b.example/private', 'the owner asked')
  for (const url of [
    'http://a.example/',
    'http://www.a.example/',
    'http://x.a.example/',
    'http://b.example/private/x',
  ]) {
    const body = await refused(t, await partner.add(url), 403, 'ERR_SITE_EXCLUDED')
    t.false(JSON.stringify(body).includes('the owner asked'))
  }
  await refused(t, await partner.refresh(id), 403, 'ERR_SITE_EXCLUDED')
  t.is((await partner.add('http://b.example/')).status, 201)
})

test('an excluded website does not return through a redirect', async (t) => {
  const moved =
    (location: string): Page =>
    (_, response) =>
      void response.writeHead(301, { location }).end()
  let asked = 0
  const counted: Page = (_, response) => {
    asked++
    response.writeHead(301, { location: 'http://b.example/' }).end()
  }
  const hosts: Record<string, Record<string, Page>> = {
    ...sites(),
    'door.example': { '/': moved('http://a.example/') },
    'two.example': { '/': moved('http://door.example/') },
    'through.example': { '/': moved('http://hop.example/') },
    'hop.example': { '/': counted },
    'listed.example': { '/': kirbyPage() },
  }
  const index = await openIndex(t, hosts)
  const partner = await index.partner('ann')
  const listed = await added(t, partner, 'http://listed.example/')
  await index.m.reports.operator.exclude('a.example', 'the owner asked')
  await index.m.reports.operator.exclude('hop.example', 'the owner asked')
  for (const host of ['door.example', 'two.example', 'through.example'])
    await refused(t, await partner.add(`http://${host}/`), 403, 'ERR_SITE_EXCLUDED')
  t.is(asked, 0, 'an excluded hop is never visited')
  t.is((await bodyOf<List>(await partner.list('?status=rejected'))).data.length, 0, 'nothing is kept of it')

  // A listed website that begins to redirect there leaves the index.
  hosts['listed.example']!['/'] = moved('http://a.example/')
  await refused(t, await partner.refresh(listed), 403, 'ERR_SITE_EXCLUDED')
  const { data } = await bodyOf(await partner.read(listed))
  t.like(data, { status: 'rejected', status_reason: 'excluded' })
})

test('a refused attempt stays readable for 30 days, and PATCH tries again', async (t) => {
  const hosts = sites()
  const index = await openIndex(t, hosts)
  const partner = await index.partner('ann')
  const { id } = await refused(t, await partner.add('http://plain.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  const other = await refused(t, await partner.add('http://nowhere.example/'), 422, 'ERR_SITE_UNREACHABLE')
  index.clock.move(30 * dayMs - 1000)
  await index.m.runDueJobs()
  t.is((await bodyOf(await partner.read(id!))).data.status, 'rejected')
  t.is((await bodyOf(await partner.read(other.id!))).data.status, 'unreachable')
  const still = await partner.refresh(id!)
  t.is(still.status, 200)
  t.is((await bodyOf(still)).data.status, 'rejected')
  index.clock.move(2000)
  await index.m.runDueJobs()
  await refused(t, await partner.read(other.id!), 404, 'ERR_NOT_FOUND')
  hosts['plain.example']!['/'] = kirbyPage('Mended')
  const answer = await partner.refresh(id!)
  t.like((await bodyOf(answer)).data, { id, status: 'listed', title: 'Mended' })
  index.clock.move(31 * dayMs)
  await index.m.runDueJobs()
  t.is((await partner.read(id!)).status, 200)
})

test('POST for a refused attempt retries and keeps its id', async (t) => {
  const hosts = sites()
  const index = await openIndex(t, hosts)
  const partner = await index.partner('ann')
  const first = await refused(t, await partner.add('http://plain.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  const second = await refused(t, await partner.add('http://plain.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  t.is(second.id, first.id)
  hosts['plain.example']!['/'] = kirbyPage()
  const answer = await partner.add('http://plain.example/')
  t.is(answer.status, 201)
  t.is((await bodyOf(answer)).data.id, first.id!)
})

test('a refused attempt blocks nobody from adding the website', async (t) => {
  const hosts = sites()
  const index = await openIndex(t, hosts)
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const tried = await refused(t, await ann.add('http://plain.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  hosts['plain.example']!['/'] = kirbyPage()
  t.is((await bob.add('http://plain.example/')).status, 201)
  await refused(t, await ann.refresh(tried.id!), 409, 'ERR_REPORT_EXISTS')
})

test('PATCH of an attempt whose website was linked to the caller meanwhile returns that one', async (t) => {
  const hosts = sites()
  const index = await openIndex(t, hosts, { 'membership.reports.crawl.seeds': ['http://plain.example/'] })
  const partner = await index.partner('ann')
  const tried = await refused(t, await partner.add('http://plain.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  hosts['plain.example']!['/'] = kirbyPage('Mended')
  await index.m.reports.crawl.run()
  await index.m.reports.operator.relink('http://plain.example/', partner.id, { write: true })
  const linked = (await bodyOf<List>(await partner.list())).data.find(({ status }) => status === 'listed')!
  t.not(linked.id, tried.id!)
  const answer = await partner.refresh(tried.id!)
  t.is(answer.status, 200)
  t.is((await bodyOf(answer)).data.id, linked.id)
  await refused(t, await partner.read(tried.id!), 404, 'ERR_NOT_FOUND')
})

test('PATCH is answered 200, or 202 while it runs', async (t) => {
  const slow = slowPage()
  const hosts = sites()
  const index = await openIndex(t, hosts)
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  t.is((await partner.refresh(id)).status, 200)
  hosts['a.example']!['/'] = slow.page
  const answer = await partner.refresh(id, { prefer: 'respond-async' })
  t.is(answer.status, 202)
  t.is(answer.headers.get('location'), `${index.site}/reports/${id}`)
  t.is((await bodyOf(answer)).data.status, 'listed')
  await until(async () => slow.isAsked(), Boolean)
  slow.send(kirbyPage('Later'))
  const done = await until(
    async () => (await bodyOf(await partner.read(id))).data,
    ({ title }) => title === 'Later',
  )
  t.is(done.status, 'listed')
})

test('PATCH of a failing website is answered 200 with its state', async (t) => {
  const hosts = sites()
  const index = await openIndex(t, hosts)
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  hosts['a.example'] = {}
  const answer = await partner.refresh(id)
  t.is(answer.status, 200)
  t.like((await bodyOf(answer)).data, { status: 'unreachable', status_reason: 'http-4xx', title: 'Site A' })
})

test('a deleted website stays away from the crawler for 30 days', async (t) => {
  const index = await openIndex(t, sites(), { 'membership.reports.crawl.seeds': ['http://a.example/'] })
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const answer = await partner.remove(id)
  t.is(answer.status, 204)
  t.is(await answer.text(), '')
  await refused(t, await partner.read(id), 404, 'ERR_NOT_FOUND')
  await refused(t, await partner.remove(id), 404, 'ERR_NOT_FOUND')
  await index.m.reports.crawl.run()
  index.clock.move(30 * dayMs - 1000)
  await index.m.reports.crawl.run()
  await t.throwsAsync(index.m.reports.operator.get('http://a.example/'), { code: 'ERR_NOT_FOUND' })
  index.clock.move(2000)
  await index.m.reports.crawl.run()
  t.is((await index.m.reports.operator.get('http://a.example/')).row.status, 'listed')
})

test('a deleted website may be added at once by any partner', async (t) => {
  const index = await openIndex(t, sites())
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const id = await added(t, ann, 'http://a.example/')
  await ann.remove(id)
  const second = await added(t, bob, 'http://a.example/')
  t.not(second, id)
  await bob.remove(second)
  await added(t, ann, 'http://a.example/')
})

test('another partner’s id gets the same answer as an unknown one', async (t) => {
  const index = await openIndex(t, sites())
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const id = await added(t, ann, 'http://a.example/')
  const unknown = `${id.slice(0, -1)}${id.endsWith('x') ? 'y' : 'x'}`
  const asks = [
    (item: string) => bob.read(item),
    (item: string) => bob.read(item, '?expand=1'),
    (item: string) => bob.read(item, '', { 'if-none-match': '*' }),
    (item: string) => bob.refresh(item),
    (item: string) => bob.refresh(item, { 'if-match': '"1.x"' }),
    (item: string) => bob.upload(item, Buffer.from('no picture')),
    (item: string) => bob.remove(item),
    (item: string) => bob.ask('HEAD', `/reports/${item}`),
    (item: string) => bob.ask('GET', `/reports/imports/${item}`),
  ]
  const bare = async (answer: Response, item: string) => {
    const whole = await wholeOf(answer)
    return JSON.stringify({ ...whole, headers: { ...whole.headers, ratelimit: '' } }).replaceAll(item, 'ID')
  }
  for (const ask of asks) {
    const [theirs, nobodys] = [await ask(id), await ask(unknown)]
    t.is(theirs.status, 404)
    t.is(await bare(theirs, id), await bare(nobodys, unknown))
  }
  t.is((await bodyOf<List>(await ann.list())).data[0]!.id, id)
})

test('every answer to a key is private to its owner, refusals and empty ones included', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  for (const answer of [
    await partner.list(),
    await partner.list('?expand=2'),
    await partner.read('rpt_1'),
    await partner.add('http://plain.example/'),
    await partner.refresh(id),
    await partner.ask('POST', '/reports/imports', {}, 'http://a.example/'),
    await index.client('').list(),
    await partner.remove(id),
  ]) {
    t.regex(answer.headers.get('cache-control') ?? '', /^private, no-(cache|store)$/, answer.url)
    t.is(answer.headers.get('vary'), 'X-API-KEY')
  }
})

test('url may occur once, and expand accepts only 1', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const twice = await partner.ask('POST', '/reports?url=http://a.example/&url=http://b.example/')
  t.regex((await refused(t, twice, 400, 'ERR_PARAMETER')).detail, /"url"/)
  const id = await added(t, partner, 'http://a.example/')
  for (const query of ['?expand=0', '?expand=2', '?expand=', '?expand=true', '?expand=1&expand=1']) {
    t.regex((await refused(t, await partner.list(query), 400, 'ERR_PARAMETER')).detail, /"expand"/)
    await refused(t, await partner.read(id, query), 400, 'ERR_PARAMETER')
  }
})

test('HEAD is answered like GET, without the body', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  for (const path of ['/reports', `/reports/${id}`, '/reports/openapi.json', '/reports/docs']) {
    const [get, head] = [
      await fetch(index.site + path, { headers: { 'X-API-KEY': partner.key } }),
      await partner.ask('HEAD', path),
    ]
    t.deepEqual([head.status, await head.text()], [200, ''])
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'vary'])
      t.is(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
  }
})

test('an unsupported method is answered 405 with the supported ones', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const allowed = {
    '/reports': 'GET, HEAD, POST',
    '/reports/rpt_1': 'GET, HEAD, POST, PATCH, DELETE',
    '/reports/imports': 'POST',
    '/reports/imports/imp_1': 'GET, HEAD',
    '/reports/openapi.json': 'GET, HEAD',
    '/reports/docs': 'GET, HEAD',
  }
  for (const [path, allow] of Object.entries(allowed))
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await fetch(index.site + path, {
        method,
        headers: { 'X-API-KEY': partner.key },
      })
      if (allow.split(', ').includes(method)) t.not(status, 405, `${method} ${path}`)
      else t.deepEqual([status, headers.get('allow')], [405, allow], `${method} ${path}`)
    }
  await refused(t, await partner.ask('PUT', '/reports'), 405, 'ERR_METHOD')
})

test('an unknown address below /reports is answered 404 as a problem', async (t) => {
  const index = await openIndex(t)
  const partner = await index.partner('ann')
  for (const path of ['/reports/a/b', '/reports/imports/a/b', '/reports/docs/more', '/reports/previews/a/b'])
    for (const method of ['GET', 'POST', 'DELETE'])
      await refused(t, await partner.ask(method, path), 404, 'ERR_NOT_FOUND')
  for (const path of ['/reports/previews/prv_1.jpg', '/reports/previews/x', '/reports/%00', '/reports/%ff'])
    await refused(
      t,
      await fetch(index.site + path, { headers: { 'X-API-KEY': partner.key } }),
      404,
      'ERR_NOT_FOUND',
    )
})

test('no id is ever imports, docs or openapi.json', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  t.regex(id, /^rpt_[\w-]{24}$/)
  t.is((await partner.ask('GET', '/reports/imports')).status, 405)
})

test('one website is one entry under any of its addresses', async (t) => {
  const home = kirbyPage('Home', '<p>Welcome to our house.</p>')
  const named = (canonical: string) =>
    home.replace('<head>', `<head><link rel="canonical" href="${canonical}">`)
  const index = await openIndex(t, {
    'a.example': {
      '/': home,
      '/?utm_source=x': home,
      '/index.php': home,
      '/%20': home,
      '/;x': home,
      '/?from=mail': home,
      '/start': kirbyPage('Start', '<p>Another text.</p>').replace(
        '<head>',
        '<head><link rel="canonical" href="http://a.example/">',
      ),
      '/shop': kirbyPage('Shop', '<p>A shop of its own.</p>'),
    },
    'b.example': { '/': named('http://a.example/') },
  })
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const id = await added(t, ann, 'http://a.example/')
  for (const url of [
    'http://a.example/?utm_source=x',
    'http://a.example/index.php',
    'http://a.example/%20',
    'http://a.example/;x',
    'http://a.example/#/',
    'http://a.example/?from=mail',
    'http://a.example/start',
    'a.example',
  ]) {
    const body = await refused(t, await bob.add(url), 409, 'ERR_REPORT_EXISTS')
    t.regex(body.action!, /index@operator\.example/, url)
    const own = await ann.add(url)
    t.deepEqual([own.status, (await bodyOf(own)).data.id], [200, id], url)
  }
  t.deepEqual((await bodyOf<List>(await bob.list('?status=pending'))).data, [])
  // Other pages of the host, and other hosts that say the same, are websites of their own.
  await added(t, bob, 'http://a.example/shop')
  await added(t, bob, 'http://b.example/')
})

test('two addresses of one page added at the same moment become one entry', async (t) => {
  const page = kirbyPage('Twins', '<p>The same.</p>')
  const index = await openIndex(t, { 'a.example': { '/?a=1': page, '/?a=2': page, '/?a=3': page } })
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const answers = await Promise.all([
    ann.add('http://a.example/?a=1'),
    bob.add('http://a.example/?a=2'),
    bob.add('http://a.example/?a=3'),
  ])
  const stati = answers.map(({ status }) => status).sort()
  t.is(stati.filter((status) => status === 201).length, 1, String(stati))
  const { data } = await index.m.reports.websites({ status: 'listed' })
  t.is(data.length, 1)
})

test('an address without a scheme is https, or http if https does not answer', async (t) => {
  const index = await openIndex(t, { 'a.example': { '/': kirbyPage('Plain') } })
  const ann = await index.partner('ann')
  const answer = await ann.add('a.example')
  t.is(answer.status, 201)
  const { data } = await bodyOf(answer)
  t.like(data, { url: 'https://a.example/', final_url: 'http://a.example/', status: 'listed' })
  const again = await ann.refresh(data.id)
  t.is((await bodyOf(again)).data.status, 'listed')
  // Where https was said, http is not what was meant.
  index.web.hosts['b.example'] = { '/': kirbyPage('B') }
  const said = await ann.add('https://b.example/')
  t.is((await bodyOf<Problem>(said)).code, 'ERR_SITE_UNREACHABLE')
})

test('refused attempts are listed only on request', async (t) => {
  const index = await openIndex(t, { ...sites(), 'plain.example': { '/': '<title>By hand</title>' } })
  const ann = await index.partner('ann')
  const id = await added(t, ann, 'http://a.example/')
  await ann.add('http://plain.example/')
  await ann.add('http://nowhere.example/')
  const listOf = async (query: string) =>
    (await bodyOf<List>(await ann.list(query))).data.map(({ status }) => status)
  t.deepEqual(await listOf(''), ['listed'])
  t.deepEqual(await listOf('?status=listed'), ['listed'])
  t.deepEqual(await listOf('?status=rejected'), ['rejected'])
  t.deepEqual(await listOf('?status=unreachable'), ['unreachable'])
  t.deepEqual(await listOf('?status=gone'), [])
  await refused(t, await ann.list('?status=wrong'), 400, 'ERR_PARAMETER')
  // One that was listed and cannot be reached today is still the partner's website.
  index.web.hosts['a.example'] = {}
  await index.m.reports.crawl.retry(id)
  t.is((await ann.list('?status=listed&limit=1')).status, 200)
})

test('a generator alone is a claim: the refusal names the probable system', async (t) => {
  const head = (generator: string) =>
    `<!doctype html><title>By hand</title><meta name="generator" content="${generator}"><p>Hello</p>`
  const { partner } = await openIndex(t, {
    'a.example': { '/': head('Kirby 4.5') },
    'b.example': { '/': head('Hugo 0.122.0') },
  })
  const ann = await partner('ann')
  const own = await refused(t, await ann.add('http://a.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  t.regex(own.detail, /It probably runs Kirby, but a single sign does not prove it\./)
  t.like(own, { certainty: 'probable', score: 80 })
  const other = await refused(t, await ann.add('http://b.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  t.regex(other.detail, /It probably runs Hugo\./)
  t.like(other, { certainty: 'none', other_system: 'Hugo' })
})

function longHead(end: string, style = 'a'.repeat(1_500_000)) {
  return `<!doctype html><html lang="en"><head><title>Long</title><style>/* ${style} */</style>${end}</head><body><p>Hi</p></body></html>`
}
const kirbyHeadEnd =
  '<meta name="generator" content="Kirby 4.5.0"><link rel="icon" href="/media/site/0a1b2c3d4e-1700000000/icon.png">'

test('a page whose head exceeds the limit is judged with the end of its head, and marked as cut', async (t) => {
  const { partner } = await openIndex(t, { 'a.example': { '/': longHead(kirbyHeadEnd) } })
  const ann = await partner('ann')
  const id = await added(t, ann, 'http://a.example/')
  const { data } = await bodyOf(await ann.read(id, '?expand=1'))
  t.deepEqual(data.details?.cut, { at: 'size', head_tail_read: true })
})

test('a compressed page is read to the end of its head too', async (t) => {
  const { partner } = await openIndex(t, {
    'a.example': {
      '/': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
        response.end(gzipSync(longHead(kirbyHeadEnd)))
      },
    },
  })
  const ann = await partner('ann')
  await added(t, ann, 'http://a.example/')
})

test('a refusal says where the page was cut', async (t) => {
  const { partner } = await openIndex(t, {
    'a.example': { '/': longHead('') },
    'b.example': { '/': `<!doctype html><head></head><body>${'<p>'.repeat(400_000)}` },
  })
  const ann = await partner('ann')
  const head = await refused(t, await ann.add('http://a.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  t.regex(head.detail, /The page was cut at 1 MB; the end of its head was read all the same: signs beyond/)
  const body = await refused(t, await ann.add('http://b.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  t.regex(
    body.detail,
    /The page was cut at (?:1 MB|50 000 tags|512 levels): signs beyond that are not seen\./,
  )
})
