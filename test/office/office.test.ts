import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { step } from '../../src/core/storage/index.ts'
import { createLeftovers } from '../../src/memberships/import/index.ts'
import { checklistOf } from '../../src/office/checklist.ts'
import { examine } from '../../src/site/doctor/index.ts'
import { confirm, enrol, type OfficeSite, openOfficeSite } from '../support/office.ts'
import { strictRows } from '../support/strict-csv.ts'
import { buy, createVisitor, logIn, type Visitor } from '../support/visitor.ts'
import { kirbyPage, startWeb } from '../support/web.ts'

const office = '/membership/office'

test('Today counts gifts and seats beside the members, says that they are not members, and leads to who has one', async (t) => {
  const opened = await openOfficeSite(t)
  const { m, enter } = opened
  await buy(opened, 'ann@example.com')
  const { id } = await m.users.create({ email: 'ben@example.com' })
  const [gift] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
  await m.gifts.redeem({ code: gift!.code, user: (await m.users.findById(id))! })
  const { visitor } = await enter('ada@example.com')
  const today = await visitor.get(office)
  t.regex(today.text, /In use besides: 1 gift and 0 seats of teams\./)
  t.regex(today.text, /1 person is a member, 1 more[\s\S]*Readers with a gift, a seat, .* are not counted\./)
  const german = await visitor.get(office, { 'accept-language': 'de' })
  t.regex(german.text, /durch ein Geschenk, einen Platz, .* zählt hier nicht\./)
  const [, list = ''] = /href="([^"]+)">See who has a gift or granted access/.exec(today.text) ?? []
  t.regex((await visitor.get(list)).text, /ben@example\.com/)
})

test('an operator logs in with a second factor, sees today’s figures, grants access until a day, and the log has it', async (t) => {
  const opened = await openOfficeSite(t)
  const { m, enter } = opened
  const { intentId, id: subscription } = await buy(opened, 'ann@example.com')
  const { visitor, answer, codes } = await enter('ada@example.com')
  t.is(answer.status, 200)
  t.is(codes.length, 10)

  const today = await visitor.get(office)
  t.is(today.status, 200, today.text)
  t.regex(today.text, /1 person is a member, 1 more than a month ago/)
  t.regex(today.text, /€9<\/a>/)
  t.regex(today.text, /All clear/)

  const found = await visitor.get(`${office}/members?q=ann`)
  const ann = (await m.users.findByEmail('ann@example.com'))!
  t.true(found.text.includes(`${office}/members/${ann.id}`), found.text)
  const [payment] = ann.payments()
  for (const id of [
    intentId.split('.')[0]!,
    subscription,
    payment!.id,
    payment!.invoice_id!,
    payment!.customer_id!,
  ])
    t.true((await visitor.get(`${office}/members?q=${id}`)).text.includes(`${office}/members/${ann.id}`), id)
  const member = await visitor.get(`${office}/members/${ann.id}`)
  t.regex(member.text, /open through a membership/)

  const given = await confirm(
    visitor,
    `${office}/members/${ann.id}/do/grant?gate=team&until=2026-03-31&reason=prize`,
  )
  t.regex(given.page.text, /team opens now and closes after 31 March/)
  t.is(given.answer.status, 303, given.answer.text)
  t.true((await m.users.findById(ann.id))?.hasGate('team' as never))
  t.is((await m.users.findById(ann.id))?.explain('team' as never).until, '2026-03-31T23:59:59.000Z')

  const again = await given.send()
  t.regex(again.text, /it was not done again/)
  t.is((await m.users.findById(ann.id))?.grants().length, 1)

  const [noted] = await m.operator.audit.list({ member: ann.id })
  t.like(noted, { by: 'ada@example.com', action: 'grant', subject: 'team', outcome: 'done' })
  t.regex((await visitor.get(`${office}/log`)).text, /ada@example\.com/)
})

