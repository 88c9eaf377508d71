import { request as httpRequest } from 'node:http'
import test from 'ava'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../support/visitor.ts'

const open = async (t: Parameters<typeof openStripeSite>[0], options = {}) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, ...options })
  const member = await opened.m.users.create({ email: 'ann@example.com' })
  const ask = async (email = 'ann@example.com') => {
    const visitor = createVisitor(opened.site)
    const answer = await visitor.send('/membership/login', { email, redirect: '/account' })
    await opened.m.work()
    return { visitor, answer, path: mailbox.link(email) }
  }
  return { ...opened, mailbox, member, ask }
}

test('a link logs in once, in whichever browser it is opened', async (t) => {
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

test('mail scanners that open a link, any number of times, use nothing up', async (t) => {
  const { ask, site } = await open(t)
  const { path } = await ask()
  for (const method of ['HEAD', 'GET', 'OPTIONS', 'GET', 'HEAD']) {
    const answer = await fetch(new URL(path, site), { method, redirect: 'manual' })
    t.true(answer.status < 500)
    t.false((answer.headers.get('set-cookie') ?? '').includes('membership_session'), method)
  }
  t.is((await createVisitor(site).send(path)).status, 200)
})

test('a link ends with its time, and with a newer clock of another process', async (t) => {
  const { ask, site, fake } = await open(t)
  const { path } = await ask()
  await fake.advance({ days: 1 })
  t.is((await createVisitor(site).get(path)).status, 410)
  t.is((await createVisitor(site).send(path)).json.code, 'ERR_LINK')
})

test('a token that was changed, or made for something else, is no link', async (t) => {
  const { ask, site, mailbox, m, fake } = await open(t)
  const { path } = await ask()
  const token = path.split('/').at(-1)!
  const [head = '', body = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const ann = await logIn({ m, site }, mailbox, 'ann@example.com')
  await ann.send('/membership/account', { email: 'ann@new.example' })
  await m.work()
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
  for (const one of wrong) {
    const answer = await visitor.send(`/membership/login/${one}`)
    t.true([410, 404].includes(answer.status), `${one.slice(0, 80)} ${answer.status}`)
    t.false(visitor.cookies.has('membership_session'))
  }
  t.is((await visitor.send(`/membership/account/email/${token}`)).status, 410, 'nor the other way round')
  await fake.advance({ ms: 1000 })
})

test('used by two at once, a link opens one session', async (t) => {
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

test('the Host of whoever asks does not choose where the link in the mail leads', async (t) => {
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
  await m.work()
  t.is(mailbox.sent.length, 3)
  for (const mail of mailbox.sent) {
    t.false(`${mail.text}${mail.html}`.includes('evil'))
    t.true(mail.text.includes(`${site}/membership/login/`))
  }
})

test('a session from before the login is worth nothing after it', async (t) => {
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

test('logging out ends this session; everywhere ends the others', async (t) => {
  const { site, m, mailbox } = await open(t)
  const opened = { site, m }
  const [one, two, three] = [
    await logIn(opened, mailbox, 'ann@example.com'),
    await logIn(opened, mailbox, 'ann@example.com'),
    await logIn(opened, mailbox, 'ann@example.com'),
  ]
  const kept = one.cookies.get('membership_session')!
  t.is((await one.send('/membership/logout')).status, 200)
  one.cookies.set('membership_session', kept)
  t.is((await one.get('/membership/account/export')).status, 401, 'the cookie alone opens nothing')
  t.is((await two.get('/membership/account/export')).status, 200)
  const out = await two.send('/membership/logout', { everywhere: '1' }, { accept: 'text/html' })
  t.is(out.status, 303)
  t.is(out.location, '/')
  t.is((await three.get('/membership/account/export')).status, 401)
})

test('neither words nor time tell whether an address is a member’s', async (t) => {
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
      await m.work()
    }
  t.deepEqual(texts.member, texts.nobody)
  t.is(mailbox.sent.length, 120)
  const median = (all: number[]) => all.toSorted((a, b) => a - b)[all.length / 2]!
  const [member, nobody] = [median(times.member), median(times.nobody)]
  t.true(Math.max(member, nobody) / Math.min(member, nobody) < 2, `${member} ms, ${nobody} ms`)
})

test('a mailbox gets three links in a minute at most, and nobody is told', async (t) => {
  const { m, site, mailbox } = await open(t)
  for (let n = 0; n < 5; n++) {
    const answer = await createVisitor(site).send('/membership/login', { email: ` Ann@Example.com ` })
    t.is(answer.status, 202)
    await m.work()
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

test('an account that is being deleted lets nobody in by a link that was sent before', async (t) => {
  const { ask, m, site, fake, ...rest } = await open(t)
  const { user } = await buy({ m, site, fake, ...rest }, 'bob@example.com')
  const { path } = await ask('bob@example.com')
  const undo = fake.outage({ kind: '500' })
  await m.account.delete(user.id)
  undo()
  const visitor = createVisitor(site)
  const answer = await visitor.send(path)
  t.is(answer.status, 410, answer.text)
  t.is((await visitor.get('/membership/account/export')).status, 401)
})

test('the pages call the site by its configured name, not by the Host of whoever asks', async (t) => {
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
