import test from 'ava'
import type { MembershipOptions } from '../../../src/index.ts'
import { postgresDatabases } from '../../support/databases.ts'
import { englishIn } from '../../support/english.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn, prove } from '../../support/visitor.ts'

async function open(t: Parameters<typeof openStripeSite>[0], options: MembershipOptions = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, ...options })
  await opened.m.users.create({ email: 'ann@example.com', verified: true })
  const ann = await logIn(opened, mailbox, 'ann@example.com')
  const ask = async (email: string) => {
    const answer = await ann.send('/membership/account', { email })
    await opened.m.runDueJobs()
    return { answer, path: mailbox.link(email.toLowerCase()) }
  }
  return { ...opened, mailbox, ann, ask }
}

test('a new address counts when its owner opens the link; the old one and the provider are notified', async (t) => {
  const { ask, ann, m, fake, mailbox, site, ...rest } = await open(t)
  await buy({ m, fake, site, ...rest }, 'ann@example.com', { visitor: ann })
  const { answer, path } = await ask('Ann@New.example')
  t.deepEqual(answer.json.email_change, { to: 'ann@new.example', status: 'sent' })
  t.truthy(await m.users.findByEmail('ann@example.com'), 'not yet')
  for (const method of ['GET', 'HEAD']) await fetch(new URL(path, site), { method })
  t.truthy(await m.users.findByEmail('ann@example.com'), 'a scanner confirms nothing')
  const page = await ann.get(path)
  t.is(page.headers.get('referrer-policy'), 'same-origin')
  const stranger = createVisitor(site)
  t.is((await stranger.send(path)).json.code, 'ERR_LOGIN_REQUIRED', 'the link alone is not enough')
  const asked = await stranger.get(path)
  t.is(asked.location, `/membership/login?redirect=${encodeURIComponent(path)}`)
  const confirmed = await ann.send(path)
  t.deepEqual(confirmed.json, { email: 'ann@new.example' })
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com', 'email-changed').length, 1)
  t.is(fake.objects.list('customer')[0]?.email, 'ann@new.example')
  t.is((await ann.send(path)).status, 200, 'pressed twice, nothing more happens')
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com', 'email-changed').length, 1)
})

test('an old link is not valid again after the address was changed back', async (t) => {
  const { ask, ann, m, fake } = await open(t)
  const first = await ask('ann@new.example')
  t.is((await ann.send(first.path)).status, 200)
  await fake.advance({ ms: 60_000 })
  const back = await ask('ann@example.com')
  t.is((await ann.send(back.path)).status, 200)
  await fake.advance({ ms: 60_000 })
  const again = await ann.send(first.path)
  t.not(again.status, 200, again.text)
  t.truthy(await m.users.findByEmail('ann@example.com'))
})

test('a change of address reveals no member and takes nobody’s address', async (t) => {
  const { ask, ann, m, mailbox } = await open(t)
  const bob = await m.users.create({ email: 'bob@example.com', verified: true })
  const free = await ask('bib@example.com')
  const taken = await ask('bob@example.com')
  t.is(taken.answer.status, free.answer.status)
  t.is(taken.answer.text.replaceAll('bob', 'bib'), free.answer.text)
  t.is(mailbox.of('bob@example.com', 'email-change').length, 1)
  t.is(mailbox.of('bib@example.com', 'email-change').length, 1)
  t.is((await ann.send(free.path)).json.code, 'ERR_LINK', 'the newest wish alone')
  const refused = await ann.send(taken.path)
  t.is(refused.json.code, 'ERR_FORM')
  t.is((await m.users.findByEmail('bob@example.com'))?.id, bob.id)
})

test('the provider gets the name as it is at delivery, also after an outage', async (t) => {
  const { ann, m, fake, site, ...rest } = await open(t)
  await buy({ m, fake, site, ...rest }, 'ann@example.com', { visitor: ann })
  const undo = fake.outage({ kind: '503' })
  t.is((await ann.send('/membership/account', { name: 'Ann One' })).status, 200)
  t.is((await ann.send('/membership/account', { name: 'Ann Two' })).status, 200)
  await m.runDueJobs()
  undo()
  for (let n = 0; n < 4; n++) {
    await fake.advance({ ms: 60_000 })
    await m.runDueJobs()
  }
  t.is(fake.objects.list('customer')[0]?.name, 'Ann Two')
  const names = fake
    .requests()
    .filter(({ method, path, status }) => method === 'POST' && /customers/.test(path) && status === 200)
  t.deepEqual(
    names.map(({ params }) => params.name),
    ['Ann Two', 'Ann Two'],
    'never an older one',
  )
})

