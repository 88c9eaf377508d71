import test from 'ava'
import { open, picture } from './support.ts'

// The tables of the partner interface's specification, row by row.

test('resources: id, path {id_of_website}, string: identifier of one report', async (t) => {
  const { ann } = await open(t)
  const { body } = await ann.add('http://a.example/')
  t.is(typeof body.data.id, 'string')
  t.is((await ann.read(body.data.id)).body.data.url, 'http://a.example/')
})

test('resources: url, query parameter on create, string, absolute URL, required: address of the website to add', async (t) => {
  const { ann } = await open(t)
  t.is((await ann.add('http://a.example/')).status, 201)
  t.is((await ann.ask('POST', '/reports')).body.code, 'ERR_PARAMETER')
  for (const relative of ['/page', 'a.example', '//a.example/'])
    t.is((await ann.add(relative)).body.code, 'ERR_URL_NOT_ALLOWED', relative)
})

test('resources: expand, query parameter on list and read, flag: the value 1 asks for expanded output', async (t) => {
  const { ann } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  t.is((await ann.list()).body.data[0].details, undefined)
  t.is((await ann.read(id)).body.data.details, undefined)
  for (const { details } of [
    (await ann.list('?expand=1')).body.data[0],
    (await ann.read(id, '?expand=1')).body.data,
  ]) {
    t.true(details.evidence.some(({ channel }: { channel: string }) => channel === 'asset'))
    t.is(details.http.status, 200)
    t.is(details.checks.length, 1)
  }
  for (const value of ['0', '2', 'true', ''])
    t.is((await ann.list(`?expand=${value}`)).body.code, 'ERR_PARAMETER', value)
})

test('resources: preview, multipart form field on upload, file, JPG, smaller than 200 kb, required', async (t) => {
  const { ann } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  t.is((await ann.upload(id, await picture())).status, 200)
  const form = new FormData()
  form.set('other', 'text')
  t.is((await ann.ask('POST', `/reports/${id}`, { body: form })).body.code, 'ERR_UPLOAD')
})

test('endpoints: list own websites, GET /reports, returns the caller’s websites', async (t) => {
  const { ann, bob } = await open(t)
  await ann.add('http://a.example/')
  await bob.add('http://b.example/')
  const urls = async (who: typeof ann) => (await who.list()).body.data.map(({ url }: { url: string }) => url)
  t.deepEqual(await urls(ann), ['http://a.example/'])
  t.deepEqual(await urls(bob), ['http://b.example/'])
})

test('endpoints: add website, POST /reports?url=, adds the site, links it to the caller, checks for the system, fetches metadata', async (t) => {
  const { ann } = await open(t)
  const { status, body } = await ann.add('http://a.example/')
  t.is(status, 201)
  t.like(body.data, {
    url: 'http://a.example/',
    final_url: 'http://a.example/',
    host: 'a.example',
    title: 'Alpha',
    description: 'About Alpha',
    language: 'en',
    favicon_url: 'http://a.example/favicon.png',
    status: 'listed',
    source: 'partner',
    system: { name: 'Kirby', detected: true, version: '4.5.0', confidence: 100 },
  })
  t.is((await ann.list()).body.data.length, 1)
})

test('endpoints: read one website, GET /reports/{id_of_website}, returns details of one of the caller’s websites', async (t) => {
  const { ann, bob } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  t.is((await ann.read(id)).body.data.title, 'Alpha')
  t.is((await bob.read(id)).status, 404)
})

test('endpoints: refresh metadata, PATCH /reports/{id_of_website}, triggers a metadata refresh', async (t) => {
  const { ann, web } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  web.hosts['a.example']!['/'] =
    '<title>Other</title><img src="/media/pages/home/0a1b2c3d4e-1700000000/a.jpg">'
  const { status, body } = await ann.refresh(id)
  t.is(status, 200)
  t.is(body.data.title, 'Other')
  t.is((await ann.read(id)).body.data.title, 'Other')
})

test('endpoints: upload preview, POST /reports/{id_of_website}, replaces the preview screenshot with the uploaded one', async (t) => {
  const { ann, index } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  const first = (await ann.upload(id, await picture(64, 48))).body.data.preview
  t.like(first, { width: 64, height: 48, custom: true })
  const second = (await ann.upload(id, await picture(80, 60))).body.data.preview
  t.is(second.width, 80)
  t.not(second.url, first.url)
  t.is((await fetch(first.url)).status, 404)
  const shown = await fetch(second.url)
  t.is(shown.headers.get('content-type'), 'image/jpeg')
  t.is(shown.headers.get('x-content-type-options'), 'nosniff')
  t.is((await shown.arrayBuffer()).byteLength, second.bytes)
  const again = await fetch(second.url, { headers: { 'If-None-Match': shown.headers.get('etag') ?? '' } })
  t.is(again.status, 304)
  t.true(second.url.startsWith(index.site))
})

