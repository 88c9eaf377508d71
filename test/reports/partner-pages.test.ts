import test from 'ava'
import { createMembership } from '../../src/index.ts'
import { createBrowser, tokenOf } from '../support/browser.ts'
import { kirbyPage } from '../support/web.ts'
import { added, dayMs, type OpenIndex, openIndex } from './api/support.ts'
import { plainJpeg } from './preview/support.ts'

const evil = '<script>alert(1)</script>'
function sites() {
  return {
    'a.example': { '/': kirbyPage(`${evil} " onmouseover="`) },
    'b.example': { '/': kirbyPage('Site B') },
  }
}
const html = { accept: 'text/html' }
const json = { accept: 'application/json' }

/** A browser on the partners' pages: in English unless it says otherwise. */
function browse(index: OpenIndex) {
  const browser = createBrowser(index.site)
  const get = async (path: string, headers: Record<string, string> = html) => {
    const answer = await browser.request(path, { headers })
    return { answer, status: answer.status, text: await answer.text() }
  }
  const token = async (path = '/partner/login') => tokenOf((await get(path)).text)
  const send = async (
    path: string,
    body: URLSearchParams | FormData,
    headers: Record<string, string> = html,
  ) => {
    const answer = await browser.request(path, { method: 'POST', body, headers })
    return { answer, status: answer.status, text: await answer.text() }
  }
  const open = async (key: string) =>
    send(
      '/partner/login',
      new URLSearchParams({ token: (await token()) || (await token('/partner/list')), key }),
    )
  const upload = async (id: string, file: Uint8Array, given?: string) => {
    const form = new FormData()
    form.set('token', given ?? (await token('/partner/list')))
    form.set('preview', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), 'shot.jpg')
    return send(`/partner/websites/${id}/picture`, form)
  }
  return { cookies: browser.cookies, get, send, open, upload, token }
}

async function openBoth(t: Parameters<typeof openIndex>[0], options: Parameters<typeof openIndex>[2] = {}) {
  const index = await openIndex(t, sites(), options)
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const [a, b] = [await added(t, ann, 'http://a.example/'), await added(t, bob, 'http://b.example/')]
  return { index, ann, bob, a, b }
}