test('fields outside the blueprint cannot be written, and the whole form is refused', async (t) => {
  const { ann, m } = await open(t)
  for (const field of ['roles', 'id', 'email_verified', 'stripe', 'gates', 'created_by']) {
    const answer = await ann.send('/membership/account', { name: 'Mallory', [field]: 'admin' })
    t.is(answer.json.code, 'ERR_FORM', field)
  }
  const user = await m.users.findByEmail('ann@example.com')
  t.deepEqual(user?.roles, ['member'])
  t.is(user?.name, null)
})

test('the page before a deletion says what ends and is not refunded, and asks again', async (t) => {
  const opened = await open(t)
  const { ann, m } = opened
  await buy(opened, 'ann@example.com', { visitor: ann })
  await buy(opened, 'ann@example.com', { visitor: ann, path: '/membership/payment', product: 'price_book' })
  const account = await ann.get('/membership/account', { accept: 'text/html' })
  t.true(account.text.includes('href="/membership/account/delete"'))
  t.notRegex(account.text, /action="\/membership\/account\/delete"/, 'no button deletes from there')
  const page = await ann.get('/membership/account/delete', { accept: 'text/html' })
  t.regex(page.text, /Pro, monthly is cancelled, and your access ends\./i)
  t.regex(page.text, /: you have paid until 15 February\. The days until then are lost\./)
  t.regex(page.text, /your access ends, although you bought it for good/)
  t.regex(page.text, /type="checkbox" name="confirm" value="delete" required/)
  t.is((await ann.send('/membership/account/delete', {}, { accept: 'text/html' })).status, 400)
  t.truthy(await m.users.findByEmail('ann@example.com'), 'not asked, nothing happens')
  t.is((await ann.send('/membership/account/delete', { confirm: 'delete' })).status, 200)
  t.is(await m.users.findByEmail('ann@example.com'), null)
  const stranger = await createVisitor(opened.site).get('/membership/account/delete', { accept: 'text/html' })
  t.regex(stranger.location ?? '', /^\/membership\/login\?redirect=/)
})

test('an account deleted while the provider is down is closed at once and cancelled as soon as possible', async (t) => {
  const { ann, m, fake, site, mailbox, ...rest } = await open(t)
  const { id, user } = await buy({ m, fake, site, ...rest }, 'ann@example.com', { visitor: ann })
  const undo = fake.outage({ kind: '500' })
  const answer = await ann.send('/membership/account/delete', { confirm: 'delete' })
  t.is(answer.status, 202, answer.text)
  t.is(answer.json.status, 'begun')
  t.is((await ann.get('/membership/account/export')).status, 401)
  t.is((fake.objects.get(id) as { status: string }).status, 'active')
  undo()
  for (let n = 0; n < 4; n++) {
    await fake.advance({ ms: 120_000 })
    await m.runDueJobs()
  }
  t.is((fake.objects.get(id) as { status: string }).status, 'canceled')
  t.is((await m.users.findById(user.id))?.email ?? null, null)
  t.is(mailbox.of('ann@example.com', 'account-deleted').length, 1)
})

/** Whoever buys with somebody else's address, in a browser of their own. */
async function guest(opened: Awaited<ReturnType<typeof open>>, email: string) {
  return buy(opened, email, { proved: false })
}

test('a change requested by an unverified session is void after the address’s owner logs in', async (t) => {
  const opened = await open(t)
  const { m, mailbox, fake, site } = opened
  const thief = await guest(opened, 'vic@example.com')
  const asked = await thief.visitor.send('/membership/account', { email: 'thief@example.com' })
  t.is(asked.status, 200, 'whoever mistyped may correct the address')
  await m.runDueJobs()
  const link = mailbox.link('thief@example.com')
  t.not(link, '')
  await fake.advance({ ms: 60_000 })
  const vic = await logIn({ m, site }, mailbox, 'vic@example.com')
  await fake.advance({ ms: 54 * 60_000 })
  for (const visitor of [createVisitor(site), thief.visitor, vic]) {
    const answer = await visitor.send(link)
    t.is(answer.json.code, 'ERR_LINK', answer.text)
  }
  t.is((await m.users.findByEmail('vic@example.com'))?.id, thief.user.id)
  t.is(await m.users.findByEmail('thief@example.com'), null)
})

