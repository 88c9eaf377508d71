import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions } from '../../../src/index.ts'
import { chargebee } from '../../providers/chargebee/selling.ts'
import { creem } from '../../providers/creem/selling.ts'
import { dodo } from '../../providers/dodo/selling.ts'
import { lemonsqueezy } from '../../providers/lemonsqueezy/selling.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import { polar } from '../../providers/polar/selling.ts'
import { stripe } from '../../providers/stripe/selling.ts'
import { runCommand } from '../../support/command.ts'
import { allDatabases, atNewest, sqliteDatabases } from '../../support/databases.ts'
import { emptyFolder } from '../../support/migrate.ts'
import { choose, openSellingSite } from '../../support/selling-site.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, buyByLink } from '../../support/visitor.ts'

/** What everybody has, without how and when it was heard of: what was mentioned is asked for in the background. */
async function rows({ m }: Pick<StripeSite, 'm'>) {
  const bought = (row: { id: string; owner_id: string; data: string }) => {
    const { updated_at: _, ...data } = JSON.parse(row.data)
    return { id: row.id, owner: row.owner_id, data }
  }
  const columns = ['id', 'owner_id', 'data'] as const
  const [subscriptions, payments, customers] = await Promise.all([
    m.storage.read((db) => db.selectFrom('subscriptions').select(columns).orderBy('id')),
    m.storage.read((db) => db.selectFrom('payments').select(columns).orderBy('id')),
    m.storage.read((db) =>
      db.selectFrom('customers').select(['customer_id', 'member_id', 'email']).orderBy('customer_id'),
    ),
  ])
  return { subscriptions: subscriptions.map(bought), payments: payments.map(bought), customers }
}
async function opens({ m }: StripeSite, email: string) {
  return (await m.users.findByEmail(email))?.hasGate('pro' as never) ?? false
}
function kinds(found: readonly { kind: string; object: string; mend: string | null }[]) {
  return found.map(({ kind, object, mend }) => `${object}: ${kind}, ${mend}`).sort()
}

/** Ends every subscription at Stripe, of which no message arrives. */
async function end({ fake }: StripeSite) {
  for (const { id } of fake.objects.list('subscription'))
    await askFake(fake, 'DELETE', `/v1/subscriptions/${id}`)
}

