import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { createMembership, type Membership, type MembershipOptions, type User } from '../../../src/index.ts'
import { signed } from '../../../src/testkit/index.ts'
import { countedLine } from '../../support/counted-line.ts'
import { atNewest, postgresDatabases, sqliteDatabases } from '../../support/databases.ts'
import { secret } from '../../support/host.ts'
import { chargeObject, customerObject, stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

/** One process of a site on a database that it shares: what a page says of whoever asks, and a way to be logged in. */
async function openProcess(t: ExecutionContext, url: string, options: MembershipOptions = {}) {
  const m = await createMembership({
    'membership.database.url': url,
    'membership.providers.stripe.webhook': secret,
    'membership.secret': 's'.repeat(40),
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: () => {},
    ...options,
  })
  const app = new Koa()
  app.use(m.koa()).use(async (ctx) => {
    const { id, verified } = ctx.query
    if (id !== undefined) await m.sessions.open(ctx, String(id), verified === 'yes')
    const view = await m.viewOf(ctx)
    const user = view.user()
    ctx.body = [view.authentication(), user?.roles.join() ?? '', view.allows('gold') ? 'gold' : '']
      .join(' ')
      .trim()
  })
  // A slow machine may take longer than a connection stays open by default.
  const server = createHttpServer({ keepAliveTimeout: 60_000 }, app.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close().closeAllConnections()
    await m.close()
  })
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const enter = async (id: string, verified = true): Promise<string> => {
    const answer = await fetch(`${site}?id=${id}&verified=${verified ? 'yes' : 'no'}`)
    const cookies = answer.headers.getSetCookie().map((item) => item.split(';')[0]!)
    return cookies.filter((cooky) => cooky.startsWith('membership_session=')).join('; ')
  }
  const page = async (cookie: string) => (await fetch(site, { headers: { cookie } })).text()
  return { m, enter, page }
}

for (const [name, databases] of Object.entries({ SQLite: sqliteDatabases, PostgreSQL: postgresDatabases }))
  test(`${name}: revocations, grants and changes of one process show on another’s next page`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const url = await atNewest(await database.url())
    const [first, two] = [await openProcess(t, url), await openProcess(t, url)]
    const { id } = await first.m.users.create({ email: 'ann@example.com', verified: true })
    const [phone, desk] = [await first.enter(id), await first.enter(id)]
    // By its second page the other process has seen the cookie.
    const seen = async (cookie: string) => [await two.page(cookie), await two.page(cookie)].at(-1)
    t.deepEqual([await seen(phone), await seen(desk)], ['verified member', 'verified member'])

    const grant = await first.m.users.grant({ memberId: id, gate: 'gold' })
    t.is(await two.page(phone), 'verified member gold')
    await first.m.users.revoke(grant)
    t.is(await two.page(phone), 'verified member')
    await setRoles(first.m, id, ['member', 'editor'])
    t.is(await two.page(phone), 'verified member,editor')

    const { id: buyer } = await first.m.users.create({ email: 'bob@example.com' })
    const unproved = await first.enter(buyer, false)
    t.is(await seen(unproved), 'unverified member')
    await first.m.users.verify(buyer)
    t.is(await two.page(unproved), 'none', 'the first verification ends every session of before')

    await first.m.storage.read((db) =>
      db.updateTable('sessions').set({ revoked_at: new Date().toISOString() }).where('member_id', '=', id),
    )
    t.deepEqual([await two.page(phone), await two.page(desk)], ['none', 'none'])
    const last = await first.enter(id)
    t.is(await seen(last), 'verified member,editor')
    await first.m.users.delete(id)
    t.is(await two.page(last), 'none')
  })

function setRoles(m: Membership, id: string, roles: readonly string[]) {
  return m.storage.read((db) =>
    db
      .updateTable('members')
      .set({ roles: JSON.stringify(roles) })
      .where('id', '=', id),
  )
}

