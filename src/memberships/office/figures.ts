import { groupOf, isEnded, type PaymentData, type Plan, type SubscriptionData } from '../../core/dto/index.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Figures, PriceFigures, Sum } from './counted.ts'
import { begunOf, isLiving, isPaying, monthlyOf, monthsUntil } from './measures.ts'
import { createRecovered } from './recovered.ts'
import { add, createTally, type MutableSum } from './tally.ts'
import { refundsOf, walkPayments, walkSubscriptions } from './walking-statements.ts'

export type { Cohort, Figures, MonthOfPlan, PriceFigures, Sum } from './counted.ts'

export interface FiguresDeps {
  readonly storage: Pick<Storage, 'read'>
  readonly plans: () => readonly (Plan & { readonly group?: string | null })[]
  /** An amount of a provider in the minor units of ISO 4217. */
  readonly inIso: (money: { amount: number; currency: string; provider: string }) => number
  readonly now: () => Date
}

/** Counts everything, page by page, so that others get their turn. */
export const countFigures = async (deps: FiguresDeps): Promise<Figures> => {
  const now = deps.now()
  const plans = deps.plans()
  const planOf = new Map(plans.flatMap(({ id, prices }) => prices.map((price) => [price.id, id] as const)))
  const groups = new Map(plans.flatMap((plan) => plan.prices.map(({ id }) => [id, groupOf(plan)] as const)))
  const months = monthsUntil(now, 12)
  const tally = createTally(months)
  const people = new Map<string, number>()
  const held = new Map<string, number>()
  const prices = new Map<string, Counted>()
  const moments = [
    ...months.slice(1).map((month) => `${month}-01T00:00:00.000Z`),
    now.toISOString(),
    monthAgo(now),
  ]

  const takeSubscription = (s: SubscriptionData, member: string | null, owner: string): void => {
    const plan = planOf.get(s.price_id ?? '') ?? s.price_id ?? ''
    const begun = begunOf(s)
    const who = member ?? owner
    const mask = moments.reduce((bits, at, i) => (isLiving(s, at, now) ? bits | (1 << i) : bits), 0)
    if (mask !== 0) people.set(who, (people.get(who) ?? 0) | mask)
    if (begun !== null) tally.membership(begun, plan)
    const group = groups.get(s.price_id ?? '')
    if (group !== undefined && member !== null && !isEnded(s) && s.status !== 'incomplete') {
      const key = `${member}\u0000${group}`
      held.set(key, (held.get(key) ?? 0) + 1)
    }
    takePrice(s, plan)
  }

  const takePrice = (s: SubscriptionData, plan: string): void => {
    const isOnTrial = s.status === 'trialing'
    if (!isOnTrial && !isPaying(s, now)) return
    const key = `${s.provider}\u0000${s.price_id ?? ''}`
    const found = prices.get(key) ?? newCounted(s, plan)
    prices.set(key, found)
    if (isOnTrial) found.trials += 1
    else {
      found.paying += 1
      if (s.currency === null || s.unit_amount === null) return
      const isoOf = (amount: number) => deps.inIso({ amount, currency: s.currency!, provider: s.provider })
      const each = isoOf(s.unit_amount)
      add(found.amounts, `${s.currency} ${each}`, { currency: s.currency, amount: each })
      found.amounts.get(`${s.currency} ${each}`)!.amount = each
      tally.recurring(plan, { currency: s.currency, amount: isoOf(monthlyOf(s, plans)) })
    }
  }

  await walkSubscriptions(deps.storage, ({ data, member_id, provider, account, owner_id }) =>
    takeSubscription(
      JSON.parse(data) as SubscriptionData,
      member_id,
      `${provider}\u0000${account}\u0000${owner_id}`,
    ),
  )
  const recovered = await createRecovered<{ plan: string; sum: Omit<Sum, 'count'> }>(deps.storage)
  await walkPayments(deps.storage, async ({ data }) => {
    const payment = JSON.parse(data) as PaymentData
    if (payment.currency === null) return
    const { provider, currency, paid_at: paidAt } = payment
    const plan = planOf.get(payment.price_id ?? '') ?? payment.price_id ?? ''
    const sum = (amount: number) => ({ currency, amount: deps.inIso({ amount, currency, provider }) })
    if (paidAt !== null && payment.amount > 0) tally.money('received', paidAt, plan, sum(payment.amount))
    recovered.take(payment, { plan, sum: sum(payment.amount) })
    if (payment.status === 'failed') tally.money('failed', payment.updated_at, plan, sum(payment.amount))
    if (payment.amount_refunded === 0) return
    for (const { amount, at } of await backOf(deps.storage, [payment]))
      tally.money('refunded', at, plan, sum(amount))
  })

  for (const { at, what } of recovered.all()) tally.money('recovered', at, what.plan, what.sum)

  const peopleAt = moments.map((_, i) => {
    let count = 0
    for (const mask of people.values()) if (mask & (1 << i)) count++
    return count
  })
  return {
    at: now.toISOString(),
    months,
    people: peopleAt.slice(0, -1),
    peopleBefore: peopleAt.at(-1)!,
    ...tally.result(),
    prices: [...prices.values()].map(({ amounts, ...one }) => ({ ...one, amounts: [...amounts.values()] })),
    twice: [...held].filter(([, count]) => count > 1).map(([key]) => key.split('\u0000')[0]!),
  }
}

/** What went back of payments of one account: by their refunds; what no refund tells of, as of the payment's last change. */
export const backOf = async (
  storage: Pick<Storage, 'read'>,
  payments: readonly PaymentData[],
): Promise<{ payment: PaymentData; amount: number; at: string }[]> => {
  const ids = payments.map(({ id }) => id)
  const refunds = payments[0] ? await refundsOf(storage, payments[0], ids) : new Map()
  return payments.flatMap((payment) => {
    const known: { amount: number; at: string }[] = refunds.get(payment.id) ?? []
    const rest = payment.amount_refunded - known.reduce((sum, { amount }) => sum + amount, 0)
    const all = rest > 0 ? [...known, { amount: rest, at: payment.updated_at }] : known
    return all.map((one) => ({ payment, ...one }))
  })
}

type Counted = Omit<PriceFigures, 'amounts' | 'paying' | 'trials'> & {
  paying: number
  trials: number
  amounts: Map<string, MutableSum>
}
const newCounted = (s: SubscriptionData, plan: string): Counted => ({
  provider: s.provider,
  price: s.price_id ?? '',
  plan,
  paying: 0,
  trials: 0,
  amounts: new Map(),
})

const monthAgo = (now: Date): string => {
  const before = new Date(now)
  before.setUTCMonth(before.getUTCMonth() - 1)
  // The last day of a shorter month.
  if (before.getUTCDate() !== now.getUTCDate()) before.setUTCDate(0)
  return before.toISOString()
}
