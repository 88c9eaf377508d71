import test, { type ExecutionContext } from 'ava'
import { relinkOutcomes } from '../../src/reports/operator/relink.ts'
import { allDatabases, type TestDatabase } from '../support/databases.ts'
import { createClock, startIndex } from '../support/index-host.ts'
import { kirbyPage, plainPage, startWeb } from '../support/web.ts'

const opened: TestDatabase[] = []
test.after.always(async () => {
  for (const database of opened) await database.close()
})

async function open(t: ExecutionContext, url?: string) {
  const web = await startWeb({
    'a.example': { '/': kirbyPage('A'), '/one': kirbyPage('One'), '/two': kirbyPage('Two') },
    'b.example': { '/': kirbyPage('B') },
    'c.example': { '/': kirbyPage('C') },
    'plain.example': { '/': plainPage() },
    'many.example': { '/1': kirbyPage('1'), '/2': kirbyPage('2') },
  })
  const clock = createClock()
  const index = await startIndex(web, { now: clock.now, ...(url === undefined ? {} : { url }) })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const { reports } = index.m
  return {
    web,
    clock,
    index,
    reports,
    op: reports.operator,
    ann: await index.partner('ann'),
    bob: await index.partner('bob'),
  }
}
async function idOf(answer: Response) {
  return ((await answer.json()) as { data: { id: string } }).data.id
}
async function urlsOf(who: { list(): Promise<Response> }) {
  return ((await (await who.list()).json()) as { data: { url: string }[] }).data.map(({ url }) => url).sort()
}

for (const openDatabase of allDatabases)
  test.serial(
    `${openDatabase.name}: relinking has one outcome per line, changes nothing without --write, and can be undone`,
    async (t) => {
      const database = await openDatabase()
      opened.push(database)
      const { op, ann, bob, reports } = await open(t, await database.url())
      await ann.add('http://a.example/')
      await bob.add('http://b.example/')
      for (const url of ['http://many.example/1', 'http://many.example/2']) await bob.add(url)
      await op.exclude('kept.example', 'asked')
      const list =
        '\uFEFFhttp://a.example\r\n\r\n# a comment\r\nwww.b.example/ # theirs\r\nb.example\r\nmany.example\r\nmany.example/3\r\nc.example\r\na.example/page\r\nhttps://kept.example/x\r\nfoo\r\n'
      const dry = await op.relink(list, ann.id)
      t.deepEqual(
        dry.lines.map(({ line, outcome }) => [line, outcome]),
        [
          [1, 'already-linked'],
          [4, 'reassigned'],
          [5, 'duplicate'],
          [6, 'ambiguous'],
          [7, 'ambiguous'],
          [8, 'not-found'],
          [9, 'not-found'],
          [10, 'excluded'],
          [11, 'invalid'],
        ],
      )
      t.is(dry.batch, null)
      t.deepEqual(dry.lines.find(({ line }) => line === 4)?.detail, `from ${bob.id}`)
      t.is(dry.lines.find(({ line }) => line === 5)?.detail, 'line 4')
      t.is(dry.lines.find(({ line }) => line === 9)?.detail, 'nearest: http://a.example/')
      t.is(
        relinkOutcomes.reduce((sum, name) => sum + dry.counts[name], 0),
        dry.lines.length,
      )
      t.deepEqual(await urlsOf(ann), ['http://a.example/'])

      const { batch } = await op.relink(list, ann.id, { write: true, actor: 'operator:eve' })
      t.deepEqual(await urlsOf(ann), ['http://a.example/', 'http://b.example/'])
      t.is((await op.relink(list, ann.id, { write: true })).batch, null, 'again there is nothing to do')
      t.like(await op.undo(batch!), { restored: 1, kept: [] })
      t.deepEqual(await urlsOf(ann), ['http://a.example/'])
      t.deepEqual((await urlsOf(bob)).length, 3)
      await t.throwsAsync(op.undo(batch!), { code: 'ERR_USAGE' })
      await t.throwsAsync(op.undo('bat_unknown'), { code: 'ERR_NOT_FOUND' })
      t.like((await reports.audit.list({ subject: batch! })).at(-1), {
        actor: 'operator:eve',
        action: 'relink',
      })
    },
  )

test('a website that changed hands since stays when a batch is undone', async (t) => {
  const { op, ann, bob, index } = await open(t)
  const cem = await index.partner('cem')
  await bob.add('http://b.example/')
  const id = await idOf(await bob.add('http://c.example/'))
  const { batch } = await op.relink('b.example\nc.example', ann.id, { write: true })
  await op.relink('c.example', cem.id, { write: true })
  t.like(await op.undo(batch!), { restored: 1, kept: [id] })
  t.deepEqual(await urlsOf(bob), ['http://b.example/'])
  t.deepEqual(await urlsOf(cem), ['http://c.example/'])
})