test('the reason for a closed gate is one sentence, and an unrequested end is no cancellation', async (t) => {
  const prices = [
    { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' as const, trial_days: 7 },
  ]
  const opened = await openOfficeSite(t, {
    office: { who: () => ({ name: 'ada', role: 'viewer' }) },
    'membership.providers.stripe.plans': { pro: { name: 'Pro', prices } },
  })
  const { m, fake, site } = opened
  const { user, id } = await buy(opened, 'ann@example.com')
  const visitor = createVisitor(site)
  const page = async (accept = 'en') =>
    (await visitor.get(`${office}/members/${user.id}`, { accept: 'text/html', 'accept-language': accept }))
      .text
  fake.useCard(String(fake.objects.list('customer')[0]!.id), '4000000000000341')
  const later = async (days: number) => {
    await fake.advance({ days, ms: 7_200_000 })
    for (let n = 0; n < 5; n++) {
      await fake.deliver()
      await m.runDueJobs()
    }
  }
  const start = fake.now()
  await later(7)
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  const failed = day.format(Date.parse(start.toISOString()) + 7 * 86_400_000)
  t.true((await page()).includes(`Closed: the payment of ${failed} failed and the trial had ended.`), failed)
  t.regex(
    await page('de'),
    /Geschlossen: Die Zahlung vom [^<]+ ist fehlgeschlagen, und die Probezeit war beendet\./,
  )
  await later(60)
  t.is((await m.users.findById(user.id))?.subscriptions({ price: 'price_month' as never })[0]?.id, id)
  t.notRegex(await page(), /was cancelled/)
  t.true((await page()).includes(`Closed: the payment of ${failed} failed and the trial had ended.`))
})

test('Today lists the last payments, sign-ups and cancellations by name; lists, the log and the CSV say names, what was bought once, and amounts as accountants write them', async (t) => {
  const opened = await openOfficeSite(t, {
    office: { who: () => ({ name: 'ada', role: 'operator' }) },
  })
  const { m, site, fake } = opened
  const { user } = await buy(opened, 'ann@example.com')
  await buy(opened, 'bob@example.com', { path: '/membership/payment', product: 'price_book' })
  const visitor = createVisitor(site)
  const rows = (html: string, section: string) =>
    new RegExp(`aria-labelledby="${section}-title"[\\s\\S]*?</section>`).exec(html)?.[0] ?? ''

  const today = (await visitor.get(office)).text
  t.regex(rows(today, 'payments'), /bob@example\.com[\s\S]*€19[\s\S]*ann@example\.com[\s\S]*€9/)
  t.regex(rows(today, 'sign_ups'), /ann@example\.com/)
  t.regex(rows(today, 'cancellations'), /None yet/)
  t.regex((await visitor.get(`${office}/members`)).text, /bob@example\.com[\s\S]*?book[\s\S]*?bought once/i)

  await confirm(
    visitor,
    `${office}/members/${user.id}/do/refund?payment=${user.payments()[0]!.id}&amount=2.50`,
  )
  const given = await confirm(visitor, `${office}/members/${user.id}/do/grant?gate=team&months=3`)
  t.is(given.fields.until, '2026-04-15')
  await m.subscriptions.cancel({ user, subscriptionId: user.subscriptions()[0]!.id, when: 'now' })
  await fake.deliver()
  await m.runDueJobs()
  // On a busy machine, where counting takes long, Today shows figures of up to a minute ago.
  const cancelled = async () => {
    const shown = rows((await visitor.get(office)).text, 'cancellations')
    if (!shown.includes('ann@')) await fake.advance({ ms: 61_000 })
    return shown.includes('ann@')
  }
  for (let n = 0; n < 50 && !(await cancelled()); n++) await setTimeout(20)
  t.true(await cancelled())
  const log = (await visitor.get(`${office}/log`)).text
  t.regex(log, /Refund[\s\S]*ann@example\.com[\s\S]*amount refunded €2\.50/)
  t.false(log.includes(`<code>${user.id}</code>`))

  const month = fake.now().toISOString().slice(0, 7)
  const csv = (await visitor.get(`${office}/money/list.csv?kind=received&month=${month}`)).text
  t.regex(csv, /^\uFEFF?Date,Invoice,Item,Name,E-mail,Amount,Currency,/)
  const [payment] = user.payments()
  t.true(csv.includes(`2026-01-15,${payment!.invoice_id},`), csv)
  t.regex(csv, /ann@example\.com,9\.00,EUR,stripe/)
  t.regex(csv, /bob@example\.com,19\.00,EUR,stripe/)
})

test('every number of Money and Plans opens its list, also as a CSV, and each picture has a table', async (t) => {
  const opened = await openOfficeSite(t, { office: { who: () => ({ name: 'ada', role: 'viewer' }) } })
  const { fake, site, m } = opened
  const { user } = await buy(opened, 'ann@example.com')
  await buy(opened, 'bob@example.com', { path: '/membership/subscribe/team' })
  await m.payments.refund({ payment: user.payments()[0]!, amount: 100 })
  fake.failNextPayment(user.subscriptions()[0]!.id)
  await fake.advance({ months: 1, days: 5 })
  await fake.deliver()
  await m.runDueJobs()
  await m.subscriptions.cancel({ user, subscriptionId: user.subscriptions()[0]!.id, when: 'now' })
  await fake.deliver()
  await m.runDueJobs()
  await fake.advance({ months: 1 })
  const visitor = createVisitor(site)
  const money = await visitor.get(`${office}/money`)
  for (const name of [
    'recurring-EUR',
    'movements-EUR',
    'memberships',
    'churn',
    'money-EUR',
    'failures-EUR',
  ]) {
    const svg = new RegExp(
      `role="img" aria-labelledby="plot-${name}-title plot-${name}-told"[\\s\\S]*?</figure>`,
    ).exec(money.text)?.[0]
    t.regex(svg ?? '', /<title id=[\s\S]*?<desc id=[^>]*>[^<]*at most[\s\S]*<table/, name)
  }
  // MRR of earlier months is a sum of terms that were, of which no list is kept.
  const listed = money.text.replace(/<section aria-labelledby="mrr-title">[\s\S]*?<\/section>/, '')
  const plain = [...listed.matchAll(/<(?:td class="num"|b)>(?!<a)([^<]*[1-9][^<]*)</g)].map(
    ([, number]) => number,
  )
  t.deepEqual(plain, [])
  const plans = await visitor.get(`${office}/plans`)
  const today = await visitor.get(office)
  const links = new Map(
    [money, plans, today].flatMap(({ text }) =>
      [...text.matchAll(/href="(\/membership\/office\/money\/list\?[^"]+)"[^>]*>([^<]*)</g)].map(
        ([, href, number]) => [href!.replaceAll('&amp;', '&'), number!] as const,
      ),
    ),
  )
  t.true(links.size > 15, String(links.size))
  for (const [href, number] of links) {
    const list = await visitor.get(href)
    t.is(list.status, 200, href)
    const count = Number(/<h1>[^<]*<span class="muted">(\d+)</.exec(list.text)?.[1])
    if (/^\d+$/.test(number)) t.is(count, Number(number), href)
    else t.true(count > 0 || number === '0%', `${href} ${number}`)
    const csv = await visitor.get(href.replace('/list?', '/list.csv?'))
    t.is(strictRows(csv.text).length, count, href)
  }
  t.true(strictRows((await visitor.get(`${office}/money/mrr.csv`)).text).length > 0)
  for (const wrong of ['kind=nothing', 'kind=lost&month=x', 'kind=lost&month=2026-01&until=x'])
    t.is((await visitor.get(`${office}/money/list?${wrong}`)).status, 400, wrong)
})

