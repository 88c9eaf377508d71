import test from 'ava'
import sharp from 'sharp'
import { kirbyPage, plainPage } from '../../support/web.ts'
import { padded, plainJpeg } from '../preview/support.ts'
import { added, type Body, bodyOf, type List, openIndex, refused } from './support.ts'

// One test for each row of the partner API's tables.

function sites() {
  return {
    'a.example': { '/': kirbyPage('Site A') },
    'b.example': { '/': kirbyPage('Site B') },
    'plain.example': { '/': plainPage() },
  }
}

test('id: the path names one report', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  t.is((await bodyOf(await partner.read(id))).data.id, id)
  await refused(t, await partner.read('rpt_other'), 404, 'ERR_NOT_FOUND')
})

test('url: required on create, an absolute URL in the query', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const missing = await refused(t, await partner.ask('POST', '/reports'), 400, 'ERR_PARAMETER')
  t.regex(missing.detail, /"url"/)
  for (const url of ['', '/path', 'ftp://a.example/', 'javascript:alert(1)', 'mailto:ann@a.example'])
    await refused(t, await partner.add(url), 422, 'ERR_URL_NOT_ALLOWED')
  const answer = await partner.add('http://a.example/')
  t.is((await bodyOf(answer)).data.url, 'http://a.example/')
})

test('expand: on list and read the value 1 asks for expanded output', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  t.false('details' in (await bodyOf(await partner.read(id))).data)
  t.false('details' in (await bodyOf<List>(await partner.list())).data[0]!)
  const details = (await bodyOf(await partner.read(id, '?expand=1'))).data.details!
  t.true(details.evidence.length > 0)
  t.deepEqual(
    details.checks.map((check) => check.outcome),
    ['listed'],
  )
  t.deepEqual((await bodyOf<List>(await partner.list('?expand=1'))).data[0]!.details, details)
})

test('preview: a multipart file field, a JPG, smaller than 200 kb', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const { data } = await bodyOf(await partner.upload(id, await plainJpeg(40, 30)))
  t.like(data.preview, { width: 40, height: 30, custom: true })
  const form = new FormData()
  form.set('picture', new Blob([new Uint8Array(await plainJpeg())]), 'shot.jpg')
  await refused(t, await partner.ask('POST', `/reports/${id}`, {}, form), 400, 'ERR_UPLOAD')
})

test('List own websites: GET /reports returns the caller’s websites', async (t) => {
  const index = await openIndex(t, sites())
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const id = await added(t, ann, 'http://a.example/')
  const other = await added(t, bob, 'http://b.example/')
  t.deepEqual(
    (await bodyOf<List>(await ann.list())).data.map((report) => report.id),
    [id],
  )
  t.deepEqual(
    (await bodyOf<List>(await bob.list())).data.map((report) => report.id),
    [other],
  )
})

test('Add website: POST /reports adds, links to the caller, checks for the system and fetches metadata', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const { data } = await bodyOf(await partner.add('http://a.example/'))
  t.like(data, {
    url: 'http://a.example/',
    final_url: 'http://a.example/',
    host: 'a.example',
    title: 'Site A',
    description: 'About Site A',
    language: 'en',
    favicon_url: 'http://a.example/favicon.png',
    status: 'listed',
    status_reason: null,
    source: 'partner',
    first_seen_at: '2026-03-01T10:20:30.000Z',
    created_at: '2026-03-01T10:20:30.000Z',
  })
  t.like(data.system, { detected: true, version: '4.5.0' })
  t.is((await bodyOf<List>(await partner.list())).data.length, 1)
  await refused(t, await partner.add('http://plain.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
})

test('Read one website: GET /reports/{id} returns details of one of the caller’s websites', async (t) => {
  const index = await openIndex(t, sites())
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const answer = await ann.add('http://a.example/')
  const { data } = await bodyOf(answer)
  const read = await ann.read(data.id)
  t.is(read.status, 200)
  t.deepEqual((await bodyOf(read)).data, data)
  await refused(t, await bob.read(data.id), 404, 'ERR_NOT_FOUND')
})

test('Refresh metadata: PATCH /reports/{id} reads the website again', async (t) => {
  const hosts = sites()
  const index = await openIndex(t, hosts)
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  hosts['a.example']['/'] = kirbyPage('Another name')
  t.is((await bodyOf(await partner.read(id))).data.title, 'Site A')
  const answer = await partner.refresh(id)
  t.is(answer.status, 200)
  t.is((await bodyOf(answer)).data.title, 'Another name')
  t.is((await bodyOf(await partner.read(id))).data.title, 'Another name')
})

test('Upload preview: POST /reports/{id} replaces the screenshot with the uploaded one', async (t) => {
  const index = await openIndex(t, sites(), {})
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const first = await bodyOf(await partner.upload(id, await plainJpeg(40, 30)))
  const second = await bodyOf(await partner.upload(id, await plainJpeg(50, 20)))
  t.like(second.data.preview, { width: 50, height: 20, custom: true })
  const picture = await fetch(second.data.preview!.url)
  t.is(picture.headers.get('content-type'), 'image/jpeg')
  t.like(await sharp(Buffer.from(await picture.arrayBuffer())).metadata(), { width: 50, height: 20 })
  t.is((await fetch(first.data.preview!.url)).status, 404)
})

test('Delete website: DELETE /reports/{id} deletes the website', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  t.is((await partner.remove(id)).status, 204)
  t.deepEqual((await bodyOf<List>(await partner.list())).data, [])
  await refused(t, await partner.read(id), 404, 'ERR_NOT_FOUND')
})

