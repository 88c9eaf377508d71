import {
  addInterval,
  groupOf,
  hasFailed,
  isEnded,
  type PaidTime,
  type PaymentData,
  type Plan,
  paidTimeOf,
  type SubscriptionData,
} from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import type { Figures, PriceFigures, Sum } from './counted.ts'
import { countRunningGifts, countTakenSeats } from './counting-statements.ts'
import { isLeft, isLiving, isPaying, monthlyOf, monthOf, monthsUntil } from './measures.ts'
import { createRecent } from './recent.ts'
import { createRecurringCount } from './recurring-count.ts'
import {
  type Key,
  type OverdueMoment,
  refundsOf,
  type Walked,
  walkOverdue,
  walkPayments,
  walkSubscriptions,
} from './walking-statements.ts'

/** A sum that is being added up. */
export interface MutableSum {
  currency: string
  amount: number
  count: number
}

/** Adds an amount to the sum of its key. */
export function add(
  sums: Map<string, MutableSum>,
  key: string,
  { currency, amount }: Omit<Sum, 'count'>,
): void {
  const found = sums.get(key) ?? { currency, amount: 0, count: 0 }
  found.amount += amount
  found.count += 1
  sums.set(key, found)
}

type MoneyKind = 'received' | 'refunded' | 'failed' | 'recovered' | 'recoveredByMember'

interface Cell {
  begun: number
  lost: number
  paying: number
  sums: Map<string, MutableSum>
}

export interface Tally {
  membership(paidTime: PaidTime, plan: string): void
  money(kind: MoneyKind, at: string, plan: string, sum: Omit<Sum, 'count'>): void
  recurring(plan: string, sum: Omit<Sum, 'count'>): void
  result(): Pick<Figures, 'recurring' | 'byMonth' | 'paying' | 'cohorts'>
}

/** Adds up figures by month and plan. */
export function createTally(months: readonly string[]): Tally {
  const recurring = new Map<string, MutableSum>()
  const cells = new Map<string, Cell>()
  const cohorts = new Map<string, number[]>()
  const paying = months.map(() => 0)
  const cell = (month: string, plan: string) => {
    const key = `${month}\u0000${plan}`
    const found = cells.get(key) ?? { begun: 0, lost: 0, paying: 0, sums: new Map() }
    cells.set(key, found)
    return found
  }
  return {
    membership: ({ from, until }: PaidTime, plan: string): void => {
      if (months.includes(monthOf(from))) cell(monthOf(from), plan).begun += 1
      if (until !== null && months.includes(monthOf(until))) cell(monthOf(until), plan).lost += 1
      for (const [i, month] of months.entries())
        if (monthOf(from) < month && (until === null || monthOf(until) >= month)) {
          paying[i]! += 1
          cell(month, plan).paying += 1
        }
      const first = months.indexOf(monthOf(from))
      if (first < 0) return
      const key = `${months[first]}\u0000${plan}`
      const left = cohorts.get(key) ?? months.slice(first).map(() => 0)
      cohorts.set(key, left)
      for (const i of left.keys()) if (isLeft({ from, until }, months[first + i]!, i)) left[i]! += 1
    },
    money: (kind: MoneyKind, at: string, plan: string, sum: Omit<Sum, 'count'>): void => {
      if (months.includes(monthOf(at))) add(cell(monthOf(at), plan).sums, `${kind} ${sum.currency}`, sum)
    },
    recurring: (plan: string, sum: Omit<Sum, 'count'>): void =>
      add(recurring, `${plan}\u0000${sum.currency}`, sum),
    result: (): Pick<Figures, 'recurring' | 'byMonth' | 'paying' | 'cohorts'> => ({
      paying,
      cohorts: [...cohorts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, left]) => ({ month: key.split('\u0000')[0]!, plan: key.split('\u0000')[1]!, left })),
      recurring: [...recurring].map(([key, sum]) => ({ plan: key.split('\u0000')[0]!, ...sum })),
      byMonth: [...cells]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, { begun, lost, paying: paid, sums }]) => {
          const [month = '', plan = ''] = key.split('\u0000')
          const of = (kind: MoneyKind) =>
            [...sums].filter(([name]) => name.startsWith(`${kind} `)).map(([, sum]) => sum)
          return {
            month,
            plan,
            begun,
            lost,
            paying: paid,
            received: of('received'),
            refunded: of('refunded'),
            failed: of('failed'),
            recovered: of('recovered'),
            recoveredByMember: of('recoveredByMember'),
          }
        }),
    }),
  }
}

