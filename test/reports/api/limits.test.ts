import test from 'ava'
import { kirbyPage } from '../../support/web.ts'
import { added, openIndex, refused } from './support.ts'

function sites() {
  return { 'a.example': { '/': kirbyPage('Site A') }, 'b.example': { '/': kirbyPage('Site B') } }
}

/** What a structured field says: its name and its numbers. */
function fieldOf(answer: Response, name: string) {
  const [, policy, ...numbers] =
    /^"(\w+)";(?:q|r)=(\d+);(?:w|t)=(\d+)$/.exec(answer.headers.get(name) ?? '') ?? []
  return [policy, ...numbers.map(Number)]
}

test('answers contain the limit and its rest, as structured fields', async (t) => {
  const index = await openIndex(t, {}, { 'membership.reports.limit': 600 })
  const partner = await index.partner('ann')
  const first = await partner.list()
  t.is(first.headers.get('ratelimit-policy'), '"default";q=600;w=60')
  t.deepEqual(fieldOf(first, 'ratelimit').slice(0, 2), ['default', 599])
  t.deepEqual(fieldOf(await partner.list(), 'ratelimit').slice(0, 2), ['default', 598])
  const other = await index.partner('bob')
  t.deepEqual(fieldOf(await other.list(), 'ratelimit').slice(0, 2), ['default', 599])
})

test('the document states the limits, that of unchanged answers with its default', async (t) => {
  const index = await openIndex(
    t,
    {},
    { 'membership.reports.limit': 600, 'membership.reports.limit_visits': 30 },
  )
  t.regex(
    index.document.info.description,
    /30 requests that make us visit a website, 6000 that are answered with 304, and 600 others/,
  )
})

test('a request beyond the limit is answered 429 with Retry-After and the fields', async (t) => {
  const index = await openIndex(t, sites(), { 'membership.reports.limit': 3 })
  const partner = await index.partner('ann')
  for (let i = 0; i < 3; i++) t.is((await partner.list()).status, 200)
  const answer = await partner.list()
  const body = await refused(t, answer, 429, 'ERR_RATE_LIMIT')
  const seconds = Number(answer.headers.get('retry-after'))
  t.true(seconds >= 1 && seconds <= 60)
  t.deepEqual(fieldOf(answer, 'ratelimit'), ['default', 0, seconds])
  t.deepEqual(fieldOf(answer, 'ratelimit-policy'), ['default', 3, 60])
  t.regex(body.detail, /your key/)
  t.is((await (await index.partner('bob')).list()).status, 200)
})

test('calls that make us fetch have their own policy', async (t) => {
  const index = await openIndex(t, sites(), { 'membership.reports.limit_visits': 3 })
  const partner = await index.partner('ann')
  const first = await partner.add('http://a.example/')
  t.deepEqual(fieldOf(first, 'ratelimit').slice(0, 2), ['visits', 2])
  const { data } = (await first.json()) as { data: { id: string } }
  t.deepEqual(fieldOf(await partner.refresh(data.id), 'ratelimit').slice(0, 2), ['visits', 1])
  t.deepEqual(
    fieldOf(await partner.ask('POST', '/reports/imports', {}, 'b.example'), 'ratelimit').slice(0, 2),
    ['visits', 0],
  )
  await refused(t, await partner.add('http://b.example/'), 429, 'ERR_RATE_LIMIT')
  await refused(t, await partner.refresh(data.id), 429, 'ERR_RATE_LIMIT')
  t.deepEqual(fieldOf(await partner.read(data.id), 'ratelimit').slice(0, 2), ['default', 9999])
})

test('unchanged answers have their own limit', async (t) => {
  const index = await openIndex(t, sites(), {
    'membership.reports.limit': 2,
    'membership.reports.limit_unchanged': 3,
  })
  const partner = await index.partner('ann')
  const etag = (await partner.list()).headers.get('etag')!
  for (let i = 0; i < 3; i++) {
    const answer = await partner.list('', { 'if-none-match': etag })
    t.is(answer.status, 304)
    t.deepEqual(fieldOf(answer, 'ratelimit').slice(0, 2), ['unchanged', 2 - i])
  }
  await refused(t, await partner.list('', { 'if-none-match': etag }), 429, 'ERR_RATE_LIMIT')
  t.is((await partner.list()).status, 200)
  await refused(t, await partner.list('', { 'if-none-match': '"other"' }), 429, 'ERR_RATE_LIMIT')
})

test('a refusal counts, also with If-None-Match', async (t) => {
  const index = await openIndex(t, {}, { 'membership.reports.limit': 2 })
  const partner = await index.partner('ann')
  const headers = { 'if-none-match': '"x"' }
  await refused(t, await partner.read('rpt_1', '', headers), 404, 'ERR_NOT_FOUND')
  await refused(t, await partner.list('?cursor=none', headers), 400, 'ERR_PARAMETER')
  await refused(t, await partner.read('rpt_1', '', headers), 429, 'ERR_RATE_LIMIT')
})

test('an invalid parameter counts, and so does a missing permission', async (t) => {
  const index = await openIndex(t, {}, { 'membership.reports.limit': 2 })
  const { id } = await index.partner('ann')
  const made = await index.m.reports.keys.issue(id, { scopes: ['read'] })
  const reader = index.client(made.key)
  await refused(t, await reader.list('?expand=2'), 400, 'ERR_PARAMETER')
  await refused(t, await reader.add('http://a.example/'), 403, 'ERR_SCOPE')
  await refused(t, await reader.add('http://a.example/'), 429, 'ERR_RATE_LIMIT')
  await refused(t, await reader.list('?limit=0'), 429, 'ERR_RATE_LIMIT')
})

test('wrong keys are limited by address, and a right one is not', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const nobody = index.client('mk_wrong')
  const statuses: number[] = []
  for (let i = 0; i < 62; i++) statuses.push((await nobody.list()).status)
  t.deepEqual([statuses[0], statuses[59], statuses[60], statuses[61]], [401, 401, 429, 429])
  await refused(t, await nobody.list(), 429, 'ERR_RATE_LIMIT')
  await added(t, partner, 'http://a.example/')
})