test('on PostgreSQL a mistyped address can be corrected repeatedly, and the newest link logs in', async (t) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const opened = await open(t, { 'membership.database.url': await database.url() })
  const { m, mailbox, site } = opened
  const { visitor } = await guest(opened, 'nroa@example.com')
  // The ids of changes are random: a wish that its own unit voided would be so in every second of them.
  for (const n of [1, 2, 3, 4, 5]) {
    const email = `nora.${n}@example.com`
    t.is((await visitor.send('/membership/account', { email })).status, 200)
    for (let tries = 0; tries < 20 && mailbox.link(email) === ''; tries++) await m.runDueJobs()
    t.not(mailbox.link(email), '', email)
  }
  const phone = createVisitor(site)
  t.is((await phone.send(mailbox.link('nora.4@example.com'))).status, 410, 'a later wish voids it')
  t.is((await phone.send(mailbox.link('nora.5@example.com'))).status, 200)
  t.regex((await phone.get('/membership/account/export')).text, /"email": "nora.5@example.com"/)
  t.is((await visitor.get('/membership/account/export')).status, 401)
})

test('a mistyped address is corrected with the new one’s link alone, which logs in', async (t) => {
  const opened = await open(t)
  const { m, mailbox, site } = opened
  const { visitor, user } = await guest(opened, 'nroa@example.com')
  t.is((await visitor.send('/membership/account', { email: 'nora@example.com' })).status, 200)
  await m.runDueJobs()
  const phone = createVisitor(site)
  t.is((await phone.send(mailbox.link('nora@example.com'))).status, 200)
  t.regex((await phone.get('/membership/account/export')).text, /"email": "nora@example.com"/)
  t.is((await visitor.get('/membership/account/export')).status, 401, 'the first proof ends what was before')
  const nora = await m.users.findByEmail('nora@example.com')
  t.is(nora?.id, user.id)
  t.true(nora?.email_verified)
  await m.runDueJobs()
  t.is(mailbox.of('nroa@example.com', 'email-changed').length, 0, 'nobody proved to be that')
})

test('the page after paying says where mails go, to the browser that paid and to nobody else with the link', async (t) => {
  const opened = await open(t)
  const { visitor, back, session } = await guest(opened, 'nroa@example.com')
  t.is(back.status, 200)
  const path = new URL(String(session.success_url)).pathname
  const html = { accept: 'text/html' }
  const own = await visitor.get(path, html)
  t.regex(own.text, /Our mails to you go to nroa@example\.com\. Did you mistype the address\?/)
  const german = await visitor.get(path, { ...html, 'accept-language': 'de' })
  t.regex(german.text, /Unsere E-Mails an Sie gehen an nroa@example\.com\./)
  const stranger = await createVisitor(opened.site).get(path, html)
  t.is(stranger.status, 200)
  t.notRegex(stranger.text, /nroa|example\.com/)
  await prove(opened.m, visitor)
  t.notRegex((await visitor.get(path, html)).text, /Our mails to you/, 'a member knows their address')
})

test('an unverified session can only read and cancel its purchase', async (t) => {
  const opened = await open(t)
  const { m } = opened
  const { visitor, user, id } = await guest(opened, 'gus@example.com')
  const refused: [string, Record<string, string>][] = [
    ['/membership/account', { name: 'Gus' }],
    ['/membership/account', { email: 'other@example.com', name: 'Gus' }],
    ['/membership/account/delete', { confirm: 'delete' }],
    ['/membership/portal', {}],
    [`/membership/change/${id}`, { price: 'price_year' }],
    [`/membership/invoice/${id}`, { price: 'price_year' }],
    [`/membership/resume/${id}`, {}],
    [`/membership/renew/${id}`, {}],
    [`/membership/pause/${id}`, {}],
    ['/membership/subscribe/team', { swap: '1' }],
  ]
  for (const [path, fields] of refused)
    t.is((await visitor.send(path, fields)).json.code, 'ERR_UNVERIFIED', path)
  t.is((await visitor.get('/membership/account/export')).code, 'ERR_UNVERIFIED')
  await m.users.grant({ memberId: user.id, gate: 'book' })
  const corrected = await visitor.send('/membership/account', { email: 'other@example.com' })
  t.is(corrected.json.code, 'ERR_UNVERIFIED', 'the account holds something that it did not buy')
  t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
  t.is((await m.users.findById(user.id))?.name, null)
})

