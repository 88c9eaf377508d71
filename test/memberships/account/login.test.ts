import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import test from 'ava'
import { openStorage, type Storage, step } from '../../../src/core/storage/index.ts'
import { memberStatements } from '../../../src/memberships/members/statements.ts'
import { loader, programFile } from '../../support/command.ts'
import { postgresDatabases, sqliteDatabases } from '../../support/databases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, buyByLink, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

async function open(t: Parameters<typeof openStripeSite>[0], options = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, ...options })
  const member = await opened.m.users.create({ email: 'ann@example.com' })
  const ask = async (email = 'ann@example.com') => {
    const visitor = createVisitor(opened.site)
    const answer = await visitor.send('/membership/login', { email, redirect: '/account' })
    await opened.m.runDueJobs()
    return { visitor, answer, path: mailbox.link(email) }
  }
  return { ...opened, mailbox, member, ask }
}

test('a link logs in once, in any browser', async (t) => {
  const { ask, site, member } = await open(t)
  const { path, answer } = await ask()
  t.is(answer.status, 202)
  const other = createVisitor(site)
  const page = await other.get(path)
  t.is(page.headers.get('referrer-policy'), 'same-origin')
  t.is(page.headers.get('cache-control'), 'private, no-store')
  t.deepEqual((await other.send(path)).json, { member_id: member.id, redirect: '/account' })
  const again = await createVisitor(site).send(path)
  t.is(again.status, 410)
  t.is(again.json.code, 'ERR_LINK')
  t.is((await other.get(path)).status, 410)
})

test('mail scanners that open a link do not use it up', async (t) => {
  const { ask, site } = await open(t)
  const { path } = await ask()
  for (const method of ['HEAD', 'GET', 'OPTIONS', 'GET', 'HEAD']) {
    const answer = await fetch(new URL(path, site), { method, redirect: 'manual' })
    t.true(answer.status < 500)
    t.false((answer.headers.get('set-cookie') ?? '').includes('membership_session'), method)
  }
  t.is((await createVisitor(site).send(path)).status, 200)
})

test('a link expires at its time, also by another process’s newer clock', async (t) => {
  const { ask, site, fake } = await open(t)
  const { path } = await ask()
  await fake.advance({ days: 1 })
  t.is((await createVisitor(site).get(path)).status, 410)
  t.is((await createVisitor(site).send(path)).json.code, 'ERR_LINK')
})

test('an altered token, or one for another purpose, is no valid link', async (t) => {
  const { ask, site, mailbox, m, fake } = await open(t)
  const { path } = await ask()
  const token = path.split('/').at(-1)!
  const [head = '', body = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const ann = await logIn({ m, site }, mailbox, 'ann@example.com')
  await ann.send('/membership/account', { email: 'ann@new.example' })
  await m.runDueJobs()
  const emailToken = mailbox.link('ann@new.example').split('/').at(-1)!
  const session = decodeURIComponent(ann.cookies.get('membership_session')!)
  const wrong = [
    `${head}.${encode({ ...claims, link: 'another' })}.${signature}`,
    `${encode({ alg: 'none' })}.${body}.`,
    `${head}.${body}.${signature.slice(0, -4)}AAAA`,
    `${head}.${body}`,
    emailToken,
    session,
    'x'.repeat(3000),
    '%00',
  ]
  const visitor = createVisitor(site)
  for (const item of wrong) {
    const answer = await visitor.send(`/membership/login/${item}`)
    t.true([410, 404].includes(answer.status), `${item.slice(0, 80)} ${answer.status}`)
    t.false(visitor.cookies.has('membership_session'))
  }
  t.is((await visitor.send(`/membership/account/email/${token}`)).status, 410, 'nor the other way round')
  await fake.advance({ ms: 1000 })
})

test('a link used twice at once opens one session', async (t) => {
  const { ask, site, m } = await open(t)
  for (let round = 0; round < 10; round++) {
    const { path } = await ask(`two${round}@example.com`)
    t.is(path, '', 'nobody of that address')
    await m.users.create({ email: `two${round}@example.com` })
    const link = (await ask(`two${round}@example.com`)).path
    const visitors = [createVisitor(site), createVisitor(site), createVisitor(site)]
    for (const visitor of visitors) await visitor.formToken()
    const answers = await Promise.all(visitors.map((visitor) => visitor.send(link)))
    t.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410])
  }
  const sessions = await m.storage.read((db) => db.selectFrom('sessions').selectAll())
  t.is(sessions.length, 10)
})