test('Today shows the rest of imports and switches with the reason, stores only the address, and settles it once', async (t) => {
  const role = { is: 'viewer' as 'viewer' | 'operator' }
  const opened = await openOfficeSite(t, { office: { who: () => ({ name: 'ada', role: role.is }) } })
  const { m, site, fake } = opened
  const { user, id: subscription } = await buy(opened, 'ann@example.com')
  const visitor = createVisitor(site)
  t.regex((await visitor.get(office)).text, /All clear/)

  const file = (...rows: string[]) => Buffer.from(['email,plan', ...rows].join('\n'))
  const first = file('bea@example.com,pro', 'not-an-address,pro', 'cleo@example.com,Platinum')
  const options = { map: { email: 'email', price_id: 'plan' } as never }
  await m.operator.import({ file: first, ...options })
  t.regex((await visitor.get(office)).text, /All clear/, 'what was only tried leaves nothing')
  await m.operator.import({ file: first, ...options, write: true })
  await m.operator.import({ file: first, ...options, write: true })
  await m.operator.import({ provider: 'stripe', write: true, finish: AbortSignal.abort() })
  const asked = { to_provider: 'paddle', price_id: null, round: 1 }
  const moved = m.storage.prepareMany<Record<string, string | number | null>>(
    'moved',
    {
      all: ['provider', 'account', 'id', 'to_provider', 'until', 'price_id', 'state', 'round', 'updated_at'],
      key: ['id'],
    },
    (db, rows) => db.insertInto('switches').values(rows as never),
  )
  const moment = fake.now().toISOString()
  const later = new Date(fake.now().getTime() + 86_400_000).toISOString()
  const row = (id: string, state: string, until: string, updated_at: string) =>
    step(moved, { provider: 'stripe', account: '', id, ...asked, until, state, updated_at })
  await m.storage.commit([
    row(subscription, 'unsure', later, moment),
    row('sub_over', 'unsure', '2026-01-01T00:00:00.000Z', moment),
    row('sub_now', 'asked', later, moment),
    row('sub_lost', 'asked', later, '2026-01-01T00:00:00.000Z'),
    row('sub_well', 'ending', later, moment),
  ])

  const today = await visitor.get(office)
  t.regex(today.text, /2 rows or accounts were not imported/)
  t.regex(today.text, /1 import is not finished/)
  t.regex(today.text, /2 memberships that move to another provider are unclear/)
  t.is([...today.text.matchAll(/class="button quiet" href="\/membership\/office\/leftovers"/g)].length, 3)
  const page = await visitor.get(`${office}/leftovers`)
  for (const what of [
    /<th scope="row">3<\/th><td>…<\/td><td>The address is not valid/,
    /c…@example\.com/,
    /Its access is not mapped to a gate/,
    /--provider stripe --write/,
    /sub_lost/,
    new RegExp(`href="${office}/members/${user.id}"`),
  ])
    t.regex(page.text, what)
  t.notRegex(page.text, /sub_over|sub_now|sub_well|Platinum|not-an-address|cleo@|leftovers\/settle/)
  const kept = await m.storage.read((db) =>
    db.selectFrom('documents').select('value').where('space', '=', 'import-left'),
  )
  t.is(kept.length, 1, 'once for one file')
  t.notRegex(kept[0]!.value, /Platinum|not-an-address|cleo@/)
  t.is((await visitor.get(`${office}/leftovers/settle?begun=stripe`)).status, 403)

  role.is = 'operator'
  const links = [...(await visitor.get(`${office}/leftovers`)).text.matchAll(/href="([^"]+settle[^"]+)"/g)]
  t.is(links.length, 2)
  for (const [, link] of links) {
    const settled = await confirm(visitor, link!.replaceAll('&amp;', '&'))
    t.regex(settled.answer.text, /Removed from the list/)
    t.regex((await settled.send()).text, /There is no import/)
  }
  t.notRegex((await visitor.get(office)).text, /import/)
  const noted = (await m.operator.audit.list()).map(({ action, by, outcome }) => `${action} ${by} ${outcome}`)
  t.deepEqual(noted, Array(2).fill('import-settle ada done'))
  t.is((await visitor.get(`${office}/leftovers/settle?import=nothing`)).status, 404)
})

test('a member’s page lists sent mails with their time, without their content, as long as the account exists', async (t) => {
  const opened = await openOfficeSite(t)
  const { m, enter, mailbox, fake, site } = opened
  const { user } = await buy(opened, 'ann@example.com')
  await logIn({ m, site }, mailbox, 'ann@example.com')
  const { visitor } = await enter('ada@example.com')
  const at = fake.now().toISOString().slice(0, 10)
  const page = await visitor.get(`${office}/members/${user.id}`)
  const lines = [...page.text.matchAll(/<time datetime="([^"]+)">[^<]*<\/time>\s*<p>Mail sent: ([^<]+)</g)]
  const mails = lines.map(([, , kind]) => kind)
  t.true(mails.includes('Login link') && mails.includes('Receipt'), mails.join())
  t.true(lines.every(([, moment]) => moment!.startsWith(at)))
  const link = mailbox.link('ann@example.com').split('/').at(-1)!
  const rows = JSON.stringify(await m.storage.read((db) => db.selectFrom('sent_mails').selectAll()))
  t.false(page.text.includes(link) || rows.includes(link) || rows.includes('ann@example.com'))
  const german = await visitor.get(`${office}/members/${user.id}`, { 'accept-language': 'de' })
  t.regex(german.text, /E-Mail gesendet: Anmeldelink/)
  await m.users.delete(user.id)
  await m.runDueJobs()
  await fake.advance({ days: 1 })
  await m.runDueJobs()
  const left = await m.storage.read((db) =>
    db.selectFrom('sent_mails').select('kind').where('member_id', '=', user.id),
  )
  t.deepEqual(left, [])
})

test('the office revokes a key, suspends and readmits a partner, excludes and restores a host, confirmed, once and logged', async (t) => {
  const opened = await openOfficeSite(t, {
    ...withIndex,
    office: { who: () => ({ name: 'ada', role: 'operator' }) },
  })
  const { m, site } = opened
  const visitor = createVisitor(site)
  const partner = await m.reports.partners.add({ name: 'Ann', email: 'ann@partner.example' })
  const { key } = await m.reports.keys.issue(partner.id)
  const opens = async () => (await fetch(`${site}/reports`, { headers: { 'X-API-KEY': key } })).status
  const link = async (name: string) => {
    const { text } = await visitor.get(`${office}/index`)
    const found = new RegExp(`href="(${office}/index/do/${name}\\?[^"]+)"`).exec(text)?.[1]
    t.truthy(found, name)
    return found!.replaceAll('&amp;', '&')
  }
  t.is(await opens(), 200)
  await visitor.get(await link('partner-suspend'))
  t.is(await opens(), 200, 'looking does nothing')
  const suspended = await confirm(visitor, await link('partner-suspend'))
  t.regex(suspended.page.text, /All keys of Ann stop working/)
  t.is(await opens(), 401)
  await confirm(visitor, await link('partner-activate'))
  t.is(await opens(), 200)
  t.regex((await suspended.send()).text, /not done again/)
  t.is(await opens(), 200, 'sent again, it changes nothing')
  await confirm(visitor, await link('key-revoke'))
  t.is(await opens(), 401)

  const kept = await confirm(visitor, `${office}/index/do/exclude?pattern=kept-out.org&reason=asked`)
  t.regex(kept.answer.text, /Excluded\. 0 websites were removed/)
  t.is((await m.reports.operator.exclusions()).length, 1)
  await confirm(visitor, await link('restore'))
  t.deepEqual(await m.reports.operator.exclusions(), [])
  t.is((await visitor.get(`${office}/index/do/exclude?pattern=x.org`)).status, 400, 'a reason is needed')
  t.is((await visitor.get(`${office}/index/do/key-revoke?key_id=key_of_nobody`)).status, 404)
  t.deepEqual(
    (await m.operator.audit.list()).map(({ action, by, outcome }) => `${action} ${by} ${outcome}`).sort(),
    ['exclude', 'key-revoke', 'partner-activate', 'partner-suspend', 'restore'].map(
      (item) => `${item} ada done`,
    ),
  )
  const [noted] = await m.reports.audit.list({ limit: 1 })
  t.is(noted?.actor, 'operator:ada')
})

