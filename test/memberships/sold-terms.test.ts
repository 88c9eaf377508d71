import test, { type ExecutionContext } from 'ava'
import { parseSold } from '../../src/core/dto/sold.ts'
import { step } from '../../src/core/storage/index.ts'
import type { FakeStripe } from '../../src/fakes/stripe/index.ts'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { postgresDatabases, sqliteDatabases, type TestDatabase } from '../support/databases.ts'
import { choose, memberOf, openSellingSite, purchase, type SellingSite } from '../support/selling-site.ts'

const { month, team, book } = stripe.prices
const email = 'ann@example.com'

const databases: TestDatabase[] = []
test.before(async () => {
  databases.push(await sqliteDatabases(), await postgresDatabases())
})
test.after.always(async () => {
  for (const database of databases) await database.close()
})

function priced(id: string, amount: number, more: object = {}) {
  return { id, amount, currency: 'EUR', ...more }
}
function monthly(id: string, amount = 900) {
  return priced(id, amount, { interval: 'month' })
}

async function open(t: ExecutionContext, database: TestDatabase, plans: object): Promise<SellingSite> {
  return openSellingSite(
    t,
    { ...stripe, settings: () => ({ plans }) },
    { 'membership.database.url': await database.url() },
  )
}

/** Starts the site with other plans, on the same database. */
async function sellsNow(opened: SellingSite, plans: object): Promise<SellingSite> {
  const configured = opened.options['membership.providers.stripe'] as object
  const settings = { 'membership.providers.stripe': { ...configured, plans } } as MembershipOptions
  const restarted = await opened.restart(settings)
  await restarted.m.runDueJobs()
  return restarted
}

async function arrive({ fake, m }: SellingSite): Promise<void> {
  await fake.advance({ ms: 5000 })
  await fake.deliver()
  await m.runDueJobs()
}

async function refundAll(opened: SellingSite): Promise<void> {
  const fake = opened.fake as FakeStripe
  for (const { id } of fake.objects.list('payment_intent')) fake.refund(id as string)
  await arrive(opened)
}

/** Buys the one-time price of a site, and closes the page. */
async function buyOnce(opened: SellingSite): Promise<void> {
  const { url } = await choose(opened, 'book')
  await opened.fake.pay(url, { email })
  await arrive(opened)
}

