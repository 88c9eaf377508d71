import test from 'ava'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor } from '../../support/visitor.ts'

/** Every form of the membership half; `ID` stands for a subscription, `TOKEN` for a link's token. */
const forms = [
  '/membership/subscribe/pro',
  '/membership/payment',
  '/membership/change/ID',
  '/membership/invoice/ID',
  '/membership/cancel/ID',
  '/membership/resume/ID',
  '/membership/renew/ID',
  '/membership/pause/ID',
  '/membership/portal',
  '/membership/account',
  '/membership/account/delete',
  '/membership/account/email/TOKEN',
  '/membership/login',
  '/membership/login/TOKEN',
  '/membership/logout',
]
const ofMembers = forms.filter((path) => !/subscribe|payment|login|logout|email/.test(path))

/** What the provider was asked to do; its prices are read in the background. */
function postsTo(fake: { requests(): { method: string }[] }): number {
  return fake.requests().filter(({ method }) => method !== 'GET').length
}

function fieldsFor(path: string): Record<string, string> {
  return {
    ...(path.endsWith('/payment') ? { product: 'price_book' } : {}),
    ...(/subscribe/.test(path) ? { price: 'price_month' } : {}),
    ...(/change|invoice/.test(path) ? { price: 'price_team' } : {}),
    ...(/delete/.test(path) ? { confirm: 'delete' } : {}),
    ...(path.endsWith('/login') ? { email: 'ann@example.com' } : {}),
  }
}

test('a form without this browser’s token changes nothing and makes no provider request', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await opened.m.runDueJobs()
  const other = await createVisitor(opened.site).formToken()
  const before = { asked: postsTo(opened.fake), mails: mailbox.sent.length }
  const own = await visitor.formToken()
  const wrongs: [string, Record<string, string>, Record<string, string>][] = [
    ['none', { token: '' }, {}],
    ['another browser’s', { token: other }, {}],
    ['cut', { token: own.slice(0, -1) }, {}],
    ['right, from another site', { token: own }, { origin: 'https://evil.example' }],
    ['right, from a lookalike', { token: own }, { origin: `${opened.site}.evil.example` }],
    ['right, from nowhere readable', { token: own }, { origin: 'not an origin' }],
  ]
  for (const path of forms)
    for (const [what, fields, headers] of wrongs)
      for (const accept of ['text/html', 'application/json']) {
        const to = path.replace('ID', id)
        const answer = await visitor.send(to, { ...fieldsFor(path), ...fields }, { accept, ...headers })
        t.is(answer.status, 403, `${path}, ${what}`)
        t.is(answer.code, 'ERR_CSRF', `${path}, ${what}`)
      }
  await opened.m.runDueJobs()
  t.deepEqual({ asked: postsTo(opened.fake), mails: mailbox.sent.length }, before)
  t.is((await visitor.get('/membership/account/export')).status, 200, 'still logged in')
})

test('every form counts against its address, and says when to retry', async (t) => {
  const { site, fake } = await openStripeSite(t, { 'membership.ratelimit.limit': 3 })
  const visitor = createVisitor(site)
  await visitor.formToken()
  for (let n = 0; n < 2; n++) await visitor.send('/membership/logout')
  const asked = postsTo(fake)
  for (const path of forms) {
    const answer = await visitor.send(path, fieldsFor(path))
    t.is(answer.status, 429, path)
    t.is(answer.json.code, 'ERR_RATE_LIMIT')
    const seconds = Number(answer.headers.get('retry-after'))
    t.true(seconds >= 1 && seconds <= 60, String(seconds))
  }
  t.is((await visitor.get('/membership/account/export')).status, 429)
  t.is((await visitor.get('/membership/subscribe/some-token')).status, 429)
  t.is(postsTo(fake), asked)
})

test('members’ routes ask for a login first', async (t) => {
  const opened = await openStripeSite(t)
  const { id } = await buy(opened, 'ann@example.com')
  const stranger = createVisitor(opened.site)
  const asked = postsTo(opened.fake)
  for (const path of ofMembers) {
    const answer = await stranger.send(path.replace('ID', id), fieldsFor(path))
    t.is(answer.status, 401, path)
    t.is(answer.json.code, 'ERR_LOGIN_REQUIRED', path)
  }
  t.is((await stranger.get('/membership/account/export', { accept: 'application/json' })).status, 401)
  t.is(postsTo(opened.fake), asked)
})