test('Scheme and header: an API key in X-API-KEY', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  t.is((await partner.list()).status, 200)
  t.deepEqual(index.document.components.securitySchemes, {
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
  })
  t.deepEqual(index.document.security, [{ apiKey: [] }])
  for (const headers of [{}, { authorization: `Bearer ${partner.key}` }, { cookie: `key=${partner.key}` }])
    t.is((await fetch(`${index.site}/reports`, { headers: headers as never })).status, 401)
  t.is((await fetch(`${index.site}/reports?X-API-KEY=${partner.key}`)).status, 401)
})

test('Scope: every operation asks for the key, and it acts on its owner’s websites', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const nobody = index.client('')
  const answers = [
    await nobody.list(),
    await nobody.add('http://b.example/'),
    await nobody.read(id),
    await nobody.refresh(id),
    await nobody.upload(id, await plainJpeg()),
    await nobody.remove(id),
    await nobody.ask('POST', '/reports/imports', { 'content-type': 'text/plain' }, 'http://b.example/'),
    await nobody.ask('GET', '/reports/imports/imp_1'),
  ]
  for (const answer of answers) await refused(t, answer, 401, 'ERR_API_KEY')
  const second = await index.m.reports.keys.issue(partner.id)
  t.is((await index.client(second.key).read(id)).status, 200)
})

test('Issuance: the operator issues keys to registered partners, and an answer without one says where to ask', async (t) => {
  const index = await openIndex(t, sites())
  const body = await refused(t, await index.client('').list(), 401, 'ERR_API_KEY')
  t.regex(body.action!, /index@operator\.example/)
  await t.throwsAsync(index.m.reports.keys.issue('nobody@partner.example'), { code: 'ERR_NOT_FOUND' })
  t.is(index.document.info.contact.email, 'index@operator.example')
})

test('Preview file type: JPG only, whatever the name says', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const square = sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
  for (const bytes of [
    await square.png().toBuffer(),
    await square.webp().toBuffer(),
    Buffer.from('GIF89a...'),
  ])
    await refused(t, await partner.upload(id, bytes), 415, 'ERR_NOT_JPEG')
})

test('Cache flush: the crawler’s changes show at the next full hour, the caller’s own at once', async (t) => {
  const hosts = sites()
  const index = await openIndex(t, hosts)
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const title = async (): Promise<Body> => bodyOf(await partner.read(id))
  index.clock.set('2026-03-10T10:20:30.000Z')
  hosts['a.example']['/'] = kirbyPage('Seen by the crawler')
  t.like(await index.m.reports.crawl.run(), { visited: 1, listed: 1 })
  t.like((await title()).data, { title: 'Site A' })
  t.is((await title()).meta.valid_until, '2026-03-10T11:00:00.000Z')
  index.clock.set('2026-03-10T10:59:59.999Z')
  t.like((await title()).data, { title: 'Site A' })
  index.clock.set('2026-03-10T11:00:00.000Z')
  t.like((await title()).data, { title: 'Seen by the crawler' })
  t.is((await bodyOf<List>(await partner.list())).data[0]!.title, 'Seen by the crawler')
  hosts['a.example']['/'] = kirbyPage('Asked for')
  await partner.refresh(id)
  t.like((await title()).data, { title: 'Asked for' })
})

test('Preview file size: under 200 kb, which is 204 800 bytes as received', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const jpeg = await plainJpeg()
  t.is((await partner.upload(id, padded(jpeg, 204_799))).status, 200)
  await refused(t, await partner.upload(id, padded(jpeg, 204_800)), 413, 'ERR_BODY_TOO_LARGE')
})

test('A website that is in the index already is linked by the operator, from a list of addresses', async (t) => {
  const index = await openIndex(t, sites(), { 'membership.reports.crawl.seeds': ['http://a.example/'] })
  t.like(await index.m.reports.crawl.run(), { listed: 1 })
  const partner = await index.partner('ann')
  const body = await refused(t, await partner.add('http://a.example/'), 409, 'ERR_REPORT_EXISTS')
  t.regex(body.action!, /index@operator\.example/)
  t.deepEqual((await bodyOf<List>(await partner.list())).data, [])
  await index.m.reports.operator.relink('http://a.example/\n', partner.id, { write: true })
  t.like((await bodyOf<List>(await partner.list())).data[0]!, {
    url: 'http://a.example/',
    source: 'crawler',
  })
  t.is((await partner.add('http://a.example/')).status, 200)
})
