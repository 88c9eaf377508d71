import test from 'ava'
import { kirbyPage } from '../../support/web.ts'
import { day, open, picture } from './support.ts'

const soon = async <T>(ask: () => Promise<T>, done: (value: T) => boolean): Promise<T> => {
  for (let i = 0; i < 200; i++) {
    const value = await ask()
    if (done(value)) return value
    await new Promise((next) => setTimeout(next, 20))
  }
  return ask()
}

test('a new website is 201 with its address; again it is 200 with the same', async (t) => {
  const { ann, web } = await open(t)
  const first = await ann.add('http://a.example/')
  t.is(first.status, 201)
  t.true(first.headers.get('location')?.endsWith(`/reports/${first.body.data.id}`))
  const visits = web.asked.length
  for (const same of [
    'http://a.example',
    'https://a.example/',
    'http://www.a.example/',
    'http://A.EXAMPLE:80/#top',
  ]) {
    const { status, body } = await ann.add(same)
    t.is(status, 200, same)
    t.is(body.data.id, first.body.data.id)
  }
  t.is(web.asked.length, visits, 'a retry visits nobody')
  t.is((await ann.add('http://a.example/blog')).status, 422, 'a folder is a website of its own')
})

test('a slow check is 202, and the result is there when it is done', async (t) => {
  let release = () => {}
  const gate = new Promise<void>((done) => {
    release = done
  })
  const { ann } = await open(t, {
    'membership.reports.wait_seconds': 0,
    hosts: {
      'slow.example': {
        '/': (_, response) =>
          void gate.then(() =>
            response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage('Slow')),
          ),
      },
    },
  })
  const first = await ann.add('http://slow.example/')
  t.is(first.status, 202)
  t.is(first.body.data.status, 'pending')
  t.is(first.headers.get('retry-after'), '2')
  const { id } = first.body.data
  t.true(first.headers.get('location')?.endsWith(id))
  t.is((await ann.add('http://slow.example/')).body.data.id, id, 'asked again meanwhile')
  t.is((await ann.read(id)).body.data.status, 'pending')
  release()
  const done = await soon(
    () => ann.read(id),
    ({ body }) => body.data.status !== 'pending',
  )
  t.like(done.body.data, { status: 'listed', title: 'Slow' })
})

test('Prefer: respond-async does not wait', async (t) => {
  const { ann } = await open(t)
  const { status, body } = await ann.add('http://a.example/', { Prefer: 'respond-async, wait=5' })
  t.is(status, 202)
  const { id } = body.data
  t.is(
    (
      await soon(
        () => ann.read(id),
        (one) => one.body.data.status === 'listed',
      )
    ).body.data.title,
    'Alpha',
  )
  t.is((await ann.refresh(id, { Prefer: 'respond-async' })).status, 202)
  await soon(
    () => ann.read(id),
    (one) => one.body.data.details === undefined && one.body.data.checked_at !== null,
  )
})

test('a website of somebody else is 409, and whose it is stays unsaid', async (t) => {
  const { ann, bob, m } = await open(t)
  await ann.add('http://a.example/')
  const owned = await bob.add('http://a.example/')
  await bob.add('http://b.example/')
  const { id } = (await bob.list()).body.data[0]
  await m.reports.operator.relink('b.example', ann.id, { write: true })
  t.truthy(id)
  const other = await bob.add('http://b.example/')
  for (const answer of [owned, other]) {
    t.is(answer.status, 409)
    t.is(answer.body.code, 'ERR_REPORT_EXISTS')
    t.false(answer.text.includes(ann.id))
    t.false(answer.text.toLowerCase().includes('ann'))
  }
  t.is(owned.text.replaceAll('a.example', 'x'), other.text.replaceAll('b.example', 'x'))
})

