import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { otherLines } from '../../../src/cli/others.ts'
import type { FakeServer } from '../../../src/fakes/engine/index.ts'
import { createMembership, type Membership, type MembershipOptions } from '../../../src/index.ts'
import { type Seller, sellers } from '../../simulation/sellers.ts'
import { openShop, settingsOf } from '../../simulation/year-site.ts'
import { freshDatabase } from '../../support/databases.ts'
import { createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

// Two sites of this package sell the same plans on one account. Each receives every message of the account.

const start = new Date('2026-02-02T09:00:00Z')

interface Site {
  readonly m: Membership
  readonly site: string
  readonly mailbox: ReturnType<typeof createMailbox>
}

async function openSites(t: ExecutionContext, seller: Seller) {
  const places: { site: string; listener: ReturnType<Membership['listener']> | null }[] = []
  for (let n = 0; n < 2; n++) {
    const place: (typeof places)[number] = { site: '', listener: null }
    const server = createServer((request, response) => {
      if (place.listener) place.listener(request, response)
      else response.writeHead(503).end()
    }).listen(0, '127.0.0.1')
    await new Promise((ready) => server.once('listening', ready))
    place.site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    places.push(place)
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
  }
  const fake = await openShop(seller, {
    seed: '1',
    start,
    site: places[0]!.site,
    // The account has the endpoints of both.
    fetch: async (request) => {
      const body = await request.arrayBuffer()
      const answers = []
      for (const { site } of places)
        answers.push(
          await fetch(`${site}/membership/webhooks/${seller.key}`, {
            method: 'POST',
            headers: request.headers,
            body,
          }),
        )
      return answers.find(({ ok }) => !ok) ?? answers[0]!
    },
  })
  t.teardown(() => fake.close())
  const open = async (n: number, more: MembershipOptions = {}): Promise<Site> => {
    const mailbox = createMailbox()
    const m = await createMembership({
      ...(await freshDatabase()),
      'membership.url': places[n]!.site,
      'membership.provider.handler': seller.key as 'stripe',
      [`membership.providers.${seller.key}`]: settingsOf({ seller, fake }),
      'membership.ratelimit.limit': 100_000,
      'membership.secret': `the secret of site ${n}, which is long enough`,
      'membership.compare.automatic': false,
      install: false,
      root: false,
      now: () => fake.now(),
      log: () => {},
      ...mailbox.options,
      ...more,
    } as MembershipOptions)
    places[n]!.listener = m.listener()
    t.teardown(() => m.close())
    return { m, site: places[n]!.site, mailbox }
  }
  return { fake, open, sites: [await open(0), await open(1)] as const }
}

async function settle(fake: FakeServer, sites: readonly Site[]): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await fake.deliver({ settle: true })
    for (const { m } of sites) await m.runDueJobs()
    await fake.advance({ ms: 5_000 })
  }
}

async function buy(
  { fake, seller }: { fake: FakeServer; seller: Seller },
  { m, site, mailbox }: Site,
  { email, path, fields = {} }: { email: string; path: string; fields?: Record<string, string> },
): Promise<void> {
  const visitor = createVisitor(site)
  if (seller.asksNoAddress) {
    await m.users.create({ email, verified: true })
    await logIn({ m, site }, mailbox, email, visitor)
  }
  const begun = await visitor.send(path, fields)
  if (begun.status !== 201) throw new Error(`${begun.status} ${begun.text}`)
  await fake.pay(seller.checkoutIn(begun.json.url) ?? '', { email, name: 'Ann Example' })
  await fake.advance({ ms: 5_000 })
  await visitor.get(`/membership/${path.split('/')[2]}/${begun.json.intent_id}`)
}

