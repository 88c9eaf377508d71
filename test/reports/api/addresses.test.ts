import type { IncomingMessage, ServerResponse } from 'node:http'
import test from 'ava'
import { kirbyPage } from '../../support/web.ts'
import { added, bodyOf, type Import, type List, openIndex, refused } from './support.ts'

// The identity of a website is one thing, the address that answered another.
for (const [failed, works] of [
  ['http://www.a.example/', 'http://a.example/'],
  ['http://a.example/index.php', 'http://a.example/'],
  ['https://a.example/', 'http://a.example/'],
  ['http://a.example./', 'http://a.example/'],
] as const)
  test(`after ${failed} failed, ${works} is stored and asked again`, async (t) => {
    const index = await openIndex(t, { 'a.example': { '/': kirbyPage('A') } })
    const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
    await refused(t, await ann.add(failed), 422, 'ERR_SITE_UNREACHABLE')
    const answer = await ann.add(works)
    t.is(answer.status, 201)
    const { data } = await bodyOf(answer)
    t.like(data, { url: works, status: 'listed' })
    t.like((await bodyOf(await ann.refresh(data.id))).data, { url: works, status: 'listed' })
    const taken = await refused(t, await bob.add(works), 409, 'ERR_REPORT_EXISTS')
    t.true(taken.detail.startsWith(works), taken.detail)
  })

test('a listed website that fails takes another spelling of its address that works, and keeps its own else', async (t) => {
  const index = await openIndex(t, { 'www.a.example': { '/': kirbyPage('A') } })
  const ann = await index.partner('ann')
  const id = await added(t, ann, 'http://www.a.example/')
  const hosts = index.web.hosts
  hosts['a.example'] = hosts['www.a.example']!
  delete hosts['www.a.example']
  t.is((await bodyOf(await ann.refresh(id))).data.status, 'unreachable')
  await ann.add('http://a.example/nothing/../index.php')
  const before = (await bodyOf(await ann.read(id))).data
  t.like(before, { url: 'http://www.a.example/', status: 'unreachable' })
  const answer = await ann.add('http://a.example/')
  t.is(answer.status, 200)
  t.like((await bodyOf(answer)).data, { id, url: 'http://a.example/', status: 'listed' })
})

test('two spellings at once: the one that works is listed', async (t) => {
  const slowly = (_: IncomingMessage, response: ServerResponse) =>
    void setTimeout(() => response.writeHead(404).end(), 50)
  const index = await openIndex(t, {
    'a.example': { '/': kirbyPage('A') },
    'www.a.example': { '/': slowly },
  })
  const ann = await index.partner('ann')
  const [first, second] = await Promise.all([ann.add('http://www.a.example/'), ann.add('http://a.example/')])
  t.is(first!.status, 422)
  t.is(second!.status, 201)
  t.like((await bodyOf(second!)).data, { url: 'http://a.example/', status: 'listed' })
})

test('a list tries another spelling after the first one failed, and calls it a duplicate after it worked', async (t) => {
  const index = await openIndex(t, {
    'a.example': { '/': kirbyPage('A') },
    'b.example': { '/': kirbyPage('B') },
  })
  const ann = await index.partner('ann')
  const list =
    'http://www.a.example/\nhttp://a.example/\nhttp://b.example/\nhttp://b.example/index.php\nhttp://b.example/'
  const sent = await ann.ask('POST', '/reports/imports', { 'content-type': 'text/plain' }, list)
  const { id } = (await bodyOf<Import>(sent)).data
  for (;;) {
    const { data } = await bodyOf<Import>(await ann.ask('GET', `/reports/imports/${id}`))
    if (data.status !== 'done') {
      await index.m.runDueJobs()
      // A line of a website that is being visited waits for a few seconds.
      index.clock.move(5000)
      continue
    }
    t.deepEqual(
      data.lines.map(({ outcome, detail }) => [outcome, outcome === 'duplicate' ? detail : null]),
      [
        ['unreachable', null],
        ['added', null],
        ['added', null],
        ['duplicate', 'line 3'],
        ['duplicate', 'line 3'],
      ],
    )
    return
  }
})

test('a redirect whose address is written in UTF-8 is followed', async (t) => {
  const index = await openIndex(t, {
    'a.example': {
      '/': ({ socket }) =>
        void socket.end(
          Buffer.from(
            'HTTP/1.1 302 Found\r\nLocation: /\u00fcber/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
          ),
        ),
      '/%C3%BCber/': kirbyPage('A'),
    },
  })
  const ann = await index.partner('ann')
  t.is((await ann.add('http://a.example/')).status, 201)
})

test('the list is there with a closing slash, too', async (t) => {
  const index = await openIndex(t, {})
  const ann = await index.partner('ann')
  const answer = await ann.ask('GET', '/reports/')
  t.is(answer.status, 200)
  t.deepEqual((await bodyOf<List>(answer)).data, [])
})