test('an unverified session can pay arrears of its own purchase from the alert, and nobody else’s', async (t) => {
  const prices = [{ id: 'price_week', amount: 900, currency: 'EUR', interval: 'week' as const }]
  const opened = await open(t, { 'membership.providers.stripe.plans': { weekly: { prices } } })
  const { fake, m } = opened
  fake.addPrice({ id: 'price_week', unit_amount: 900, currency: 'eur', recurring: { interval: 'week' } })
  const bought = { path: '/membership/subscribe/weekly', price: 'price_week', proved: false }
  const gus = await buy(opened, 'gus@example.com', bought)
  const eve = await buy(opened, 'eve@example.com', bought)
  for (const { id } of fake.objects.list('customer')) fake.useCard(String(id), '4000000000000341')
  await fake.advance({ days: 7, ms: 7_200_000 })
  for (let n = 0; n < 5; n++) {
    await fake.deliver()
    await m.runDueJobs()
  }
  const page = await gus.visitor.get('/membership/account', { accept: 'text/html' })
  const alert = /<section class="arrears" role="alert"[\s\S]*?<\/section>/.exec(page.text)?.[0] ?? ''
  t.regex(alert, /The payment of €9 for [^<]* failed on/)
  t.true(alert.includes(`action="/membership/renew/${gus.id}"`), alert)
  const invoice = fake.objects
    .list('invoice')
    .find((item) => item.status === 'open' && JSON.stringify(item).includes(`"${gus.id}"`))
  const pay = (id: string) => gus.visitor.send(`/membership/renew/${id}`, {}, { accept: 'text/html' })
  t.is((await pay(gus.id)).location, String(invoice?.hosted_invoice_url))
  t.is((await pay(eve.id)).status, 404, 'somebody else’s')
})

test('the old address can undo a change once within seven days, which ends all sessions', async (t) => {
  const opened = await open(t)
  const { ask, ann, m, mailbox, site, fake } = opened
  await buy(opened, 'ann@example.com', { visitor: ann })
  t.is((await ann.send((await ask('thief@example.com')).path)).status, 200)
  await m.runDueJobs()
  const undo = mailbox.link('ann@example.com')
  t.regex(undo, /email-undo/)
  // The thief chains another change, buys a name in the way, and ends every session and link there is.
  t.is((await ann.send((await ask('thief2@example.com')).path)).status, 200)
  await m.runDueJobs()
  const thiefsUndo = mailbox.link('thief@example.com')
  await guest(opened, 'ann@example.com')
  t.is((await ann.send('/membership/logout', { everywhere: '1' })).status, 200)
  const thief = await logIn({ m, site }, mailbox, 'thief2@example.com')
  await thief.send('/membership/account', { email: 'thief3@example.com' })
  await thief.send('/membership/login', { email: 'thief2@example.com' })
  await m.runDueJobs()
  const pending = mailbox.link('thief3@example.com')
  const login = mailbox
    .of('thief2@example.com', 'magic-link')
    .at(-1)!
    .text.match(/\/membership\/login\/\S+/)![0]
  await fake.advance({ days: 6 })

  t.is((await createVisitor(site).get(undo)).status, 200, 'looked at, nothing happens')
  t.is((await thief.get('/membership/account/export')).status, 200)
  t.deepEqual((await createVisitor(site).send(undo)).json, { email: 'ann@example.com' })
  t.is((await thief.get('/membership/account/export')).status, 401)
  for (const link of [undo, thiefsUndo, pending, login]) {
    const answer = await thief.send(link)
    t.is(answer.json.code, 'ERR_LINK', `${link.slice(0, 40)} ${answer.text}`)
  }
  const back = await logIn({ m, site }, mailbox, 'ann@example.com')
  t.true((await back.get('/membership/account/export')).text.includes('price_month'))
  await m.runDueJobs()
  t.is(fake.objects.list('customer')[0]?.email, 'ann@example.com')
})

test('after seven days a change stays', async (t) => {
  const { ask, ann, m, mailbox, site, fake } = await open(t)
  await ann.send((await ask('ann@new.example')).path)
  await m.runDueJobs()
  const undo = mailbox.link('ann@example.com')
  await fake.advance({ days: 7 })
  t.is((await createVisitor(site).send(undo)).json.code, 'ERR_LINK')
  t.truthy(await m.users.findByEmail('ann@new.example'))
})

