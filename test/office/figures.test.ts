import test from 'ava'
import { openStorage, step } from '../../src/core/storage/index.ts'
import type { FakeServer } from '../../src/fakes/engine/index.ts'
import type { Membership } from '../../src/index.ts'
import { countFigures, type Figures } from '../../src/office/figures.ts'
import { createMembersList, type MembersQuery, views } from '../../src/office/members-list.ts'
import { type ListQuery, listCounted } from '../../src/office/money-list.ts'
import { cohortRows } from '../../src/office/money-page.ts'
import { stayingOf } from '../../src/office/plots.ts'
import { fillOffice } from '../bench/office-rows.ts'
import { paddle } from '../providers/paddle/selling.ts'
import type { SellingCase } from '../providers/selling-case.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { booksOf } from '../simulation/money-oracle.ts'
import { allDatabases } from '../support/databases.ts'
import { openSellingSite } from '../support/selling-site.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { createVisitor, prove } from '../support/visitor.ts'

function count(m: Membership, fake: FakeServer): Promise<Figures> {
  return countFigures({
    storage: m.storage,
    plans: () => m.plans(),
    inIso: ({ amount }) => amount,
    now: () => fake.now(),
  })
}

function lostIn({ byMonth }: Figures, from: string, until: string): number {
  return byMonth.reduce((sum, { month, lost }) => (month >= from && month <= until ? sum + lost : sum), 0)
}

const title =
  'the figures are what the books of two providers say, in two currencies, over months with changes, refunds and cancellations'