test('a list is written completely or not at all, even if a partner writes in between', async (t) => {
  const { op, ann, bob, index } = await open(t)
  const [first, second] = [
    await idOf(await bob.add('http://b.example/')),
    await idOf(await bob.add('http://c.example/')),
  ]
  const { storage } = index.m
  const { commit } = storage
  let conflicts = 0
  Object.assign(storage, {
    commit: async (unit: Parameters<typeof commit>[0]) => {
      // Just before the batch is written, somebody changes one of its websites.
      if (unit.some(({ statement }) => statement.name === 'batch-insert') && conflicts++ === 0) {
        Object.assign(storage, { commit })
        await bob.refresh(second)
      }
      return commit(unit)
    },
  })
  const { counts } = await op.relink('b.example\nc.example', ann.id, { write: true })
  t.is(conflicts, 1)
  t.is(counts.reassigned, 2)
  t.deepEqual(await urlsOf(ann), ['http://b.example/', 'http://c.example/'])
  t.is((await op.get(first)).row.partner_id, ann.id)
  t.is((await storage.read((db) => db.selectFrom('relink_batches').selectAll())).length, 1)
})

test('a case for review is listed once, and accepting it lists the website permanently', async (t) => {
  const { op, ann, reports, clock } = await open(t)
  await ann.add('http://plain.example/')
  const [review] = await op.reviews()
  t.like(review, { url: 'http://plain.example/' })
  t.regex(review?.why ?? '', /0 of 100/)
  await op.accept('http://plain.example/')
  t.deepEqual(await op.reviews(), [])
  await reports.crawl.run()
  clock.move(60 * 86_400_000)
  await reports.crawl.run()
  t.is((await op.get('http://plain.example/')).data.status, 'listed')
  t.deepEqual(await urlsOf(ann), ['http://plain.example/'])
})

test('two entries of one website are merged with the existing partner and picture', async (t) => {
  const { op, ann, bob } = await open(t)
  const item = await idOf(await ann.add('http://a.example/one'))
  const two = await idOf(await bob.add('http://a.example/two'))
  await t.throwsAsync(op.merge({ keep: two, merge: item }), {
    code: 'ERR_USAGE',
    message: /different partners/,
  })
  await t.throwsAsync(op.merge({ keep: item, merge: item }), { code: 'ERR_USAGE' })
  await op.relink('a.example/two', ann.id, { write: true })
  t.is((await op.merge({ keep: two, merge: item })).row.id, two)
  t.is((await op.get(item)).row.id, item, 'without write nothing is changed')
  const merged = await op.merge({ keep: two, merge: item, write: true })
  t.is(merged.row.id, two)
  t.deepEqual(await urlsOf(ann), ['http://a.example/two'])
  await t.throwsAsync(op.get(item), { code: 'ERR_NOT_FOUND' })
})

test('checks are brought forward for one website or for all in a state', async (t) => {
  const { op, ann, reports, web } = await open(t)
  const id = await idOf(await ann.add('http://a.example/'))
  await ann.add('http://b.example/')
  t.is(await op.retry(id), 1)
  t.is((await reports.crawl.run()).visited, 1)
  t.is(await op.retry('listed'), 2)
  web.answers.set('a.example', [])
  web.answers.set('b.example', [])
  await reports.crawl.run()
  t.is(await op.retry('unreachable'), 2)
  await t.throwsAsync(op.retry('nonsense'), { code: 'ERR_NOT_FOUND' })
})

test('every action is in the audit log with its author, and no key is', async (t) => {
  const { op, ann, reports, index } = await open(t)
  const actor = 'operator:eve'
  const { id } = await reports.partners.add({ name: 'Dan', email: 'dan@partner.example' }, actor)
  const issued = await reports.keys.issue(id, {}, actor)
  const rotated = await reports.keys.rotate(issued.entry.id, actor)
  await reports.keys.revoke(rotated.entry.id, actor)
  await reports.partners.setStatus(id, 'suspended', actor)
  const item = await idOf(await ann.add('http://a.example/'))
  const two = await idOf(await ann.add('http://b.example/'))
  await ann.add('http://plain.example/')
  await op.relink('b.example', id, { write: true, actor })
  await op.relink('b.example', ann.id, { write: true, actor })
  await op.exclude('c.example', 'asked', actor)
  await op.restore('c.example', actor)
  await op.accept('http://plain.example/', actor)
  await op.merge({ keep: two, merge: item, by: actor, write: true })
  await op.retry(two, actor)
  await ann.remove(two)
  const entries = await reports.audit.list({ limit: 500 })
  const actions = entries.filter((entry) => entry.actor === actor).map(({ action }) => action)
  for (const action of [
    'partner-add',
    'key-issue',
    'key-rotate',
    'key-revoke',
    'partner-suspended',
    'relink',
    'exclude',
    'restore',
    'accept',
    'merge',
    'retry',
  ])
    t.true(actions.includes(action), action)
  t.true(entries.some((entry) => entry.actor === `partner:${ann.id}` && entry.action === 'report-delete'))
  const text = JSON.stringify(entries)
  for (const { key } of [issued, rotated, ann]) t.false(text.includes(key.slice(3, 43)))
  t.truthy(index)
})