test('the office manages partners, keys and website lists like the commands: confirmed, once, logged, a key shown once', async (t) => {
  const web = await startWeb({ 'a.example': { '/': kirbyPage(evil) }, 'b.example': { '/': kirbyPage('B') } })
  t.teardown(web.close)
  const role = { is: 'operator' as 'viewer' | 'operator' }
  const opened = await openOfficeSite(t, {
    ...withIndex,
    'membership.reports.crawl.pause_seconds': 0,
    reports: web.options,
    office: { who: () => ({ name: 'ada', role: role.is }) },
  })
  const { m, site, fake } = opened
  const visitor = createVisitor(site)
  const at = `${office}/index/do`
  const add = (name: string, email: string) => `${at}/partner-add?${new URLSearchParams({ name, email })}`
  const added = await confirm(visitor, add('Ann', ' ANN@partner.example '))
  t.regex(added.page.text, /Ann \(ann@partner\.example\) becomes a partner/)
  t.regex((await added.send()).text, /There is a partner with the address|was not done again/)
  t.is((await m.reports.partners.list()).length, 1)
  for (const wrong of [add('', 'x@partner.example'), add('X', 'nothing'), add('X', 'ann@partner.example')])
    t.is((await visitor.get(wrong)).status, 400, wrong)
  const partner = (await m.reports.partners.list())[0]!

  const issued = await confirm(
    visitor,
    `${at}/key-issue?partner=${partner.id}&label=ci&scope=read&expires=2027-01-01`,
  )
  t.regex(issued.page.text, /read their own websites and change nothing[\s\S]*stops working on 2027-01-01/)
  const keyIn = (text: string) => /value="(mk_[^"]+)"/.exec(text)?.[1] ?? ''
  const key = keyIn(issued.answer.text)
  t.is(issued.answer.headers.get('cache-control'), 'private, no-store')
  const opens = async (item: string, method = 'GET') =>
    (await fetch(`${site}/reports?url=http://a.example/`, { method, headers: { 'X-API-KEY': item } })).status
  t.is(await opens(key), 200)
  t.is(await opens(key, 'POST'), 403, 'it only reads')
  const again = await issued.send()
  t.regex(again.text, /not done again/)
  t.is(keyIn(again.text), '')
  t.is((await m.reports.keys.list()).length, 1)
  for (const wrong of ['scope=all', 'expires=2020-01-01', 'expires=soon'])
    t.is((await visitor.get(`${at}/key-issue?partner=${partner.id}&${wrong}`)).status, 400, wrong)

  const writing = keyIn((await confirm(visitor, `${at}/key-issue?partner=${partner.id}`)).answer.text)
  const [, { id: keyId } = { id: '' }] = await m.reports.keys.list()
  const rotated = await confirm(visitor, `${at}/key-rotate?key_id=${keyId}`)
  const newer = keyIn(rotated.answer.text)
  t.deepEqual([await opens(writing), await opens(newer)], [200, 200])
  await fake.advance({ days: 2 })
  t.deepEqual([await opens(writing), await opens(newer)], [401, 200])
  t.is(await opens(newer, 'POST'), 201)

  await confirm(visitor, add(evil, 'eve@partner.example'))
  const eve = (await m.reports.partners.list()).find(({ email }) => email === 'eve@partner.example')!
  const list = `http://a.example/\r\nnowhere.example\n${evil}`
  const token = await visitor.formToken()
  const html = { accept: 'text/html' }
  const look = await visitor.send(`${office}/index/relink`, { token, partner: eve.id, list }, html)
  t.regex(
    look.text,
    /This links 1 website to &lt;script&gt;[\s\S]*linked to another partner until now: <b>1<\/b>/,
  )
  t.regex(look.text, /<textarea name="list" hidden>http:\/\/a\.example/)
  t.notRegex(look.text, /<script>alert/)
  const owned = async () => (await m.reports.websites({ limit: 10 })).data.map(({ partner_id }) => partner_id)
  t.deepEqual(await owned(), [partner.id], 'looking does nothing')
  const form = { token, key: /name="key" value="([^"]+)"/.exec(look.text)![1]!, partner: eve.id, list }
  const linked = await visitor.send(`${at}/relink`, form, html)
  t.regex(linked.text, /1 website is linked to &lt;script&gt;/)
  t.deepEqual(await owned(), [eve.id])
  t.regex((await visitor.send(`${at}/relink`, form, html)).text, /not done again/)
  t.is((await m.reports.operator.batches(9)).length, 1)
  t.is((await visitor.send(`${at}/relink`, { ...form, key: 'k' }, html)).status, 400)

  const told = JSON.stringify([await m.operator.audit.list(), await m.reports.audit.list({ limit: 50 })])
  for (const secret of [key, writing, newer]) t.false(told.includes(secret))
  t.deepEqual(
    (await m.operator.audit.list()).map(({ action, by, outcome }) => `${action} ${by} ${outcome}`).sort(),
    ['key-issue', 'key-issue', 'key-rotate', 'partner-add', 'partner-add', 'relink'].map(
      (item) => `${item} ada done`,
    ),
  )
  role.is = 'viewer'
  const page = await visitor.get(`${office}/index`)
  t.notRegex(page.text, /index\/do\/|index\/relink/)
  t.is((await visitor.get(`${office}/index/relink`)).status, 403)
  t.is((await visitor.send(`${office}/index/relink`, { token, partner: eve.id, list }, html)).status, 403)
})