for (const [name, databases] of Object.entries({ SQLite: sqliteDatabases, PostgreSQL: postgresDatabases }))
  test(`${name}: the one look-up of a page finds everything that a member has`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const { m, enter, page } = await openProcess(t, await atNewest(await database.url()))
    const { id } = await m.users.create({ email: 'ann@example.com', verified: true, language: 'de' })
    const other = await m.users.create({ email: 'bob@example.com', verified: true })
    const buy = (customer: string, email: string) =>
      [
        stripeEvent('customer.created', customerObject({ id: customer, email, name: 'A Name' })),
        stripeEvent(
          'customer.subscription.created',
          subscriptionObject({ id: `sub_of_${customer}`, customer }),
        ),
        stripeEvent(
          'charge.succeeded',
          chargeObject({
            id: `ch_of_${customer}`,
            customer,
            payment_intent: `pi_of_${customer}`,
            billing_details: { email, name: null },
          }),
        ),
      ].map((event) => m.webhooks.receive('stripe', signed('stripe', event, { secret })))
    // The second customer sorts before the first, and the last is another member's.
    await Promise.all(['cus_b', 'cus_a'].flatMap((customer) => buy(customer, 'ann@example.com')))
    await Promise.all(buy('cus_c', 'bob@example.com'))
    await m.users.grant({ memberId: id, gate: 'gold', reason: 'prize', expiresAt: '2099-01-01' })
    await m.users.grant({ memberId: id, gate: 'silver', startsAt: '2098-01-01' })
    await m.users.revoke(await m.users.grant({ memberId: id, gate: 'bronze' }))
    await m.users.grant({ memberId: other.id, gate: 'iron' })

    t.is(await page(await enter(id)), 'verified member gold')
    const [session] = await m.storage.read((db) =>
      db.selectFrom('sessions').select('id').where('member_id', '=', id),
    )
    const told = (user: User | null) => ({
      id: user?.id,
      email: user?.email,
      name: user?.name,
      language: user?.language,
      roles: user?.roles,
      verified: user?.email_verified,
      since: user?.created_at,
      subscriptions: user?.subscriptions().map((s) => s.id),
      payments: user?.payments().map((p) => p.id),
      customers: user?.customers('stripe'),
      grants: user?.grants(),
      content: user?.content('stripe'),
    })
    const found = told(await m.users.findBySession(session!.id))
    t.deepEqual(found, told(await m.users.findById(id)))
    t.deepEqual([...(found.subscriptions ?? [])].sort(), ['sub_of_cus_a', 'sub_of_cus_b'])
    t.is(found.payments?.length, 2)
    t.deepEqual(
      found.customers?.map((c) => c.id),
      ['cus_a', 'cus_b'],
    )
    t.deepEqual(found.grants?.map((g) => g.gate).sort(), ['gold', 'silver'])
    t.is(await m.users.findBySession('nobody'), null)
  })

for (const [name, databases] of Object.entries({ SQLite: sqliteDatabases, PostgreSQL: postgresDatabases }))
  test(`${name}: of many members who ask at once, each page shows its own`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const url = await atNewest(await database.url())
    const { m, enter, page } = await openProcess(t, url)
    const names = Array.from({ length: 20 }, (_, n) => `m${n}`)
    const ids: string[] = []
    const cookies: string[] = []
    for (const role of names) {
      const { id } = await m.users.create({ email: `${role}@example.com`, verified: true, roles: [role] })
      if (ids.length % 2 === 0) await m.users.grant({ memberId: id, gate: 'gold' })
      ids.push(id)
      cookies.push(await enter(id))
    }
    const sessions = await m.storage.read((db) => db.selectFrom('sessions').select(['id', 'member_id']))
    const sessionOf = (n: number) => sessions.find((session) => session.member_id === ids[n])!.id
    await m.storage.read((db) =>
      db.updateTable('sessions').set({ revoked_at: '2026-01-01' }).where('member_id', '=', ids[3]!),
    )
    await m.users.delete(ids[5]!)
    const isOut = (n: number) => n === 3 || n === 5
    const own = (n: number) => (isOut(n) ? 'none' : `verified m${n}${n % 2 === 0 ? ' gold' : ''}`)

    for (let round = 0; round < 5; round++) {
      const order = names.map((_, n) => (n * 7 + round) % names.length)
      const shown = await Promise.all([
        ...order.map((n) => page(cookies[n]!)),
        ...order.map((n) => page(cookies[n]!)),
        page(''),
        page(`${cookies[1]}x`),
      ])
      t.deepEqual(shown, [...order.map(own), ...order.map(own), 'none', 'none'])
    }

    // In one turn, with ids that only resemble those of sessions.
    const others = [
      '',
      'nobody',
      sessionOf(0).toUpperCase(),
      ` ${sessionOf(0)}`,
      `${sessionOf(0)}\0`,
      `{${sessionOf(0)}}`,
    ]
    const known = names.map((_, n) => n).filter((n) => n !== 5)
    const asked = [...known, ...known].map(sessionOf)
    const found = await Promise.all([...asked, ...others].map((id) => m.users.findBySession(id)))
    t.deepEqual(
      found.map((user) => [user?.id ?? null, user?.grants().length ?? 0]),
      [...[...known, ...known].map((n) => [ids[n]!, n % 2 === 0 ? 1 : 0]), ...others.map(() => [null, 0])],
    )
    if (name === 'SQLite') return

    await m.storage.send!(
      `create function legible(member text) returns boolean language plpgsql as $$ begin
        if member = '${ids[2]}' then raise exception 'broken page in block'; end if; return true; end $$`,
      [],
    )
    await m.storage.send!('alter table grants rename to all_grants', [])
    await m.storage.send!('create view grants as select * from all_grants where legible(member_id)', [])
    const ofRows = await Promise.allSettled(known.map((n) => m.users.findBySession(sessionOf(n))))
    t.deepEqual(
      ofRows.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value?.id : outcome.reason.code)),
      known.map((n) => (n === 2 ? 'P0001' : ids[n])),
      'rows that cannot be read fail the page of their own member only',
    )
  })