test('another system is 422 with what was looked for, readable for 30 days, and PATCH tries again', async (t) => {
  const { ann, bob, m, web, clock } = await open(t)
  const { status, body } = await ann.add('http://plain.example/')
  t.is(status, 422)
  t.like(body, { code: 'ERR_SYSTEM_NOT_DETECTED', score: 0 })
  t.true(body.channels.includes('asset'))
  t.regex(body.detail, /0 of 100/)
  t.like((await ann.read(body.id)).body.data, { status: 'rejected', status_reason: 'system-not-detected' })
  t.deepEqual(
    (await m.reports.operator.reviews()).map(({ url }) => url),
    ['http://plain.example/'],
  )
  t.is((await ann.add('http://plain.example/')).body.id, body.id, 'tried again, the attempt is the same')
  t.is((await m.reports.operator.reviews()).length, 1, 'once in the review list')
  t.is((await bob.add('http://plain.example/')).status, 422, 'another partner may try, too')
  t.is((await bob.read(body.id)).status, 404)

  clock.move(29 * day)
  await m.work()
  t.is((await ann.read(body.id)).status, 200)
  web.hosts['plain.example']!['/'] = kirbyPage('Now it does')
  t.like((await ann.refresh(body.id)).body.data, { status: 'listed', title: 'Now it does' })
  clock.move(2 * day)
  await m.work()
  t.is((await ann.read(body.id)).status, 200, 'what is in the index is kept')
  const lists = (await bob.list()).body.data
  t.deepEqual(lists, [], 'an attempt of 30 days is over')
})

test('a website that cannot be read is 422 with the reason', async (t) => {
  const { ann, web } = await open(t)
  const down = await ann.add('http://down.example/')
  t.is(down.status, 422)
  t.like(down.body, { code: 'ERR_SITE_UNREACHABLE', reason: 'http-5xx', http_status: 503 })
  t.like((await ann.read(down.body.id)).body.data, { status: 'unreachable', status_reason: 'http-5xx' })
  t.like((await ann.add('http://nowhere.example/')).body, { reason: 'dns' })
  web.hosts['down.example']!['/'] = kirbyPage('Up')
  t.like((await ann.refresh(down.body.id)).body.data, { status: 'listed', title: 'Up' })
})

test('an excluded website is 403 for everybody, below it, too', async (t) => {
  const { ann, m } = await open(t, { hosts: { 'sub.a.example': { '/': kirbyPage() } } })
  const { id } = (await ann.add('http://a.example/')).body.data
  await m.reports.operator.exclude('a.example', 'the owner asked')
  for (const url of ['http://a.example/', 'https://www.a.example/page', 'http://sub.a.example/'])
    t.is((await ann.add(url)).body.code, 'ERR_SITE_EXCLUDED', url)
  t.is((await ann.refresh(id)).status, 403)
  t.like((await ann.read(id)).body.data, { status: 'rejected', status_reason: 'excluded' })
  t.is((await ann.add('http://b.example/')).status, 201)
})

test('a website that leads to a listed one is the same', async (t) => {
  const to =
    (location: string) => (_: unknown, response: { writeHead(s: number, h: object): { end(): void } }) =>
      response.writeHead(301, { location }).end()
  const { ann, bob } = await open(t, { hosts: { 'old.example': { '/': to('http://a.example/') as never } } })
  const { id } = (await ann.add('http://a.example/')).body.data
  const { status, body } = await ann.add('http://old.example/')
  t.is(status, 200)
  t.is(body.data.id, id)
  t.is((await bob.add('http://old.example/')).status, 409)
  t.is((await bob.list()).body.data.length, 0)
})

test('an import answers 202 and has one outcome a line', async (t) => {
  const { ann, bob, m } = await open(t)
  await bob.add('http://b.example/')
  await m.reports.operator.exclude('kept.example', 'asked')
  const list =
    '\uFEFFhttp://a.example\r\n\r\n# ours\r\nhttp://www.a.example/ # twice\r\nhttp://b.example/\r\nhttp://plain.example\r\nhttp://down.example\r\nhttp://kept.example\r\nfoo\r\n'
  const begun = await ann.importList(list)
  t.is(begun.status, 202)
  t.like(begun.body.data, { total: 7, status: 'running' })
  const path = new URL(begun.headers.get('location') ?? '').pathname
  await m.work()
  const { body } = await ann.ask('GET', path)
  t.is(body.data.status, 'done')
  t.deepEqual(
    body.data.lines.map(({ line, outcome, detail }: { line: number; outcome: string; detail: string }) => [
      line,
      outcome,
      outcome === 'duplicate' ? detail : '',
    ]),
    [
      [1, 'added', ''],
      [4, 'duplicate', 'line 1'],
      [5, 'taken', ''],
      [6, 'rejected', ''],
      [7, 'unreachable', ''],
      [8, 'excluded', ''],
      [9, 'invalid', ''],
    ],
  )
  t.is((await bob.ask('GET', path)).status, 404)
  t.is((await ann.ask('GET', '/reports/imports/imp_unknown')).status, 404)
  t.is((await ann.list()).body.data.length, 3)
})