async function open(t: ExecutionContext, url = 'sqlite::memory:') {
  return openStripeSite(t, { 'membership.database.url': await atNewest(url) })
}

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: a payment whose events were all lost is found, and opens access after the correction`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const site = await open(t, await database.url())
      const { m, fake } = site
      await buy(site, 'ann@example.com')
      t.deepEqual((await m.operator.compare()).differences, [])

      // From here on no message arrives.
      await buyByLink(site, { email: 'dan@example.com', price: 'price_year' })
      const before = await rows(site)
      const dry = await m.operator.compare()
      t.true(kinds(dry.differences).includes('subscription: missing_here, open'))
      t.is(dry.mended, 0)
      t.deepEqual(await rows(site), before, 'without `write` nothing is written')
      t.false(await opens(site, 'dan@example.com'))

      const { mended } = await m.operator.compare({ write: true })
      t.true(mended > 0)
      t.true(await opens(site, 'dan@example.com'))
      t.deepEqual((await m.operator.compare()).differences, [], 'and then all is equal')

      // What the messages say, when they come after all, changes nothing.
      const after = (await m.users.findByEmail('dan@example.com'))!.subscriptions()
      await fake.deliver()
      await m.runDueJobs()
      t.deepEqual(
        (await m.users.findByEmail('dan@example.com'))!.subscriptions().map(({ id, status }) => [id, status]),
        after.map(({ id, status }) => [id, status]),
      )
    },
  )

test('an end whose events were lost differs in access, and the correction closes it', async (t) => {
  const site = await open(t)
  const { m } = site
  await buy(site, 'ann@example.com')
  // What its messages mentioned is asked for before.
  await m.runDueJobs()
  await end(site)
  const { differences } = await m.operator.compare({ provider: 'stripe' })
  const difference = differences.find(({ object }) => object === 'subscription')!
  t.is(difference.kind, 'other_access')
  t.is(difference.mend, 'close')
  t.like(difference.here, { status: 'active', opens: true })
  t.like(difference.there, { status: 'canceled', opens: false })
  t.is(difference.memberId, (await m.users.findByEmail('ann@example.com'))!.id)
  t.true(await opens(site, 'ann@example.com'))
  await m.operator.compare({ write: true })
  t.false(await opens(site, 'ann@example.com'))
})

test('one member’s comparison reads no other member', async (t) => {
  const site = await open(t)
  const { m } = site
  await buy(site, 'ann@example.com')
  await buy(site, 'ben@example.com')
  await m.runDueJobs()
  await end(site)
  const ann = (await m.users.findByEmail('ann@example.com'))!
  const { differences, mended } = await m.operator.compare({ memberId: ann.id, write: true })
  t.deepEqual([...new Set(differences.map(({ memberId }) => memberId))], [ann.id])
  t.true(mended >= 1)
  t.false(await opens(site, 'ann@example.com'))
  t.true(await opens(site, 'ben@example.com'), 'nobody asked for his')
})

test('nothing is written and nobody loses access with a key of another or an empty account', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const first = await open(t, await database.url())
  const buyers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.com`)
  for (const email of buyers) await buy(first, email)
  const second = await openStripeSite(t, {}, { seed: 2 })
  const other = async () =>
    first.another({
      'membership.providers.stripe.secret': second.fake.secret,
      'membership.providers.stripe.api_base': second.fake.url,
    })
  const { m } = await other()
  const before = await rows(first)
  const empty = await m.operator.compare()
  t.deepEqual(
    kinds(empty.differences),
    buyers.map(() => 'subscription: unknown_there, null'),
  )
  await t.throwsAsync(m.operator.compare({ write: true }), { code: 'ERR_COMPARE_REFUSED' })
  await buy(second, 'stranger@example.com')
  await t.throwsAsync(m.operator.compare({ write: true }), { code: 'ERR_COMPARE_REFUSED' })
  t.deepEqual(await rows(first), before)
  for (const email of buyers) t.true(await opens(first, email))
})

test('more closings than chance explains are shown but not written without a confirmation', async (t) => {
  const site = await open(t)
  const { m } = site
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await buy(site, `${name}@example.com`)
  await m.runDueJobs()
  await end(site)
  await t.throwsAsync(m.operator.compare({ write: true }), { code: 'ERR_COMPARE_REFUSED' })
  t.true(await opens(site, 'a@example.com'))
  await m.operator.compare({ write: true, yes: true })
  t.false(await opens(site, 'a@example.com'))
})

test('an interrupted comparison continues, and finds the same', async (t) => {
  const site = await open(t)
  const { m, fake } = site
  const { user } = await buy(site, 'ann@example.com')
  for (const name of ['a', 'b', 'c'])
    await buyByLink(site, { email: `${name}@example.com`, price: 'price_year' })
  // Of whose other address no message arrives.
  await askFake(fake, 'POST', `/v1/customers/${user.customerId('stripe')}`, { email: 'ann@other.example' })
  const finish = new AbortController()
  let pages = 0
  const stopped = await m.operator.compare({
    finish: finish.signal,
    onProgress: () => {
      if (++pages === 2) finish.abort()
    },
  })
  t.is(pages, 2)
  t.false(stopped.isWhole, 'it does not say that the rest is equal')
  t.true(kinds(stopped.differences).includes('customer: older_here, write'))
  const kept = await m.storage.read((db) => db.selectFrom('documents').select('value'))
  t.true(kept.length > 0)
  for (const { value } of kept) t.notRegex(value, /@/, 'no address waits there for whoever goes on')
  const asked = () => fake.requests().filter(({ path }) => path === '/v1/customers').length
  const before = asked()
  const whole = await m.operator.compare()
  t.true(whole.isWhole)
  t.is(asked(), before, 'the first list was not read again')
  t.true(whole.checked > stopped.checked)
  t.is(whole.differences.filter(({ object }) => object === 'subscription').length, 3)
  t.is(whole.differences.filter(({ object }) => object === 'customer').length, 1, 'and what was found before')
})