test('another member’s subscription gets the same answer as an unknown one', async (t) => {
  const opened = await openStripeSite(t)
  const ann = await buy(opened, 'ann@example.com')
  const { visitor: bob } = await buy(opened, 'bob@example.com')
  const asked = postsTo(opened.fake)
  for (const path of forms.filter((form) => form.endsWith('/ID'))) {
    const fields = { ...fieldsFor(path), when: 'now' }
    const foreign = await bob.send(path.replace('ID', ann.id), fields)
    const unknown = await bob.send(path.replace('ID', 'sub_of_nobody'), fields)
    t.is(foreign.status, 404, path)
    t.is(foreign.text, unknown.text, path)
  }
  t.is(postsTo(opened.fake), asked)
})

test('an invalid field is named, and no provider request is made', async (t) => {
  const opened = await openStripeSite(t, createMailbox().options)
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const wrong: [string, Record<string, string>, string][] = [
    ['/membership/subscribe/none', {}, 'ERR_PLAN_UNKNOWN'],
    ['/membership/subscribe/pro', { price: 'price_team' }, 'ERR_PLAN_UNKNOWN'],
    ['/membership/subscribe/team', { quantity: '0' }, 'ERR_FORM'],
    ['/membership/subscribe/team', { quantity: '1.5' }, 'ERR_FORM'],
    ['/membership/subscribe/team', { quantity: '1001' }, 'ERR_FORM'],
    ['/membership/subscribe/team', { quantity: 'NaN' }, 'ERR_FORM'],
    ['/membership/subscribe/team', { currency: 'euro' }, 'ERR_FORM'],
    ['/membership/payment', {}, 'ERR_FORM'],
    ['/membership/payment', { product: 'price_month' }, 'ERR_PLAN_UNKNOWN'],
    [`/membership/change/${id}`, { price: 'price_book' }, 'ERR_PLAN_UNKNOWN'],
    [`/membership/change/${id}`, { plan: 'pro' }, 'ERR_PLAN_UNKNOWN'],
    [`/membership/change/${id}`, { price: 'price_team', proration: 'later' }, 'ERR_FORM'],
    [`/membership/change/${id}`, { price: 'price_team', proration_at: 'soon' }, 'ERR_FORM'],
    [`/membership/change/${id}`, { price: 'price_team', quantity: '-1' }, 'ERR_FORM'],
    [`/membership/invoice/${id}`, { price: 'price_team', quantity: 'many' }, 'ERR_FORM'],
    [`/membership/cancel/${id}`, { when: 'yesterday' }, 'ERR_FORM'],
    [`/membership/pause/${id}`, { until: 'spring' }, 'ERR_FORM'],
    ['/membership/account/delete', {}, 'ERR_FORM'],
    ['/membership/login', { email: 'nobody' }, 'ERR_FORM'],
    ['/membership/login/some-token', {}, 'ERR_LINK'],
    ['/membership/account/email/some-token', {}, 'ERR_LINK'],
  ]
  const asked = postsTo(opened.fake)
  for (const [path, fields, code] of wrong) {
    const answer = await visitor.send(path, fields)
    t.is(answer.json.code, code, `${path} ${JSON.stringify(fields)} ${answer.text}`)
    t.true(answer.json.detail.length > 10)
  }
  t.is(postsTo(opened.fake), asked)
})

test('a form of the site at another of its names is refused with both names', async (t) => {
  const { site } = await openStripeSite(t, { 'membership.url': 'http://localhost:3000' })
  const visitor = createVisitor(site)
  const body = new URLSearchParams({ token: await visitor.formToken() })
  const headers = { accept: 'application/json', origin: site }
  const answer = await visitor.request('/membership/logout', { method: 'POST', headers, body })
  const problem = (await answer.json()) as { code: string; detail: string; action: string }
  t.is(problem.code, 'ERR_CSRF')
  t.is(problem.detail, `This site has the address http://localhost:3000, and the form was opened at ${site}.`)
  t.regex(problem.action, /Open http:\/\/localhost:3000 instead/)
})