for (const kind of ['sqlite', 'postgres'] as const) {
  const on = (title: string, run: (t: ExecutionContext, database: TestDatabase) => Promise<void>) =>
    test(`${kind}: ${title}`, (t) => run(t, databases.find(({ name }) => name === kind)!))

  on('a top-up keeps what it added when its price adds less later, or nothing', async (t, database) => {
    const sold = await open(t, database, {
      pro: { limits: { exports: { amount: 5, every: 'month' } }, prices: [monthly(month)] },
      pack: { prices: [priced(book, 1900, { adds: { exports: 3 } })] },
    })
    await buyOnce(sold)
    t.is((await memberOf(sold.m, email)).limit('exports' as never).left, 3)

    const less = await sellsNow(sold, {
      pro: { limits: { exports: { amount: 5, every: 'month' } }, prices: [monthly(month)] },
      pack: { prices: [priced(book, 1900, { adds: { exports: 1 } })] },
    })
    t.is((await memberOf(less.m, email)).limit('exports' as never).left, 3)
    await less.m.limits.use(await memberOf(less.m, email), 'exports' as never, 2)

    const gone = await sellsNow(less, { pro: { prices: [monthly(month)] } })
    const ann = await memberOf(gone.m, email)
    t.is(ann.limit('exports' as never).left, 1, 'no plan counts it now, and the bought one is left')
    t.is((await gone.m.limits.use(ann, 'exports' as never)).left, 0)
    await t.throwsAsync(() => gone.m.limits.use(ann, 'exports' as never), { code: 'ERR_LIMIT' })
  })

  on('a top-up whose price left is empty once its money is back', async (t, database) => {
    const sold = await open(t, database, {
      pro: { limits: { exports: { amount: 5, every: 'month' } }, prices: [monthly(month)] },
      pack: { prices: [priced(book, 1900, { adds: { exports: 3 } })] },
    })
    await buyOnce(sold)
    const gone = await sellsNow(sold, { pro: { prices: [monthly(month)] } })
    t.is((await memberOf(gone.m, email)).limit('exports' as never).left, 3)
    await refundAll(gone)
    t.is((await memberOf(gone.m, email)).limit('exports' as never).left, 0)
  })

  on('a member keeps the plan when its price leaves the configuration', async (t, database) => {
    const sold = await open(t, database, {
      pro: { opens: ['archive'], prices: [monthly(month)] },
      team: { prices: [monthly(team, 2500)] },
    })
    await purchase(sold, email)
    const gone = await sellsNow(sold, {
      pro: { opens: ['archive'], prices: [monthly('price_new')] },
      team: { prices: [monthly(team, 2500)] },
    })
    const ann = await memberOf(gone.m, email)
    const { open: isOpen, reason, by, ground } = ann.explain('pro' as never)
    t.deepEqual([isOpen, reason, by, ground], [true, 'subscription', ann.subscriptions()[0]!.id, 'paid'])
    t.true(ann.hasGate('archive' as never), 'what the plan opens is the site’s, today as well')
    t.is(ann.subscriptionForPrice('pro' as never)?.id, ann.subscriptions()[0]!.id)
    t.is(ann.paidTime('pro' as never).is_running, true)

    // A renewal buys the same again.
    await gone.fake.advance({ days: 32 })
    await arrive(gone)
    t.is((await memberOf(gone.m, email)).explain('pro' as never).ground, 'paid')
  })

  on(
    'a price that moved to another plan opens the bought plan, and the other one, too',
    async (t, database) => {
      const sold = await open(t, database, {
        pro: { prices: [monthly(month)] },
        team: { prices: [monthly(team, 2500)] },
      })
      await purchase(sold, email)
      const moved = await sellsNow(sold, {
        pro: { prices: [monthly('price_new', 1900)] },
        light: { prices: [monthly(month)] },
        team: { prices: [monthly(team, 2500)] },
      })
      const ann = await memberOf(moved.m, email)
      t.true(ann.hasGate('pro' as never))
      t.true(ann.hasGate('light' as never))
      t.false(ann.hasGate('team' as never))
    },
  )

  on('a plan under another name opens for those who bought it, under both names', async (t, database) => {
    const sold = await open(t, database, { pro: { prices: [monthly(month)] } })
    await purchase(sold, email)
    const renamed = await sellsNow(sold, { premium: { prices: [monthly(month)] } })
    const ann = await memberOf(renamed.m, email)
    t.true(ann.hasGate('premium' as never))
    t.true(ann.hasGate('pro' as never))
    t.deepEqual(ann.gates() as readonly string[], ['premium', 'pro'])
  })

  on('a book whose price becomes a top-up stays a book', async (t, database) => {
    const sold = await open(t, database, {
      pro: { limits: { exports: { amount: 5, every: 'month' } }, prices: [monthly(month)] },
      book: { prices: [priced(book, 1900)] },
    })
    await buyOnce(sold)
    t.true((await memberOf(sold.m, email)).hasGate('book' as never))
    const changed = await sellsNow(sold, {
      pro: { limits: { exports: { amount: 5, every: 'month' } }, prices: [monthly(month)] },
      book: { prices: [priced(book, 1900, { adds: { exports: 3 } })] },
    })
    const ann = await memberOf(changed.m, email)
    t.true(ann.hasGate('book' as never))
    t.is(ann.limit('exports' as never).left, 0)
  })

  for (const [how, later] of [
    ['left', {}],
    ['gives nothing now', { shelf: { prices: [priced(book, 1900)] } }],
    [
      'gives another plan now',
      { shelf: { prices: [priced(book, 1900, { gives: { plan: 'team', months: 1 } })] } },
    ],
  ] as const)
    on(`a refund closes the months of a price that ${how}`, async (t, database) => {
      const present = { pro: { prices: [monthly(month)] }, team: { prices: [monthly(team, 2500)] } }
      const gift = { prices: [priced(book, 1900, { gives: { plan: 'pro', months: 12 } })] }
      const sold = await open(t, database, { ...present, shelf: gift })
      await buyOnce(sold)
      t.is((await memberOf(sold.m, email)).explain('pro' as never).reason, 'gift')
      const changed = await sellsNow(sold, { ...present, ...later })
      t.true((await memberOf(changed.m, email)).hasGate('pro' as never))
      t.false((await memberOf(changed.m, email)).hasGate('team' as never))
      await refundAll(changed)
      const ann = await memberOf(changed.m, email)
      t.is(ann.payments()[0]!.status, 'refunded')
      t.false(ann.hasGate('pro' as never))
    })

  on('a purchase of before keeps the terms of the first start, as assumed', async (t, database) => {
    const sold = await open(t, database, {
      pro: { limits: { exports: { amount: 5, every: 'month' } }, prices: [monthly(month)] },
      pack: { prices: [priced(book, 1900, { adds: { exports: 3 } })] },
    })
    await purchase(sold, email)
    await buyOnce(sold)
    await forgetTerms(sold)
    t.is((await memberOf(sold.m, email)).limit('exports' as never).left, 8, 'today’s terms count')
    await sold.m.runDueJobs()
    t.deepEqual(await termsOf(sold), [
      [book, 'pack', true],
      [month, 'pro', true],
      [month, 'pro', true],
    ])
    const gone = await sellsNow(sold, {
      pro: { limits: { exports: { amount: 5, every: 'month' } }, prices: [monthly('price_new')] },
    })
    t.is((await memberOf(gone.m, email)).limit('exports' as never).left, 8)

    // A renewal adds nothing to what is known, and a new purchase is sure.
    await gone.fake.advance({ days: 32 })
    await arrive(gone)
    t.is((await memberOf(gone.m, email)).limit('exports' as never).left, 8)
  })

  for (const way of ['import', 'compare'] as const)
    on(`${way}: what is found later is sold under the terms of that day, as assumed`, async (t, database) => {
      const sold = await open(t, database, {
        pro: { prices: [monthly(month)] },
        pack: { prices: [priced(book, 1900, { adds: { exports: 3 } })] },
      })
      await purchase(sold, email)
      await buyOnce(sold)
      await sold.fake.advance({ days: 3 })
      const configured = sold.options['membership.providers.stripe'] as object
      const plans = {
        club: { prices: [monthly(month)] },
        pack: { prices: [priced(book, 1900, { adds: { exports: 1 } })] },
      }
      const m = await createMembership({
        ...sold.options,
        'membership.database.url': await database.url(),
        'membership.providers.stripe': { ...configured, plans },
      } as MembershipOptions)
      t.teardown(() => m.close())
      if (way === 'import') await m.operator.import({ provider: 'stripe', write: true })
      else await m.operator.compare({ write: true, yes: true })
      t.deepEqual(await termsOf({ m }), [
        [book, 'pack', true],
        [month, 'club', true],
        [month, 'club', true],
      ])
      t.true((await memberOf(m, email)).hasGate('club' as never))
    })

  on('an older process may write beside this one', async (t, database) => {
    const sold = await open(t, database, { pro: { prices: [monthly(month)] } })
    await purchase(sold, email)
    t.deepEqual(await termsOf(sold), [
      [month, 'pro', undefined],
      [month, 'pro', undefined],
    ])
    await forgetTerms(sold)
    // The next message of a subscription whose terms are not stored leaves them to the job.
    await sold.fake.advance({ days: 32 })
    await sold.fake.deliver()
    t.true((await memberOf(sold.m, email)).hasGate('pro' as never))
    await sold.m.runDueJobs()
    for (const [, plan] of await termsOf(sold)) t.is(plan, 'pro')
    t.true((await termsOf(sold)).some(([, , assumed]) => assumed))
  })
}