test('an exclusion applies to its host, not to similar ones', async (t) => {
  const { op, ann, web } = await open(t)
  web.hosts['sub.a_b.example'] = { '/': kirbyPage('Under') }
  web.hosts['sub.axb.example'] = { '/': kirbyPage('X') }
  await ann.add('http://sub.a_b.example/')
  await ann.add('http://sub.axb.example/')
  t.like(await op.exclude('a_b.example', 'asked'), { pattern: 'a_b.example', websites: 1 })
  t.deepEqual(await urlsOf(ann), ['http://sub.axb.example/'])
})

test('an exclusion of an address with a query applies to that address', async (t) => {
  const { op, ann, web } = await open(t)
  web.hosts['q.example'] = {
    '/?p=1': kirbyPage('First'),
    '/?p=2': kirbyPage('Second'),
    '/': kirbyPage('Home'),
  }
  for (const url of ['http://q.example/?p=1', 'http://q.example/?p=2', 'http://q.example/'])
    await ann.add(url)
  t.like(await op.exclude('http://q.example/?p=1', 'asked'), { websites: 1 })
  t.deepEqual(await urlsOf(ann), ['http://q.example/', 'http://q.example/?p=2'])
  t.is((await ann.add('http://q.example/?p=1&utm_source=x')).status, 403)
  t.like(await op.restore('http://q.example/?p=1'), { websites: 1 })
})

test('a website deleted by its partner keeps the crawler from itself, not from pages below its host', async (t) => {
  const { ann, web, reports } = await open(t)
  web.hosts['blog.a.example'] = { '/': kirbyPage('Blog') }
  web.hosts['seed.example'] = {
    '/': kirbyPage('Seed', '<a href="http://blog.a.example/">1</a><a href="http://a.example/">2</a>'),
  }
  const id = await idOf(await ann.add('http://a.example/'))
  await ann.remove(id)
  await ann.add('http://seed.example/')
  await reports.crawl.run()
  const { data } = await reports.websites({ status: 'listed' })
  t.deepEqual(data.map(({ url }) => url).sort(), ['http://blog.a.example/', 'http://seed.example/'])
})

test('the operator filters the whole index by state, partner, version, day, and part of an address', async (t) => {
  const { ann, bob, clock, reports, web } = await open(t)
  await ann.add('http://a.example/')
  clock.move(86_400_000)
  await bob.add('http://b.example/')
  clock.move(1000)
  await bob.add('http://plain.example/')
  clock.move(1000)
  web.hosts['wp.example'] = {
    '/': '<meta name="generator" content="WordPress 6.5"><link rel="https://api.w.org/" href="/wp-json/">',
  }
  await bob.add('http://wp.example/')
  const urls = async (filter: Parameters<typeof reports.websites>[0]) =>
    (await reports.websites(filter)).data.map(({ url }) => url.slice(7, -1))
  t.deepEqual(await urls({}), ['wp.example', 'plain.example', 'b.example', 'a.example'])
  t.deepEqual(await urls({ status: 'listed' }), ['b.example', 'a.example'])
  t.deepEqual(await urls({ partner: 'ann@partner.example' }), ['a.example'])
  t.deepEqual(await urls({ partner: 'none' }), [])
  t.deepEqual(await urls({ since: '2026-03-02' }), ['wp.example', 'plain.example', 'b.example'])
  t.deepEqual(await urls({ version: '4' }), ['b.example', 'a.example'])
  t.deepEqual(await urls({ version: '4.5.0', q: 'A.EX' }), ['a.example'])
  t.deepEqual(await urls({ version: '3' }), [])
  t.deepEqual(await urls({ system: 'wordpress' }), ['wp.example'])
  t.deepEqual(await urls({ system: 'kirby' }), ['b.example', 'a.example'])
  const first = await reports.websites({ limit: 3 })
  const rest = await reports.websites({ limit: 3, cursor: first.cursor! })
  t.deepEqual([first.data.length, rest.data.length, rest.cursor], [3, 1, null])
  await t.throwsAsync(reports.websites({ since: 'yesterday' }), { code: 'ERR_PARAMETER' } as object)
  await t.throwsAsync(reports.websites({ cursor: 'x' }), { code: 'ERR_PARAMETER' } as object)
  await reports.crawl.retry('http://a.example/')
  await reports.crawl.run()
  t.like((await reports.crawl.history(24))[0], {
    hour: '2026-03-02T10:00:00.000Z',
    visited: 1,
    listed: 1,
    stops: 0,
  })
})
