import type { ServerResponse } from 'node:http'
import test from 'ava'
import { kirbyPage, plainPage } from '../../support/web.ts'
import {
  added,
  bodyOf,
  type Import,
  type List,
  type OpenIndex,
  openIndex,
  type Partner,
  refused,
  until,
} from './support.ts'

function sites() {
  return {
    'a.example': { '/': kirbyPage('Site A') },
    'b.example': { '/': kirbyPage('Site B') },
    'taken.example': { '/': kirbyPage('Taken') },
    'plain.example': { '/': plainPage() },
  }
}

function send(partner: Partner, list: string | Uint8Array) {
  return partner.ask('POST', '/reports/imports', { 'content-type': 'text/plain' }, list as string)
}

/** Works until every line has its outcome. */
async function finish(index: OpenIndex, partner: Partner, id: string): Promise<Import['data']> {
  for (;;) {
    const { data } = await bodyOf<Import>(await partner.ask('GET', `/reports/imports/${id}`))
    if (data.status === 'done') return data
    await index.m.runDueJobs()
  }
}

test('a list is answered 202 with its address, and gives one outcome per line', async (t) => {
  const index = await openIndex(t, sites())
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  await added(t, bob, 'http://taken.example/')
  const own = await added(t, ann, 'http://b.example/')
  await index.m.reports.operator.exclude('out.example', 'the owner asked')
  index.web.hosts['inside.example'] = {}
  index.web.answers.set('inside.example', ['10.0.0.1'])
  const list = [
    'http://a.example/',
    'http://b.example',
    'http://taken.example/',
    'http://out.example/',
    'http://plain.example/',
    'http://nowhere.example/',
    'http://inside.example/',
    'not an address',
    'a.example/',
  ].join('\n')
  const answer = await send(ann, list)
  t.is(answer.status, 202)
  const { data } = await bodyOf<Import>(answer)
  t.is(answer.headers.get('location'), `${index.site}/reports/imports/${data.id}`)
  t.like(data, { status: 'running', total: 9, done: 1 })
  const done = await finish(index, ann, data.id)
  t.like(done, { status: 'done', total: 9, done: 9 })
  t.deepEqual(
    done.lines.map(({ line, outcome }) => [line, outcome]),
    [
      [1, 'added'],
      [2, 'existing'],
      [3, 'taken'],
      [4, 'excluded'],
      [5, 'rejected'],
      [6, 'unreachable'],
      [7, 'refused'],
      [8, 'invalid'],
      [9, 'duplicate'],
    ],
  )
  t.is(done.lines[1]!.report_id, own)
  t.is(done.lines[8]!.detail, 'line 1')
  t.is((await bodyOf(await ann.read(done.lines[4]!.report_id!))).data.status, 'rejected')
  t.false(JSON.stringify(done).includes(bob.id))
  const { data: listed } = await bodyOf<List>(await ann.list())
  t.deepEqual(listed.map(({ status }) => status).sort(), ['listed', 'listed'])
})

test('byte order mark, Windows line ends, blank lines, comments and missing schemes are accepted', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const list =
    '\uFEFF# mine\r\nhttp://a.example/\r\n\r\nhttp://www.b.example # the second\r\n   \nTaken.Example\r'
  const { data } = await bodyOf<Import>(await send(partner, list))
  t.deepEqual(
    data.lines.map(({ line, text, url }) => [line, text, url]),
    [
      [2, 'http://a.example/', 'http://a.example/'],
      [4, 'http://www.b.example', 'http://www.b.example/'],
      [6, 'Taken.Example', 'https://taken.example/'],
    ],
  )
})

test('outcomes show as they arrive', async (t) => {
  const waiting: ServerResponse[] = []
  const index = await openIndex(t, { 'slow.example': { '/': (_, response) => void waiting.push(response) } })
  const partner = await index.partner('ann')
  const { data } = await bodyOf<Import>(await send(partner, 'http://nowhere.example/\nhttp://slow.example/'))
  const read = async () =>
    (await bodyOf<Import>(await partner.ask('GET', `/reports/imports/${data.id}`))).data
  const working = index.m.runDueJobs()
  const half = await until(read, ({ done }) => done > 0)
  t.like(half, { status: 'running', done: 1 })
  t.deepEqual(
    half.lines.map(({ outcome }) => outcome),
    ['unreachable', null],
  )
  await until(async () => waiting.length, Boolean)
  waiting[0]!.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage())
  await working
  const whole = await until(read, ({ done }) => done === 2)
  t.like(whole, { status: 'done' })
  t.is(whole.lines[1]!.outcome, 'added')
})

function hosts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `site-${i}.example`)
}
function urls(count: number): string {
  return hosts(count)
    .map((host) => `http://${host}/`)
    .join('\n')
}

