import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import {
  createMembership,
  defineProvider,
  type Membership,
  type MembershipOptions,
} from '../../../src/index.ts'
import type { Change } from '../../../src/providers/contract.ts'
import { openMollieSite, purchase as purchaseAtMollie } from '../../providers/mollie/site.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import { stripe } from '../../providers/stripe/selling.ts'
import { command, runCommand } from '../../support/command.ts'
import { sqliteDatabases } from '../../support/databases.ts'
import { holdings } from '../../support/holdings.ts'
import { openHost } from '../../support/host.ts'
import { emptyFolder } from '../../support/migrate.ts'
import { own } from '../../support/own-providers.ts'
import { openSellingSite, purchase } from '../../support/selling-site.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, buyByLink, createMailbox } from '../../support/visitor.ts'

/** The same site with another database. */
async function another(t: ExecutionContext, settings: MembershipOptions, url: string): Promise<Membership> {
  const m = await createMembership({ ...settings, 'membership.database.url': url })
  t.teardown(() => m.close())
  return m
}

/** Works like a process that is killed with that commit. */
function dyingAt(m: Membership, commits: number): Membership {
  const { commit } = m.storage
  let left = commits
  Object.assign(m.storage, {
    commit: async (...unit: Parameters<typeof commit>) => {
      if (left-- <= 0) throw new Error('killed')
      return commit(...unit)
    },
  })
  return m
}

async function rowsOf({ storage }: Membership) {
  return Promise.all(
    (['members', 'customers', 'subscriptions', 'facts', 'payments', 'documents'] as const).map(
      async (table) => (await storage.read((db) => db.selectFrom(table).selectAll())).length,
    ),
  )
}

/** What everybody has; which of the accounts of one address made which is not the same in every order. */
async function bought(m: Membership) {
  const { customers, subscriptions, payments } = await holdings(m)
  return { customers: customers.map(({ member: _, ...customer }) => customer), subscriptions, payments }
}

const sites = {
  stripe: async (t: ExecutionContext) => {
    const opened = await openSellingSite(t, stripe)
    return { ...opened, buys: (email: string, what: 'pro' | 'book') => purchase(opened, email, what) }
  },
  paddle: async (t: ExecutionContext) => {
    const opened = await openSellingSite(t, paddle)
    return { ...opened, buys: (email: string, what: 'pro' | 'book') => purchase(opened, email, what) }
  },
  mollie: async (t: ExecutionContext) => {
    const opened = await openMollieSite(t)
    return { ...opened, buys: (email: string, what: 'pro' | 'book') => purchaseAtMollie(opened, email, what) }
  },
}

for (const [provider, open] of Object.entries(sites))
  test(`${provider}: an import into an empty site, killed and repeated, gives the state of all events`, async (t) => {
    const { m, options, buys, fake } = await open(t)
    await buys('ann@example.com', 'pro')
    await buys('ben@example.com', 'book')
    await buys('cleo@example.com', 'pro')
    await fake.advance({ months: 1, days: 1 })
    await fake.deliver()
    for (let round = 0; round < 3; round++) {
      await m.runDueJobs()
      await fake.advance({ ms: 10_000 })
    }
    const databases = await sqliteDatabases()
    t.teardown(() => databases.close())
    const url = await databases.url()

    const tried = await another(t, options, url)
    const before = await rowsOf(tried)
    const dry = await tried.operator.import({ provider })
    t.like(dry, { isWhole: true, written: false, matched: 3, made: 3, unmatched: [] })
    t.deepEqual(await rowsOf(tried), before, 'without `write` nothing is written')

    const dying = dyingAt(await another(t, options, url), 6)
    await t.throwsAsync(dying.operator.import({ provider, write: true }))
    const next = await another(t, options, url)
    const done = await next.operator.import({ provider, write: true })
    t.like(done, { isWhole: true, written: true, matched: 3, made: 3, unmatched: [] })
    t.deepEqual(await bought(next), await bought(m))
    for (const email of ['ann@example.com', 'cleo@example.com']) {
      const member = (await next.users.findByEmail(email))!
      t.true(member.hasGate('pro' as never))
      t.false(member.email_verified, 'a provider proves no address')
    }

    const after = await rowsOf(next)
    const again = await next.operator.import({ provider, write: true })
    t.deepEqual(again.brought, { customers: 0, subscriptions: 0, money: 0 })
    t.deepEqual(await rowsOf(next), after, 'again changes nothing')
  })