type Counted = Omit<PriceFigures, 'amounts' | 'paying' | 'trials'> & {
  paying: number
  trials: number
  amounts: Map<string, MutableSum>
}

/** Counts paying and trying members per price, and the amounts paid. */
export function createPriceCounts() {
  const prices = new Map<string, Counted>()
  /** Counts a current subscription. `amount` is in the minor units of ISO 4217; null if it is unknown or on trial. */
  const take = (s: SubscriptionData, plan: string, amount: number | null): void => {
    const key = `${s.provider}\u0000${s.price_id ?? ''}`
    const found = prices.get(key) ?? newCounted(s, plan)
    prices.set(key, found)
    if (s.status === 'trialing') found.trials += 1
    else found.paying += 1
    if (amount === null || s.currency === null) return
    const each = `${s.currency} ${amount}`
    add(found.amounts, each, { currency: s.currency, amount })
    found.amounts.get(each)!.amount = amount
  }
  return {
    take,
    result: (): PriceFigures[] =>
      [...prices.values()].map(({ amounts, ...item }) => ({ ...item, amounts: [...amounts.values()] })),
  }
}

function newCounted(s: SubscriptionData, plan: string): Counted {
  return {
    provider: s.provider,
    price: s.price_id ?? '',
    plan,
    paying: 0,
    trials: 0,
    amounts: new Map(),
  }
}

/** Counts the members with access at each moment, and finds those with two memberships of one group. */
export function createHolders(moments: readonly string[], now: Date) {
  // One bit per moment, because there are many members but few moments.
  const members = new Map<string, number>()
  const held = new Map<string, number>()
  return {
    take: (
      s: SubscriptionData,
      { member, owner, group }: { member: string | null; owner: string; group: string | null | undefined },
    ): void => {
      const who = member ?? owner
      const mask = moments.reduce((bits, at, i) => (isLiving(s, at, now) ? bits | (1 << i) : bits), 0)
      if (mask !== 0) members.set(who, (members.get(who) ?? 0) | mask)
      if (group === undefined || member === null || isEnded(s) || s.status === 'incomplete') return
      const key = `${member}\u0000${group}`
      held.set(key, (held.get(key) ?? 0) + 1)
    },
    /** The number at each moment. */
    counts: (): number[] =>
      moments.map((_, i) => {
        let count = 0
        for (const mask of members.values()) if (mask & (1 << i)) count++
        return count
      }),
    twice: (): string[] => [...held].filter(([, count]) => count > 1).map(([key]) => key.split('\u0000')[0]!),
  }
}

/** A recovered payment. */
export interface Recovered<T> {
  readonly at: string
  readonly what: T
  readonly isByMember: boolean
}

/**
 * Finds recovered payments: after each overdue moment of a membership, the first payment that was paid. Each counts
 * once, however often it had failed. `T` is the data kept of a payment meanwhile. `walk` reads the overdue moments.
 */
