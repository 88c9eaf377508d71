import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { openStorage } from '../../../src/core/storage/index.ts'
import { createDeliveries } from '../../../src/memberships/monitoring/deliveries.ts'
import type { Alert } from '../../../src/memberships/monitoring/troubles.ts'
import { allDatabases, sqliteDatabases } from '../../support/databases.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, buyByLink, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

const automatic = { 'membership.compare.automatic': true }

async function open(
  t: ExecutionContext,
  options: Parameters<typeof openStripeSite>[1] = {},
  fakeOptions: Parameters<typeof openStripeSite>[2] = {},
) {
  const alerts: Alert[] = []
  const onAlert = (alert: Alert) => void alerts.push(alert)
  const site = await openStripeSite(t, { ...automatic, onAlert, ...options }, fakeOptions)
  return { ...site, alerts }
}
async function opens({ m }: Pick<StripeSite, 'm'>, email: string) {
  return (await m.users.findByEmail(email))?.hasGate('pro' as never) ?? false
}
function minutes(fake: StripeSite['fake'], count: number) {
  return fake.advance({ ms: count * 60_000 })
}
function told(alerts: readonly Alert[]) {
  return alerts.map(({ kind, state }) => `${kind} ${state}`)
}

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: a purchase without any event has access within five minutes, whichever process polls`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const site = await open(t, { 'membership.database.url': await database.url() })
      const { m, fake } = site
      const { m: second } = await site.another()
      await m.runDueJobs()
      // On a page of ours whose buyer never comes back, and on a link that the site knows nothing of.
      const begun = await createVisitor(site.site).send('/membership/subscribe/pro', { price: 'price_month' })
      const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
      await fake.pay(session.id, { email: 'ann@example.com' })
      await buyByLink(site, { email: 'ben@example.com', price: 'price_year' })
      t.false(await opens(site, 'ann@example.com'))
      const before = fake.requests().length
      await minutes(fake, 1)
      await Promise.all([m.runDueJobs(), second.runDueJobs()])
      t.true(await opens(site, 'ann@example.com'), 'looked at half a minute after it began')
      await minutes(fake, 2)
      await Promise.all([m.runDueJobs(), second.runDueJobs()])
      t.true(await opens(site, 'ben@example.com'), 'read from the past events')
      const asked = fake.requests().slice(before)
      t.is(asked.filter(({ path }) => path.startsWith('/v1/events')).length, 1, 'by one of both')
      t.true(asked.length < 40, `${asked.length} requests`)
      // What the messages say, when they come after all, changes nothing.
      const [subscription] = (await m.users.findByEmail('ben@example.com'))!.subscriptions()
      await fake.deliver()
      await m.runDueJobs()
      t.deepEqual((await m.users.findByEmail('ben@example.com'))!.subscriptions(), [subscription!])
    },
  )

test('a begun checkout is polled at 30 seconds, 2, 5 and 15 minutes, and then no more', async (t) => {
  const { m, fake, site } = await open(t)
  await m.runDueJobs()
  await createVisitor(site).send('/membership/subscribe/pro', { price: 'price_month' })
  const began = fake.now().getTime()
  const at: number[] = []
  const asked = () => fake.requests().filter(({ path }) => /^\/v1\/checkout\/sessions\/cs_/.test(path)).length
  for (let passed = 0; passed < 1800; passed += 30) {
    await fake.advance({ ms: 30_000 })
    const before = asked()
    await m.runDueJobs()
    if (asked() > before) at.push((fake.now().getTime() - began) / 1000)
  }
  t.deepEqual(at, [30, 120, 300, 900])
})

test('with another account’s key nothing is written, nobody loses access, and it is reported once', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const first = await open(t, { 'membership.database.url': await database.url() })
  const { fake } = first
  await buy(first, 'ann@example.com')
  await first.m.runDueJobs()
  await first.m.close()
  const other = await openStripeSite(t, {}, { seed: 2 })
  await buy(other, 'stranger@example.com')
  const alerts: Alert[] = []
  const { m, close } = await first.another({
    'membership.providers.stripe.secret': other.fake.secret,
    'membership.providers.stripe.api_base': other.fake.url,
    onAlert: (alert) => void alerts.push(alert),
  })
  for (let n = 0; n < 8; n++) {
    await minutes(fake, 1441)
    await m.runDueJobs()
  }
  t.true(await opens({ m }, 'ann@example.com'))
  t.is(await m.users.findByEmail('stranger@example.com'), null, 'no stranger came in')
  // In two respects: what is new, and everything.
  t.deepEqual(told(alerts), ['compare_refused begun', 'compare_refused begun'])
  t.regex(alerts[0]!.message, /another account/)
  // The right key again.
  await close()
  const { m: right } = await first.another()
  await minutes(fake, 1441)
  await right.runDueJobs()
  t.deepEqual(told(first.alerts), ['compare_refused over', 'compare_refused over'])
  t.true(await opens({ m: right }, 'ann@example.com'))
})

test('nobody loses access with a wrong key, or with an account that became empty', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const first = await open(t, { 'membership.database.url': await database.url() })
  await buy(first, 'ann@example.com')
  await first.m.runDueJobs()
  await first.m.close()
  const empty = await openStripeSite(t, {}, { seed: 3 })
  for (const secret of ['sk_test_of_nobody', empty.fake.secret]) {
    const alerts: Alert[] = []
    const { m, close } = await first.another({
      'membership.providers.stripe.secret': secret,
      'membership.providers.stripe.api_base': empty.fake.url,
      onAlert: (alert) => void alerts.push(alert),
    })
    for (let n = 0; n < 8; n++) {
      await minutes(first.fake, 720)
      await m.runDueJobs()
    }
    t.true(await opens({ m }, 'ann@example.com'))
    t.true(alerts.length > 0 && alerts.length <= 4, told(alerts).join())
    for (const { message } of alerts) t.notRegex(message, /sk_test/, 'no secret is told')
    await close()
  }
})

test('an end without an event closes access here; more than chance explains waits for a confirmation', async (t) => {
  const site = await open(t)
  const { m, fake, alerts } = site
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}@example.com`)
  for (const email of names) await buy(site, email)
  await m.runDueJobs()
  const end = async (subscription: { id: string }) => {
    await askFake(fake, 'DELETE', `/v1/subscriptions/${subscription.id}`)
    // Its message is gone for good, there, too.
    await fake.advance({ days: 4 })
  }
  const all = fake.objects.list('subscription') as { id: string }[]
  await end(all[0]!)
  await m.runDueJobs()
  await minutes(fake, 61)
  await m.runDueJobs()
  t.is((await Promise.all(names.map((email) => opens(site, email)))).filter(Boolean).length, 6)
  t.false(alerts.some(({ kind }) => kind === 'compare_refused'))
  // Six of six: that cannot be.
  for (const item of all.slice(1)) await askFake(fake, 'DELETE', `/v1/subscriptions/${item.id}`)
  await t.throwsAsync(m.operator.compare({ write: true }), { code: 'ERR_COMPARE_REFUSED' })
  t.is((await Promise.all(names.map((email) => opens(site, email)))).filter(Boolean).length, 6)
  await m.operator.compare({ write: true, yes: true })
  t.is((await Promise.all(names.map((email) => opens(site, email)))).filter(Boolean).length, 0)
})