test('the request’s Host does not decide where the mailed link leads', async (t) => {
  const { site, mailbox, m } = await open(t)
  const { port } = new URL(site)
  const visitor = createVisitor(site)
  const token = await visitor.formToken()
  const body = new URLSearchParams({ token, email: 'ann@example.com' }).toString()
  const browser = `membership_browser=${visitor.cookies.get('membership_browser')}`
  for (const headers of [
    { host: 'evil.example' },
    { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  ]) {
    const status = await new Promise((done, failed) => {
      const asked = httpRequest(
        {
          port,
          path: '/membership/login',
          method: 'POST',
          headers: {
            ...headers,
            cookie: browser,
            accept: 'application/json',
            'content-type': 'application/x-www-form-urlencoded',
          },
        },
        (response) => {
          response.resume()
          response.on('end', () => done(response.statusCode))
        },
      )
      asked.on('error', failed)
      asked.end(body)
    })
    t.is(status, 202)
  }
  await m.runDueJobs()
  t.is(mailbox.sent.length, 3)
  for (const mail of mailbox.sent) {
    t.false(`${mail.text}${mail.html}`.includes('evil'))
    t.true(mail.text.includes(`${site}/membership/login/`))
  }
})

test('a session from before the login becomes invalid', async (t) => {
  const { ask, site, m, mailbox, ...rest } = await open(t)
  const opened = { ...rest, site, m }
  // Planted by somebody who knows it: the session of an own account.
  const mallory = await buy(opened, 'mallory@example.com')
  const planted = mallory.visitor.cookies.get('membership_session')!
  const victim = createVisitor(site)
  victim.cookies.set('membership_session', planted)
  const { path } = await ask()
  await victim.send(path)
  t.not(victim.cookies.get('membership_session'), planted)
  t.true((await victim.get('/membership/account/export')).text.includes('ann@example.com'))
  t.is((await mallory.visitor.get('/membership/account/export')).status, 401)
})

test('logging out ends this session; logging out everywhere ends the others too', async (t) => {
  const { site, m, mailbox } = await open(t)
  const opened = { site, m }
  const [first, two, three] = [
    await logIn(opened, mailbox, 'ann@example.com'),
    await logIn(opened, mailbox, 'ann@example.com'),
    await logIn(opened, mailbox, 'ann@example.com'),
  ]
  const kept = first.cookies.get('membership_session')!
  t.is((await first.send('/membership/logout')).status, 200)
  first.cookies.set('membership_session', kept)
  t.is((await first.get('/membership/account/export')).status, 401, 'the cookie alone opens nothing')
  t.is((await two.get('/membership/account/export')).status, 200)
  const out = await two.send('/membership/logout', { everywhere: '1' }, { accept: 'text/html' })
  t.is(out.status, 303)
  t.is(out.location, '/')
  t.is((await three.get('/membership/account/export')).status, 401)
})

test('neither text nor timing reveals if an address is a member’s', async (t) => {
  const { m, site, mailbox } = await open(t)
  const visitor = createVisitor(site)
  const known = await Promise.all(
    Array.from({ length: 60 }, (_, n) => m.users.create({ email: `member${n}@example.com` })),
  )
  const times = { member: [] as number[], nobody: [] as number[] }
  const texts = { member: new Set<string>(), nobody: new Set<string>() }
  for (let n = 0; n < known.length; n++)
    for (const kind of n % 2 ? (['member', 'nobody'] as const) : (['nobody', 'member'] as const)) {
      const begun = performance.now()
      const answer = await visitor.send('/membership/login', { email: `${kind}${n}@example.com` })
      times[kind].push(performance.now() - begun)
      texts[kind].add(`${answer.status} ${answer.text}`)
      const page = await visitor.send(
        '/membership/login',
        { email: `${kind}${n}@example.com` },
        { accept: 'text/html' },
      )
      texts[kind].add(page.text.replaceAll(/(member|nobody)\d+/g, 'somebody'))
      await m.runDueJobs()
    }
  t.deepEqual(texts.member, texts.nobody)
  t.is(mailbox.sent.length, 120)
  // The quickest quarter: other work on the machine makes up to half of them three times as slow.
  const quick = (all: number[]) => all.toSorted((a, b) => a - b)[all.length / 4]!
  const [member, nobody] = [quick(times.member), quick(times.nobody)]
  t.true(Math.max(member, nobody) / Math.min(member, nobody) < 2, `${member} ms, ${nobody} ms`)
})

test('a mailbox gets at most three links per minute, and the limit is not revealed', async (t) => {
  const { m, site, mailbox } = await open(t)
  for (let n = 0; n < 5; n++) {
    const answer = await createVisitor(site).send('/membership/login', { email: ` Ann@Example.com ` })
    t.is(answer.status, 202)
    await m.runDueJobs()
  }
  t.is(mailbox.of('ann@example.com').length, 3)
  const visitor = createVisitor(site)
  for (let n = 0; n < 5; n++) {
    const answer = await visitor.send('/membership/login', { email: 'no address' })
    t.is(answer.json.code, 'ERR_FORM', 'also the fourth time')
  }
})

test('a site without mails says so instead of promising a link', async (t) => {
  const { site } = await openStripeSite(t)
  const answer = await createVisitor(site).send('/membership/login', { email: 'ann@example.com' })
  t.is(answer.status, 501)
  t.is(answer.json.code, 'ERR_NO_MAIL')
})

test('a login link sent before a deletion no longer works', async (t) => {
  const { ask, m, site, fake, ...rest } = await open(t)
  const { user } = await buy({ m, site, fake, ...rest }, 'bob@example.com')
  const { path } = await ask('bob@example.com')
  const undo = fake.outage({ kind: '500' })
  await m.users.delete(user.id)
  undo()
  const visitor = createVisitor(site)
  const answer = await visitor.send(path)
  t.is(answer.status, 410, answer.text)
  t.is((await visitor.get('/membership/account/export')).status, 401)
})

test('an expired link’s page has a form for a new one, which leads to the same page', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  await buy(opened, 'ann@example.com')
  const visitor = createVisitor(opened.site)
  await visitor.send('/membership/login', { email: 'ann@example.com', redirect: '/articles/3?a=1' })
  await opened.m.runDueJobs()
  const used = mailbox.link('ann@example.com')
  await visitor.send(used)
  const html = { accept: 'text/html' }
  for (const [path, back] of [
    [used, '/articles/3?a=1'],
    ['/membership/login/nonsense', '/membership/account'],
    ['/membership/account/email/nonsense', '/membership/account'],
    ['/membership/account/email-undo/nonsense', '/membership/account'],
    ['/membership/pay/nonsense', '/membership/account'],
    ['/membership/unsubscribe/nonsense', '/membership/account'],
  ] as const) {
    const page = await createVisitor(opened.site).get(path, html)
    t.true(page.status >= 400, path)
    t.is(page.headers.get('content-type'), 'text/html; charset=utf-8', path)
    const form = /<form[^>]*action="\/membership\/login"[\s\S]*?<\/form>/.exec(page.text)?.[0] ?? ''
    t.regex(form, new RegExp(`name="redirect" value="${back.replace('?', '\\?')}"`), path)
    t.notRegex(page.text, /membership\.[a-z]|ask for a new one at \//i, path)
  }
  // The form of that page works, though the dead link's own page let nobody know where they came from.
  const again = createVisitor(opened.site)
  await again.get(used, html)
  await again.send('/membership/login', { email: 'ann@example.com', redirect: '/articles/3?a=1' }, html)
  await opened.m.runDueJobs()
  const back = await again.send(mailbox.link('ann@example.com'), {}, html)
  t.is(back.location, '/articles/3?a=1')
})

test('a purchase into an existing account offers its login on the page, and leads back', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { m, fake, site } = opened
  await m.users.create({ email: 'ann@example.com', name: null, verified: true })
  const visitor = createVisitor(site)
  await visitor.send('/membership/payment', { product: 'price_book', redirect: '/shelf' })
  const session = fake.objects.list('checkout.session')[0]!
  await fake.pay(session.id, { email: 'ann@example.com' })
  await fake.advance({ ms: 5000 })
  const page = await visitor.get(new URL(String(session.success_url)).pathname, { accept: 'text/html' })
  t.regex(page.text, /An account with this e-mail address already exists/)
  t.regex(page.text, /<form[^>]*action="\/membership\/login"[\s\S]*name="redirect" value="\/shelf"/)
})

