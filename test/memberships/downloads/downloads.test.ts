import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Alert, MembershipOptions } from '../../../src/index.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createVisitor } from '../../support/visitor.ts'

const book = 'The whole book, which is paid for. '.repeat(40)

/** A folder of private files, with a link that leads out of it. */
function folderWith(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'membership-files-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'private/books'), { recursive: true })
  writeFileSync(join(folder, 'private/book.pdf'), book)
  writeFileSync(join(folder, 'private/books/100% #1?.txt'), 'an odd name')
  writeFileSync(join(folder, 'secret.txt'), 'nobody may read this')
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'private/way-out.txt'))
  return join(folder, 'private')
}

const plans = {
  pro: { group: 'membership', prices: ['price_month'] },
  book: {
    prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }],
    limits: { downloads: { amount: 2, every: 'once' } },
  },
}

async function open(t: ExecutionContext, options: MembershipOptions = {}) {
  const opened = await openStripeSite(t, {
    'membership.files.folder': folderWith(t),
    'membership.providers.stripe.plans': plans,
    'membership.secret': 'x'.repeat(32),
    ...options,
  } as MembershipOptions)
  const user = await opened.m.users.create({ email: 'ann@example.com', verified: true })
  const give = (gate: string, id = user.id) => opened.m.users.grant({ memberId: id, gate })
  const ann = async () => (await opened.m.users.findById(user.id))!
  const get = (url: string, headers: Record<string, string> = {}) =>
    fetch(new URL(url, opened.site), { headers, redirect: 'manual' })
  return { ...opened, user, give, ann, get }
}
async function code(answer: Response) {
  return ((await answer.json()) as { code: string }).code
}

test('a member downloads a file by a link: whole, in ranges, and under its name; no cache keeps it', async (t) => {
  const { m, give, ann, get } = await open(t)
  await give('book')
  const url = m.files.url(await ann(), 'book.pdf', { gate: 'book', name: 'Книга.pdf' })
  const answer = await get(url)
  t.is(answer.status, 200)
  t.is(await answer.text(), book)
  t.is(answer.headers.get('cache-control'), 'private, no-store')
  t.is(answer.headers.get('content-type'), 'application/pdf')
  t.is(
    answer.headers.get('content-disposition'),
    `attachment; filename="?????.pdf"; filename*=UTF-8''%D0%9A%D0%BD%D0%B8%D0%B3%D0%B0.pdf`,
  )
  t.is(answer.headers.get('referrer-policy'), 'no-referrer')
  const part = await get(url, { range: 'bytes=10-19' })
  t.is(part.status, 206)
  t.is(part.headers.get('content-range'), `bytes 10-19/${book.length}`)
  t.is(await part.text(), book.slice(10, 20))
  t.is((await get(url, { range: 'bytes=99999-' })).status, 416)
  const same = await get(url, { 'if-none-match': answer.headers.get('etag')!, 'cache-control': 'max-age=0' })
  t.is(same.status, 304)
  const shown = m.files.url(await ann(), 'books/100% #1?.txt', { gate: 'book', inline: true })
  const odd = await get(shown)
  t.is(await odd.text(), 'an odd name')
  t.regex(odd.headers.get('content-disposition')!, /^inline/)
})

test('a link closes at once when access ends, and when its time is over', async (t) => {
  const { m, fake, give, ann, get } = await open(t)
  const grant = await give('book')
  const url = m.files.url(await ann(), 'book.pdf', { gate: 'book', minutes: 10 })
  t.is((await get(url)).status, 200)
  await m.users.revoke(grant)
  const ended = await get(url)
  t.deepEqual([ended.status, ended.headers.get('content-disposition')], [403, null])
  t.is(await code(ended), 'ERR_GATED')
  await give('book')
  t.is((await get(url)).status, 200)
  await fake.advance({ ms: 10 * 60_000 })
  t.is(await code(await get(url)), 'ERR_LINK')
})

test('a refund closes the link of what was bought', async (t) => {
  const opened = await open(t)
  const { m, fake, get } = opened
  const { user } = await buy(opened, 'bea@example.com', {
    path: '/membership/payment',
    product: 'price_book',
  })
  const url = m.files.url(user, 'book.pdf', { gate: 'book' })
  t.is((await get(url)).status, 200)
  const [payment] = user.payments()
  await m.payments.refund({ payment: payment!, key: 'once' })
  await fake.deliver()
  t.is((await get(url)).status, 403)
})

