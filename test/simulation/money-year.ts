import type { FakeServer } from '../../src/fakes/engine/index.ts'
import { countFigures, type Figures } from '../../src/office/figures.ts'
import { churnOf, monthRows } from '../../src/office/money-page.ts'
import { paddle } from '../providers/paddle/selling.ts'
import type { SellingCase } from '../providers/selling-case.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { openSellingSite } from '../support/selling-site.ts'
import { createVisitor, prove } from '../support/visitor.ts'
import { type Chance, createChance } from './chance.ts'
import { createFigures } from './figures.ts'
import { booksOf } from './money-oracle.ts'

/** Of whom, and for how long. */
export interface MoneyYearOptions {
  readonly seed: string
  readonly members: number
  readonly months: number
  /** A fresh, empty database. */
  readonly database: string
}

/**
 * Members who buy at two providers of one site, in two currencies, change, cancel, are refunded, and whose cards fail and
 * are charged after all. What the office then says of revenue, counts and churn is compared with the merchants' own books.
 */
export const simulateMoney = async (options: MoneyYearOptions) => {
  const { seed, members, months, database } = options
  const ends: (() => unknown)[] = []
  const figures = createFigures()
  try {
    const t = { teardown: (end: () => unknown) => void ends.push(end) }
    const settings = { 'membership.database.url': database, 'membership.provider.choices': ['paddle'] }
    const first = await openSellingSite(t as never, stripe, settings as never, {}, [paddle])
    const [atStripe, atPaddle] = first.merchants as readonly [FakeServer, FakeServer]
    const { m, site } = await first.restart(inDollars(first.options, atStripe, atPaddle))
    const world: World = { m, site, merchants: [atStripe, atPaddle], count: figures.count, buyers: [] }
    const chance = createChance(seed, 'money')
    for (let day = 0; day < months * 30; day++) {
      if (day % Math.max(1, Math.floor((months * 20) / members)) === 0 && world.buyers.length < members)
        await buyOne(world, chance)
      for (const email of world.buyers) if (chance.one(0.03)) await actOn(world, chance, email)
      for (const merchant of world.merchants) await merchant.advance({ days: 1 })
      for (const merchant of world.merchants) await merchant.deliver()
      await m.runDueJobs()
    }
    for (const merchant of world.merchants) await merchant.deliver({ settle: true })
    await m.runDueJobs()
    const counted = await countFigures({
      storage: m.storage,
      plans: () => m.plans(),
      inIso: ({ amount }) => amount,
      now: () => atStripe.now(),
    })
    const { lines, broken } = compared(counted, booksOf(world.merchants))
    return { broken, lines, figures: figures.counts }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

interface World {
  readonly m: Awaited<ReturnType<typeof openSellingSite>>['m']
  readonly site: string
  readonly merchants: readonly [FakeServer, FakeServer]
  readonly count: ReturnType<typeof createFigures>['count']
  readonly buyers: string[]
}

const usd = { stripe: 'price_usd', paddle: 'pri_usd' }

/** A plan in another currency, a year at one provider and a month at the other. */
const inDollars = (options: object, atStripe: FakeServer, atPaddle: FakeServer) => {
  atStripe.addPrice({ id: usd.stripe, unit_amount: 12_000, currency: 'usd', recurring: { interval: 'year' } })
  atPaddle.addPrice({ id: usd.paddle, unit_amount: 1100, currency: 'usd', recurring: { interval: 'month' } })
  const own = options as Record<string, { plans: object }>
  const of = (key: 'stripe' | 'paddle', amount: number, interval: 'year' | 'month') => ({
    [`membership.providers.${key}`]: {
      ...own[`membership.providers.${key}`],
      plans: {
        ...own[`membership.providers.${key}`]!.plans,
        dollars: { prices: [{ id: usd[key], amount, currency: 'USD', interval }] },
      },
    },
  })
  return { ...of('stripe', 12_000, 'year'), ...of('paddle', 1100, 'month') } as never
}

const buyOne = async ({ m, site, merchants, count, buyers }: World, chance: Chance): Promise<void> => {
  const email = `m${buyers.length + 1}@example.com`
  const isStripe = chance.one(0.5)
  const [seller, merchant]: [SellingCase, FakeServer] = isStripe
    ? [stripe, merchants[0]]
    : [paddle, merchants[1]]
  const visitor = createVisitor(site)
  const plan = chance.of(['pro', 'team', 'dollars'])
  const begun = await visitor.send(`/membership/subscribe/${plan}`, { provider: seller.key })
  if (begun.status !== 201) throw new Error(`${plan} at ${seller.key}: ${begun.status} ${begun.text}`)
  await merchant.pay(seller.checkoutIn(begun.json.url), { email })
  await merchant.deliver()
  await m.runDueJobs()
  await prove(m, visitor)
  buyers.push(email)
  count('actions', `buy ${plan} at ${seller.key}`)
}

/** What happens to somebody's membership; what is refused then is not done. */
const actOn = async (world: World, chance: Chance, email: string): Promise<void> => {
  const { m, merchants, count } = world
  const user = await m.users.findByEmail(email)
  const living = user?.subscriptions().find((one) => !one.ended)
  const what = chance.weighted({ change: 25, cancel: 10, end: 6, resume: 10, refund: 15, part: 15, fail: 30 })
  if (user === null || living === undefined) return
  const of = { user, subscriptionId: living.id }
  const payment = user.payments().find((one) => one.status === 'paid')
  const isDollars = living.currency === 'USD'
  try {
    if (what === 'change' && isDollars) return
    if (what === 'change')
      await m.subscriptions.change({
        ...of,
        ...{
          plan: living.hasPrice('price_team') || living.hasPrice('pri_team') ? 'pro' : 'team',
          price: null,
        },
        ...{ quantity: null, proration: null, prorationAt: null },
      })
    else if (what === 'cancel' || what === 'end')
      await m.subscriptions.cancel({ ...of, when: what === 'end' ? 'now' : 'period_end' })
    else if (what === 'resume') await m.subscriptions.resume(of)
    else if (what === 'fail') merchants[living.provider === 'stripe' ? 0 : 1].failNextPayment(living.id)
    else if (payment !== undefined)
      await m.payments.refund({ payment, ...(what === 'part' ? { amount: 100 } : {}) })
    count('actions', what)
  } catch (error) {
    count('refused', String((error as { code?: string }).code ?? error).slice(0, 60))
  }
}

type Books = ReturnType<typeof booksOf>

/** What the office says beside the books: each figure by month and currency. */
const compared = (figures: Figures, books: Books): { lines: string[]; broken: string[] } => {
  const said = saidBy(figures)
  const lines: string[] = []
  const broken: string[] = []
  for (const [what, of] of Object.entries(books)) {
    const ours = said[what as keyof Books]
    for (const key of new Set([...of.keys(), ...ours.keys()].sort())) {
      const [is, wanted] = [ours.get(key) ?? 0, of.get(key) ?? 0]
      const line = `${what} ${key}: ${Math.round(wanted * 100) / 100}`
      if (Math.abs(is - wanted) < 0.01) lines.push(line)
      else broken.push(`${line} by the books, ${is} in the office`)
    }
  }
  const last = figures.months.slice(-4, -1)
  const sum = (of: ReadonlyMap<string, number>) => last.reduce((all, month) => all + (of.get(month) ?? 0), 0)
  const [churn, paying] = [churnOf(figures), sum(books.paying)]
  if (Math.abs((churn?.share ?? 0) - (paying === 0 ? 0 : sum(books.lost) / paying)) > 1e-9)
    broken.push(`churn is ${churn?.share}, and ${sum(books.lost)} of ${paying} left`)
  lines.push(`churn: ${sum(books.lost)} of ${paying}`)
  return { lines, broken }
}

const saidBy = (figures: Figures): Record<keyof Books, Map<string, number>> => {
  const rows = monthRows(figures, null)
  const money = (kind: 'received' | 'refunded' | 'recovered') =>
    new Map(
      rows.flatMap((row) =>
        row[kind].map(({ currency, amount }) => [`${row.month} ${currency}`, amount] as const),
      ),
    )
  const counts = (kind: 'begun' | 'lost' | 'paying') =>
    new Map(rows.filter((row) => row[kind] > 0).map((row) => [row.month, row[kind]] as const))
  const recurring = new Map<string, number>()
  for (const { currency, amount } of figures.recurring)
    recurring.set(currency, (recurring.get(currency) ?? 0) + amount)
  return {
    received: money('received'),
    refunded: money('refunded'),
    recovered: money('recovered'),
    begun: counts('begun'),
    lost: counts('lost'),
    paying: counts('paying'),
    recurring,
  }
}