test('a locked-out payer presses a button that reports its findings in their language, once a minute', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const mailbox = createMailbox()
  const options = { 'membership.compare.automatic': false, 'membership.database.url': await database.url() }
  const site = await open(t, { ...options, ...mailbox.options })
  const { fake } = site
  const { visitor, user: ann } = await buy(site, 'ann@example.com', {
    path: '/membership/payment',
    product: 'price_book',
  })
  const press = (headers?: Record<string, string>) => visitor.send('/membership/account/compare', {}, headers)
  t.like((await press()).json, { status: 'equal' })
  const before = fake.requests().length
  const again = await press()
  t.is(again.status, 429)
  t.like(again.json, { status: 'waiting' })
  t.is(again.headers.get('retry-after'), '60')
  t.is(fake.requests().length, before, 'pressed again and again it asks the provider nothing')
  const page = await press({ accept: 'text/html', 'accept-language': 'de-AT,de;q=0.9' })
  t.regex(
    page.text,
    /<html lang="de"[\s\S]*<section class="notice"[\s\S]*Einen Moment[\s\S]*<form method="post"[\s\S]*erneut prüfen/,
  )
  t.regex((await press({ accept: 'text/html' })).text, /One moment/)
  const second = await site.another()
  const there = await logIn(second, mailbox, 'ann@example.com')
  const beside = () => there.send('/membership/account/compare')
  t.is((await beside()).status, 429, 'another process knows of the look')
  await minutes(fake, 1)
  const both = await Promise.all([press(), beside()])
  t.deepEqual(both.map(({ status }) => status).sort(), [200, 429], 'of two at once one looks')
  await minutes(fake, 1)
  t.like((await press()).json, { status: 'equal' })
  const stranger = createVisitor(site.site)
  t.is((await stranger.send('/membership/account/compare')).status, 401)
  const unsigned = await visitor.request('/membership/account/compare', {
    method: 'POST',
    body: new URLSearchParams(),
  })
  t.is(unsigned.status, 403, 'a form of another site asks for nothing')
  t.is(ann.email, 'ann@example.com')
})

test('a purchase without an event is open after the button was pressed', async (t) => {
  const site = await open(t, { 'membership.compare.automatic': false })
  const { fake } = site
  const { visitor } = await buy(site, 'ann@example.com', {
    path: '/membership/payment',
    product: 'price_book',
  })
  const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
  await fake.pay(session.id, { email: 'ann@example.com' })
  t.false(await opens(site, 'ann@example.com'))
  const page = await visitor.send(
    '/membership/account/compare',
    {},
    { accept: 'text/html', 'accept-language': 'en' },
  )
  t.regex(page.text, /Found\. You have access now/)
  t.true(await opens(site, 'ann@example.com'))
})