test('an import takes 1 000 lines, and not one more', async (t) => {
  const { ann } = await open(t)
  const lines = (count: number) =>
    Array.from({ length: count }, (_, i) => `http://site-${i}.example/`).join('\n')
  const taken = await ann.importList(lines(1000))
  t.is(taken.status, 202)
  t.is(taken.body.data.total, 1000)
  t.is((await ann.importList(lines(1001))).body.code, 'ERR_PARAMETER')
  t.is((await ann.importList('# nothing\n')).body.code, 'ERR_PARAMETER')
  t.is((await ann.importList('x'.repeat(262_145))).status, 413)
})

test('a deleted website stays away from the crawler for 30 days; any partner may add it', async (t) => {
  const { ann, bob, m, clock } = await open(t, { 'membership.reports.crawl.seeds': ['http://a.example/'] })
  const { id } = (await ann.add('http://a.example/')).body.data
  t.is((await ann.remove(id)).status, 204)
  await m.reports.crawl.run()
  t.deepEqual((await m.reports.crawl.status()).websites, {})
  const again = await bob.add('http://a.example/')
  t.is(again.status, 201)
  t.is((await bob.remove(again.body.data.id)).status, 204)
  clock.move(31 * day)
  await m.reports.operator.retry('listed')
  t.is((await ann.add('http://a.example/')).status, 201)
})

test('another partner’s website answers exactly as one that does not exist', async (t) => {
  const { ann, bob } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  const unknown = `rpt_${'x'.repeat(id.length - 4)}`
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '?expand=1'],
    ['PATCH', ''],
    ['DELETE', ''],
  ] as const) {
    const theirs = await bob.ask(method, `/reports/${id}${path}`)
    const nobodys = await bob.ask(method, `/reports/${unknown}${path}`)
    t.is(theirs.status, 404)
    t.is(theirs.text.replaceAll(id, 'ID'), nobodys.text.replaceAll(unknown, 'ID'))
    const names = ({ headers }: typeof theirs) => [...headers.keys()].sort()
    t.deepEqual(names(theirs), names(nobodys))
  }
  const upload = await bob.upload(id, await picture())
  t.is(upload.status, 404)
  t.is(
    upload.text.replaceAll(id, 'ID'),
    (await bob.upload(unknown, await picture())).text.replaceAll(unknown, 'ID'),
  )
})

test('a key that is revoked, has expired, or belongs to a suspended partner opens nothing', async (t) => {
  const { ann, client, m, clock } = await open(t)
  const keys = m.reports.keys
  const short = await keys.issue(ann.id, { expiresAt: new Date(clock.now().getTime() + 1000) })
  t.is((await client(short.key).list()).status, 200)
  clock.move(1000)
  t.is((await client(short.key).list()).status, 401)

  const rotated = await keys.rotate(ann.keyId)
  t.is((await client(rotated.key).list()).status, 200)
  t.is((await ann.list()).status, 200, 'the old key works for another day')
  clock.move(day)
  t.is((await ann.list()).status, 401)

  await m.reports.partners.setStatus(ann.id, 'suspended')
  t.is((await client(rotated.key).list()).status, 401)
  await m.reports.partners.setStatus(ann.id, 'active')
  t.is((await client(rotated.key).list()).status, 200)
  await keys.revoke(rotated.entry.id)
  t.is((await client(rotated.key).list()).status, 401)
})

test('a key for reading cannot write', async (t) => {
  const { ann, client, m } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  const reader = client((await m.reports.keys.issue(ann.id, { scopes: ['read'] })).key)
  t.is((await reader.list()).status, 200)
  t.is((await reader.read(id)).status, 200)
  for (const answer of [
    await reader.add('http://b.example/'),
    await reader.refresh(id),
    await reader.remove(id),
    await reader.importList('http://b.example/'),
    await reader.upload(id, await picture()),
  ]) {
    t.is(answer.status, 403)
    t.is(answer.body.code, 'ERR_SCOPE')
  }
})