test('a logout and a grant of another process show on the page of this very turn', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const url = await atNewest(await database.url())
  const { m, enter, page } = await openProcess(t, url)
  const { id } = await m.users.create({ email: 'ann@example.com', verified: true })
  const cookie = await enter(id)
  t.is(await page(cookie), 'verified member')
  const file = url.slice('sqlite:'.length)
  const elsewhere = (sql: string) => {
    const code = "require('better-sqlite3')(process.argv[1]).prepare(process.argv[2]).run()"
    execFileSync(process.execPath, ['-e', code, file, sql])
  }
  const [session] = await m.storage.read((db) => db.selectFrom('sessions').select('id'))
  const view = async () => m.users.findBySession(session!.id)
  t.false((await view())!.hasGate('gold'))
  elsewhere(
    `insert into grants (id, member_id, gate, source, created_at) values ('g', '${id}', 'gold', 'manual', '2026-01-01T00:00:00.000Z')`,
  )
  t.true((await view())!.hasGate('gold'))
  t.is(await page(cookie), 'verified member gold')
  elsewhere("update sessions set revoked_at = '2026-01-01T00:00:00.000Z'")
  t.is(await page(cookie), 'none')
})

test('a session and a grant end by the clock alone', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  let ms = Date.now()
  const { m, enter, page } = await openProcess(t, await atNewest(await database.url()), {
    now: () => new Date(ms),
  })
  const { id } = await m.users.create({ email: 'ann@example.com', verified: true })
  const day = 86_400_000
  await m.users.grant({ memberId: id, gate: 'gold', expiresAt: new Date(ms + day).toISOString() })
  const cookie = await enter(id)
  t.is(await page(cookie), 'verified member gold')
  ms += day
  t.is(await page(cookie), 'verified member')
  ms += 29 * day - 1
  t.is(await page(cookie), 'verified member')
  ms += 1
  t.is(await page(cookie), 'none')
})

test('a member’s page waits for PostgreSQL once, and a visitor’s never', async (t) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const line = await countedLine(t, await database.url())
  const { m, enter, page } = await openProcess(t, line.url)
  const { id } = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.users.grant({ memberId: id, gate: 'gold' })
  const cookie = await enter(id)
  t.is(await page(cookie), 'verified member gold')
  t.is(await line.leastTurnsOf(() => page(cookie)), 1)
  t.is(await line.leastTurnsOf(() => page('')), 0)
})

test('earlier trials are read from PostgreSQL once, for any number of plan groups', async (t) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const line = await countedLine(t, await database.url())
  const plan = (id: string) => ({
    group: id,
    trial: 'once',
    prices: [{ id, amount: 500, currency: 'EUR', trial_days: 14 }],
  })
  const plans = { bronze: plan('bronze_month'), silver: plan('silver_month'), gold: plan('gold_month') }
  const options = { 'membership.providers.sandbox.plans': plans } as MembershipOptions
  const { m, enter, page } = await openProcess(t, line.url, options)
  const { id } = await m.users.create({ email: 'ann@example.com', verified: true })
  const cookie = await enter(id)
  t.is(await page(cookie), 'verified member')
  t.is(await line.leastTurnsOf(() => page(cookie)), 2)
})
