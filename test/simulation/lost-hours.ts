import { boundsMsOf } from '../../scripts/bounds-table.ts'
import { bareProvider } from '../../src/providers/bare.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { type Chance, createChance } from './chance.ts'
import { heldBy } from './held.ts'
import type { Seller } from './sellers.ts'
import { type Buyer, openYear, start, type Year } from './year-site.ts'
import { visit } from './year-visits.ts'

/** What happens at a provider and has to be known here. */
export const happenings = ['purchase', 'renewal', 'cancellation', 'refund'] as const
export type Happening = (typeof happenings)[number]

/** How late each was known here, in seconds, and whose access is wrong at the end. */
export interface LostHours {
  readonly late: Readonly<Record<Happening, readonly number[]>>
  /** How late that may be at most, in seconds, by the table of docs/operating.md; null where no clock bounds it. */
  readonly bounds: Readonly<Record<Happening, number | null>>
  readonly broken: readonly string[]
}

interface Options {
  readonly seller: Seller
  readonly seed: string
  readonly members: number
  /** How long every delivery is dropped. */
  readonly hours: number
  readonly database: string
}

/**
 * Half of the members buy while all is well; a month later, around the time of their renewals, every delivery is dropped
 * for whole hours. Meanwhile the other half buys and does not come back, some cancel and get their money back at the
 * provider. The site looks every half minute whether it knows.
 */
export async function simulateLostHours(options: Options): Promise<LostHours> {
  const { seller, seed, hours } = options
  const chance = createChance(seed, `lost hours of ${seller.key}`)
  const chaos = { drop: 0 }
  const { year, close } = await openYear({ ...options, months: 1, chaos, automatic: true })
  const late: Record<Happening, number[]> = { purchase: [], renewal: [], cancellation: [], refund: [] }
  try {
    const members = year.buyers.filter((_, n) => n % 2 === 0)
    const others = year.buyers.filter((_, n) => n % 2 === 1)
    for (const buyer of members) await buyAndStay(year, chance, buyer, hours)
    await year.fake.advance(new Date(start.getTime() + 31 * dayMs + hourMs - 60_000))
    await year.fake.deliver({ settle: true })
    await year.m.runDueJobs()
    await year.m.runDueJobs()
    chaos.drop = 1
    const waiting = [...members.flatMap((buyer) => renewalOf(year, buyer))]
    const begun = year.fake.now().getTime()
    const plan = planOf(chance, { members, others, begun, hours })
    while (plan.length > 0 || year.fake.now().getTime() < begun + hours * hourMs) {
      await year.fake.advance({ ms: stepMs })
      while (plan.length > 0 && plan[0]!.at <= year.fake.now().getTime())
        waiting.push(...(await plan.shift()!.run(year)))
      await look(year, waiting, late)
    }
    chaos.drop = 0
    const bounds = boundsOf(year)
    const isSoon = ({ what, at }: Waiting) => at() !== null && (bounds[what] ?? 0) < 3600
    for (let n = 0; waiting.some(isSoon) && n < 60; n++) {
      await year.fake.advance({ ms: stepMs })
      await look(year, waiting, late)
    }
    // What only the daily comparison knows.
    for (let n = 0; waiting.length > 0 && n < 27 * 6; n++) {
      await year.fake.advance({ ms: 600_000 })
      await look(year, waiting, late)
    }
    // What was cancelled before is not renewed.
    const unknown = waiting
      .filter((waiting) => waiting.at() !== null)
      .map(({ what, name }) => `${what} of ${name} was never known`)
    return { late, bounds, broken: [...unknown, ...tooLate({ late, bounds }), ...(await wrong(year))] }
  } finally {
    await close()
  }
}

function boundsOf({ seller, fake }: Year): LostHours['bounds'] {
  const ms = boundsMsOf(providerOf(seller, fake))
  const seconds = (item: number | null) => (item === null ? null : item / 1000)
  return Object.fromEntries(happenings.map((what) => [what, seconds(ms[what])])) as LostHours['bounds']
}

// It is looked at every half minute, and every ten minutes for what may take a day.
function tooLate({ late, bounds }: Pick<LostHours, 'late' | 'bounds'>): string[] {
  return happenings.flatMap((what) => {
    const bound = bounds[what]
    const most = Math.max(0, ...late[what])
    const step = (bound ?? 0) < 3600 ? stepMs / 1000 : 600
    return bound !== null && most > bound + step
      ? [`a ${what} was known after ${most} s, and not ${bound}`]
      : []
  })
}

function providerOf(seller: Seller, fake: Year['fake']) {
  return bareProvider(definitions.find(({ key }) => key === seller.key)!, {
    secret: fake.secret,
    api_base: `${fake.url}${seller.apiPath ?? ''}`,
    ...seller.settings?.(fake),
  })
}

/** Something that happened there, and how it is seen here. */
interface Waiting {
  readonly what: Happening
  readonly name: string
  /** When it happened; not yet while it is null. */
  at(): number | null
  isKnown(): Promise<boolean>
}

async function look(year: Year, waiting: Waiting[], late: Record<Happening, number[]>): Promise<void> {
  await year.fake.deliver()
  await year.m.runDueJobs()
  for (const item of [...waiting]) {
    const at = item.at()
    if (at === null || !(await item.isKnown())) continue
    late[item.what].push(Math.max(0, (year.fake.now().getTime() - at) / 1000))
    waiting.splice(waiting.indexOf(item), 1)
  }
}