/** An account of Stripe's at which people bought by payment links, and a site that heard of nothing. */
async function openAccount(t: ExecutionContext, options: MembershipOptions = {}) {
  const site = await openStripeSite(t, options)
  const pay = (email: string) => buyByLink(site, { email, price: 'price_month' })
  return { ...site, pay }
}

const club = { 'membership.provider.handler': 'club', 'membership.providers.club': { webhook: 'secret' } }
const ended = ['trial_ends_at', 'cancel_at', 'canceled_at', 'ended_at', 'paused_at', 'resumes_at'] as const
const subscribed = {
  data: {
    price_id: 'price_1',
    product_id: null,
    quantity: 1,
    items: [
      {
        id: null,
        price_id: 'price_1',
        product_id: null,
        quantity: 1,
        current_period_start: '2026-01-01T00:00:00.000Z',
        current_period_end: '2026-02-01T00:00:00.000Z',
      },
    ],
    status: 'active' as const,
    provider_status: null,
    currency: 'EUR',
    unit_amount: 900,
    interval: 'month' as const,
    interval_count: 1,
    started_at: '2026-01-01T00:00:00.000Z',
    current_period_start: '2026-01-01T00:00:00.000Z',
    current_period_end: '2026-02-01T00:00:00.000Z',
    cancel_at_period_end: false,
    ...(Object.fromEntries(ended.map((name) => [name, null])) as Record<(typeof ended)[number], null>),
    livemode: false,
    metadata: {},
  },
}

/** A provider of a site's own that lists these people: each a customer with a subscription, in pages of two. */
function clubOf(people: readonly { readonly id: string; readonly email: string | null }[], at: () => Date) {
  const { data } = JSON.parse(JSON.stringify(subscribed)) as typeof subscribed
  const changesOf = ({ id, email }: (typeof people)[number]): Change[] => [
    {
      type: 'subscription',
      id: `sub_${id}`,
      stage: 'updated',
      data: { ...data, id: `sub_${id}`, customer_id: id },
    },
    { type: 'customer', id, stage: 'updated', data: { id, email, name: null, deleted: false } },
  ]
  const answer = (changes: Change[]) => ({ changes, at: at().toISOString() })
  return defineProvider({
    key: 'club',
    options: z.strictObject({}).prefault({}),
    create: () => ({
      key: 'club',
      verify: () => '',
      read: () => [],
      changes: () => [],
      fetch: async ({ id }) => {
        const item = people.find((person) => `sub_${person.id}` === id)
        return item ? answer(changesOf(item)) : null
      },
      list: async function* ({ cursor = '0' } = {}) {
        for (let from = Number(cursor); from < people.length; from += 2)
          yield {
            ...answer(people.slice(from, from + 2).flatMap(changesOf)),
            cursor: from + 2 < people.length ? String(from + 2) : null,
          }
      },
    }),
  })
}

