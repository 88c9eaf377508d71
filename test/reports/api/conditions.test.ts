import test from 'ava'
import { kirbyPage } from '../../support/web.ts'
import { plainJpeg } from '../preview/support.ts'
import { added, bodyOf, dayMs, openIndex, refused } from './support.ts'

function sites() {
  return { 'a.example': { '/': kirbyPage('Site A') } }
}
function tagOf(answer: Response): string {
  return answer.headers.get('etag')!
}

test('If-Match with an older state is answered 412 and changes nothing', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const old = tagOf(await partner.read(id))
  await partner.refresh(id)
  const asked = index.web.asked.length
  const before = await (await partner.read(id)).text()
  for (const tag of [
    old,
    `"nonsense"`,
    'nonsense',
    `W/${tagOf(await partner.read(id))}`,
    `${old}, "other"`,
  ]) {
    const headers = { 'if-match': tag }
    await refused(t, await partner.refresh(id, headers), 412, 'ERR_PRECONDITION')
    await refused(t, await partner.upload(id, await plainJpeg(), headers), 412, 'ERR_PRECONDITION')
    await refused(t, await partner.remove(id, headers), 412, 'ERR_PRECONDITION')
  }
  t.is(index.web.asked.length, asked)
  t.is(await (await partner.read(id)).text(), before)
})

test('If-Match with the newest state, in a list, or * admits PATCH, preview and DELETE', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const newest = async () => tagOf(await partner.read(id))
  const first = await newest()
  const refreshed = await partner.refresh(id, { 'if-match': first })
  t.is(refreshed.status, 200)
  t.is(tagOf(refreshed), await newest())
  t.is((await partner.refresh(id, { 'if-match': `${first}, ${await newest()}` })).status, 200)
  t.is((await partner.refresh(id, { 'if-match': '*' })).status, 200)
  t.is((await partner.upload(id, await plainJpeg(), { 'if-match': await newest() })).status, 200)
  t.is((await partner.upload(id, await plainJpeg(), { 'if-match': '*' })).status, 200)
  await refused(t, await partner.remove(id, { 'if-match': first }), 412, 'ERR_PRECONDITION')
  t.is((await partner.remove(id, { 'if-match': await newest() })).status, 204)
  await refused(t, await partner.remove(id, { 'if-match': '*' }), 404, 'ERR_NOT_FOUND')
})

test('If-Match compares only the report: other writes of the partner and the next hour do not matter', async (t) => {
  const index = await openIndex(t, { ...sites(), 'b.example': { '/': kirbyPage('Site B') } })
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const tag = tagOf(await partner.read(id, '?expand=1'))
  await added(t, partner, 'http://b.example/')
  index.clock.move(dayMs)
  t.not(tagOf(await partner.read(id, '?expand=1')), tag)
  t.is((await partner.refresh(id, { 'if-match': tag })).status, 200)
})

test('If-None-Match with the current state is answered 304: exact, weak, in a list, or *', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  for (const ask of [
    (headers: Record<string, string> = {}) => partner.list('', headers),
    (headers: Record<string, string> = {}) => partner.list('?expand=1&limit=5', headers),
    (headers: Record<string, string> = {}) => partner.read(id, '', headers),
    (headers: Record<string, string> = {}) => partner.read(id, '?expand=1', headers),
    (headers: Record<string, string> = {}) => partner.ask('HEAD', `/reports/${id}`, headers),
  ]) {
    const tag = tagOf(await ask())
    t.regex(tag, /^"[^"]+"$/)
    for (const given of [tag, `W/${tag}`, `"other", W/${tag}`, '*']) {
      const answer = await ask({ 'if-none-match': given })
      t.is(answer.status, 304, given)
      t.is(tagOf(answer), tag)
      t.is(answer.headers.get('vary'), 'X-API-KEY')
      t.is(await answer.text(), '')
    }
    t.is((await ask({ 'if-none-match': '"other"' })).status, 200)
  }
})

test('a tag is valid until the caller writes or the next full hour', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const first = tagOf(await partner.read(id))
  index.clock.set('2026-03-01T10:59:59.999Z')
  t.is((await partner.read(id, '', { 'if-none-match': first })).status, 304)
  await partner.refresh(id)
  const second = await partner.read(id, '', { 'if-none-match': first })
  t.is(second.status, 200)
  t.is((await bodyOf(second)).meta.generated_at, '2026-03-01T10:59:59.999Z')
  index.clock.set('2026-03-01T11:00:00.000Z')
  const third = await partner.read(id, '', { 'if-none-match': tagOf(second) })
  t.is(third.status, 200)
  t.deepEqual((await bodyOf(third)).meta, {
    generated_at: '2026-03-01T11:00:00.000Z',
    valid_until: '2026-03-01T12:00:00.000Z',
  })
})

test('the tags of the list, the pages, the details and each report differ', async (t) => {
  const index = await openIndex(t, { ...sites(), 'b.example': { '/': kirbyPage('Site B') } })
  const partner = await index.partner('ann')
  const ids = [await added(t, partner, 'http://a.example/'), await added(t, partner, 'http://b.example/')]
  const paths = [
    '/reports',
    '/reports?expand=1',
    '/reports?limit=1',
    ...ids.flatMap((id) => [`/reports/${id}`, `/reports/${id}?expand=1`]),
  ]
  const tags = await Promise.all(paths.map(async (path) => tagOf(await partner.ask('GET', path))))
  t.is(new Set(tags).size, paths.length)
})