test('logging out everywhere voids a pending change and sent links', async (t) => {
  const { ask, ann, m, mailbox, site } = await open(t)
  const { path } = await ask('ann@new.example')
  await createVisitor(site).send('/membership/login', { email: 'ann@example.com' })
  await m.runDueJobs()
  const login = mailbox.link('ann@example.com')
  t.is((await ann.send('/membership/logout', { everywhere: '1' })).status, 200)
  t.false(ann.cookies.has('membership_browser'), 'the browser’s own cookie goes, too')
  t.is((await createVisitor(site).send(login)).json.code, 'ERR_LINK')
  const again = await logIn({ m, site }, mailbox, 'ann@example.com')
  t.is((await again.send(path)).json.code, 'ERR_LINK')
})

test('every route enforces its declared session level', async (t) => {
  const opened = await open(t)
  const { m, site, ann } = opened
  const gus = await guest(opened, 'gus@example.com')
  const nobody = createVisitor(site)
  const ask = async (visitor: typeof nobody, method: string, path: string) => {
    const json = { accept: 'application/json' }
    const answer = method === 'GET' ? await visitor.get(path, json) : await visitor.send(path, {}, json)
    return (answer.json?.code as string | undefined) ?? String(answer.status)
  }
  // Last, what ends the session that is asked with.
  const routes = m
    .listRoutes()
    .filter(
      ({ path, method }) =>
        path.startsWith('/membership/') && method !== '*' && !/webhooks|logout/.test(path),
    )
  t.true(routes.length > 20)
  for (const { method, path, access } of routes) {
    const concrete = path.replace(':subscription', gus.id).replaceAll(/:\w+/g, 'none')
    const codes = {
      none: await ask(nobody, method, concrete),
      unverified: await ask(gus.visitor, method, concrete),
      verified: await ask(ann, method, concrete),
    }
    const said = `${method} ${path} ${JSON.stringify(codes)}`
    t.is(codes.none === 'ERR_LOGIN_REQUIRED', access.needs !== 'none', said)
    // Nothing of what this session bought is owed.
    const isRefused = access.needs === 'verified' || path.includes('/renew/')
    t.is(codes.unverified === 'ERR_UNVERIFIED', isRefused, said)
    t.false(['ERR_LOGIN_REQUIRED', 'ERR_UNVERIFIED'].includes(codes.verified), said)
  }
})

test('an operator gives a new address to a member who cannot log in', async (t) => {
  const opened = await open(t)
  const { m, mailbox, site, ann } = opened
  const { user } = await guest(opened, 'nroa@example.com')
  t.deepEqual(await m.users.setEmail(user.id, ' Nora@example.com'), {
    from: 'nroa@example.com',
    to: 'nora@example.com',
  })
  const nora = await logIn({ m, site }, mailbox, 'nora@example.com')
  t.true((await nora.get('/membership/account/export')).text.includes('price_month'))
  t.is(mailbox.of('nroa@example.com', 'email-changed').length, 0, 'a mistyped address is a stranger’s')

  const member = (await m.users.findByEmail('ann@example.com'))!
  await t.throwsAsync(m.users.setEmail(member.id, 'nora@example.com'), { message: /cannot be/ })
  await m.users.setEmail(member.id, 'ann@other.example')
  t.is((await ann.get('/membership/account/export')).status, 401, 'sessions of before end')
})

test('an operator rescues a stolen account: neither the thief nor an earlier link gets it back', async (t) => {
  const { ask, ann, m, mailbox, site } = await open(t)
  await ann.send((await ask('thief@example.com')).path)
  await m.runDueJobs()
  const earlier = mailbox.link('ann@example.com')
  const { id } = (await m.users.findByEmail('thief@example.com'))!
  const thief = await logIn({ m, site }, mailbox, 'thief@example.com')

  await m.users.setEmail(id, 'ann@safe.example')
  await m.runDueJobs()
  t.is(mailbox.of('thief@example.com', 'email-changed').length, 0)
  t.is((await createVisitor(site).send(earlier)).json.code, 'ERR_LINK')
  t.is((await thief.get('/membership/account/export')).status, 401)
  const back = await logIn({ m, site }, mailbox, 'ann@safe.example')
  t.is((await back.get('/membership/account/export')).status, 200)
  t.is((await m.users.findByEmail('ann@safe.example'))?.id, id)
})

