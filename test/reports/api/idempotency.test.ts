import type { ServerResponse } from 'node:http'
import test from 'ava'
import { kirbyPage, plainPage } from '../../support/web.ts'
import { plainJpeg } from '../preview/support.ts'
import {
  added,
  bodyOf,
  dayMs,
  type Import,
  type List,
  openIndex,
  refused,
  until,
  wholeOf,
} from './support.ts'

function sites() {
  return {
    'a.example': { '/': kirbyPage('Site A') },
    'b.example': { '/': kirbyPage('Site B') },
    'plain.example': { '/': plainPage() },
  }
}
function key(text = 'one') {
  return { 'idempotency-key': `"${text}"` }
}

function bare({ status, headers, body }: Awaited<ReturnType<typeof wholeOf>>) {
  const { ratelimit: _, ...rest } = headers
  return { status, headers: rest, body }
}

test('the same request with the same key gives the same answer and adds once', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const first = await wholeOf(await partner.add('http://a.example/', key()))
  t.is(first.status, 201)
  const asked = index.web.asked.length
  const second = await wholeOf(await partner.add('http://a.example/', key()))
  t.deepEqual(bare(second), bare(first))
  t.is(index.web.asked.length, asked)
  t.is((await bodyOf<List>(await partner.list())).data.length, 1)
})

test('a refusal is repeated as well', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const first = await wholeOf(await partner.add('http://plain.example/', key()))
  const asked = index.web.asked.length
  t.is(first.status, 422)
  t.deepEqual(bare(await wholeOf(await partner.add('http://plain.example/', key()))), bare(first))
  t.is(index.web.asked.length, asked)
})

test('the same key with other input is answered 422', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await bodyOf(await partner.add('http://a.example/', key()))
  await refused(t, await partner.add('http://b.example/', key()), 422, 'ERR_IDEMPOTENCY_REUSED')
  await refused(
    t,
    await partner.ask('POST', '/reports/imports', key(), 'b.example'),
    422,
    'ERR_IDEMPOTENCY_REUSED',
  )
  await refused(t, await partner.upload(id.data.id, await plainJpeg(), key()), 422, 'ERR_IDEMPOTENCY_REUSED')
  t.is((await partner.upload(id.data.id, await plainJpeg(9, 9), key('two'))).status, 200)
  const other = await partner.upload(id.data.id, await plainJpeg(10, 9), key('two'))
  await refused(t, other, 422, 'ERR_IDEMPOTENCY_REUSED')
  t.is((await bodyOf<List>(await partner.list())).data.length, 1)
})

test('the same picture in a form with another boundary is the same request', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const first = await bodyOf(await partner.upload(id, await plainJpeg(), key()))
  const second = await bodyOf(await partner.upload(id, await plainJpeg(), key()))
  t.deepEqual(second, first)
})

test('while a request is in flight the same one is answered 409 with Retry-After', async (t) => {
  const waiting: ServerResponse[] = []
  const index = await openIndex(t, { 'slow.example': { '/': (_, response) => void waiting.push(response) } })
  const partner = await index.partner('ann')
  const first = partner.add('http://slow.example/', key())
  await until(async () => waiting.length, Boolean)
  const answer = await partner.add('http://slow.example/', key())
  await refused(t, answer, 409, 'ERR_IDEMPOTENCY_IN_FLIGHT')
  t.regex(answer.headers.get('retry-after')!, /^\d+$/)
  waiting[0]!.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage())
  const done = await wholeOf(await first)
  t.is(done.status, 201)
  t.deepEqual(bare(await wholeOf(await partner.add('http://slow.example/', key()))), bare(done))
})

test('a key is a quoted text of 1 to 200 characters; anything else is a 400', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  for (const value of ['one', '"one', 'one"', '""', `"${'x'.repeat(201)}"`, '"a" "b"', '"a"b"', "'one'"])
    await refused(
      t,
      await partner.add('http://a.example/', { 'idempotency-key': value }),
      400,
      'ERR_PARAMETER',
    )
  t.deepEqual((await bodyOf<List>(await partner.list())).data, [])
  t.is((await partner.add('http://a.example/', key('x'.repeat(200)))).status, 201)
})

test('a key is stored for 24 hours', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const { data } = await bodyOf(await partner.add('http://a.example/', key()))
  await partner.remove(data.id)
  index.clock.move(dayMs - 1)
  await index.m.runDueJobs()
  const kept = await partner.add('http://a.example/', key())
  t.is((await bodyOf(kept)).data.id, data.id)
  index.clock.move(2)
  const anew = await partner.add('http://a.example/', key())
  t.is(anew.status, 201)
  t.not((await bodyOf(anew)).data.id, data.id)
  index.clock.move(dayMs + 1)
  await index.m.runDueJobs()
  t.is((await index.m.storage.read((db) => db.selectFrom('idempotency_keys').selectAll())).length, 0)
})

test('each API key has Idempotency-Keys of its own', async (t) => {
  const index = await openIndex(t, sites())
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const second = index.client((await index.m.reports.keys.issue(ann.id)).key)
  t.is((await ann.add('http://a.example/', key())).status, 201)
  t.is((await second.add('http://a.example/', key())).status, 200)
  await refused(t, await bob.add('http://a.example/', key()), 409, 'ERR_REPORT_EXISTS')
  t.is((await bob.add('http://b.example/', key('two'))).status, 201)
})

test('an import with the same key is one import', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const send = () => partner.ask('POST', '/reports/imports', key(), 'a.example\nb.example')
  const first = await bodyOf<Import>(await send())
  t.deepEqual(await bodyOf<Import>(await send()), first)
  t.is((await index.m.storage.read((db) => db.selectFrom('imports').selectAll())).length, 1)
})

test('after a 503 nothing is stored: the same request runs when there is capacity', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const picture = await plainJpeg(4000, 4000)
  // Two pictures are worked on at a time and 32 wait: with more at once some are told to come again.
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => partner.upload(id, picture, key(`busy-${i}`))),
  )
  const busy = answers.findIndex(({ status }) => status === 503)
  t.not(busy, -1)
  await refused(t, answers[busy]!, 503, 'ERR_BUSY')
  t.is((await partner.upload(id, picture, key(`busy-${busy}`))).status, 200)
})

test('after an internal error nothing is stored: a bare 500, then the request runs', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const { storage } = index.m
  const commit = storage.commit.bind(storage)
  storage.commit = async (unit) => {
    if (unit.some(({ statement }) => statement.name.endsWith('report-insert')))
      throw new Error('secret detail')
    return commit(unit)
  }
  const failed = await fetch(`${index.site}/reports?url=http://a.example/`, {
    method: 'POST',
    headers: { 'X-API-KEY': partner.key, ...key() },
  })
  const body = await refused(t, failed, 500, 'ERR_UNEXPECTED')
  t.false(JSON.stringify(body).includes('secret'))
  storage.commit = commit
  t.is((await partner.add('http://a.example/', key())).status, 201)
})

test('after a 429 nothing is stored', async (t) => {
  const index = await openIndex(t, sites(), { 'membership.reports.limit_visits': 1 })
  const partner = await index.partner('ann')
  await added(t, partner, 'http://a.example/')
  await refused(t, await partner.add('http://b.example/', key()), 429, 'ERR_RATE_LIMIT')
  t.is((await index.m.storage.read((db) => db.selectFrom('idempotency_keys').selectAll())).length, 0)
})