test('1 000 lines are accepted, 1 001 are a 400, and so is an empty list', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const taken = await send(partner, `# a comment is no line\n\n${urls(1000)}\n`)
  t.is(taken.status, 202)
  const { data } = await bodyOf<Import>(taken)
  t.is(data.total, 1000)
  t.is(data.lines.length, 1000)
  const many = await refused(t, await send(partner, urls(1001)), 400, 'ERR_PARAMETER')
  t.regex(many.detail, /1001/)
  for (const empty of ['', '\n\n', '# nothing', '\uFEFF'])
    await refused(t, await send(partner, empty), 400, 'ERR_PARAMETER')
  t.is((await index.m.storage.read((db) => db.selectFrom('imports').selectAll())).length, 1)
})

test('a list that is too large is a 413', async (t) => {
  const index = await openIndex(t)
  const partner = await index.partner('ann')
  await refused(t, await send(partner, 'x'.repeat(300_000)), 413, 'ERR_BODY_TOO_LARGE')
})

test('another partner’s import gets the same answer as an unknown one', async (t) => {
  const index = await openIndex(t, sites())
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const { data } = await bodyOf<Import>(await send(ann, 'http://a.example/'))
  t.regex(data.id, /^imp_[\w-]{24}$/)
  const theirs = await refused(t, await bob.ask('GET', `/reports/imports/${data.id}`), 404, 'ERR_NOT_FOUND')
  const nobodys = await refused(t, await bob.ask('GET', '/reports/imports/imp_1'), 404, 'ERR_NOT_FOUND')
  t.is(theirs.detail.replace(data.id, 'ID'), nobodys.detail.replace('imp_1', 'ID'))
})

test('a list of an instance that died is continued by another', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const { storage } = index.m
  const commit = storage.commit.bind(storage)
  // As if another process had taken the line as soon as it was there.
  const due_at = new Date(index.clock.now().getTime() + 300_000).toISOString()
  storage.commit = (unit) =>
    commit(
      unit.map((step) =>
        step.statement.name.endsWith('import-line-insert')
          ? { ...step, params: { ...step.params, due_at } }
          : step,
      ),
    )
  const { data } = await bodyOf<Import>(await send(partner, 'http://a.example/'))
  await index.m.runDueJobs()
  t.is((await bodyOf<Import>(await partner.ask('GET', `/reports/imports/${data.id}`))).data.done, 0)
  index.clock.move(300_001)
  t.is((await finish(index, partner, data.id)).lines[0]!.outcome, 'added')
})

test('a list for a website that needs a pause delays nobody else', async (t) => {
  const slow = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`/${n}`, kirbyPage(`Page ${n}`)]))
  const index = await openIndex(t, {
    ...sites(),
    'slow.example': { ...slow, '/robots.txt': 'User-agent: *\nCrawl-delay: 60' },
  })
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const list = Array.from({ length: 1000 }, (_, n) => `http://slow.example/${n}`).join('\n')
  const long = await bodyOf<Import>(await send(ann, list))
  await index.m.runDueJobs()
  const begun = performance.now()
  const short = await bodyOf<Import>(await send(bob, 'http://a.example/\nhttp://b.example/'))
  const done = await finish(index, bob, short.data.id)
  t.deepEqual(
    done.lines.map(({ outcome }) => outcome),
    ['added', 'added'],
  )
  // A minute and more while the first list is waited for; the rest is for a busy machine.
  t.true(performance.now() - begun < 55_000)
  const { data } = await bodyOf<Import>(await ann.ask('GET', `/reports/imports/${long.data.id}`))
  t.is(data.done, 1)
  // The address is not the website: another one behind it is not held up either.
  t.is((await bob.add('http://plain.example/')).status, 422)
})

test('each line of a list counts as a visit of its key', async (t) => {
  const pages = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [`l${n}.example`, { '/': kirbyPage() }]),
  )
  const index = await openIndex(t, pages, { 'membership.reports.limit_visits': 5 })
  const ann = await index.partner('ann')
  const list = Array.from({ length: 9 }, (_, n) => `http://l${n}.example/`).join('\n')
  const { data } = await bodyOf<Import>(await send(ann, list))
  await index.m.runDueJobs()
  await index.m.runDueJobs()
  // The request that sent it is one of the five.
  const shown = await bodyOf<Import>(await ann.ask('GET', `/reports/imports/${data.id}`))
  t.is(shown.data.done, 4)
  t.is((await ann.add('http://l8.example/')).status, 429)
})

test('the results of a list are shown to the operator, line by line', async (t) => {
  const index = await openIndex(t, sites())
  const ann = await index.partner('ann')
  const { data } = await bodyOf<Import>(await send(ann, 'http://a.example/\nnot an address'))
  await finish(index, ann, data.id)
  t.like((await index.m.reports.imports('ann@partner.example'))[0], {
    id: data.id,
    partner_id: ann.id,
    total: 2,
    done: 2,
  })
  const { lines } = await index.m.reports.importOf(data.id)
  t.deepEqual(
    lines.map(({ outcome }) => outcome),
    ['added', 'invalid'],
  )
  await t.throwsAsync(index.m.reports.importOf('imp_nothing'), { code: 'ERR_NOT_FOUND' } as object)
})
