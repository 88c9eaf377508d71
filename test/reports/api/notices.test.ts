import test from 'ava'
import { kirbyPage } from '../../support/web.ts'
import { added, bodyOf, dayMs, openIndex, refused } from './support.ts'

interface Feed {
  readonly data: { id: string; kind: string; url: string; details: Record<string, string | null> }[]
  readonly links: { next: string }
}

const wordpress =
  '<!doctype html><title>Moved</title><meta name="generator" content="WordPress 6.5">' +
  '<link rel="stylesheet" href="/wp-content/themes/quay/style.css">'

test.serial(
  'a feed reports the partner’s websites from the next full hour, and continues with a cursor',
  async (t) => {
    const { web, clock, m, partner } = await openIndex(t, {
      'a.example': { '/': kirbyPage('A') },
      'b.example': { '/': kirbyPage('B') },
    })
    const [ann, bob] = [await partner('ann'), await partner('bob')]
    await added(t, ann, 'http://a.example/')
    await added(t, ann, 'http://b.example/')
    let next = '/reports/notices'
    const read = async () => {
      const feed = await bodyOf<Feed>(await ann.ask('GET', next.replace(/^https?:\/\/[^/]+/, '')))
      next = feed.links.next
      return feed.data.map(({ kind, url, details }) => [kind, url, details])
    }
    t.deepEqual(await read(), [])

    web.hosts['a.example']!['/'] = (_, response) => response.writeHead(500).end()
    clock.move(40 * dayMs)
    await m.reports.crawl.run()
    t.deepEqual(await read(), [], 'the crawler’s changes wait for the hour')
    clock.move(3_660_000)
    t.deepEqual(await read(), [['down', 'http://a.example/', { reason: 'http-5xx' }]])
    t.deepEqual(await read(), [])

    web.hosts['a.example']!['/'] = kirbyPage('A')
    web.hosts['b.example']!['/'] = wordpress
    for (let day = 0; day < 45; day++) {
      clock.move(dayMs)
      await m.reports.crawl.run()
    }
    clock.move(3_660_000)
    t.deepEqual(await read(), [
      ['back', 'http://a.example/', {}],
      ['moved', 'http://b.example/', { system: 'WordPress' }],
    ])
    t.deepEqual((await bodyOf<Feed>(await bob.ask('GET', '/reports/notices'))).data, [])
  },
)

test.serial('feed readers get the same as Atom', async (t) => {
  const { web, clock, m, partner, site } = await openIndex(t, {
    'a.example': { '/?a=1&b=2': kirbyPage('A') },
  })
  const ann = await partner('ann')
  await added(t, ann, 'http://a.example/?a=1&b=2')
  web.hosts['a.example'] = {}
  clock.move(40 * dayMs)
  await m.reports.crawl.run()
  clock.move(3_660_000)
  const answer = await fetch(`${site}/reports/notices?format=atom`, { headers: { 'X-API-KEY': ann.key } })
  t.is(answer.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
  const xml = await answer.text()
  t.regex(xml, /<category term="down"\/>/)
  t.regex(xml, /could not be read \(http-4xx\)/)
  await refused(t, await ann.ask('GET', '/reports/notices?format=rss'), 400, 'ERR_PARAMETER')
  await refused(t, await ann.ask('GET', '/reports/notices?cursor=eA'), 400, 'ERR_PARAMETER')
})
