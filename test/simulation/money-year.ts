import type { FakeServer } from '../../src/fakes/engine/index.ts'
import type { Subscription, User } from '../../src/index.ts'
import { countFigures, type Figures } from '../../src/office/figures.ts'
import { churnOf, monthRows } from '../../src/office/money-page.ts'
import { movements } from '../../src/office/recurring-months.ts'
import { paddle } from '../providers/paddle/selling.ts'
import type { SellingCase } from '../providers/selling-case.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { openSellingSite } from '../support/selling-site.ts'
import { createVisitor, prove, type Visitor } from '../support/visitor.ts'
import { type Chance, createChance } from './chance.ts'
import { createFigures } from './figures.ts'
import { booksOf, type MonthlyBooks, watchMonths } from './money-oracle.ts'

/** Of whom, and for how long. */
export interface MoneyYearOptions {
  readonly seed: string
  readonly members: number
  readonly months: number
  /** A fresh, empty database. */
  readonly database: string
}

/**
 * Members who buy at two providers of one site, in two currencies, change, pause, cancel, return, move to the other
 * provider, merge their accounts, are refunded, and whose cards fail and are charged after all. What the office then says
 * of revenue, counts, churn and MRR by month is compared with the fakes' own books.
 */
export async function simulateMoney(options: MoneyYearOptions) {
  const { seed, members, months, database } = options
  const ends: (() => unknown)[] = []
  const figures = createFigures()
  try {
    const t = { teardown: (end: () => unknown) => void ends.push(end) }
    const settings = {
      'membership.database.url': database,
      'membership.provider.choices': ['paddle'],
      'membership.office.enabled': true,
    }
    const first = await openSellingSite(t as never, stripe, settings as never, {}, [paddle])
    const [atStripe, atPaddle] = first.fakes as readonly [FakeServer, FakeServer]
    const { m, site, visitorOf } = await first.restart(inDollars(first.options, atStripe, atPaddle))
    const world: World = {
      m,
      site,
      fakes: [atStripe, atPaddle],
      count: figures.count,
      buyers: [],
      merged: new Map(),
      visitorOf,
    }
    const chance = createChance(seed, 'money')
    const watched = watchMonths(world.fakes)
    for (let day = 0; day < months * 30; day++) {
      if (day % Math.max(1, Math.floor((months * 20) / members)) === 0 && world.buyers.length < members)
        await buyOne(world, chance)
      for (const email of world.buyers) if (chance.one(0.03)) await actOn(world, chance, email)
      await passDay(world, watched)
      for (const fake of world.fakes) await fake.deliver()
      await m.runDueJobs()
    }
    for (const fake of world.fakes) await fake.deliver({ settle: true })
    await m.runDueJobs()
    const counted = await countFigures({
      storage: m.storage,
      plans: () => m.plans(),
      inIso: ({ amount }) => amount,
      now: () => atStripe.now(),
    })
    watched.look(monthOf(atStripe.now()))
    const { lines, broken } = compared(counted, booksOf(world.fakes))
    const mrr = comparedMonths(
      counted,
      watched.movements((email) => personOf(world, email)),
    )
    return {
      broken: [...broken, ...mrr.broken],
      lines: [...lines, ...mrr.lines],
      figures: figures.counts,
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

interface World {
  readonly m: Awaited<ReturnType<typeof openSellingSite>>['m']
  readonly site: string
  readonly fakes: readonly [FakeServer, FakeServer]
  readonly count: ReturnType<typeof createFigures>['count']
  readonly buyers: string[]
  /** A browser in which somebody with an account is logged in. */
  readonly visitorOf: (email: string) => Promise<Visitor>
  /** By the address of a merged account: the one that it belongs to now. */
  readonly merged: Map<string, string>
}

function personOf({ merged }: Pick<World, 'merged'>, email: string): string {
  const kept = merged.get(email)
  return kept === undefined ? email : personOf({ merged }, kept)
}

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7)
}

/** Lets a day pass. At the end of a month the books are looked into, a millisecond before the next begins. */
async function passDay({ fakes }: World, watched: ReturnType<typeof watchMonths>): Promise<void> {
  const now = fakes[0].now()
  const tomorrow = new Date(now.getTime() + 86_400_000)
  if (monthOf(tomorrow) !== monthOf(now)) {
    const next = Date.UTC(tomorrow.getUTCFullYear(), tomorrow.getUTCMonth(), 1)
    for (const fake of fakes) await fake.advance(new Date(next - 1))
    watched.look(monthOf(now))
  }
  for (const fake of fakes) await fake.advance(tomorrow)
}

const usd = { stripe: 'price_usd', paddle: 'pri_usd' }

/** A plan in another currency, a year at one provider and a month at the other. */
function inDollars(options: object, atStripe: FakeServer, atPaddle: FakeServer) {
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

async function buyOne(world: World, chance: Chance): Promise<void> {
  const email = `m${world.buyers.length + 1}@example.com`
  await buy(world, chance, { email, isStripe: chance.one(0.5) })
  world.buyers.push(email)
}

async function buy(
  { m, site, fakes, count, visitorOf, buyers }: World,
  chance: Chance,
  { email, isStripe }: { email: string; isStripe: boolean },
): Promise<void> {
  const [seller, fake]: [SellingCase, FakeServer] = isStripe ? [stripe, fakes[0]] : [paddle, fakes[1]]
  const isKnown = buyers.includes(email)
  const visitor = isKnown ? await visitorOf(email) : createVisitor(site)
  const plan = chance.of(['pro', 'team', 'dollars'])
  const begun = await visitor.send(`/membership/subscribe/${plan}`, { provider: seller.key })
  if (begun.status !== 201) throw new Error(`${plan} at ${seller.key}: ${begun.status} ${begun.text}`)
  await fake.pay(seller.checkoutIn(begun.json.url), { email })
  await fake.deliver()
  await m.runDueJobs()
  if (!isKnown) await prove(m, visitor)
  count('actions', `buy ${plan} at ${seller.key}`)
}

/** What happens to somebody's membership; what is refused then is not done. */
async function actOn(world: World, chance: Chance, email: string): Promise<void> {
  const { m, fakes, count } = world
  const user = world.merged.has(email) ? null : await m.users.findByEmail(email)
  const living = user?.subscriptions().find((subscription) => !subscription.ended)
  const what = chance.weighted({
    change: 20,
    quantity: 10,
    pause: 8,
    cancel: 10,
    end: 8,
    resume: 10,
    move: 6,
    merge: 3,
    refund: 15,
    part: 15,
    fail: 30,
    return: 12,
  })
  if (user === null) return
  try {
    if (what === 'return' && living !== undefined) return
    if (what === 'return') await buy(world, chance, { email, isStripe: chance.one(0.5) })
    else if (what === 'merge') await mergeInto(world, chance, email)
    else if (living === undefined) return
    else if (what === 'move') await move(world, chance, { email, user, living })
    else if (what === 'fail') fakes[living.provider === 'stripe' ? 0 : 1].failNextPayment(living.id)
    else await change(m, chance, { what, user, living })
    count('actions', what)
  } catch (error) {
    count('refused', String((error as { code?: string }).code ?? error).slice(0, 60))
  }
}

interface Owned {
  readonly user: User
  readonly living: Subscription
}

async function change(
  m: World['m'],
  chance: Chance,
  { what, user, living }: Owned & { what: string },
): Promise<void> {
  const of = { user, subscriptionId: living.id }
  const terms = { price: null, proration: null, prorationAt: null }
  const payment = user.payments().find((payment) => payment.status === 'paid')
  if (what === 'change' && living.currency === 'USD') return
  if (what === 'change') {
    const plan = living.hasPrice('price_team') || living.hasPrice('pri_team') ? 'pro' : 'team'
    await m.subscriptions.change({ ...of, ...terms, plan, quantity: null })
  } else if (what === 'quantity')
    await m.subscriptions.change({ ...of, ...terms, plan: null, quantity: chance.number(1, 4) })
  else if (what === 'pause') await m.subscriptions.pause(of)
  else if (what === 'cancel' || what === 'end')
    await m.subscriptions.cancel({ ...of, when: what === 'end' ? 'now' : 'period_end' })
  else if (what === 'resume') await m.subscriptions.resume(of)
  else if ((what === 'refund' || what === 'part') && payment !== undefined)
    await m.payments.refund({ payment, ...(what === 'part' ? { amount: 100 } : {}) })
}

/** Ends the membership and begins another at the other provider, in the same hour. */
async function move(
  world: World,
  chance: Chance,
  { email, user, living }: Owned & { email: string },
): Promise<void> {
  await world.m.subscriptions.cancel({ user, subscriptionId: living.id, when: 'now' })
  for (const fake of world.fakes) await fake.deliver()
  await world.m.runDueJobs()
  await buy(world, chance, { email, isStripe: living.provider !== 'stripe' })
}

/** Merges another account into this one. */
async function mergeInto(world: World, chance: Chance, email: string): Promise<void> {
  const others = world.buyers.filter((buyer) => buyer !== email && !world.merged.has(buyer))
  if (others.length === 0) return
  const other = chance.of(others)
  const [keep, gone] = await Promise.all([email, other].map((item) => world.m.users.findByEmail(item)))
  if (!keep || !gone) return
  await world.m.users.merge({ keep: keep.id, merge: gone.id, by: 'simulation', write: true })
  world.merged.set(other, email)
}

/** What the office says of MRR by month beside the books, and that each month adds up. */
function comparedMonths(
  { recurringMonths = [] }: Figures,
  books: MonthlyBooks,
): { lines: string[]; broken: string[] } {
  const lines: string[] = []
  const broken: string[] = []
  const said = new Map<string, number>()
  for (const row of recurringMonths) {
    const { month, currency, start, end } = row
    for (const what of ['start', 'end', ...movements] as const)
      said.set(`${month} ${currency} ${what}`, row[what])
    if (start + movements.reduce((sum, kind) => sum + row[kind], 0) !== end)
      broken.push(`MRR ${month} ${currency} does not add up: ${JSON.stringify(row)}`)
  }
  for (const key of new Set([...said.keys(), ...books.keys()].sort())) {
    const [is, wanted] = [said.get(key) ?? 0, books.get(key) ?? 0]
    if (wanted === 0 && is === 0) continue
    // A month is rounded to whole cents, and its greatest movement takes the rest.
    if (Math.abs(is - wanted) <= 3) lines.push(`MRR ${key}: ${Math.round(wanted * 100) / 100}`)
    else broken.push(`MRR ${key}: ${wanted} by the books, ${is} in the office`)
  }
  return { lines, broken }
}

type Books = ReturnType<typeof booksOf>

/** What the office says beside the books: each figure by month and currency. */
function compared(figures: Figures, books: Books): { lines: string[]; broken: string[] } {
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

function saidBy(figures: Figures): Record<keyof Books, Map<string, number>> {
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