export async function createRecovered<T>(walk: (take: (row: OverdueMoment) => void) => Promise<void>) {
  const overdue = new Map<string, OverdueMoment[]>()
  await walk((row) => {
    const key = keyOf(row.provider, row.account, row.subscription_id)
    const own = overdue.get(key) ?? []
    own.push(row)
    overdue.set(key, own)
  })
  const paid = new Map<string, { readonly at: string; readonly what: T }[]>()

  return {
    /** Takes every payment of these memberships, in any order. */
    take: ({ provider, account, subscription_id, paid_at: at, amount }: PaymentData, what: T): void => {
      if (subscription_id === null || at === null || amount <= 0) return
      const key = keyOf(provider, account, subscription_id)
      if (!overdue.has(key)) return
      const own = paid.get(key) ?? []
      own.push({ at, what })
      paid.set(key, own)
    },
    /**
     * Lists the recovered payments with the moment of payment. `isByMember`: the member opened the page that pays before
     * that, from a mail or the account. Every other one counts as a retry of the provider.
     */
    all: (): Recovered<T>[] =>
      [...paid].flatMap(([key, own]) => {
        const inOrder = own.sort((a, b) => (a.at < b.at ? -1 : 1))
        const found = new Map<{ readonly at: string; readonly what: T }, boolean>()
        for (const { at: failed, pay_page_at: opened } of overdue.get(key)!) {
          const first = inOrder.find(({ at }) => at > failed)
          if (first === undefined) continue
          found.set(first, found.get(first) === true || (opened !== null && opened <= first.at))
        }
        return [...found].map(([{ at, what }, isByMember]) => ({ at, what, isByMember }))
      }),
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join('\u0000')
}

export type { Cohort, Figures, MonthOfPlan, PriceFigures, Sum } from './counted.ts'

export interface FiguresDeps extends Walked {
  readonly plans: () => readonly (Plan & { readonly group?: string | null })[]
  /** Converts a provider's amount to the minor units of ISO 4217. */
  readonly inIso: (money: { amount: number; currency: string; provider: string }) => number
  readonly now: () => Date
}

/** Counts all figures, page by page, so that other work can run in between. */
export async function countFigures(deps: FiguresDeps): Promise<Figures> {
  const now = deps.now()
  const months = monthsUntil(now, 12)
  const starts = months.slice(1).map((month) => `${month}-01T00:00:00.000Z`)
  const holders = createHolders([...starts, now.toISOString(), monthAgo(now)], now)
  const prices = createPriceCounts()
  const tally = createTally(months)
  const recent = createRecent(deps.inIso)
  const plans = deps.plans()
  const planIds = new Map(plans.flatMap(({ id, prices }) => prices.map((price) => [price.id, id] as const)))
  const planOf = (price: string | null) => planIds.get(price ?? '') ?? price ?? ''
  const groups = new Map(plans.flatMap((plan) => plan.prices.map(({ id }) => [id, groupOf(plan)] as const)))

  const teamPlans = new Set(plans.flatMap(({ id, seats }) => (seats === undefined ? [] : [id])))
  const teams: Key[] = []
  const takeSubscription = (s: SubscriptionData, subject: Subject): void => {
    const { member, owner } = subject
    const plan = planOf(s.price_id)
    if (teamPlans.has(plan) && isLiving(s, now.toISOString(), now)) teams.push(keyOfTeam(s))
    const begun = subject.isNeverPaid ? null : paidTimeOf(s, s.updated_at)
    holders.take(s, { member, owner, group: groups.get(s.price_id ?? '') })
    if (begun !== null) tally.membership(begun, plan)
    if (s.status === 'trialing') prices.take(s, plan, null)
    else if (isPaying(s, now)) takePaying(s, plan)
  }
  const takePaying = (s: SubscriptionData, plan: string): void => {
    const { currency, unit_amount: each, provider } = s
    const isoOf = (amount: number) => deps.inIso({ amount, currency: currency!, provider })
    const isKnown = currency !== null && each !== null
    prices.take(s, plan, isKnown ? isoOf(each) : null)
    if (isKnown) tally.recurring(plan, { currency, amount: isoOf(monthlyOf(s, plans)) })
  }
  const recurring = await createRecurringCount({ ...deps, now: () => now }, months)
  await walkSubscriptions(
    deps,
    (row) => {
      const { member_id: member, provider, account, owner_id, isNeverPaid, s } = row
      recent.takeSubscription(s, owner_id, now)
      recurring.take(row)
      takeSubscription(s, { member, isNeverPaid, owner: `${provider}\u0000${account}\u0000${owner_id}` })
    },
    {},
    recurring.since,
  )
  await countMoney(deps, { tally, planOf, recent })

  const members = holders.counts()
  return {
    at: now.toISOString(),
    months,
    members: members.slice(0, -1),
    membersBefore: members.at(-1)!,
    ...tally.result(),
    recurringMonths: await recurring.result(),
    prices: prices.result(),
    twice: holders.twice(),
    others: {
      gifts: await countRunningGifts(deps.storage, now.toISOString()),
      seats: await countTakenSeats(deps.storage, teams),
    },
    recent: recent.result(),
  }
}

// Only the key: the walk keeps no subscription.
function keyOfTeam({ provider, account, id }: SubscriptionData): Key {
  return { provider, account, id }
}

interface Subject {
  readonly member: string | null
  readonly owner: string
  readonly isNeverPaid: boolean
}

/** Counts received, refunded, failed and recovered money. */
async function countMoney(
  deps: FiguresDeps,
  {
    tally,
    planOf,
    recent,
  }: {
    tally: Tally
    planOf: (price: string | null) => string
    recent: ReturnType<typeof createRecent>
  },
): Promise<void> {
  const { storage, inIso } = deps
  const recovered = await createRecovered<{ plan: string; sum: Omit<Sum, 'count'> }>((take) =>
    walkOverdue(storage, take),
  )
  await walkPayments(deps, async ({ p: payment, owner_id: owner }) => {
    recent.takePayment(payment, owner)
    if (payment.currency === null) return
    const { provider, currency, paid_at: paidAt } = payment
    const plan = planOf(payment.price_id)
    const sum = (amount: number) => ({ currency, amount: inIso({ amount, currency, provider }) })
    if (paidAt !== null && payment.amount > 0) tally.money('received', paidAt, plan, sum(payment.amount))
    recovered.take(payment, { plan, sum: sum(payment.amount) })
    if (hasFailed(payment)) tally.money('failed', payment.updated_at, plan, sum(payment.amount))
    if (payment.amount_refunded === 0) return
    for (const { amount, at } of await backOf(storage, [payment]))
      tally.money('refunded', at, plan, sum(amount))
  })
  for (const { at, what, isByMember } of recovered.all()) {
    tally.money('recovered', at, what.plan, what.sum)
    if (isByMember) tally.money('recoveredByMember', at, what.plan, what.sum)
  }
}

/**
 * Sums the refunds of one account's payments. An amount without a refund object counts at the payment's last change.
 */
export async function backOf(
  storage: Pick<Storage, 'read'>,
  payments: readonly PaymentData[],
): Promise<{ payment: PaymentData; amount: number; at: string }[]> {
  const ids = payments.map(({ id }) => id)
  const refunds = payments[0] ? await refundsOf(storage, payments[0], ids) : new Map()
  return payments.flatMap((payment) => {
    const known = upTo(payment.amount, refunds.get(payment.id) ?? [])
    const rest = payment.amount_refunded - known.reduce((sum, { amount }) => sum + amount, 0)
    const all = rest > 0 ? [...known, { amount: rest, at: payment.updated_at }] : known
    return all.map((item) => ({ payment, ...item }))
  })
}

/** Refunds of all of a payment take no more from this site's part than it is. */
function upTo(
  most: number,
  refunds: readonly { amount: number; at: string }[],
): { amount: number; at: string }[] {
  let left = most
  return refunds.flatMap(({ amount, at }) => {
    const counted = Math.min(left, amount)
    left -= counted
    return counted > 0 ? [{ amount: counted, at }] : []
  })
}

function monthAgo(now: Date): string {
  return addInterval(now.toISOString(), { interval: 'month', interval_count: -1 })
}