test('the log is listed page by page, each action once, even if many share a moment', async (t) => {
  const opened = await openOfficeSite(t, { office: { who: () => ({ name: 'ada', role: 'viewer' }) } })
  const { m, site } = opened
  const [ann, bob] = await Promise.all(
    ['ann@example.com', 'bob@example.com'].map((email) => m.users.create({ email })),
  )
  for (let i = 0; i < 230; i++)
    await m.operator.audit.during(
      { by: 'ada', action: 'note', memberId: (i % 2 === 0 ? ann : bob)!.id, subject: `note-${i}` },
      async () => i,
    )
  const visitor = createVisitor(site)
  const walk = async (path: string): Promise<string[]> => {
    const { text } = await visitor.get(path)
    const found = [...text.matchAll(/<td>(note-\d+)/g)].map(([, subject]) => subject!)
    const next = /<a href="([^"]+)" rel="next">/.exec(text)?.[1]
    return next === undefined ? found : [...found, ...(await walk(next.replaceAll('&amp;', '&')))]
  }
  const all = await walk(`${office}/log`)
  t.deepEqual([all.length, new Set(all).size], [230, 230])
  const own = await walk(`${office}/log?member=${bob!.id}`)
  t.is(new Set(own).size, 115)
  t.true(own.every((subject) => Number(subject.slice(5)) % 2 === 1))
  t.is((await visitor.get(`${office}/log?before=${encodeURIComponent("' or 1=1 --")}`)).status, 200)
})

test('the check is a to-do list: open items with advice first, the rest ticked', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'checked-'))
  t.teardown(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'config'))
  await writeFile(join(root, 'config', 'membership.yml'), 'membership.reports.sytem: kirby\n')
  const checks = (await examine(root, { env: {}, now: () => new Date(), randomId: () => 'x' })).checks
  const { topics, done, count } = checklistOf(checks)
  t.is(done, checks.filter(({ status }) => status === 'ok').length)
  t.true(count > done, JSON.stringify(checks))
  const told = topics.flatMap(({ lines }) => lines.map(({ what }) => what))
  t.deepEqual(told.sort(), checks.map(({ what }) => what).sort(), 'nothing is left out')
  const opened = await openOfficeSite(t, { office: { who: () => ({ name: 'ada', role: 'viewer' }) } })
  const page = await createVisitor(opened.site).get(`${office}/check?look=1`)
  t.is(page.status, 200)
  const render = (lines: typeof checks) =>
    opened.m.pages.render('office/check', {
      t: (key: string) => key,
      hasWord: () => true,
      moment: String,
      number: String,
      percent: String,
      site: 's',
      path: '',
      who: null,
      ownPages: [],
      title: '',
      language: 'en',
      direction: 'ltr',
      health: { status: 'ok', troubles: [], endpoints: [] },
      unwatched: [],
      list: checklistOf(lines),
    })
  const watched = (seconds: number) => ({
    provider: 'stripe',
    account: '',
    last_delivery_at: null,
    failure_rate: 0,
    usual_gap_seconds: seconds,
  })
  const gaps = opened.m.pages.render('office/check', {
    t: (key: string, { count }: { count?: number } = {}) => `${key} ${count ?? ''}`,
    hasWord: () => true,
    moment: String,
    number: String,
    percent: String,
    site: 's',
    path: '',
    who: null,
    ownPages: [],
    title: '',
    language: 'en',
    direction: 'ltr',
    health: { status: 'ok', troubles: [], endpoints: [600, 36_000, 31 * 86_400].map(watched) },
    unwatched: [],
    list: null,
  })
  for (const gap of ['check.minutes 10', 'check.hours 10', 'check.days 31']) t.true(gaps.includes(gap), gap)
  const html = render([...checks, { ...checks[0]!, status: 'problem', what: evil, fix: evil }])
  t.regex(html, /is-problem"><p><span class="o-tick" aria-hidden="true">○/)
  t.regex(html, /is-ok"><p><span class="o-tick" aria-hidden="true">✓/)
  t.regex(html, /→ &lt;script&gt;/)
  t.notRegex(html, /<script>alert/)
  t.true(html.indexOf('is-problem') < html.indexOf('is-ok'))
})

test('without `membership.office.enabled` there is no office', async (t) => {
  const { site, m } = await openOfficeSite(t, { 'membership.office.enabled': false })
  for (const path of ['', '/', '/enter', '/members', '/log', '/index']) {
    const { status } = await createVisitor(site).get(`${office}${path}`)
    t.is(status, 404, path)
  }
  t.deepEqual(
    m.listRoutes().filter(({ path }) => path.startsWith(office)),
    [],
  )
})

const evil = '<script>alert(1)</script>'
const withIndex = {
  'membership.reports.system': 'kirby',
  'membership.reports.contact': 'index@operator.example',
  'membership.reports.crawl.enabled': false,
}
const actionNames =
  'grant revoke cancel resume change refund pay-link login-link compare merge delete note'.split(' ')

/** Every address of the office, as it stands for one member, one received event and one page of the site's own. */
function addressesOf(m: OfficeSite['m'], { id, seq }: { id: string; seq: string }) {
  return m
    .listRoutes()
    .filter(({ path }) => path.startsWith(office))
    .flatMap(({ method, path, access: { none } }) =>
      (path.includes(':action') ? actionNames : ['']).map((action) => ({
        method,
        mayLook: /viewers/.test(none),
        isDoor: /to show/.test(none),
        path: path
          .replace(':id', id)
          .replace(':action', action)
          .replace(':seq', seq)
          .replace(':page', 'extra'),
      })),
    )
}