test('a partner enters the key once, sees only own websites, copies the list, and replaces a picture', async (t) => {
  const { index, ann, bob, a, b } = await openBoth(t)
  const visitor = browse(index)
  const opened = await visitor.open(`  ${ann.key}  `)
  t.deepEqual([opened.status, opened.answer.headers.get('location')], [303, '/partner'])
  const wall = await visitor.get('/partner')
  t.is(wall.status, 200)
  t.true(wall.text.includes(`/partner/websites/${a}`))
  t.false(wall.text.includes(b) || wall.text.includes('b.example'))
  t.regex(wall.text, /o-listed">listed</)
  t.is((await visitor.get('/partner/list.txt')).text, 'http://a.example/\n')
  t.regex((await visitor.get('/partner/list')).text, /1 address<[\s\S]*http:\/\/a\.example\//)
  t.is((await visitor.get('/partner/list.txt?status=rejected')).text, '')

  const done = await visitor.upload(a, await plainJpeg(64, 48))
  t.deepEqual(
    [done.status, done.answer.headers.get('location')],
    [303, `/partner/websites/${a}?done=picture`],
  )
  const page = await visitor.get(`/partner/websites/${a}?done=picture`)
  const picture = /src="(\/reports\/previews\/prv_[\w-]+\.jpg)"/.exec(page.text)![1]!
  t.is((await visitor.get(picture)).status, 200)
  t.regex(page.text, /The picture is saved\.[\s\S]*Your own picture\./)
  t.notRegex(page.text, /of 100/, 'a listed website needs no points')
  const [noted] = await index.m.reports.audit.list({ limit: 1 })
  t.like(noted, { actor: `partner:${ann.id}`, action: 'preview-upload', subject: a })
  t.true((await visitor.upload(a, Buffer.from('GIF89a'))).text.includes('This is not a JPEG'))

  t.is((await visitor.get(`/partner/websites/${b}`)).status, 404)
  t.is((await visitor.upload(b, await plainJpeg())).status, 404)
  t.is((await visitor.get('/partner/websites/rep_nothing')).status, 404)
  const read = await bob.read(b)
  t.is(((await read.json()) as { data: { preview: unknown } }).data.preview, null)
  t.regex((await visitor.get('/partner', { ...html, 'accept-language': 'de' })).text, /Ihre Websites/)
})

test('no partners’ page opens without a session, or for a foreign or tokenless form', async (t) => {
  const { index, ann, a } = await openBoth(t)
  const inside = browse(index)
  await inside.open(ann.key)
  const addresses = index.m.listRoutes().filter(({ path }) => path.startsWith('/partner'))
  t.true(addresses.length >= 8)
  const nobody = browse(index)
  const other = browse(index)
  const others = await other.token()
  for (const { method, path: pattern, access } of addresses) {
    const path = pattern.replace(':id', a)
    const isDoor = /opens it/.test(access.none)
    const at = `${method} ${path}`
    if (method === 'GET') {
      if (isDoor) continue
      const led = await nobody.get(path)
      t.deepEqual([led.status, led.answer.headers.get('location')], [303, '/partner/login'], at)
      const told = await nobody.get(path, json)
      t.is(told.status, 401, at)
      t.notRegex(led.text + told.text, /a\.example/, at)
      const keyed = await nobody.get(path, { ...html, 'X-API-KEY': ann.key })
      t.is(keyed.status, 303, `${at}: the key itself opens the API`)
      const seen = await inside.get(path)
      t.is(seen.status, 200, at)
      t.notRegex(seen.text, /<script>alert|" onmouseover="/, at)
      if (!path.endsWith('.txt')) {
        t.regex(
          seen.answer.headers.get('content-security-policy')!,
          /default-src 'none'; style-src 'self'; script-src 'self'/,
          at,
        )
        t.is(seen.answer.headers.get('cache-control'), 'private, no-store', at)
      }
      continue
    }
    const body = (token: string): URLSearchParams | FormData => {
      if (!path.endsWith('/picture')) return new URLSearchParams({ token, key: ann.key })
      const form = new FormData()
      form.set('token', token)
      form.set('preview', new Blob([new Uint8Array([0xff, 0xd8, 0xff])]), 'a.jpg')
      return form
    }
    const codeOf = async (who: typeof inside, token: string, headers: Record<string, string> = {}) => {
      const { text } = await who.send(path, body(token), { ...json, ...headers })
      return (JSON.parse(text) as { code?: string }).code ?? text
    }
    const own = await inside.token('/partner/list')
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    t.is(await codeOf(inside, own, elsewhere), 'ERR_CSRF', at)
    t.is(await codeOf(inside, ''), 'ERR_CSRF', at)
    t.is(await codeOf(inside, others), 'ERR_CSRF', at)
    t.regex(await codeOf(browse(index), own), /ERR_CSRF|ERR_LOGIN_REQUIRED/, at)
  }
  t.is((await inside.get('/partner')).status, 200)
  t.is((await index.m.reports.audit.list({})).filter(({ action }) => action === 'preview-upload').length, 0)
})

test('a stored title that is a script stays text on every page', async (t) => {
  const { index, ann, a } = await openBoth(t)
  const visitor = browse(index)
  await visitor.open(ann.key)
  for (const path of ['/partner', `/partner/websites/${a}`, `/partner?status=${encodeURIComponent(evil)}`]) {
    const { text } = await visitor.get(path)
    t.true(text.includes('&lt;script&gt;alert(1)'), path)
    t.notRegex(text, /<script>alert|" onmouseover="/, path)
  }
})

test('a session is separate, bound to this https host, and ends with its key, partner, time and logout', async (t) => {
  const { index, ann } = await openBoth(t)
  const { keys, partners } = index.m.reports
  const statusOf = async (who: ReturnType<typeof browse>) => (await who.get('/partner', json)).status
  const fresh = async (key: string) => {
    const visitor = browse(index)
    t.is((await visitor.open(key)).status, 303)
    t.is(await statusOf(visitor), 200)
    return visitor
  }
  const { key, entry } = await keys.issue(ann.id, { scopes: ['read'] })
  const reader = await fresh(key)
  t.is((await reader.upload('rep_1', await plainJpeg())).status, 403, 'a key that may only read')
  const second = await fresh(key)
  await keys.revoke(entry.id)
  t.deepEqual([await statusOf(reader), await statusOf(second)], [401, 401], 'revoked')
  t.is((await browse(index).open(key)).status, 401)

  const visitor = await fresh(ann.key)
  await partners.setStatus(ann.id, 'suspended')
  t.is(await statusOf(visitor), 401, 'suspended')
  await partners.setStatus(ann.id, 'active')
  t.is(await statusOf(visitor), 200)

  const name = visitor.cookies.get('membership_partner')!
  await visitor.send('/partner/leave', new URLSearchParams({ token: await visitor.token('/partner/list') }))
  const copied = await fetch(`${index.site}/partner`, {
    headers: { ...json, cookie: `membership_partner=${name}` },
  })
  t.is(copied.status, 401, 'a cookie that somebody kept')

  const late = await fresh(ann.key)
  const before = late.cookies.get('membership_partner')
  await late.open(ann.key)
  t.not(late.cookies.get('membership_partner'), before, 'nobody chooses another’s session')
  index.clock.move(dayMs / 2)
  t.is(await statusOf(late), 401, 'twelve hours')

  const [writer] = [await keys.issue(ann.id, { scopes: ['write'] })]
  t.is((await browse(index).open(writer.key)).status, 403)
  const rows = await index.m.storage.read((db) => db.selectFrom('partner_sessions').selectAll())
  t.false(JSON.stringify(rows).includes(ann.key) || JSON.stringify(rows).includes(name))
})

test('over https the cookie begins with __Host-, and scripts never see it; wrong keys are counted', async (t) => {
  const index = await openIndex(t, sites(), { 'membership.url': 'https://index.example' })
  const { headers } = await fetch(`${index.site}/partner/login`, { headers: html })
  t.regex(
    headers.get('set-cookie')!,
    /^__Host-membership_partner=[\w-]+; path=\/; expires=[^;]+; samesite=lax; secure; httponly$/i,
  )
  const plain = await openIndex(t, sites())
  const guesser = browse(plain)
  const token = await guesser.token()
  const statuses = new Set<number>()
  for (let i = 0; i < 62; i++)
    statuses.add(
      (await guesser.send('/partner/login', new URLSearchParams({ token, key: `mk_${i}` }))).status,
    )
  t.deepEqual([...statuses], [401, 429])
})

test('without an index there are no partners’ pages, and a site’s own page with a similar path is left alone', async (t) => {
  const off = await createMembership({
    install: false,
    root: false,
    log: () => {},
    'membership.database.url': 'sqlite::memory:',
  })
  t.teardown(() => off.close())
  t.deepEqual(
    off.listRoutes().filter(({ path }) => path.startsWith('/partner')),
    [],
  )
  for (const path of ['/partner', '/partner/login', '/partner/assets/partner.js'])
    t.is((await off.fetch(new Request(`http://127.0.0.1${path}`))).status, 404, path)
  const { index } = await openBoth(t)
  t.is((await fetch(`${index.site}/partnership`)).status, 404)
  t.is((await fetch(`${index.site}/partner/assets/partner.js`)).status, 200)
})