for (const open of allDatabases)
  test(`${open.name}: ${title}`, async (t) => {
    const database = await open()
    t.teardown(database.close)
    const first = await openSellingSite(t, stripe, { 'membership.database.url': await database.url() }, {}, [
      paddle,
    ])
    const [atStripe, atPaddle] = first.fakes as readonly [FakeServer, FakeServer]
    atStripe.addPrice({
      id: 'price_usd',
      unit_amount: 1200,
      currency: 'usd',
      recurring: { interval: 'year' },
    })
    const own = first.options['membership.providers.stripe'] as { plans: object }
    const dollars = {
      prices: [{ id: 'price_usd', amount: 1200, currency: 'USD', interval: 'year' as const }],
    }
    const { m, site } = await first.restart({
      'membership.providers.stripe': { ...own, plans: { ...own.plans, dollars } },
      'membership.provider.choices': ['paddle'],
    })
    const advance = async (by: { months?: number; days?: number }) => {
      for (const fake of [atStripe, atPaddle]) {
        await fake.advance(by)
        await fake.deliver()
      }
      await m.runDueJobs()
    }
    const buy = async (seller: SellingCase, fake: FakeServer, what: string, email: string) => {
      const visitor = createVisitor(site)
      const begun = await visitor.send(`/membership/subscribe/${what}`, { provider: seller.key })
      t.is(begun.status, 201, begun.text)
      await fake.pay(seller.checkoutIn(begun.json.url), { email })
      await fake.deliver()
      await m.runDueJobs()
      await prove(m, visitor)
      return (await m.users.findByEmail(email))!
    }
    const subscriptionOf = async (email: string) => {
      const user = (await m.users.findByEmail(email))!
      return { user, subscriptionId: user.subscriptions()[0]!.id }
    }

    await buy(stripe, atStripe, 'pro', 'ann@example.com')
    await buy(stripe, atStripe, 'dollars', 'dora@example.com')
    await buy(paddle, atPaddle, 'pro', 'bob@example.com')
    await buy(paddle, atPaddle, 'team', 'cleo@example.com')
    await advance({ days: 10 })
    for (const email of ['ann@example.com', 'bob@example.com'])
      await m.subscriptions.change({
        ...(await subscriptionOf(email)),
        plan: 'team',
        price: null,
        quantity: null,
        proration: null,
        prorationAt: null,
      })
    for (const [fake, email] of [
      [atStripe, 'ann@example.com'],
      [atPaddle, 'bob@example.com'],
    ] as const)
      fake.failNextPayment((await subscriptionOf(email)).subscriptionId)
    await advance({ months: 1 })
    await buy(stripe, atStripe, 'pro', 'eve@example.com')
    const refunded = (await m.users.findByEmail('bob@example.com'))!.payments().at(-1)!
    await m.payments.refund({ payment: refunded, amount: 250 })
    const whole = (await m.users.findByEmail('dora@example.com'))!.payments()[0]!
    await m.payments.refund({ payment: whole })
    await m.subscriptions.cancel({ ...(await subscriptionOf('dora@example.com')), when: 'now' })
    await m.subscriptions.cancel({ ...(await subscriptionOf('cleo@example.com')), when: 'period_end' })
    await advance({ months: 1 })
    await advance({ months: 1, days: 3 })

    const figures = await count(m, atStripe)
    const books = booksOf([atStripe, atPaddle])
    const said = (kind: 'received' | 'refunded' | 'recovered') =>
      figures.byMonth
        .flatMap((cell) =>
          cell[kind].map(({ currency, amount }) => [`${cell.month} ${currency}`, amount] as const),
        )
        .reduce((all, [key, amount]) => all.set(key, (all.get(key) ?? 0) + amount), new Map<string, number>())
    const sorted = (map: ReadonlyMap<string, number>) => Object.fromEntries([...map].sort())
    t.deepEqual(sorted(said('received')), sorted(books.received))
    t.deepEqual(sorted(said('refunded')), sorted(books.refunded))
    t.is(books.refunded.size, 2, 'two currencies went back')
    t.deepEqual(sorted(said('recovered')), sorted(books.recovered))
    t.true(books.recovered.size > 0, 'something came after all')
    const failedFirst = figures.byMonth.flatMap(({ recovered }) => recovered)
    t.is(
      failedFirst.reduce((sum, { count: parts }) => sum + parts, 0),
      2,
      'one of each provider',
    )
    const counts = (kind: 'begun' | 'lost') =>
      figures.byMonth
        .filter((cell) => cell[kind] > 0)
        .reduce(
          (all, cell) => all.set(cell.month, (all.get(cell.month) ?? 0) + cell[kind]),
          new Map<string, number>(),
        )
    t.deepEqual(sorted(counts('begun')), sorted(books.begun))
    t.deepEqual(sorted(counts('lost')), sorted(books.lost))
    const recurring = new Map<string, number>()
    for (const { currency, amount } of figures.recurring)
      recurring.set(currency, (recurring.get(currency) ?? 0) + amount)
    t.deepEqual(sorted(recurring), sorted(books.recurring))
    t.is(figures.members.at(-1), 3, 'ann, bob and eve')

    const total = (numbers: Iterable<number>) => [...numbers].reduce((sum, number) => sum + number, 0)
    t.is(total(figures.cohorts.map(({ left }) => left[0]!)), total(books.begun.values()), 'all who began')
    const stayed = total(figures.cohorts.map(({ left }) => left.at(-1)!))
    t.is(stayed, total(books.begun.values()) - total(books.lost.values()), 'whoever was not lost is left')
    const counting = {
      storage: m.storage,
      plans: m.plans(),
      now: atStripe.now(),
      inIso: ({ amount }: { amount: number }) => amount,
    }
    const counted = (wish: Partial<ListQuery> & Pick<ListQuery, 'kind'>) =>
      listCounted(counting, { month: figures.months.at(-1)!, plan: null, currency: null, ...wish })
    for (const [i, month] of figures.months.entries())
      t.is((await counted({ kind: 'people', month })).length, figures.members[i]!, `people ${month}`)
    const [from, until] = [figures.months.at(-4)!, figures.months.at(-2)!]
    t.is((await counted({ kind: 'lost', month: from, until })).length, lostIn(figures, from, until))
    for (const { currency, amount, count: parts, plan } of figures.recurring) {
      const rows = await counted({ kind: 'recurring', plan, currency })
      t.is(rows.length, parts)
      t.is(total(rows.map((row) => row.amount!)), amount)
    }
    for (const { price, amounts } of figures.prices)
      for (const { amount, currency, count: parts } of amounts)
        t.is((await counted({ kind: 'recurring', price, each: amount, currency })).length, parts)
    for (const { month, plan, left } of figures.cohorts)
      for (const [i, still] of left.entries()) {
        const at = figures.months[figures.months.indexOf(month) + i]!
        t.is((await counted({ kind: 'left', month, plan, at })).length, still, `left ${month} ${at} ${plan}`)
      }
    const { shares } = stayingOf(cohortRows(figures))
    for (const [after, share] of shares.entries()) {
      const among = { month: figures.months[0]!, until: figures.months.at(-1 - after)! }
      const far = await counted({ kind: 'left', ...among, after: 0 })
      const still = await counted({ kind: 'left', ...among, after })
      t.is(far.length === 0 ? 0 : still.length / far.length, share, `${after} months after`)
    }
    for (const { month, plan, paying } of figures.byMonth)
      t.is((await counted({ kind: 'paying', month, plan })).length, paying, `paying ${month} ${plan}`)
    t.deepEqual(
      figures.months.map((month) =>
        total(
          figures.byMonth.filter((monthOfPlan) => monthOfPlan.month === month).map(({ paying }) => paying),
        ),
      ),
      figures.paying,
    )

    // Some of a list are of it, as many as were asked for.
    for (const kind of [
      'begun',
      'lost',
      'paying',
      'recurring',
      'received',
      'refunded',
      'people',
      'left',
    ] as const)
      for (const month of figures.months) {
        const all = (await counted({ kind, month })).map((row) => JSON.stringify(row))
        for (const most of [1, 1000]) {
          const some = await listCounted(counting, { kind, month, plan: null, currency: null }, most)
          t.true(
            some.every((row) => all.includes(JSON.stringify(row))),
            `${kind} ${month}`,
          )
          t.is(some.length, Math.min(most, all.length), `${kind} ${month} ${most}`)
        }
      }

    // Every number opens the list that it counts.
    for (const { month, plan, ...cell } of figures.byMonth)
      for (const kind of ['begun', 'lost', 'received', 'refunded', 'recovered'] as const) {
        const rows = await listCounted(counting, { kind, month, plan, currency: null })
        const wanted = cell[kind]
        if (typeof wanted === 'number') t.is(rows.length, wanted, `${kind} ${month} ${plan}`)
        else
          for (const { currency, amount, count: parts } of wanted) {
            const of = rows.filter((row) => row.currency === currency)
            t.is(
              of.reduce((sum, row) => sum + row.amount!, 0),
              amount,
              `${kind} ${month} ${plan}`,
            )
            t.is(of.length, parts)
            t.true(of.every(({ email }) => email !== null))
          }
      }
  })

