import test from 'ava'
import type { Tables } from '../../../src/core/storage/index.ts'
import { kirbyPage } from '../../support/web.ts'
import { added, bodyOf, type List, type OpenIndex, openIndex, type Partner, refused } from './support.ts'

type Row = Tables['reports']

/** Copies of a partner's one website, ten of each moment. */
async function copies({ m }: OpenIndex, id: string, count: number): Promise<void> {
  const [row] = await m.storage.read((db) => db.selectFrom('reports').selectAll().where('id', '=', id))
  const rows = Array.from({ length: count }, (_, i): Row => {
    const at = new Date(Date.parse(row!.created_at) - Math.floor(i / 10) * 1000).toISOString()
    const url_key = `copy-${i}.example`
    return {
      ...row!,
      content_key: null,
      id: `rpt_copy-${(i * 7919) % count}`,
      url: `http://${url_key}/`,
      url_key,
      created_at: at,
    }
  })
  const insert = m.storage.prepareMany<Row>(
    'copies',
    { all: Object.keys(row!) as (keyof Row)[], key: ['id'] },
    (db, given) => db.insertInto('reports').values(given),
  )
  await m.storage.commit(rows.map((params) => ({ statement: insert as never, params: params as never })))
}

async function openMany(t: Parameters<typeof openIndex>[0], count: number) {
  const index = await openIndex(t, { 'a.example': { '/': kirbyPage() }, 'b.example': { '/': kirbyPage() } })
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const id = await added(t, ann, 'http://a.example/')
  await copies(index, id, count - 1)
  return { index, ann, bob }
}

async function follow(partner: Partner, path: string): Promise<List[]> {
  const pages: List[] = []
  for (let next: string | null = path; next !== null; ) {
    const answer = await partner.ask('GET', next)
    const page = await bodyOf<List>(answer)
    pages.push(page)
    next = page.links.next
    const link = answer.headers.get('link')
    if (link !== (next === null ? null : `<${next}>; rel="next"`)) throw new Error(`Link says ${link}`)
  }
  return pages
}

test('250 websites make three pages, each website once, newest first, with Link to the next', async (t) => {
  const { index, ann } = await openMany(t, 250)
  const pages = await follow(ann, '/reports')
  t.deepEqual(
    pages.map((page) => [page.data.length, page.meta.count]),
    [
      [100, 100],
      [100, 100],
      [50, 50],
    ],
  )
  const all = pages.flatMap((page) => page.data)
  t.is(new Set(all.map(({ id }) => id)).size, 250)
  t.is(pages[0]!.links.self, `${index.site}/reports`)
  t.is(pages[1]!.links.self, String(pages[0]!.links.next))
  t.is(pages[2]!.links.next, null)
})

test('limit from 1 to 100 sets the page size and is kept in links; other values are a 400', async (t) => {
  const { ann } = await openMany(t, 30)
  const ids = (await follow(ann, '/reports?expand=1&limit=7')).map((page) => {
    t.true(page.data.every((report) => 'details' in report))
    return page.data.map(({ id }) => id)
  })
  t.deepEqual(
    ids.map((page) => page.length),
    [7, 7, 7, 7, 2],
  )
  t.deepEqual(
    ids.flat(),
    (await bodyOf<List>(await ann.list('?limit=100'))).data.map(({ id }) => id),
  )
  t.is((await follow(ann, '/reports?limit=30')).length, 1)
  for (const limit of ['0', '101', '-1', '1.5', 'all', '', '1e1', '%2010'])
    await refused(t, await ann.list(`?limit=${limit}`), 400, 'ERR_PARAMETER')
  await refused(t, await ann.list('?limit=1&limit=2'), 400, 'ERR_PARAMETER')
})

test('an unknown cursor is a 400 and says how to begin', async (t) => {
  const { ann } = await openMany(t, 3)
  const [page] = await follow(ann, '/reports?limit=1')
  const cursor = new URL(page!.links.next!).searchParams.get('cursor')!
  t.is((await ann.list(`?cursor=${cursor}`)).status, 200)
  for (const bad of [
    '',
    'x',
    '%00',
    cursor.slice(1),
    `${cursor}!`,
    `${cursor}%7Cfalse`,
    `${'!'.repeat(3000)}${cursor}`,
  ]) {
    const body = await refused(t, await ann.list(`?cursor=${bad}`), 400, 'ERR_PARAMETER')
    t.regex(body.action!, /links\.next/)
  }
})

test('another partner’s cursor shows only own websites', async (t) => {
  const { ann, bob } = await openMany(t, 5)
  const id = await added(t, bob, 'http://b.example/')
  const [page] = await follow(ann, '/reports?limit=2')
  const next = page!.links.next!
  const { data, links } = await bodyOf<List>(await bob.ask('GET', next))
  t.true(data.every((report) => report.id === id))
  t.is(links.next, null)
})

test('an addition or deletion between pages shifts nothing', async (t) => {
  const { index, ann } = await openMany(t, 21)
  const all = (await bodyOf<List>(await ann.list())).data.map(({ id }) => id)
  const first = await bodyOf<List>(await ann.list('?limit=10'))
  index.clock.move(60_000)
  const added = await bodyOf(await ann.add('http://b.example/'))
  await ann.remove(first.data[9]!.id)
  const second = await bodyOf<List>(await ann.ask('GET', first.links.next!))
  t.deepEqual(
    second.data.map(({ id }) => id),
    all.slice(10, 20),
  )
  t.is((await bodyOf<List>(await ann.list())).data[0]!.id, added.data.id)
})

test('an empty list is an empty page', async (t) => {
  const index = await openIndex(t)
  const partner = await index.partner('ann')
  const answer = await partner.list()
  t.is(answer.headers.get('link'), null)
  t.like(await bodyOf<List>(answer), { data: [], meta: { count: 0 }, links: { next: null } })
})