test('silence is reported once and ends with the next event, and health shows it without names', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const url = await database.url()
  const site = await open(t, { 'membership.compare.automatic': false, 'membership.database.url': url })
  const { m, fake, alerts } = site
  const health = async () => {
    const answer = await fetch(`${site.site}/membership/health`)
    return { status: answer.status, text: await answer.text() }
  }
  // Eight days with a purchase every day.
  for (let day = 0; day < 8; day++) {
    await buy(site, `buyer${day}@example.com`)
    await m.runDueJobs()
    await fake.advance({ ms: 86_400_000 })
  }
  t.deepEqual(told(alerts), [])
  t.is((await health()).status, 200)
  for (let day = 0; day < 4; day++) {
    await minutes(fake, 1440)
    await m.runDueJobs()
  }
  t.deepEqual(told(alerts), ['silence begun'])
  // A new process neither forgets it nor tells of it again.
  const second = await site.another()
  await minutes(fake, 60)
  await second.m.runDueJobs()
  t.deepEqual(told(alerts), ['silence begun'])
  const said = await fetch(`${second.site}/membership/health`)
  t.is(said.status, 503)
  const text = await said.text()
  t.like(JSON.parse(text), { status: 'trouble', troubles: [{ kind: 'silence', provider: 'stripe' }] })
  t.notRegex(text, /@|whsec_|sk_test/)
  const [endpoint] = JSON.parse(text).endpoints
  t.true(endpoint.usual_gap_seconds >= 86_000 && endpoint.usual_gap_seconds < 87_000, text)
  await buy(site, 'late@example.com')
  await minutes(fake, 2)
  await m.runDueJobs()
  t.deepEqual(told(alerts), ['silence begun', 'silence over'])
})

test('a missing, disabled or incomplete webhook at the provider is reported, and so is its correction', async (t) => {
  let data: object[] = []
  const api = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const isAsked = request.url?.startsWith('/v1/webhook_endpoints')
    response.statusCode = isAsked ? 200 : 404
    response.end(JSON.stringify(isAsked ? { object: 'list', has_more: false, data } : { error: {} }))
  }).listen(0, '127.0.0.1')
  await once(api, 'listening')
  t.teardown(() => api.close())
  const { m, fake, alerts } = await open(t, {
    'membership.url': 'https://example.com',
    'membership.providers.stripe.api_base': `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  })
  const url = 'https://example.com/membership/webhooks/stripe'
  const events = ['checkout.session.completed', 'invoice.paid']
  const states: object[][] = [
    [
      {
        url: 'https://elsewhere.example/membership/webhooks/stripe',
        status: 'enabled',
        enabled_events: ['*'],
      },
    ],
    [{ url, status: 'disabled', enabled_events: ['*'] }],
    [{ url, status: 'enabled', enabled_events: events }],
    [{ url, status: 'enabled', enabled_events: ['*'] }],
  ]
  const asked = () => alerts.filter(({ kind }) => kind.startsWith('endpoint'))
  for (const state of states) {
    data = state
    await m.runDueJobs()
    await m.runDueJobs()
    await minutes(fake, 61)
  }
  t.deepEqual(told(asked()), [
    'endpoint_missing begun',
    'endpoint_disabled begun',
    'endpoint_missing over',
    'endpoint_events begun',
    'endpoint_disabled over',
    'endpoint_events over',
  ])
  t.regex(asked()[3]!.message, /does not send .*customer\.subscription\.deleted/)
})

test('events from a database outage are counted when it is back, and none twice', async (t) => {
  let at = Date.parse('2026-03-01T12:00:00Z')
  const now = () => new Date(at)
  const storage = await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now })
  t.teardown(() => storage.close())
  const deliveries = createDeliveries(storage, now)
  const noted = (...arrivals: ('received' | 'failed' | 'refused')[]) => {
    for (const arrival of arrivals) {
      deliveries.note('stripe', '', arrival)
      at += 60_000
    }
  }
  noted('received', 'failed')
  const { commit } = storage
  Object.assign(storage, { commit: () => Promise.reject(new Error('away')) })
  await t.throwsAsync(deliveries.flush(), { message: 'away' })
  Object.assign(storage, { commit })
  at += 600_000
  noted('refused', 'received')
  await deliveries.flush()
  await deliveries.flush()
  const [stripe] = await deliveries.list()
  t.is(stripe?.last_at, '2026-03-01T12:13:00.000Z')
  t.deepEqual(stripe?.days['2026-03-01'], {
    received: 3,
    failed: 1,
    refused: 1,
    longest_gap_ms: 720_000,
  })
})