test('errors on our own routes are described for visitors on every host', async (t) => {
  const opened = await openStripeSite(t, { ...createMailbox().options, 'membership.shop.country': 'DE' })
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const german = { accept: 'text/html', 'accept-language': 'de' }
  const wrong = [
    ['/membership/subscribe/nothing', {}],
    ['/membership/subscribe/pro', { price: 'price_month', currency: 'euros' }],
    ['/membership/subscribe/pro', { quantity: '99', price: 'price_month' }],
    ['/membership/payment', {}],
    ['/membership/payment', { product: 'price_book', provider: 'nobody' }],
    [`/membership/change/${id}`, { price: 'nothing', shown: 'x' }],
    [`/membership/pause/${id}`, { shown: 'x' }],
    [`/membership/cancel/${id}`, { when: 'never' }],
    ['/membership/cancel/sub_nobody', { shown: 'x' }],
    ['/membership/portal', { provider: 'nobody' }],
    ['/membership/login', { email: 'nobody', redirect: '//evil.example' }],
    ['/membership/cancel', { name: 'a' }],
    ['/membership/account', { email: 'nobody', shown: 'email' }],
  ] as const
  for (const [path, fields] of wrong) {
    const page = await visitor.send(path, fields, german)
    t.true(page.status >= 400, `${path} ${page.status}`)
    t.regex(page.text, /<html lang="(de|en)"/, path)
    const said =
      /<main[\s\S]*<\/main>/.exec(page.text)?.[0].replace(/<p class="muted">[\s\S]*?<\/p>/, '') ?? ''
    t.false(said.includes('undefined'), path)
    t.notRegex(said, /membership\.|ERR_|redirect|providers?\b/, path)
  }
})