test('a visitor’s language is the browser’s until one is chosen; the account and mails keep the choice', async (t) => {
  const { m, site, ann, mailbox } = await open(t)
  const stranger = createVisitor(site)
  const asked = await stranger.get('/membership/login', { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' })
  t.regex(asked.text, /<html lang="de" dir="ltr">[\s\S]*<h1[^>]*>Anmelden<\/h1>/)
  t.regex(String(asked.headers.get('vary')), /accept-language/i)
  t.regex((await stranger.get('/membership/login')).text, /<html lang="en"/)

  const chosen = await stranger.send(
    '/membership/language',
    { language: 'de', redirect: '/membership/login?redirect=/archive' },
    { accept: 'text/html' },
  )
  t.is(chosen.location, '/membership/login?redirect=/archive')
  t.regex((await stranger.get('/membership/login', { 'accept-language': 'en' })).text, /<html lang="de"/)

  t.is((await ann.send('/membership/language', { language: 'de-CH' })).json.language, 'de')
  t.is((await m.users.findByEmail('ann@example.com'))?.language, 'de')
  const elsewhere = await logIn({ m, site }, mailbox, 'ann@example.com')
  t.regex((await elsewhere.get('/membership/login', { 'accept-language': 'en' })).text, /<html lang="de"/)
  t.is(mailbox.of('ann@example.com', 'magic-link').at(-1)?.language, 'de')

  const unknown = await ann.send('/membership/language', { language: 'tlh' })
  t.is(unknown.json.code, 'ERR_FORM')
  const forged = await ann.request('/membership/language', {
    method: 'POST',
    body: new URLSearchParams({ token: 'x', language: 'en' }),
  })
  t.is(forged.status, 403)
})

test('a rejected form is explained in the reader’s language, with its field names', async (t) => {
  const { ann } = await open(t)
  const sent = { email: 'no address', name: 'a\u2028b' }
  const page = await ann.send('/membership/account', sent, { accept: 'text/html', 'accept-language': 'de' })
  t.regex(page.text, /<strong>E-Mail<\/strong>: Das ist keine E-Mail-Adresse\./, page.text)
  t.regex(page.text, /<strong>Name<\/strong>: Bitte nur eine Zeile Text\./)
  t.deepEqual(englishIn(page.text), [])
  const { json } = await ann.send('/membership/account', sent)
  t.deepEqual(json.fields, { email: 'This is not an e-mail address.', name: 'Use one line of text.' })
  t.like(json.reasons, { email: { reason: 'no_email' }, name: { reason: 'one_line' } })
})

test('an address with an international domain can log in, change, be undone and be rescued in any notation', async (t) => {
  const { m, site, mailbox } = await open(t)
  const member = await m.users.create({ email: 'Jürgen@Bücher.example', verified: true })
  const stored = 'jürgen@xn--bcher-kva.example'
  t.is(member.email, stored)
  t.is((await m.users.findByEmail('ju\u0308rgen@bücher.example'))?.id, member.id)
  await t.throwsAsync(m.users.create({ email: stored }), { message: /already/ })

  const logInAs = async (written: string) => {
    const visitor = createVisitor(site)
    t.is((await visitor.send('/membership/login', { email: written })).status, 202)
    await m.runDueJobs()
    t.is((await visitor.send(mailbox.link(stored))).status, 200)
    return visitor
  }
  await logInAs('JÜRGEN@xn--bcher-kva.example')
  const visitor = await logInAs('jürgen@BÜCHER.example')
  t.is((await visitor.send('/membership/account', { email: 'jürgen@märkte.example' })).status, 200)
  await m.runDueJobs()
  t.is((await visitor.send(mailbox.link('jürgen@xn--mrkte-gra.example'))).status, 200)
  await m.runDueJobs()
  t.deepEqual((await visitor.send(mailbox.link(stored))).json, { email: stored })

  const rescued = await m.users.setEmail(member.id, 'Jörg@Bücher.example')
  t.deepEqual(rescued, { from: stored, to: 'jörg@xn--bcher-kva.example' })
  await t.throwsAsync(m.users.setEmail(member.id, 'nobody@bücher.example/x'), { code: 'ERR_FORM' })
})