test('nobody leaves the folder: not by a path, not by a link in the folder, not by a forged address', async (t) => {
  const { m, give, ann, get } = await open(t)
  await give('book')
  const user = await ann()
  for (const path of [
    '../secret.txt',
    '/etc/passwd',
    'a/../../secret.txt',
    'a\\b',
    '.env',
    'a//b',
    '',
    'a\0b',
  ])
    t.throws(() => m.files.url(user, path, { gate: 'book' }), { code: 'ERR_USAGE' }, path)
  t.throws(() => m.files.url(user, 'book.pdf', { gate: 'book', minutes: 0 }), { code: 'ERR_USAGE' })
  t.throws(() => m.files.url(user, 'book.pdf', { gate: 'book', minutes: 20_000 }), { code: 'ERR_USAGE' })
  for (const path of ['way-out.txt', 'missing.pdf', 'books'])
    t.is((await get(m.files.url(user, path, { gate: 'book' }))).status, 404, path)
  const [, , , token = ''] = new URL(
    m.files.url(user, 'book.pdf', { gate: 'book' }),
    'http://x',
  ).pathname.split('/')
  const [content = '', tag = ''] = token.split('.')
  const other = { ...JSON.parse(Buffer.from(content, 'base64url').toString()), path: '../secret.txt' }
  const forged = `${Buffer.from(JSON.stringify(other)).toString('base64url')}.${tag}`
  for (const wrong of [forged, content, `${content}.`, 'x'])
    t.is((await get(`/membership/files/${wrong}/book.pdf`)).status, 404)
})

test('a limit counts each link once, however often it is resumed, and then refuses', async (t) => {
  const opened = await open(t)
  const { m, get } = opened
  const { user } = await buy(opened, 'bea@example.com', {
    path: '/membership/payment',
    product: 'price_book',
  })
  const link = (minutes: number) =>
    m.files.url(user, 'book.pdf', { gate: 'book', minutes, limit: 'downloads' })
  const left = async () => (await m.users.findById(user.id))!.limit('downloads').left
  t.is(await left(), 2)
  await fetch(new URL(link(5), opened.site), { method: 'HEAD' })
  t.is(await left(), 2)
  for (const range of ['bytes=0-9', 'bytes=10-', 'bytes=0-9']) await get(link(5), { range })
  t.is(await left(), 1)
  t.is((await get(link(6))).status, 200)
  t.is(await code(await get(link(7))), 'ERR_LIMIT')
  t.is((await get(link(6))).status, 200, 'a counted link goes on')
})

test('two downloads of one book stay two, whatever is merged and taken back', async (t) => {
  const { m, give, user, get } = await open(t)
  await give('book')
  let taken = 0
  for (const name of ['one', 'two', 'three']) {
    const fresh = await m.users.create({ email: `${name}@example.com`, verified: true })
    await m.users.merge({ keep: fresh.id, merge: user.id, by: 'op', write: true })
    const joint = (await m.users.findById(fresh.id))!
    for (const minutes of [5, 6, 7]) {
      const url = m.files.url(joint, 'book.pdf', { gate: 'book', limit: 'downloads', minutes })
      if ((await get(url)).status === 200) taken++
    }
    await m.users.unmerge({ merged: user.id, by: 'op' })
  }
  t.is(taken, 2)
  const back = m.files.url((await m.users.findById(user.id))!, 'book.pdf', {
    gate: 'book',
    limit: 'downloads',
    minutes: 8,
  })
  t.is(await code(await get(back)), 'ERR_LIMIT')
})

test('nginx and a storage service get the file handed over', async (t) => {
  const accel = await open(t, {
    'membership.files.folder': null,
    'membership.files.accel': '/protected/',
  } as never)
  await accel.give('book')
  const handed = await accel.get(accel.m.files.url(await accel.ann(), 'books/ä b.pdf', { gate: 'book' }))
  t.is(handed.headers.get('x-accel-redirect'), '/protected/books/%C3%A4%20b.pdf')
  t.is(handed.headers.get('content-type'), null)
  t.is(handed.headers.get('cache-control'), 'private, no-store')
  const signed = await open(t, {
    'membership.files.folder': null,
    files: {
      presign: ({ path, memberId }: { path: string; memberId: string }) =>
        `https://s3.example/${path}?for=${memberId}`,
    },
  } as never)
  const grant = await signed.give('book')
  const url = signed.m.files.url(await signed.ann(), 'book.pdf', { gate: 'book' })
  const sent = await signed.get(url)
  t.deepEqual(
    [sent.status, sent.headers.get('location')],
    [302, `https://s3.example/book.pdf?for=${signed.user.id}`],
  )
  await signed.m.users.revoke(grant)
  t.is((await signed.get(url)).headers.get('location'), null)
})