test('endpoints: delete website, DELETE /reports/{id_of_website}, deletes the website', async (t) => {
  const { ann } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  t.is((await ann.remove(id)).status, 204)
  t.is((await ann.read(id)).status, 404)
  t.deepEqual((await ann.list()).body.data, [])
  t.is((await ann.remove(id)).status, 404)
})

test('authentication: scheme API key, header X-API-KEY with value <API_KEY>', async (t) => {
  const { ann, client, m } = await open(t)
  t.regex(ann.key, /^mk_[0-9A-Za-z]{46}$/)
  t.is((await ann.list()).status, 200)
  for (const wrong of [
    null,
    'mk_',
    ann.key.slice(0, -1),
    `${ann.key}x`,
    ann.key.toLowerCase(),
    'x'.repeat(5000),
  ]) {
    const { status, headers, body } = await client(wrong).list()
    t.is(status, 401)
    t.is(body.code, 'ERR_API_KEY')
    t.regex(headers.get('www-authenticate') ?? '', /X-API-KEY/)
  }
  await m.reports.keys.revoke(ann.keyId)
  t.is((await ann.list()).status, 401)
})

test('authentication: every operation is sent with the header; a key acts on the websites linked to its owner', async (t) => {
  const { ann, bob, client } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  for (const [who, status] of [
    [client(null), 401],
    [bob, 404],
  ] as const) {
    t.is((await who.read(id)).status, status)
    t.is((await who.refresh(id)).status, status)
    t.is((await who.upload(id, await picture())).status, status)
    t.is((await who.remove(id)).status, status)
  }
  t.is((await client(null).list()).status, 401)
  t.is((await client(null).add('http://b.example/')).status, 401)
  t.is((await client(null).importList('http://b.example/')).status, 401)
})

test('authentication: issuance on request to the operator, for registered partners only', async (t) => {
  const { m, client } = await open(t)
  await t.throwsAsync(m.reports.keys.issue('stranger@example.com'), { code: 'ERR_NOT_FOUND' })
  t.regex((await client(null).list()).body.action, /index@operator\.example/)
})

test('limits: preview file type, JPG', async (t) => {
  const { ann } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  t.is((await ann.upload(id, png)).body.code, 'ERR_NOT_JPEG')
})

test('limits: preview file size, under 200 kb', async (t) => {
  const { ann } = await open(t)
  const { id } = (await ann.add('http://a.example/')).body.data
  // A comment fills a JPEG up to the byte.
  const ofSize = async (bytes: number) => {
    const base = await picture()
    const comments: Buffer[] = []
    for (let left = bytes - base.length; left > 0; ) {
      const size = left > 65_537 && left < 65_541 ? 60_000 : Math.min(left, 65_537)
      const segment = Buffer.alloc(size)
      segment.writeUInt16BE(0xfffe, 0)
      segment.writeUInt16BE(size - 2, 2)
      comments.push(segment)
      left -= size
    }
    return Buffer.concat([base.subarray(0, 2), ...comments, base.subarray(2)])
  }
  t.is((await ann.upload(id, await ofSize(204_799))).status, 200)
  t.is((await ann.upload(id, await ofSize(204_800))).body.code, 'ERR_BODY_TOO_LARGE')
})

test('limits: cache flush, every full hour: visibility of list, update and delete changes', async (t) => {
  const { ann, m, web, clock } = await open(t)
  await ann.add('http://a.example/')
  web.hosts['a.example']!['/'] =
    '<title>Later</title><img src="/media/pages/home/0a1b2c3d4e-1700000000/a.jpg">'
  await m.reports.crawl.retry('http://a.example/')
  await m.reports.crawl.run()
  t.is((await ann.list()).body.data[0].title, 'Alpha')
  clock.set('2026-03-01T11:00:00.000Z')
  t.is((await ann.list()).body.data[0].title, 'Later')
})

test('known limitation: websites already in the index cannot be linked by the caller; the operator relinks a newline-separated list', async (t) => {
  const { ann, bob, m } = await open(t)
  await ann.add('http://a.example/')
  const { status, body } = await bob.add('http://a.example/')
  t.is(status, 409)
  t.regex(body.action, /operator/)
  await m.reports.operator.relink('a.example\nb.example\n', bob.id, { write: true })
  t.is((await bob.add('http://a.example/')).status, 200)
  t.deepEqual((await ann.list()).body.data, [])
})