for (const open of allDatabases)
  test(`${open.name}: each view lists exactly its members, page by page, and a search ends with the last match`, async (t) => {
    const database = await open()
    t.teardown(database.close)
    const url = await database.url()
    const now = () => new Date('2026-06-15T12:00:00.000Z')
    const storage = await openStorage({ url, synchronous: 'normal', pool: 2, now })
    t.teardown(() => storage.close())
    const members = 1200
    await fillOffice(url, members, now().getTime())
    const figures = await countFigures({
      storage,
      plans: () => plansOfRows,
      inIso: ({ amount }) => amount,
      now,
    })
    const list = createMembersList({ storage, figures: async () => figures, now })
    const numbers = async (query: Partial<MembersQuery>): Promise<number[]> => {
      const found: string[] = []
      for (let after = ''; ; ) {
        const page = await list.page({ q: '', view: null, limit: 7, ...query, after })
        found.push(...page.rows.map(({ id }) => id.split('_')[2]!))
        if (page.next === null) break
        after = page.next
      }
      t.is(new Set(found).size, found.length, `${JSON.stringify(query)} tells nobody twice`)
      return found.map(Number).sort((a, b) => a - b)
    }
    const all = Array.from({ length: members }, (_, n) => n)
    const those = (isMeant: (of: number, n: number) => boolean) => all.filter((n) => isMeant(n % 100, n))
    t.deepEqual(await numbers({}), all)
    t.deepEqual(
      await numbers({ view: 'trials' }),
      those((of) => of === 4),
    )
    t.deepEqual(
      await numbers({ view: 'failed' }),
      those((of) => of < 4),
    )
    t.deepEqual(
      await numbers({ view: 'cancels' }),
      those((of) => of >= 8 && of < 12),
    )
    t.deepEqual(
      await numbers({ view: 'former' }),
      those((of, n) => of >= 12 && of < 30 && n % 3 !== 0),
    )
    t.deepEqual(
      await numbers({ view: 'given' }),
      those((_, n) => n % 50 === 0),
    )
    t.deepEqual(await numbers({ view: 'twice' }), [500])
    t.deepEqual(
      await numbers({ q: 'ANN ' }),
      those((_, n) => n % 8 === 0),
    )
    t.deepEqual(await numbers({ q: 'number 77' }), [77, ...those((_, n) => n >= 770 && n < 780)])
    t.deepEqual(await numbers({ q: '100%' }), [])
    t.deepEqual(await numbers({ q: 'cus_77' }), [77])
    t.deepEqual(await numbers({ q: 'pay_77_1' }), [77])
    for (const view of views)
      t.deepEqual(await list.count(view), { count: (await numbers({ view })).length, isMore: false }, view)
    const allFailed = storage.prepare<Record<never, never>>('all failed', (db) =>
      db.updateTable('subscriptions').set({ status: 'unpaid' }),
    )
    await storage.commit([step(allFailed, {})])
    t.deepEqual(await list.count('failed'), { count: 1000, isMore: true }, 'nobody counts further')
  })