for (const seller of sellers)
  test.serial(
    `two sites that sell the same plans on one account at ${seller.key} leave each other’s buyers alone`,
    async (t) => {
      const { fake, sites } = await openSites(t, seller)
      const [one, two] = sites
      await buy({ fake, seller }, one, { email: 'ann@example.com', path: '/membership/subscribe/pro' })
      await settle(fake, sites)
      await buy({ fake, seller }, two, { email: 'bob@example.com', path: '/membership/subscribe/pro' })
      await buy({ fake, seller }, two, {
        email: 'kim@example.com',
        path: '/membership/payment',
        fields: { product: seller.prices.book },
      })
      await settle(fake, sites)
      await fake.advance({ months: 1 })
      await settle(fake, sites)

      const held = async ({ m }: Site, email: string) => {
        const user = await m.users.findByEmail(email)
        return user && { pro: user.hasGate('pro'), payments: user.payments().length }
      }
      t.deepEqual(await held(one, 'ann@example.com'), { pro: true, payments: 2 })
      t.deepEqual(await held(two, 'bob@example.com'), { pro: true, payments: 2 })
      t.is(await held(two, 'ann@example.com'), null)
      t.is(await held(one, 'bob@example.com'), null)
      t.is((await held(two, 'kim@example.com'))?.payments, 1)
      if (seller.key !== 'chargebee') t.is(await held(one, 'kim@example.com'), null)
      for (const [site, strangers] of [
        [one, ['bob@example.com']],
        [two, ['ann@example.com']],
      ] as const) {
        t.deepEqual(
          site.mailbox.sent.filter(({ to }) => strangers.some((email) => email === to)),
          [],
        )
        const owned = await site.m.storage.read((db) =>
          db.selectFrom('customers').select(['email', 'member_id']).where('member_id', 'is not', null),
        )
        for (const email of strangers)
          t.false(
            owned.some((row) => row.email === email),
            `${email} is adopted`,
          )
      }

      // A comparison of the whole account brings nothing of the other site, and says whose it is.
      const compared = await two.m.operator.compare({ provider: seller.key })
      t.deepEqual(compared.differences, [])
      t.deepEqual(
        compared.others.map(({ subscriptions, reason }) => [subscriptions, reason]),
        [[1, 'other_site']],
      )
    },
  )

test('a site with another secret is another site, until membership.site names its earlier id', async (t) => {
  const [seller] = sellers as readonly [Seller]
  const { fake, sites, open } = await openSites(t, seller)
  const [one] = sites
  await buy({ fake, seller }, one, { email: 'ann@example.com', path: '/membership/subscribe/pro' })
  await settle(fake, sites)
  const { membership_site: id } = fake.books.list('subscription')[0]!.metadata
  t.regex(id!, /^[a-z0-9]{6}$/)

  // Its database is lost. The import says whose the subscriptions are, and which words make them this site's.
  const lost = await open(1)
  const planned = await lost.m.operator.import({ provider: 'stripe' })
  t.is(planned.made, 0)
  t.like(planned.others, [{ reason: 'other_site', site: id, subscriptions: 1 }])
  t.true(otherLines(planned.others).at(-1)?.endsWith(`Yours? membership.site: '${id}'`))
  const named = await open(1, { 'membership.site': id as string })
  t.is((await named.m.operator.import({ provider: 'stripe', write: true })).made, 1)
  t.true((await named.m.users.findByEmail('ann@example.com'))?.hasGate('pro'))

  // A copy of the database is the same site. With an id of its own it keeps what it has, and takes in nothing more.
  const database = await freshDatabase()
  const first = await open(1, { ...database, 'membership.site': [id!, 'stage1'] })
  await first.m.operator.import({ provider: 'stripe', write: true })
  await first.m.close()
  const clone = await open(1, { ...database, 'membership.site': 'stage1' })
  await buy({ fake, seller }, one, { email: 'bob@example.com', path: '/membership/subscribe/pro' })
  await settle(fake, [one, clone])
  t.true((await clone.m.users.findByEmail('ann@example.com'))?.hasGate('pro'))
  t.is(await clone.m.users.findByEmail('bob@example.com'), null)
})

test('the id of a site follows from its address, else from its secret, and its database keeps the earlier ones', async (t) => {
  const database = await freshDatabase()
  const secret = { 'membership.secret': 'a secret of a site, which is long enough' }
  const idsAt = async (settings: MembershipOptions, place: object = database) => {
    const m = await createMembership({
      ...place,
      ...settings,
      install: false,
      root: false,
      log: () => {},
    } as MembershipOptions)
    const [row] = await m.storage.read((db) =>
      db.selectFrom('documents').select('value').where('space', '=', 'site'),
    )
    await m.close()
    return row === undefined ? [] : (JSON.parse(row.value) as string[])
  }
  const local = { 'membership.url': 'http://127.0.0.1:3000' }
  t.deepEqual(await idsAt(local), [], 'a site in development has none')
  // Two processes that start at once agree.
  const [ids, same] = await Promise.all([idsAt(secret), idsAt({ ...secret, ...local })])
  t.deepEqual(ids, same)
  t.is(ids.length, 1)
  const one = { ...secret, 'membership.url': 'https://one.example' }
  const named = await idsAt(one)
  t.deepEqual(named.slice(1), ids)
  t.deepEqual(await idsAt(one), named)
  const two = await idsAt({ ...secret, 'membership.url': 'https://two.example' })
  t.deepEqual(two.slice(1), named, 'a renamed site keeps what it sold')
  // A lost database makes no other site of the same address.
  t.deepEqual(await idsAt(one, await freshDatabase()), [named[0]])
})