test('pages use the configured site name, not the request’s Host', async (t) => {
  const { site } = await openStripeSite(t, { 'membership.name': 'The Neap' })
  const page = await new Promise<string>((done, failed) => {
    const asked = httpRequest(
      {
        port: new URL(site).port,
        path: '/membership/login',
        headers: { host: 'evil.example', accept: 'text/html' },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        response.on('end', () => done(text))
      },
    )
    asked.on('error', failed)
    asked.end()
  })
  t.regex(page, /The Neap/)
  t.notRegex(page, /evil/)
})

/** What a site that was killed right after its first write about a link has left. */
async function leftBy(url: string, flow: 'login' | 'email') {
  const child = spawn(process.execPath, [...loader, programFile('killed-host'), url, flow], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [, signal] = await once(child, 'close')
  const storage = await openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date() })
  const [member] = await storage.read((db) =>
    db.selectFrom('members').select(['id', 'email', 'email_verified']),
  )
  const links = await storage.read((db) => db.selectFrom('login_links').select(['used_at', 'created_at']))
  const changes = await storage.read((db) => db.selectFrom('email_changes').select('confirmed_at'))
  const sessions = await storage.read((db) =>
    db.selectFrom('sessions').select(['verified', 'revoked_at']).orderBy('verified'),
  )
  const kinds = await storage.read((db) => db.selectFrom('outbox').select('kind').orderBy('kind'))
  await storage.close()
  const isOver = (item: { revoked_at: string | null }) => item.revoked_at !== null
  return {
    signal,
    member: [member?.email, member?.email_verified],
    links: links.map(({ used_at }) => used_at !== null),
    changes: changes.map(({ confirmed_at }) => confirmed_at !== null),
    sessions: sessions.map(
      (session) => `${session.verified ? 'verified' : 'unverified'} ${isOver(session) ? 'over' : 'open'}`,
    ),
    waiting: kinds.map(({ kind }) => kind),
  }
}