test('imported purchases get owners by the usual rules, and unmatched buyers are listed with the reason', async (t) => {
  const people = [
    { id: 'c1', email: 'vic@example.com' },
    { id: 'c2', email: 'eve@example.com' },
    { id: 'c3', email: 'Ann@Example.com' },
    { id: 'c4', email: 'bob@example.com' },
    { id: 'c5', email: 'bob@example.com' },
    { id: 'c6', email: null },
    { id: 'c7', email: 'vic@example.com' },
    { id: 'c8', email: 'gone@example.com' },
  ]
  const start = new Date('2026-01-15T12:00:00Z')
  const { m } = await openHost(t, {
    now: () => start,
    customProviders: [clubOf(people, () => start)],
    ...own(club),
  })
  const vic = await m.users.create({ email: 'vic@example.com', verified: true })
  await m.users.create({ email: 'eve@example.com' })
  const gone = await m.users.create({ email: 'gone@example.com', verified: true })
  await m.users.delete(gone.id)
  await m.runDueJobs()

  const dry = await m.operator.import({ provider: 'club' })
  const done = await m.operator.import({ provider: 'club', write: true })
  t.deepEqual({ ...dry, written: true }, done, 'what was said is what was done')
  t.like(done, { matched: 4, made: 2 }, 'vic twice, ann, and one of bob')
  t.deepEqual(
    done.unmatched.map(({ owner, reason, email, living }) => [owner, reason, email, living]),
    [
      ['c2', 'address_unproved', 'e…@example.com', 1],
      ['c5', 'second_customer', 'b…@example.com', 1],
      ['c6', 'no_address', null, 1],
      ['c8', 'left', null, 1],
    ],
  )
  const opens = async (email: string) => (await m.users.findByEmail(email))!.hasGate('price_1' as never)
  t.false(await opens('eve@example.com'), 'the account may be another’s')
  t.false((await m.users.findByEmail('eve@example.com'))!.email_verified)
  t.true(await opens('vic@example.com'))
  t.is((await m.users.findById(vic.id))!.subscriptions().length, 2)
  const bob = (await m.users.findByEmail('bob@example.com'))!
  t.is(bob.subscriptions().length, 1)
  await m.users.verify(bob.id)
  t.is((await m.users.findById(bob.id))!.subscriptions().length, 2, 'a proof joins both')
})

test('an import creates no accounts if purchases create none', async (t) => {
  const start = new Date('2026-01-15T12:00:00Z')
  const providers = [clubOf([{ id: 'c1', email: 'ann@example.com' }], () => start)]
  const { m } = await openHost(t, {
    now: () => start,
    customProviders: providers,
    ...own(club),
    'membership.members.create': false,
  })
  const { matched, unmatched } = await m.operator.import({ provider: 'club', write: true })
  t.is(matched, 0)
  t.deepEqual(
    unmatched.map(({ reason }) => reason),
    ['no_account'],
  )
  t.is(await m.users.findByEmail('ann@example.com'), null)
  await t.throwsAsync(m.operator.import({ provider: 'stripe' }), { code: 'ERR_PROVIDER_UNSUPPORTED' })
})

test('an import mails and notifies nobody, and the next event is news again', async (t) => {
  const mailbox = createMailbox()
  const told: string[] = []
  const hook = (name: string) => (event: { member: { email: string | null } }) =>
    void told.push(`${name} ${event.member.email}`)
  const site = await openAccount(t, {
    ...mailbox.options,
    hooks: {
      'member.signed_up': hook('member.signed_up'),
      'member.created': hook('member.created'),
      'subscription.started': hook('subscribe'),
      'payment.received': hook('payment'),
      'subscription.canceled': hook('cancel'),
    },
  })
  const { m, fake, pay } = site
  const { user: vic } = await buy(site, 'vic@example.com')
  await m.runDueJobs()
  mailbox.sent.length = 0
  told.length = 0
  const { subscription } = await pay('ann@example.com')
  const second = await buyByLink(site, { email: 'vic@example.com', price: 'price_team' })
  await askFake(fake, 'POST', `/v1/subscriptions/${second.subscription}`, { cancel_at_period_end: 'true' })
  const trial = await pay('tess@example.com')
  await askFake(fake, 'POST', `/v1/subscriptions/${trial.subscription}`, {
    trial_end: String(Math.floor(fake.now().getTime() / 1000) + 86_400 * 5),
  })
  await fake.advance({ ms: 5000 })
  await m.operator.import({ provider: 'stripe', write: true })
  for (let round = 0; round < 3; round++) {
    await m.runDueJobs()
    await fake.advance({ ms: 6 * 60_000 })
  }
  t.is((await m.users.findById(vic.id))!.subscriptions().length, 2)
  t.true((await m.users.findByEmail('ann@example.com'))!.hasGate('pro' as never))
  t.deepEqual(mailbox.sent, [])
  t.deepEqual(told, [])
  t.is(
    fake.objects.list('subscription').find(({ id }) => id === trial.subscription)?.status,
    'trialing',
    'and no trial is ended',
  )

  await askFake(fake, 'POST', `/v1/subscriptions/${subscription}`, { cancel_at_period_end: 'true' })
  await fake.deliver()
  await m.runDueJobs()
  t.deepEqual(told, ['cancel ann@example.com'])
  t.deepEqual(
    mailbox.sent.map(({ to, kind }) => `${kind} ${to}`),
    ['cancellation ann@example.com'],
  )
})