test('no office address opens without a login, for a member, or for a foreign or tokenless form; viewers only read', async (t) => {
  const opened = await openOfficeSite(t, {
    ...withIndex,
    'membership.ratelimit.trust_proxy': 1,
    office: { pages: [{ path: 'extra', title: 'Extra', render: () => 'hello' }] },
  })
  const { m, site, enter, mailbox } = opened
  const { user, visitor: member } = await buy(opened, 'ann@example.com')
  const { visitor: viewer } = await enter('vic@example.com', 'viewer')
  const { visitor: operator } = await enter('ada@example.com')
  const half = await logIn({ m, site }, mailbox, 'ada@example.com')
  const [event] = await m.webhooks.list({ limit: 1 })
  const addresses = addressesOf(m, { id: user.id, seq: String(event!.seq) })
  t.true(addresses.length > 40)
  const nobody = createVisitor(site)
  const [text, json] = [{ accept: 'text/html' }, { accept: 'application/json' }]
  for (const { method, path, mayLook, isDoor } of addresses) {
    const at = `${method} ${path}`
    // Each address of the office is asked for from an address of its own, within the limit of a minute.
    const from = { 'x-forwarded-for': `10.0.${addresses.findIndex((address) => address.path === path)}.1` }
    if (method === 'GET') {
      for (const [who, status] of [
        [nobody, 401],
        [member, 403],
        [half, 403],
      ] as const) {
        if (isDoor) continue
        const answer = await who.get(path, { ...from, accept: 'application/json' })
        t.is(answer.status, status, at)
        t.truthy(answer.json.code, at)
        const page = await who.get(path, from)
        t.true([302, 403].includes(page.status), `${at} ${page.status}`)
        if (page.status === 302) t.regex(page.location!, /^\/membership\/(login|office\/enter)\?/, at)
        t.notRegex(page.text, /ann@example/, at)
      }
      const looked = await viewer.get(path, { ...from, accept: 'application/json' })
      if (!mayLook) t.is(looked.status, 403, at)
      else t.not(looked.status, 403, at)
      t.true(looked.status < 500, `${at} ${looked.text.slice(0, 200)}`)
      continue
    }
    for (const [who, status] of [
      [nobody, 401],
      [member, 403],
      [viewer, 403],
      [half, 403],
    ] as const)
      if (!isDoor)
        t.is((await who.send(path, { key: 'k'.repeat(20) }, { ...from, ...json })).status, status, at)
    const elsewhere = { ...text, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    t.is((await operator.send(path, {}, elsewhere)).json.code, 'ERR_CSRF', at)
    t.is((await operator.send(path, { token: 'made-up' }, text)).json.code, 'ERR_CSRF', at)
    t.is((await operator.send(path, { token: await viewer.formToken() }, text)).json.code, 'ERR_CSRF', at)
  }
  t.deepEqual(await m.operator.audit.list(), [])
  t.is((await operator.get(office)).status, 200)
  t.deepEqual((await m.users.findById(user.id))?.grants(), [])
})

test('names of members, purchases and events stay text on every page, and a formula stays text in the CSV', async (t) => {
  const opened = await openOfficeSite(t, {
    ...withIndex,
    office: { pages: [{ path: 'extra', title: evil, render: () => 'hello' }] },
  })
  const { m, enter } = opened
  const { user } = await buy(opened, 'ann@example.com')
  const { visitor } = await enter('ada@example.com')
  const mallory = await m.users.create({ email: '=cmd@example.com', name: `${evil} "onmouseover=" ann` })
  await m.users.grant({ memberId: user.id, gate: evil, reason: evil })
  for (const id of [mallory.id, user.id])
    await confirm(visitor, `${office}/members/${id}/do/note?text=${encodeURIComponent(evil)}`)
  const partner = await m.reports.partners.add({ name: evil, email: 'eve@partner.example' })
  await m.reports.keys.issue(partner.id, { label: evil })
  await m.reports.operator.exclude('kept-out.org', evil)
  const left = { id: evil, kind: 'file' as const, name: evil, at: opened.fake.now().toISOString() }
  await createLeftovers(m.storage).note({ ...left, rows: [{ at: evil, email: evil, code: evil }] })
  const index = await visitor.get(`${office}/index`)
  for (const what of ['eve@partner.example', 'kept-out.org', '&lt;script&gt;alert(1)&lt;/script&gt;'])
    t.true(index.text.includes(what), what)
  t.is((await visitor.get(`${office}/index/websites?partner=${partner.id}&status=listed`)).status, 200)
  const [event] = await m.webhooks.list({ limit: 1 })
  let seen = 0
  for (const id of [mallory.id, user.id])
    for (const { method, path } of addressesOf(m, { id, seq: String(event!.seq) })) {
      if (method !== 'GET') continue
      const { text, status, headers } = await visitor.get(
        `${path}?q=${encodeURIComponent('" onfocus="')}&text=${encodeURIComponent(evil)}&other=${mallory.id}`,
      )
      t.true(status < 500, path)
      if (/json|csv/.test(headers.get('content-type') ?? '')) continue
      t.notRegex(text, /<script>alert|" onfocus="|" ?"?onmouseover="/, path)
      if (status === 200 && !/<title>/.test(text)) t.fail(path)
      if (status === 200 && path !== `${office}/enter`)
        t.regex(
          headers.get('content-security-policy') ?? '',
          /default-src 'none'; style-src 'self'; script-src 'self'/,
          path,
        )
      if (text.includes('&lt;script&gt;')) seen++
    }
  t.true(seen >= 4)
  const csv = await visitor.get(`${office}/members.csv`)
  t.regex(csv.text, /'=cmd@example\.com/)
  t.notRegex(csv.text, /(^|,)=cmd/m)
})

test('members.csv has a cell below each heading for every member, and another site imports it', async (t) => {
  const opened = await openOfficeSite(t, { office: { who: () => ({ name: 'ada', role: 'viewer' }) } })
  const { m, site } = opened
  const { user } = await buy(opened, 'ann@example.com')
  await m.users.create({ email: '=bea@example.com', name: '-Bea, of "B"' })
  const { text } = await createVisitor(site).get(`${office}/members.csv`)
  const rows = strictRows(text)
  t.is(rows.length, 2)
  const ann = rows.find(({ email }) => email === 'ann@example.com')!
  t.like(ann, { id: user.id, provider: 'stripe', status: 'active' })
  t.like(
    rows.find(({ email }) => email !== 'ann@example.com'),
    { email: "'=bea@example.com", plan: '', status: '', until: '', provider: '', subscription: '' },
  )

  const { m: other } = await openOfficeSite(t)
  const imported = await other.operator.import({
    file: Buffer.from(text),
    map: { email: 'email', name: 'name', price_id: 'plan', ends_at: 'until' },
    gates: { [ann.plan!]: 'pro' },
    write: true,
  })
  t.like(imported, { rows: 2, created: 2, granted: 1, refused: [] })
  t.true((await other.users.findByEmail('ann@example.com'))!.hasGate('pro' as never))
  t.is((await other.users.findByEmail('=bea@example.com'))?.name, '-Bea, of "B"')
})

test('a code works once, wrong ones lock, a recovery code works once, and a removed operator is out at once', async (t) => {
  const { fake, m, site, enter, operators } = await openOfficeSite(t, {
    'membership.url': 'http://127.0.0.1',
  })
  const { visitor, code, codes, sealed } = await enter('ada@example.com')
  const text = { accept: 'text/html' }
  const again = async () => {
    const user = (await m.users.findByEmail('ada@example.com'))!
    const { url } = await m.users.loginLink(user.id)
    const browser = createVisitor(site)
    await browser.send(new URL(url).pathname)
    return browser
  }
  const door = (who: Visitor, given: string) => who.send(`${office}/enter`, { code: given }, text)

  const second = await again()
  t.is((await second.get(office)).location, `${office}/enter?redirect=%2Fmembership%2Foffice`)
  t.is((await door(second, code())).status, 403, 'the code of the enrolment was used')
  t.is(
    (await second.send(`${office}/enrol`, { sealed, code: code() }, text)).status,
    401,
    'nobody enrols twice',
  )
  await fake.advance({ ms: 30_000 })
  const third = await again()
  const [a, b] = await Promise.all([door(second, code()), door(third, code())])
  t.deepEqual([a.status, b.status].sort(), [303, 403], 'two browsers with one code')

  const guesser = await again()
  const guesses: number[] = []
  while (guesses.length < 6) guesses.push((await door(guesser, '000000')).status)
  t.deepEqual(guesses.slice(0, 4), [403, 403, 403, 403])
  t.is(guesses.at(-1), 429)
  await fake.advance({ ms: 60_000 })
  t.is((await door(guesser, code())).status, 429, 'the right one, too late')
  t.is((await door(guesser, codes[0]!)).status, 429)
  await fake.advance({ ms: 15 * 60_000 })
  t.is((await door(guesser, codes[0]!.toLowerCase())).status, 303)
  const fourth = await again()
  t.is((await door(fourth, codes[0]!)).status, 403, 'a recovery code works once')
  const [row] = await m.storage.read((db) => db.selectFrom('operators').selectAll())
  t.notRegex(JSON.stringify(row), /[A-Z2-7]{32}/, 'the secret is sealed')

  await fake.advance({ ms: 12 * 3_600_000 })
  t.is((await guesser.get(office)).status, 302, 'a day later it is asked for again')
  await door(guesser, codes[1]!)
  t.is((await guesser.get(office)).status, 200)
  await operators.remove('ada@example.com')
  t.is((await guesser.get(office)).status, 403)
  t.is((await visitor.get(office)).status, 403)
})

test('the site’s own login may vouch for an operator or viewer, and nobody else', async (t) => {
  const names: Record<string, unknown> = {
    op: { name: 'Olga', role: 'operator' },
    view: { name: 'Vic', role: 'viewer' },
    odd: { name: 'Odd', role: 'root' },
    none: null,
  }
  const { site, m } = await openOfficeSite(t, {
    office: { who: (ctx) => names[ctx.get('x-who')] as never },
  })
  const visitor = createVisitor(site)
  const statusOf = async (who: string, path = office) => (await visitor.get(path, { 'x-who': who })).status
  t.deepEqual(
    [await statusOf('op'), await statusOf('view'), await statusOf('odd'), await statusOf('none')],
    [200, 200, 403, 403],
  )
  const user = await m.users.create({ email: 'ann@example.com' })
  t.is(await statusOf('view', `${office}/members/${user.id}/do/note?text=a`), 403)
  t.is(await statusOf('op', `${office}/members/${user.id}/do/note?text=a`), 200)
})

test('the office shows event gaps, pulls missing events, shows before and after, and replays a filter’s events', async (t) => {
  const opened = await openOfficeSite(t, { office: { who: () => ({ name: 'ada', role: 'operator' }) } })
  const { m, fake, site } = opened
  const { user } = await buy(opened, 'ann@example.com')
  const visitor = createVisitor(site)
  const deliveries = () => visitor.get(`${office}/deliveries`)
  t.notRegex((await deliveries()).text, /Nothing has arrived/)

  await fake.advance({ days: 20 })
  await buy(opened, 'bob@example.com')
  await fake.advance({ days: 12 })
  const silent = await deliveries()
  t.regex(silent.text, /Nothing has arrived from stripe for 1\d days/)
  t.regex(silent.text, /Nothing arrived from stripe for (1\d|20) days, from 15 Jan/)
  const link = /href="(\/membership\/office\/pull\?[^"]+)"/.exec(silent.text)![1]!.replaceAll('&amp;', '&')
  t.is((await m.users.findById(user.id))!.payments().length, 1)
  const pulled = await confirm(visitor, link)
  t.regex(pulled.page.text, /applies each one once/)
  t.regex(pulled.answer.text, /Fetched \d+ events\. [1-9]\d* of them were new/)
  t.is((await m.users.findById(user.id))!.payments().length, 2)
  const [noted] = await m.operator.audit.list()
  t.like(noted, { by: 'ada', action: 'pull', outcome: 'done' })
  const elsewhere = await visitor.get(`${office}/pull?provider=nobody&since=2026-01-01T00:00:00Z`)
  t.is(elsewhere.status, 400, elsewhere.text)

  const events = await m.webhooks.list({ limit: 100 })
  t.true(events.length > 20)
  const newest = await deliveries()
  const rowsOf = ({ text }: { text: string }) =>
    text.match(/<th scope="row"><a href="[^"]+\/deliveries\/\d+"/g) ?? []
  t.is(rowsOf(newest).length, 20)
  const older = /<p class="o-next"><a href="([^"]+)"/.exec(newest.text)![1]!.replaceAll('&amp;', '&')
  t.is(rowsOf(await visitor.get(older)).length, Math.min(20, events.length - 20))
  const renewed = events.find(({ type }) => type === 'customer.subscription.updated')!
  const page = await visitor.get(`${office}/deliveries/${renewed.seq}`)
  t.regex(page.text, /current_period_end<[^\n]*<code>2026-02-15T[^<]+<\/code><\/td><td><code>2026-03-15T/)

  const hostile = Buffer.from(JSON.stringify({ name: evil }))
  const written = m.storage.prepare<{ body: Buffer; seq: number }>('hostile', (db, p) =>
    db.updateTable('events').set({ body: p.body }).where('seq', '=', p.seq),
  )
  await m.storage.commit([step(written, { body: hostile, seq: Number(renewed.seq) })])
  const shown = await visitor.get(`${office}/deliveries/${renewed.seq}`)
  t.regex(shown.text, /<h1>customer\.subscription\.updated<\/h1>[\s\S]*&lt;script&gt;alert/)
  t.notRegex(shown.text, /<script>alert/)

  const types = events.map(({ type }) => type).filter((type) => type !== renewed.type)
  const [first, other] = [...new Set(types)] as [string, string]
  const dead = (type: string) =>
    m.storage.prepare<{ type: string }>(`dead ${type}`, (db, p) =>
      db.updateTable('events').set({ status: 'dead' }).where('type', '=', p.type),
    )
  for (const type of [first, other]) await m.storage.commit([step(dead(type), { type })])
  const again = await confirm(visitor, `${office}/apply-again?status=dead&type=${first}`)
  t.regex(again.answer.text, /\d/)
  const left = (await m.webhooks.list({ failed: true, limit: 100 })).map(({ type }) => type)
  t.deepEqual([...new Set(left)], [other])
})