for (const databases of [sqliteDatabases, postgresDatabases]) {
  const name = databases.name.replace('Databases', '')
  test(`a link opened while a purchase creates its account logs in (${name})`, async (t) => {
    const database = await databases()
    const opened = await open(t, {
      'membership.database.url': await database.url(),
      'membership.login.signup': true,
    })
    t.teardown(() => database.close())
    const { ask, fake, m, site } = opened
    const { path } = await ask('bob@example.com')
    await buyByLink({ fake }, { email: 'bob@example.com', price: 'price_month' })
    t.is(await m.users.findByEmail('bob@example.com'), null, 'nobody yet')
    const { commit } = m.storage
    const tried: (string | null)[] = []
    Object.assign(m.storage, {
      commit: async (...unit: Parameters<typeof commit>) => {
        if (!unit[0].some(({ statement }) => statement.name === 'link-use')) return commit(...unit)
        // The link has looked who it is for; now the messages about the purchase come.
        if (tried.length === 0) await fake.deliver()
        tried.push((await m.users.findByEmail('bob@example.com'))?.id ?? null)
        return commit(...unit)
      },
    })
    const visitor = createVisitor(site)
    const answer = await visitor.send(path)
    t.is(answer.status, 200, answer.text)
    const bob = (await m.users.findByEmail('bob@example.com'))!
    t.deepEqual(tried, [bob.id, bob.id], 'looked again')
    t.is(answer.json.member_id, bob.id)
    t.true(bob.email_verified)
    t.is(bob.subscriptions().length, 1)
    const sessions = await m.storage.read((db) => db.selectFrom('sessions').select(['member_id', 'verified']))
    t.deepEqual(sessions, [{ member_id: bob.id, verified: 1 }])
  })

  test(`a site killed while a link is opened has completed the login or nothing (${name})`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const left = await leftBy(await database.url(), 'login')
    t.like(left, {
      signal: 'SIGKILL',
      member: ['ann@example.com', 1],
      links: [true],
      sessions: ['unverified over', 'verified open'],
    })
  })

  test(`a site killed while an address changes has notified the old one and the provider, or nothing (${name})`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const left = await leftBy(await database.url(), 'email')
    t.like(left, { signal: 'SIGKILL', member: ['new@example.com', 1], changes: [true] })
    t.true(left.waiting.includes('customer'), 'the provider hears of it')
    t.true(left.waiting.includes('email-changed'), 'and the old address')
  })
}

/** A page's request with the cookie of somebody who is logged in. */
async function pageOf({ m, ask }: Awaited<ReturnType<typeof open>>) {
  const { visitor, path } = await ask()
  await visitor.send(path)
  const cookie = `membership_session=${visitor.cookies.get('membership_session')}`
  return () => m.viewOf(new Request('http://localhost/', { headers: { cookie } }))
}