/** Makes each purchase as a version before this one left it. */
async function forgetTerms({ m }: SellingSite): Promise<void> {
  for (const table of ['subscriptions', 'payments'] as const) {
    const forget = m.storage.prepare<{ none: null }>(`test-forget-${table}`, (db, p) =>
      db.updateTable(table).set({ sold: p.none }),
    )
    await m.storage.commit([step(forget, { none: null })])
  }
}

/** The stored terms: price, plan, and if they are assumed. */
async function termsOf({ m }: Pick<SellingSite, 'm'>) {
  const texts = [
    ...(await m.storage.read((db) => db.selectFrom('subscriptions').select('sold'))),
    ...(await m.storage.read((db) => db.selectFrom('payments').select('sold'))),
  ]
  return texts
    .flatMap(({ sold }) => (sold === null ? [] : [...parseSold(sold).values()]))
    .map(({ id, plan, assumed }) => [id, plan, assumed] as const)
    .sort()
}

test('the stored terms are no part of what a page compares, copies or writes as JSON', async (t) => {
  const opened = await open(t, databases[0]!, {
    pro: { prices: [monthly(month)] },
    book: { prices: [priced(book, 1900)] },
  })
  await purchase(opened, email)
  await buyOnce(opened)
  const user = await memberOf(opened.m, email)
  t.true(user.payments().length > 1)
  for (const payment of user.payments()) {
    t.deepEqual(JSON.parse(JSON.stringify(payment)), payment)
    t.deepEqual(structuredClone(payment), payment)
    t.deepEqual(Object.getOwnPropertySymbols({ ...payment }), [])
  }
  for (const subscription of user.subscriptions())
    t.deepEqual(Object.getOwnPropertySymbols({ ...subscription }), [])
})