test('a web-standard host streams a file and its ranges, and another process knows the link', async (t) => {
  const { m, give, ann, another } = await open(t)
  await give('book')
  const url = m.files.url(await ann(), 'book.pdf', { gate: 'book' })
  const part = await m.fetch(
    new Request(new URL(url, 'http://localhost'), { headers: { range: 'bytes=0-2' } }),
  )
  t.deepEqual([part.status, await part.text()], [206, 'The'])
  const second = await another()
  t.is(await (await fetch(new URL(url, second.site))).text(), book)
})

test('links end by hand, and at “log out everywhere” where the site wishes', async (t) => {
  const { m, fake, user, give, ann, get } = await open(t)
  await give('book')
  const url = m.files.url(await ann(), 'book.pdf', { gate: 'book' })
  await m.files.revoke(user)
  t.is(await code(await get(url)), 'ERR_LINK')
  await fake.advance({ ms: 1000 })
  t.is((await get(m.files.url(await ann(), 'book.pdf', { gate: 'book' }))).status, 200)
  for (const isEnded of [true, false]) {
    const opened = await open(t, {
      'membership.feeds.end_at_logout': isEnded,
      'membership.url': 'http://localhost',
      feeds: { '/podcast.xml': () => '<rss/>' },
    } as never)
    const { visitor, user: bea } = await buy(opened, 'bea@example.com')
    const file = opened.m.files.url(bea, 'book.pdf', { gate: 'pro' })
    const feed = await opened.m.feeds.url(bea, '/podcast.xml')
    const at = (address: string) => opened.get(new URL(address).pathname)
    t.deepEqual([(await at(file)).status, (await at(feed)).status], [200, 200])
    await opened.fake.advance({ ms: 1000 })
    await visitor.send('/membership/logout', { everywhere: '1' })
    t.deepEqual([(await at(file)).status, (await at(feed)).status], isEnded ? [410, 404] : [200, 200])
    t.is((await opened.m.feeds.url(bea, '/podcast.xml')) === feed, !isEnded)
  }
})

test('each member has an address of a feed, which shows it with their view and stays the same', async (t) => {
  const { m, user, give, ann, get, site, another } = await open(t, {
    'membership.url': 'http://localhost',
    feeds: {
      '/podcast.xml': ({ view, user, url }) =>
        `<rss><title>${user.email}</title>${view.allows('pro') ? '<item>closed</item>' : ''}<link>${url}</link></rss>`,
      '/feed.json': () => ({ body: '{}', type: 'application/json' }),
    },
  } as MembershipOptions)
  const url = await m.feeds.url(user, '/podcast.xml')
  t.regex(url, /^http:\/\/localhost\/membership\/feeds\/[\w-]{43}\/podcast\.xml$/)
  t.is(await m.feeds.url(await ann(), '/podcast.xml'), url)
  const at = new URL(url).pathname
  const closed = await get(at)
  t.is(closed.headers.get('content-type'), 'application/rss+xml; charset=utf-8')
  t.is(closed.headers.get('cache-control'), 'private, no-store')
  t.is(await closed.text(), `<rss><title>ann@example.com</title><link>${url}</link></rss>`)
  const grant = await give('pro')
  t.regex(await (await get(at)).text(), /closed/)
  await m.users.revoke(grant)
  t.notRegex(await (await get(at)).text(), /closed/)
  const bea = await m.users.create({ email: 'bea@example.com', verified: true })
  t.not(await m.feeds.url(bea, '/podcast.xml'), url)
  t.regex(await (await get(new URL(await m.feeds.url(user, '/feed.json')).pathname)).text(), /{}/)
  await t.throwsAsync(m.feeds.url(user, '/other.xml'), { code: 'ERR_NOT_FOUND', message: /other/ })
  // Nothing in the database opens the feed.
  const rows = await m.storage.read((db) => db.selectFrom('feeds').selectAll())
  t.false(JSON.stringify(rows).includes(at.split('/')[3]!))
  const second = await another()
  t.is((await fetch(second.site + at)).status, 200)
  t.is((await fetch(`${site}/membership/feeds/${'x'.repeat(43)}/podcast.xml`)).status, 404)
  await m.feeds.revoke(user, '/podcast.xml')
  t.is((await get(at)).status, 404)
  t.not(await m.feeds.url(user, '/podcast.xml'), url)
  t.deepEqual(
    (await m.feeds.list(user)).map(({ path }) => path),
    ['/feed.json', '/podcast.xml'],
  )
})