test('an import skips existing objects, and refuses a key of another account', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const first = await openAccount(t, { 'membership.database.url': await database.url() })
  const { user } = await buy(first, 'ann@example.com')
  // What its messages mentioned is asked for before.
  await first.m.runDueJobs()
  const { id } = user.subscriptions()[0]!
  await askFake(first.fake, 'DELETE', `/v1/subscriptions/${id}`)
  await first.m.operator.import({ provider: 'stripe', write: true })
  t.true((await first.m.users.findByEmail('ann@example.com'))!.hasGate('pro' as never), 'it closes nothing')

  const second = await openStripeSite(t, {}, { seed: 2 })
  await buyByLink(second, { email: 'stranger@example.com', price: 'price_month' })
  const { m } = await first.another({
    'membership.providers.stripe.secret': second.fake.secret,
    'membership.providers.stripe.api_base': second.fake.url,
  })
  await t.throwsAsync(m.operator.import({ provider: 'stripe', write: true }), { code: 'ERR_COMPARE_REFUSED' })
  t.is(await m.users.findByEmail('stranger@example.com'), null)
  await m.operator.import({ provider: 'stripe', write: true, yes: true })
  t.not(await m.users.findByEmail('stranger@example.com'), null)
})

/** Runs the command until Stripe was asked so often, and kills it then. */
async function killedAfter({ fake }: Pick<StripeSite, 'fake'>, folder: string, requests: number) {
  // A start reads prices beside it.
  const asked = () => fake.requests().filter(({ path }) => !/\/(prices|products)/.test(path)).length
  const before = asked()
  const { NODE_ENV: _, DATABASE_URL: __, ...env } = process.env
  const child: ChildProcess = spawn(
    process.execPath,
    [...command, 'import', '--provider', 'stripe', '--write'],
    { cwd: folder, env, stdio: 'ignore' },
  )
  const over = new Promise<NodeJS.Signals | null>((done) =>
    child.once('exit', (_code, signal) => done(signal)),
  )
  const looking = setInterval(() => {
    if (asked() >= before + requests) child.kill('SIGKILL')
  }, 1)
  return over.finally(() => clearInterval(looking))
}

test('the command previews, is killed midway, continues, and shows unmatched buyers by its exit code', async (t) => {
  const folder = await emptyFolder(t)
  const site = await openStripeSite(t, {}, { start: new Date() })
  const { fake } = site
  for (const name of ['ann', 'ben', 'cleo'])
    await buyByLink(site, { email: `${name}@example.com`, price: 'price_year' })
  const twice = [1, 2].map(() => buyByLink(site, { email: 'dan@example.com', price: 'price_year' }))
  await Promise.all(twice)
  mkdirSync(join(folder, 'config'))
  const url = `sqlite:${join(folder, 'site.db')}`
  const membership = {
    database: { url },
    provider: { handler: 'stripe' },
    providers: { stripe: { secret: fake.secret, api_base: fake.url, webhook: 'whsec_1' } },
  }
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify({ membership }))
  t.is(await killedAfter(site, folder, 4), 'SIGKILL')
  const listed = () => fake.requests().filter(({ path }) => path === '/v1/customers').length
  const before = listed()
  const done = await runCommand(folder, ['import', '--provider', 'stripe', '--write', '--json'])
  t.is(done.code, 2, done.stderr)
  t.is(listed(), before, 'the first list was not read again')
  t.like(JSON.parse(done.stdout), { isWhole: true, written: true, matched: 4 })
  const shown = await runCommand(folder, ['import', '--provider', 'stripe'])
  t.is(shown.code, 2, shown.stderr)
  t.regex(
    shown.stdout,
    /another customer of this address was first +stripe +cus_\S+ +d…@example\.com +1 running/,
  )
  t.regex(shown.stdout, /Nothing was written/)
})