test('limits are told; visits, unchanged answers and wrong keys have their own', async (t) => {
  const { ann, client } = await open(t, {
    'membership.reports.limit': 5,
    'membership.reports.limit_visits': 2,
    'membership.reports.limit_unchanged': 3,
  })
  t.is((await ann.add('http://a.example/')).headers.get('ratelimit-policy'), '"visits";q=2;w=60')
  await ann.add('http://b.example/')
  const refused = await ann.add('http://plain.example/')
  t.is(refused.status, 429)
  t.is(refused.body.code, 'ERR_RATE_LIMIT')
  t.true(Number(refused.headers.get('retry-after')) > 0)

  const { headers } = await ann.list()
  t.is(headers.get('ratelimit-policy'), '"default";q=5;w=60')
  t.regex(headers.get('ratelimit') ?? '', /^"default";r=4;t=\d+$/)
  const etag = { 'If-None-Match': headers.get('etag') ?? '' }
  for (let i = 0; i < 3; i++) t.is((await ann.list('', etag)).status, 304)
  t.is((await ann.list('', etag)).status, 429)
  for (let i = 0; i < 4; i++) t.is((await ann.list()).status, 200)
  t.is((await ann.list()).status, 429)

  const statuses = []
  for (let i = 0; i < 70; i++) statuses.push((await client('mk_wrong').list()).status)
  t.deepEqual([...new Set(statuses)], [401, 429])
})

test('the same POST with the same Idempotency-Key is carried out once', async (t) => {
  const { ann, bob, clock, web } = await open(t)
  const key = { 'Idempotency-Key': '"one"' }
  const first = await ann.add('http://a.example/', key)
  t.is(first.status, 201)
  const visits = web.asked.length
  const again = await ann.add('http://a.example/', key)
  t.is(again.status, 201)
  t.is(again.text, first.text)
  t.is(again.headers.get('location'), first.headers.get('location'))
  t.is(web.asked.length, visits)
  t.is((await ann.add('http://b.example/', key)).body.code, 'ERR_IDEMPOTENCY_REUSED')
  t.is((await bob.add('http://b.example/', key)).status, 201, 'a key of its own for each partner')
  t.is((await ann.add('http://b.example/', { 'Idempotency-Key': 'one' })).body.code, 'ERR_PARAMETER')

  const refused = await ann.add('http://plain.example/', { 'Idempotency-Key': '"two"' })
  web.hosts['plain.example']!['/'] = kirbyPage()
  const repeated = await ann.add('http://plain.example/', { 'Idempotency-Key': '"two"' })
  t.is(repeated.status, 422)
  t.is(repeated.text, refused.text)
  clock.move(day + 1)
  t.is((await ann.add('http://plain.example/', { 'Idempotency-Key': '"two"' })).status, 201)

  const list = await ann.importList('http://c.example/', { 'Idempotency-Key': '"three"' })
  t.is(
    (await ann.importList('http://c.example/', { 'Idempotency-Key': '"three"' })).body.data.id,
    list.body.data.id,
  )
  t.is((await ann.importList('http://d.example/', { 'Idempotency-Key': '"three"' })).status, 422)
})

test('the same Idempotency-Key in flight is 409', async (t) => {
  let release = () => {}
  const gate = new Promise<void>((done) => {
    release = done
  })
  const { ann } = await open(t, {
    hosts: {
      'slow.example': {
        '/': (_, response) =>
          void gate.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage())),
      },
    },
  })
  const key = { 'Idempotency-Key': '"slow"' }
  const first = ann.add('http://slow.example/', key)
  const second = await soon(
    () => ann.add('http://slow.example/', key),
    ({ status }) => status === 409,
  )
  t.is(second.body.code, 'ERR_IDEMPOTENCY_IN_FLIGHT')
  t.truthy(second.headers.get('retry-after'))
  release()
  const { status, text } = await first
  t.is(status, 201)
  t.is((await ann.add('http://slow.example/', key)).text, text)
})