test('two processes that make an address at once make the same one; a new secret keeps it, a lost secret replaces it', async (t) => {
  const feeds = { '/podcast.xml': () => '<rss/>' }
  const { m, user, get, another } = await open(t, { 'membership.url': 'http://localhost', feeds } as never)
  const second = await another({ feeds } as never)
  const urls = await Promise.all(
    [m, second.m, m, second.m].map((each) => each.feeds.url(user, '/podcast.xml')),
  )
  t.is(new Set(urls).size, 1)
  const rotated = await another({ feeds, 'membership.secret': ['y'.repeat(32), 'x'.repeat(32)] } as never)
  t.is(await rotated.m.feeds.url(user, '/podcast.xml'), urls[0]!)
  const lost = await another({ feeds, 'membership.secret': 'z'.repeat(32) } as never)
  const fresh = await lost.m.feeds.url(user, '/podcast.xml')
  t.not(fresh, urls[0]!)
  t.is((await get(new URL(urls[0]!).pathname)).status, 404)
})

test('many clients at one address alert the operator once', async (t) => {
  const alerts: Alert[] = []
  const { m, user, get, fake } = await open(t, {
    'membership.url': 'http://localhost',
    'membership.feeds.clients': 3,
    feeds: { '/podcast.xml': () => '<rss/>' },
    onAlert: (alert: Alert) => void alerts.push(alert),
  } as never)
  const at = new URL(await m.feeds.url(user, '/podcast.xml')).pathname
  for (const name of ['a', 'b', 'c', 'a', 'b']) await get(at, { 'user-agent': name })
  await m.runDueJobs()
  t.is(alerts.length, 0)
  for (const name of ['d', 'e']) t.is((await get(at, { 'user-agent': name })).status, 200)
  await m.runDueJobs()
  t.deepEqual(
    alerts.map(({ kind, provider, account, state }) => [kind, provider, account, state]),
    [['feed_shared', '/podcast.xml', user.id, 'begun']],
  )
  t.is((await m.operator.health()).status, 'ok')
  t.true((await m.feeds.list(user))[0]!.shared_at !== null)
  const clients = () => m.storage.read((db) => db.selectFrom('feed_clients').selectAll())
  t.is((await clients()).length, 4, 'no more are counted')
  await fake.advance({ ms: 2 * 86_400_000 })
  await m.runDueJobs()
  t.is((await clients()).length, 0)
})

test('after a merge both addresses show the kept member; logging out everywhere and a deletion end them', async (t) => {
  const { m, user, give, get, fake } = await open(t, {
    'membership.url': 'http://localhost',
    feeds: { '/podcast.xml': ({ user: { email } }: { user: { email: string } }) => email },
  } as never)
  const bea = await m.users.create({ email: 'bea@example.com', verified: true })
  await give('book', bea.id)
  const own = new URL(await m.feeds.url(user, '/podcast.xml')).pathname
  const merged = new URL(await m.feeds.url(bea, '/podcast.xml')).pathname
  const file = m.files.url(bea, 'book.pdf', { gate: 'book' })
  await fake.advance({ ms: 1000 })
  await m.users.merge({ keep: user.id, merge: bea.id, by: 'op', write: true })
  t.is(await (await get(own)).text(), 'ann@example.com')
  t.is(await (await get(merged)).text(), 'ann@example.com')
  t.is((await get(new URL(file).pathname)).status, 200)
  await m.feeds.revoke(user)
  await m.files.revoke(user)
  t.is((await get(own)).status, 404)
  t.is((await get(merged)).status, 404)
  t.is((await get(new URL(file).pathname)).status, 410)
  const again = new URL(await m.feeds.url(user, '/podcast.xml')).pathname
  await fake.advance({ ms: 1000 })
  t.is((await get(again)).status, 200)
  const late = m.files.url(user, 'book.pdf', { gate: 'book' })
  await m.users.delete(user.id)
  await m.runDueJobs()
  t.is((await get(again)).status, 404)
  t.is((await get(new URL(late).pathname)).status, 404)
  for (const table of ['feeds', 'feed_clients', 'ended_links'] as const) {
    const rows = await m.storage.read((db) => db.selectFrom(table).selectAll())
    t.false(JSON.stringify(rows).includes(user.id), table)
  }
})