async function buyAndStay(year: Year, chance: Chance, buyer: Buyer, hours: number): Promise<void> {
  const spread = chance.number(0, hours * 3000) * 1000
  const at = new Date(Math.max(start.getTime() + 3600_000 + spread, year.fake.now().getTime()))
  await year.fake.advance(at)
  for (let tries = 0; tries < 8 && heldBy(year, buyer).living.length === 0; tries++) {
    await visit(year, chance, buyer)
    await year.fake.deliver()
    await year.m.runDueJobs()
  }
}

interface Planned {
  readonly at: number
  run(year: Year): Promise<Waiting[]>
}

function planOf(
  chance: Chance,
  { members, others, begun, hours }: { members: Buyer[]; others: Buyer[]; begun: number; hours: number },
): Planned[] {
  const moment = () => begun + chance.number(60, hours * 3600) * 1000
  return [
    ...others.map((buyer) => ({ at: moment(), run: (year: Year) => purchaseOf(year, buyer) })),
    ...members
      .slice(0, members.length / 3)
      .map((buyer) => ({ at: moment(), run: (year: Year) => cancelOf(year, buyer) })),
    ...members
      .slice(-members.length / 3)
      .map((buyer) => ({ at: moment(), run: (year: Year) => refundOf(year, buyer) })),
  ].sort((a, b) => a.at - b.at)
}

function userOf(year: Year, { email }: Buyer) {
  return year.m.users.findByEmail(email)
}

async function purchaseOf(year: Year, buyer: Buyer): Promise<Waiting[]> {
  const { seller, fake } = year
  if (seller.asksNoAddress) {
    if ((await userOf(year, buyer)) === null)
      await year.m.users.create({ email: buyer.email, verified: true })
    const { logIn } = await import('../support/visitor.ts')
    await logIn(year, year.mailbox, buyer.email, buyer.visitor)
  }
  const { json } = await buyer.visitor.send('/membership/subscribe/pro', { price: seller.prices.month })
  const page = seller.checkoutIn(String(json?.url))
  if (page === null) return []
  buyer.pages.add(page)
  const { refusal } = await fake.pay(page, { email: buyer.email, name: buyer.email })
  if (refusal !== null) return []
  const at = fake.now().getTime()
  const isKnown = async () => (await userOf(year, buyer))?.hasGate('pro' as never) ?? false
  return [{ what: 'purchase', name: buyer.email, at: () => at, isKnown }]
}

function renewalOf(year: Year, buyer: Buyer): Waiting[] {
  const [living] = heldBy(year, buyer).living
  const end = living?.items[0]?.end
  if (living === undefined || end === undefined || living.cancel_at_period_end) return []
  const now = () => year.fake.books.find('subscription', living.id)
  const isRenewed = () => (now()?.items[0]?.end ?? end) > end
  const isKnown = async () => {
    if (now()?.status !== 'active') return true
    const mine = (await userOf(year, buyer))?.subscriptions().find(({ id }) => id === living.id)
    return Date.parse(mine?.current_period_end ?? '') > end * 1000
  }
  return [{ what: 'renewal', name: buyer.email, at: () => (isRenewed() ? end * 1000 : null), isKnown }]
}

async function cancelOf(year: Year, buyer: Buyer): Promise<Waiting[]> {
  const { fake, seller } = year
  const [living] = heldBy(year, buyer).living
  if (living === undefined) return []
  const provider = providerOf(seller, fake)
  await provider.cancel!({ subscriptionId: living.id, when: 'now', idempotencyKey: `lost ${living.id}` })
  const at = fake.now().getTime()
  const isKnown = async () => {
    const mine = (await userOf(year, buyer))?.subscriptions().find(({ id }) => id === living.id)
    return mine !== undefined && (mine.ended || mine.cancel_at_period_end || mine.canceled_at !== null)
  }
  return [{ what: 'cancellation', name: buyer.email, at: () => at, isKnown }]
}

async function refundOf(year: Year, buyer: Buyer): Promise<Waiting[]> {
  const { fake } = year
  const charge = heldBy(year, buyer).charges.findLast(
    ({ status, refunded }) => status === 'paid' && refunded === 0,
  )
  if (charge === undefined) return []
  const before = await refundsOf(year, buyer)
  await fake.refund(charge.id)
  const at = fake.now().getTime()
  const isKnown = async () => (await refundsOf(year, buyer)) > before
  return [{ what: 'refund', name: buyer.email, at: () => at, isKnown }]
}

async function refundsOf(year: Year, buyer: Buyer): Promise<number> {
  return ((await userOf(year, buyer))?.payments() ?? []).filter(({ status }) => status === 'refunded').length
}

/** Whose access differs from what the provider's books say. */
async function wrong(year: Year): Promise<string[]> {
  const found: string[] = []
  for (const buyer of year.buyers) {
    const user = await userOf(year, buyer)
    for (const [gate, price] of [
      ['pro', 'month'],
      ['team', 'team'],
      ['book', 'book'],
    ] as const) {
      const held = heldBy(year, buyer).opens(price)
      const isOpen = user?.hasGate(gate as never) ?? false
      if (held !== 'either' && isOpen !== (held === 'open'))
        found.push(
          `${buyer.email} ${gate}: ${isOpen ? 'open' : 'closed'} here, ${held} there\n${buyer.history.join('\n')}`,
        )
    }
  }
  return found
}

/** `p50 60 s, p99 130 s, most 140 s of 12` */
export function spreadOf(seconds: readonly number[]): string {
  if (seconds.length === 0) return 'none'
  const sorted = seconds.toSorted((a, b) => a - b)
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)]!.toFixed(0)
  return `p50 ${at(0.5)} s, p99 ${at(0.99)} s, most ${at(1)} s, of ${sorted.length}`
}

const stepMs = 30_000
const hourMs = 3_600_000
const dayMs = 86_400_000