test('the command shows differences and corrections, applies them, and reports the rest by its exit code', async (t) => {
  const folder = await emptyFolder(t)
  const url = `sqlite:${join(folder, 'site.db')}`
  const site = await openStripeSite(t, { 'membership.database.url': url }, { start: new Date() })
  const { fake } = site
  await buyByLink(site, { email: 'dan@example.com', price: 'price_year' })
  mkdirSync(join(folder, 'config'))
  const stripe = { secret: fake.secret, api_base: fake.url, webhook: 'whsec_1' }
  const membership = { database: { url }, provider: { handler: 'stripe' }, providers: { stripe } }
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify({ membership }))
  const run = (...args: string[]) => runCommand(folder, ['compare', ...args])
  const shown = await run()
  t.is(shown.code, 2, shown.stderr)
  t.regex(
    shown.stdout,
    /missing here +stripe subscription +sub_\S+ .*status: active, price_id: price_year.*would open access/,
  )
  t.regex(shown.stdout, /→ membership compare --write/)
  t.is(await opens(site, 'dan@example.com'), false)
  const written = await run('--provider', 'stripe', '--write')
  t.is(written.code, 0, written.stdout + written.stderr)
  t.is(await opens(site, 'dan@example.com'), true)
  const equal = await run('--json')
  t.is(equal.code, 0, equal.stderr)
  t.like(JSON.parse(equal.stdout), { differences: [], mended: 0 })
  const wrong = await run('--provider', 'acme')
  t.is(wrong.code, 1)
  t.regex(wrong.stderr, /ERR_PROVIDER_UNKNOWN/)
})

test('a payment on our page with lost events is found by its checkout', async (t) => {
  const site = await open(t)
  const { m, fake } = site
  const book = { path: '/membership/payment', product: 'price_book' }
  const { visitor, user: ann } = await buy(site, 'ann@example.com', book)
  const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
  // Nobody comes back, and no message arrives.
  await fake.pay(session.id, { email: 'ann@example.com' })
  t.false(await opens(site, 'ann@example.com'))
  const { differences } = await m.operator.compare({ memberId: ann.id })
  t.true(kinds(differences).includes('subscription: missing_here, open'))
  await m.operator.compare({ memberId: ann.id, write: true })
  t.true(await opens(site, 'ann@example.com'))
  await t.throwsAsync(m.operator.compare({ memberId: 'nobody' }), { code: 'ERR_NOT_FOUND' })
})

test('a comparison killed at any write, repeatedly, ends like an undisturbed one', async (t) => {
  const site = await open(t)
  const { m } = site
  for (const name of ['a', 'b']) await buyByLink(site, { email: `${name}@example.com`, price: 'price_year' })
  const { commit } = m.storage
  let deaths = 0
  for (let left = 1; ; left++) {
    let commits = left
    m.storage.commit = async (steps) => {
      if (commits-- <= 0) throw new Error('the process is gone')
      return commit.call(m.storage, steps)
    }
    try {
      await m.operator.compare({ write: true })
      break
    } catch (error) {
      t.regex(String(error), /the process is gone/)
      deaths++
    }
  }
  m.storage.commit = commit
  t.true(deaths > 5, `${deaths} deaths`)
  for (const name of ['a', 'b']) {
    t.true(await opens(site, `${name}@example.com`))
    t.is((await m.users.findByEmail(`${name}@example.com`))!.payments().length, 1)
  }
  t.deepEqual((await m.operator.compare()).differences, [])
  t.deepEqual(
    await m.storage.read((db) =>
      db.selectFrom('documents').select('key').where('space', 'like', 'compare %'),
    ),
    [],
  )
})