test('a request that fails counts against its caller; ranges of a film do not', async (t) => {
  const { m, give, ann, get, site } = await open(t, { 'membership.ratelimit.limit': 3 } as never)
  await give('book')
  const url = m.files.url(await ann(), 'book.pdf', { gate: 'book' })
  for (let n = 0; n < 8; n++) t.is((await get(url, { range: `bytes=${n}-` })).status, 206)
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) statuses.push((await createVisitor(site).get('/membership/files/x/y')).status)
  t.deepEqual(statuses, [404, 404, 404, 429, 429])
})

test('after a restored backup no address of a feed and no link to a file opens, unless the operator keeps the feeds', async (t) => {
  const feeds = { '/podcast.xml': () => '<rss/>' }
  const { m, user, give, ann, get, fake } = await open(t, {
    'membership.url': 'http://localhost',
    feeds,
  } as never)
  await give('book')
  const feed = await m.feeds.url(user, '/podcast.xml')
  const file = m.files.url(await ann(), 'book.pdf', { gate: 'book' })
  // The addresses name `membership.url`, and the site listens elsewhere.
  const pathOf = (url: string) =>
    new URL(url, 'http://localhost').pathname + new URL(url, 'http://localhost').search
  const statuses = async () => [(await get(pathOf(feed))).status, (await get(pathOf(file))).status]
  t.deepEqual(await statuses(), [200, 200])

  const kept = await m.operator.afterRestore({ keepFeeds: true })
  t.is(kept.ended.feeds, 0)
  const [open1, closed] = await statuses()
  t.deepEqual([open1, closed! >= 400], [200, true], 'a link ended for certain, because it lives for minutes')

  const done = await m.operator.afterRestore()
  t.is(done.ended.feeds, 1)
  t.is((await statuses())[0], 404)
  await fake.advance({ ms: 1000 })
  const fresh = await m.feeds.url(user, '/podcast.xml')
  t.not(fresh, feed)
  t.is((await get(pathOf(fresh))).status, 200)
  t.is(
    (await get(pathOf(m.files.url(await ann(), 'book.pdf', { gate: 'book' })))).status,
    200,
    'a new link opens',
  )
})

test('a feed is answered also where its clients cannot be counted', async (t) => {
  const { m, user, get, log } = await open(t, {
    'membership.url': 'http://localhost',
    feeds: { '/podcast.xml': () => '<rss/>' },
  } as never)
  const at = new URL(await m.feeds.url(user, '/podcast.xml')).pathname
  const storage = m.storage as { commit: typeof m.storage.commit }
  const { commit } = storage
  storage.commit = (unit, how) =>
    unit.some(({ statement }) => statement.table === 'feed_clients')
      ? Promise.reject(new Error('the disk is full'))
      : commit(unit, how)
  t.is((await get(at, { 'user-agent': 'a' })).status, 200)
  storage.commit = commit
  t.true(log.some((line) => line.includes('could not be counted') && line.includes('the disk is full')))
})

test('no address of a feed is made for an account that was merged since it was loaded', async (t) => {
  const { m, user } = await open(t, {
    'membership.url': 'http://localhost',
    feeds: { '/podcast.xml': () => '<rss/>' },
  } as never)
  const kept = await m.users.create({ email: 'kept@example.com', verified: true })
  await m.users.merge({ keep: kept.id, merge: user.id, by: 'op', write: true })
  await t.throwsAsync(m.feeds.url(user, '/podcast.xml'), { code: 'ERR_LOGIN_REQUIRED' })
  t.deepEqual(await m.storage.read((db) => db.selectFrom('feeds').selectAll()), [])
})