test('an owner invites by a mail link that works once and removes again; nobody else may, the last owner stays, and the log has it', async (t) => {
  const opened = await openOfficeSite(t)
  const { m, enter, mailbox, site, operators } = opened
  const { visitor: owner } = await enter('ada@example.com', 'owner')
  const { visitor: operator } = await enter('bob@example.com', 'operator')
  t.regex((await owner.get(office)).text, /href="\/membership\/office\/operators"/)
  t.notRegex((await operator.get(office)).text, /href="\/membership\/office\/operators"/)
  for (const path of ['/operators', '/operators/invite?email=eve@example.com&role=owner'])
    t.is((await operator.get(office + path)).status, 403, path)
  const sent = await operator.send(`${office}/operators/invite`, {
    email: 'eve@example.com',
    role: 'owner',
    key: 'k'.repeat(20),
  })
  t.is(sent.status, 403)

  const invited = await confirm(owner, `${office}/operators/invite?email=Cleo@example.com&role=viewer`)
  t.regex(invited.answer.text, /The invitation is on its way to cleo@example\.com/)
  await m.runDueJobs()
  const link = mailbox.link('cleo@example.com')
  t.not(link, '')
  const cleo = createVisitor(site)
  const entered = await cleo.send(link, {}, { accept: 'text/html' })
  t.is(entered.location, office)
  t.regex((await cleo.get(`${office}/enter`)).text, /o-secret/, 'sets up a second factor')
  t.is((await createVisitor(site).send(link)).json.code, 'ERR_LINK', 'once')

  const removed = await confirm(owner, `${office}/operators/remove?email=cleo@example.com`)
  t.is(removed.answer.status, 200)
  t.is(await operators.find('cleo@example.com'), null)
  t.is((await cleo.get(office)).status, 403)
  const last = await confirm(owner, `${office}/operators/remove?email=ada@example.com`)
  t.regex(last.answer.text, /last owner/)
  t.is((await operators.find('ada@example.com'))?.role, 'owner')
  await t.throwsAsync(operators.add({ email: 'ada@example.com', role: 'viewer', by: 'x' }), {
    code: 'ERR_ACTION_REFUSED',
  })
  const noted = (await m.operator.audit.list({})).filter(({ action }) => action.startsWith('operator-'))
  t.deepEqual(
    noted.map(({ action, by, subject, outcome }) => [action, by, subject, outcome].join(' ')).sort(),
    [
      'operator-invite ada@example.com cleo@example.com done',
      'operator-remove ada@example.com ada@example.com failed',
      'operator-remove ada@example.com cleo@example.com done',
    ],
  )
})