test('a key of the other mode imports nothing, in a comparison or an import', async (t) => {
  const site = await openStripeSite(t, { 'membership.providers.stripe.livemode': true })
  const { m } = site
  await buyByLink(site, { email: 'dan@example.com', price: 'price_year' })
  const before = await rows(site)
  for (const write of [false, true]) {
    await t.throwsAsync(m.operator.compare({ write }), { code: 'ERR_COMPARE_REFUSED', message: /test mode/ })
    await t.throwsAsync(m.operator.import({ provider: 'stripe', write }), {
      code: 'ERR_COMPARE_REFUSED',
      message: /test mode/,
    })
  }
  t.deepEqual(await rows(site), before)
})

test('a rejected key is an error, and never means that objects are unknown', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const first = await open(t, await database.url())
  const { user } = await buy(first, 'ann@example.com')
  await first.m.runDueJobs()
  const { m } = await first.another({ 'membership.providers.stripe.secret': 'sk_test_wrong' })
  const before = await rows(first)
  for (const write of [false, true]) {
    await t.throwsAsync(m.operator.compare({ write }), { message: /API key|401/ })
    await t.throwsAsync(m.operator.compare({ memberId: user.id, write }), { message: /API key|401/ })
  }
  t.deepEqual(await rows(first), before)
  t.true(await opens(first, 'ann@example.com'))
})

test('an object listed as ended but missing when fetched stays unchanged', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const site = await open(t, await database.url())
  const { m, fake } = site
  for (const name of ['ann', 'ben']) await buy(site, `${name}@example.com`)
  await m.runDueJobs()
  const ben = (await m.users.findByEmail('ben@example.com'))!
  const [{ id } = { id: '' }] = ben.subscriptions()
  // Nothing else of this site asks meanwhile.
  await m.close()
  await askFake(fake, 'DELETE', `/v1/subscriptions/${id}`)
  // An answer counts for when it was asked for, and a busy machine takes its time.
  await fake.advance({ ms: 120_000 })
  const gone = await forgetting(t, fake.url, `/v1/subscriptions/${id}`)
  const { m: other } = await site.another({ 'membership.providers.stripe.api_base': gone })
  const { differences } = await other.operator.compare({ write: true })
  t.true(kinds(differences).includes('subscription: other_access, close'))
  for (const email of ['ann@example.com', 'ben@example.com'])
    t.true((await other.users.findByEmail(email))!.hasGate('pro' as never), email)
})

/** The same API, which knows nothing of one object when it is asked for by itself. */
async function forgetting(t: ExecutionContext, url: string, path: string): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url?.split('?')[0] === path) {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', code: 'resource_missing' } }))
      return
    }
    const { authorization = '' } = request.headers
    const answer = await fetch(`${url}${request.url}`, { headers: { authorization } })
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      date: answer.headers.get('date') ?? '',
    })
    response.end(await answer.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

for (const seller of [chargebee, creem, dodo, lemonsqueezy, paddle, polar, stripe])
  test(`${seller.key}: a repeated correcting comparison finds nothing`, async (t) => {
    const settings = {
      [`membership.providers.${seller.key}.metadata`]: { house: 'blue' },
    } as MembershipOptions
    const site = await openSellingSite(t, seller, settings)
    const { m, fake } = site
    for (const what of ['pro', 'book'] as const) {
      const { checkout } = await choose(site, what)
      await fake.pay(checkout, { email: `${what}@example.com` })
    }
    await fake.advance({ days: 32 })
    const [given] = [...fake.books.list('charge')].reverse()
    fake.refund(given!.id)
    t.true((await m.operator.compare({ write: true })).mended > 0)
    t.deepEqual((await m.operator.compare({ write: true })).differences, [])
  })