test('a form from another origin is refused and named no address, at home and in production', async (t) => {
  for (const url of ['http://localhost:3000', 'https://example.com']) {
    const { site } = await openStripeSite(t, { 'membership.url': url })
    const visitor = createVisitor(site)
    const body = new URLSearchParams({ token: await visitor.formToken() })
    for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null']) {
      const headers = { accept: 'application/json', origin }
      const answer = await visitor.request('/membership/logout', { method: 'POST', headers, body })
      t.is(answer.status, 403, `${origin} at ${url}`)
      const problem = (await answer.json()) as { code: string; address?: string }
      t.deepEqual([problem.code, problem.address], ['ERR_CSRF', undefined])
    }
  }
})

test('a form behind a proxy that no configuration names is refused, and the log names both addresses', async (t) => {
  const lines: unknown[][] = []
  const { site } = await openStripeSite(t, { 'membership.url': null, log: (...line) => lines.push(line) })
  const visitor = createVisitor(site)
  const body = new URLSearchParams({ token: await visitor.formToken() })
  const headers = { accept: 'application/json', origin: 'https://example.com' }
  for (const _ of [1, 2])
    t.is((await visitor.request('/membership/logout', { method: 'POST', headers, body })).status, 403)
  t.deepEqual(
    lines.filter(([line]) => String(line).includes('membership.url')).map(([, details]) => details),
    [{ opened: 'https://example.com', served: site }],
  )
})

test('a form at another name of this machine shows a page with both addresses, and one line in the log', async (t) => {
  const lines: string[] = []
  const { site } = await openStripeSite(t, {
    'membership.url': 'http://localhost:3000',
    log: (line) => lines.push(line),
  })
  const visitor = createVisitor(site)
  const body = new URLSearchParams({ token: await visitor.formToken() })
  const send = (origin: string, init: object = {}) =>
    visitor.request('/membership/login', {
      method: 'POST',
      headers: { accept: 'text/html', origin },
      body,
      ...init,
    })
  const answer = await send(site)
  const html = await answer.text()
  t.is(answer.status, 403)
  t.regex(html, new RegExp(`You opened ${site}, and the address of this site is http://localhost:3000`))
  t.regex(html, /<a class="button" href="http:\/\/localhost:3000">Open http:\/\/localhost:3000</)
  await send(site)
  t.deepEqual(
    lines.filter((line) => line.includes(site)),
    [
      `This site has the address http://localhost:3000, and the form was opened at ${site}. Open http://localhost:3000 instead, or set membership.url to ${site}. Browsers keep separate cookies for each.`,
    ],
  )
  for (const origin of ['https://evil.example', 'http://127.0.0.1:9', 'http://localhost:9', 'null']) {
    const refused = await send(origin)
    t.is(refused.status, 403, origin)
    t.notRegex(await refused.text(), /localhost:3000/, origin)
  }
})

test('a site with a public address does not tell its other names apart', async (t) => {
  const lines: string[] = []
  const { site } = await openStripeSite(t, {
    'membership.url': 'https://example.com',
    log: (line) => lines.push(line),
  })
  const visitor = createVisitor(site)
  const body = new URLSearchParams({ token: await visitor.formToken() })
  for (const origin of [site, 'https://evil.example']) {
    const headers = { accept: 'text/html', origin }
    const answer = await visitor.request('/membership/login', { method: 'POST', headers, body })
    t.is(answer.status, 403, origin)
    t.regex(await answer.text(), /This page was open for too long/, origin)
  }
  t.deepEqual(
    lines.filter((line) => line.includes(site)),
    [],
  )
})

test('a body of another type is refused with a message', async (t) => {
  const { site } = await openStripeSite(t)
  const visitor = createVisitor(site)
  const token = await visitor.formToken()
  const send = async (type: string, body: string) => {
    const headers = { accept: 'application/json', 'content-type': type }
    const answer = await visitor.request('/membership/logout', { method: 'POST', headers, body })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  t.deepEqual(await send('application/json', JSON.stringify({ token })), [200, undefined])
  t.deepEqual(await send('application/json', '{'), [400, 'ERR_FORM'])
  t.deepEqual(await send('application/json', JSON.stringify([token])), [403, 'ERR_CSRF'])
  t.deepEqual(await send('application/json', JSON.stringify({ token: [token] })), [403, 'ERR_CSRF'])
  t.deepEqual(await send('text/plain', `token=${token}`), [400, 'ERR_FORM'])
  const large = `token=${token}&x=${'x'.repeat(70_000)}`
  t.deepEqual(await send('application/x-www-form-urlencoded', large), [413, 'ERR_BODY_TOO_LARGE'])
})