test('an operator becomes nobody of a higher rank: not by a login link, a merge or a deletion, nor by an older session', async (t) => {
  const opened = await openOfficeSite(t, { 'membership.url': 'http://127.0.0.1' })
  const { m, site, fake, enter, operators, mailbox } = opened
  await enter('ada@example.com', 'owner')
  const { visitor: mallory } = await enter('mallory@example.com', 'operator')
  const boss = await m.users.create({ email: 'boss@example.com', verified: true })
  const other = await m.users.create({ email: 'other@example.com', verified: true })
  const old = await m.users.create({ email: 'old@example.com', verified: true })
  await m.users.merge({ keep: boss.id, merge: old.id, by: 'ada', write: true })
  const at = (id: string, action: string) => `${office}/members/${id}/do/${action}`

  // Before the boss is a person of the office, a link is a help as for any member.
  const early = await confirm(mallory, at(boss.id, 'login-link'))
  const [link] = /\/membership\/login\/[^\s"<]+/.exec(early.answer.text)!
  const inside = createVisitor(site)
  await inside.send(link)
  t.is((await inside.get('/membership/account')).status, 200)
  const spare = await confirm(mallory, at(boss.id, 'login-link'))
  const [unused] = /\/membership\/login\/[^\s"<]+/.exec(spare.answer.text)!

  await operators.add({ email: 'boss@example.com', role: 'owner', by: 'cli' })
  t.not((await inside.get(`${office}/enter`)).status, 200, 'the older session is over')
  t.is((await createVisitor(site).send(unused)).json.code, 'ERR_LINK', 'the older link, too')

  for (const id of [boss.id, old.id, (await m.users.findByEmail('ada@example.com'))!.id]) {
    const { answer } = await confirm(mallory, at(id, 'login-link'))
    t.notRegex(answer.text, /\/membership\/login\//, id)
    t.is(answer.status, 409, id)
  }
  const removed = await confirm(mallory, at(boss.id, 'delete'), { confirm: 'boss@example.com' })
  t.is(removed.answer.status, 409)
  const merges = [
    [boss.id, 'other@example.com'],
    [other.id, 'boss@example.com'],
  ] as const
  for (const [id, with_] of merges) {
    t.is((await mallory.get(`${at(id, 'merge')}?other=${with_}`)).status, 409, with_)
    const sent = await mallory.send(at(id, 'merge'), { other: with_, key: 'k'.repeat(20) })
    t.is(sent.status, 409, with_)
  }
  t.is((await m.users.findByEmail('boss@example.com'))?.id, boss.id)

  // The boss asks for a link, and sets up the second factor; a reset ends that session as well.
  const own = await logIn({ m, site }, mailbox, 'boss@example.com')
  t.is((await enrol(own, fake.now)).answer.status, 200)
  t.is((await own.get(`${office}/operators`)).status, 200)
  await operators.reset('boss@example.com')
  t.not((await own.get(`${office}/enter`)).status, 200)
  t.not((await own.get(office)).status, 200)
})