const plansOfRows = [
  {
    id: 'pro',
    name: 'Pro',
    provider: 'stripe',
    lines: [],
    features: [],
    group: 'membership',
    prices: ['price_month', 'price_year'].map((id) => ({ id })),
  },
] as never

test('churn ignores members who never paid: a card declined after a trial is neither a start nor a loss', async (t) => {
  const opened = await openSellingSite(t, stripe)
  const [atStripe] = opened.fakes as readonly [FakeServer]
  const own = opened.options['membership.providers.stripe'] as { plans: { pro: { prices: object[] } } }
  const prices = own.plans.pro.prices.map((price) =>
    typeof price === 'string' ? { id: price, trial_days: 7 } : { ...price, trial_days: 7 },
  )
  const { m, site } = await opened.restart({
    'membership.providers.stripe': { ...own, plans: { ...own.plans, pro: { ...own.plans.pro, prices } } },
  })
  const visitor = createVisitor(site)
  const begun = await visitor.send('/membership/subscribe/pro', { provider: stripe.key })
  await atStripe.pay(stripe.checkoutIn(begun.json.url), { email: 'ann@example.com' })
  await atStripe.deliver()
  await m.runDueJobs()
  const user = (await m.users.findByEmail('ann@example.com'))!
  t.is(user.subscriptions()[0]?.status, 'trialing')
  atStripe.failNextPayment(user.subscriptions()[0]!.id)
  await atStripe.advance({ days: 8 })
  await atStripe.deliver()
  await m.runDueJobs()
  t.is((await m.users.findById(user.id))?.subscriptions()[0]?.status, 'past_due')
  await prove(m, visitor)
  await m.subscriptions.cancel({
    user: (await m.users.findById(user.id))!,
    subscriptionId: user.subscriptions()[0]!.id,
    when: 'now',
  })
  await atStripe.deliver()
  await m.runDueJobs()
  await atStripe.advance({ months: 1 })
  const figures = await count(m, atStripe)
  t.is(
    figures.byMonth.reduce((sum, { begun: began, lost }) => sum + began + lost, 0),
    0,
  )
  const lists = await Promise.all(
    (['begun', 'lost'] as const).map((kind) =>
      listCounted(
        { storage: m.storage, plans: m.plans(), now: atStripe.now(), inIso: ({ amount }) => amount },
        { kind, month: '2026-01', until: '2026-03', plan: null, currency: null },
      ),
    ),
  )
  t.deepEqual(lists, [[], []])
})

test('a page that closes before anybody tried to pay is no failed payment; a declined card is', async (t) => {
  const { m, fake, site } = await openStripeSite(t)
  await m.operator.catalogue.refresh('stripe')
  const begin = () => createVisitor(site).send('/membership/payment', { product: 'price_book' })
  t.is((await begin()).status, 201)
  await fake.advance({ days: 2 })
  await fake.deliver()
  await m.runDueJobs()
  const failed = async () => (await count(m, fake)).byMonth.flatMap((month) => month.failed)
  t.deepEqual(await failed(), [])

  t.is((await begin()).status, 201)
  const [session] = fake.objects.list('checkout.session').filter(({ status }) => status === 'open')
  await fake.pay(session!.id, { email: 'ann@example.com', card: '4000000000000002' })
  await fake.deliver()
  await fake.advance({ days: 2 })
  await fake.deliver()
  await m.runDueJobs()
  t.deepEqual(
    (await failed()).map(({ count: parts }) => parts),
    [1],
  )
})