test('If-Match protects PATCH, DELETE and the picture', async (t) => {
  const { ann } = await open(t)
  const added = await ann.add('http://a.example/')
  const { id } = added.body.data
  const old = { 'If-Match': added.headers.get('etag') ?? '' }
  t.is((await ann.read(id)).headers.get('etag'), added.headers.get('etag'))
  t.is((await ann.upload(id, await picture(), old)).status, 200)
  for (const answer of [
    await ann.refresh(id, old),
    await ann.remove(id, old),
    await ann.upload(id, await picture(), old),
    await ann.remove(id, { 'If-Match': '"nonsense"' }),
  ]) {
    t.is(answer.status, 412)
    t.is(answer.body.code, 'ERR_PRECONDITION')
  }
  t.is((await ann.refresh(id, { 'If-Match': '*' })).status, 200)
  const { headers } = await ann.read(id)
  t.is((await ann.remove(id, { 'If-Match': `"x", ${headers.get('etag')}` })).status, 204)
})

test('250 websites come in pages', async (t) => {
  const hosts = Object.fromEntries(
    Array.from({ length: 250 }, (_, i) => [`site-${i}.example`, { '/': kirbyPage(`Site ${i}`) }]),
  )
  const { ann, bob, m, clock } = await open(t, { hosts })
  await ann.importList(
    Object.keys(hosts)
      .map((host) => `http://${host}/`)
      .join('\n'),
  )
  for (let i = 0; i < 40; i++) {
    await m.work()
    clock.move(1000)
  }
  const seen: string[] = []
  let path: string | null = ''
  const sizes: number[] = []
  let cursor = ''
  while (path !== null) {
    const { body, headers } = await ann.list(path)
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    sizes.push(body.meta.count)
    const { next } = body.links
    t.is(headers.get('link'), next && `<${next}>; rel="next"`)
    path = next && new URL(next).search
    cursor = path ?? cursor
  }
  t.deepEqual(sizes, [100, 100, 50])
  t.is(new Set(seen).size, 250)
  t.is((await ann.list('?limit=7')).body.data.length, 7)
  for (const wrong of ['0', '101', 'x', '-1', '1.5'])
    t.is((await ann.list(`?limit=${wrong}`)).status, 400, wrong)
  t.is((await ann.list('?cursor=nonsense')).status, 400)
  t.deepEqual((await bob.list(cursor)).body.data, [], 'another partner’s cursor shows nothing of it')
})

test('HEAD, unknown methods, unknown addresses, and parameters given twice', async (t) => {
  const { ann } = await open(t)
  const head = await ann.ask('HEAD', '/reports')
  t.is(head.status, 200)
  t.is(head.text, '')
  const put = await ann.ask('PUT', '/reports')
  t.is(put.status, 405)
  t.is(put.headers.get('allow'), 'GET, POST')
  t.is((await ann.ask('PUT', '/reports/rpt_x')).status, 405)
  t.is((await ann.ask('GET', '/reports/rpt_x/more')).status, 405)
  t.is((await ann.ask('POST', '/reports?url=http://a.example/&url=http://b.example/')).status, 400)
  for (const taken of ['imports', 'docs', 'openapi.json', 'previews'])
    t.not((await ann.add('http://a.example/')).body.data.id, taken)
})

test('a key is in no table and in no log', async (t) => {
  const said: string[] = []
  const { ann, client, m } = await open(t, { log: (...given) => void said.push(JSON.stringify(given)) })
  await ann.add('http://a.example/')
  await ann.list()
  await client(`${ann.key}x`).list()
  await m.reports.keys.rotate(ann.keyId)
  const tables = [
    'partners',
    'api_keys',
    'reports',
    'audit',
    'idempotency_keys',
    'visits',
    'imports',
  ] as const
  for (const table of tables) {
    const rows = await m.storage.read((db) => db.selectFrom(table).selectAll())
    t.false(JSON.stringify(rows).includes(ann.key.slice(3, 43)), table)
  }
  t.false(said.join().includes(ann.key.slice(3, 43)))
})

test('the use of a key is noted at most once a minute', async (t) => {
  const { ann, m, clock } = await open(t)
  const usedAt = async () => {
    await ann.list()
    await new Promise((next) => setTimeout(next, 30))
    return (await m.reports.keys.list(ann.id))[0]?.last_used_at
  }
  t.is(await usedAt(), '2026-03-01T10:20:30.000Z')
  clock.move(59_000)
  t.is(await usedAt(), '2026-03-01T10:20:30.000Z')
  clock.move(1000)
  t.is(await usedAt(), '2026-03-01T10:21:30.000Z')
})