test('a member’s page waits for the database once', async (t) => {
  const site = await open(t)
  const page = await pageOf(site)
  await page()
  const { storage } = site.m
  const all: Storage['all'] = storage.all
  let trips = 0
  let isLeaving = false
  const far: Storage['all'] = async (statement, params) => {
    if (!isLeaving) trips++
    isLeaving = true
    setImmediate(() => {
      isLeaving = false
    })
    const rows = await all(statement, params)
    // What is asked in this turn travels together; the answers come in a later one.
    await new Promise((done) => setImmediate(done))
    return rows
  }
  // A distant database has no cache.
  Object.assign(storage, { all: far, cached: far })
  t.is((await page()).user()?.email, 'ann@example.com')
  t.is(trips, 1)
})

test('a cached cookie opens nothing after its session is revoked anywhere, or has expired', async (t) => {
  const site = await open(t)
  const { m, member, fake } = site
  const [first, second] = [await pageOf(site), await pageOf(site)]
  t.is((await first()).user()?.id, member.id)
  const revoked_at = new Date().toISOString()
  await m.storage.commit([
    step(memberStatements(m.storage).sessionsRevoke, { member_id: member.id, revoked_at }),
  ])
  t.is((await first()).user(), null)
  t.is((await second()).user(), null)
  const third = await pageOf(site)
  t.is((await third()).user()?.id, member.id)
  await fake.advance({ days: 31 })
  t.is((await third()).user(), null)
})

test('each mailing form counts separately: none blocks a login, and none floods a stranger', async (t) => {
  const { m, site, mailbox } = await open(t, { 'membership.shop.country': 'DE' })
  const stranger = createVisitor(site)
  const declared = { name: 'Ann', contract: 'all', email: 'ann@example.com' }
  for (let n = 0; n < 5; n++) t.is((await stranger.send('/membership/cancel', declared)).status, 200)
  t.is((await stranger.send('/membership/login', { email: 'ann@example.com' })).status, 202)
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com', 'magic-link').length, 1)

  const ann = await logIn({ m, site }, mailbox, 'ann@example.com')
  const change = () => ann.send('/membership/account', { email: 'Victim@Example.com' })
  for (let n = 0; n < 3; n++) t.is((await change()).status, 200)
  const refused = await change()
  t.is(refused.json.code, 'ERR_RATE_LIMIT')
  t.regex(refused.headers.get('retry-after') ?? '', /^\d+$/)
  for (let n = 0; n < 3; n++) await ann.send('/membership/account/merge', { email: `other${n}@example.com` })
  t.is(
    (await ann.send('/membership/account/merge', { email: 'other@example.com' })).json.code,
    'ERR_RATE_LIMIT',
  )
  await m.runDueJobs()
  t.true(mailbox.of('victim@example.com').length <= 3)
  t.true(mailbox.of('ann@example.com', 'merge-own').length <= 3)
})

test('a sign-up mail uses the language of the page, and the account keeps it', async (t) => {
  const { m, site, mailbox } = await open(t, { 'membership.login.signup': true })
  const visitor = createVisitor(site)
  await visitor.send('/membership/language', { language: 'de' })
  await visitor.send('/membership/login', { email: 'neu@example.com' })
  await m.runDueJobs()
  t.is(mailbox.of('neu@example.com', 'magic-link').at(-1)?.language, 'de')
  t.is((await visitor.send(mailbox.link('neu@example.com'))).status, 200)
  t.is((await m.users.findByEmail('neu@example.com'))?.language, 'de')

  const asks = { accept: 'application/json', 'accept-language': 'de-AT' }
  await createVisitor(site).send('/membership/login', { email: 'auch@example.com' }, asks)
  await m.runDueJobs()
  t.is(mailbox.of('auch@example.com', 'magic-link').at(-1)?.language, 'de')
})

test('a form with name and address saves nothing without mails', async (t) => {
  const { m, site } = await openStripeSite(t, { identify: async () => ({ member: known }) })
  const known = await m.users.create({ email: 'ann@example.com', name: 'Ann', verified: true })
  const answer = await createVisitor(site).send('/membership/account', {
    name: 'Anna',
    email: 'anna@example.com',
  })
  t.is(answer.json.code, 'ERR_NO_MAIL')
  t.is((await m.users.findById(known.id))?.name, 'Ann')
})
