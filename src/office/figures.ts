import { groupOf, type PaymentData, type Plan, type SubscriptionData } from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import type { Figures, Sum } from './counted.ts'
import { createHolders } from './holders.ts'
import { begunOf, isPaying, monthlyOf, monthsUntil } from './measures.ts'
import { createPriceCounts } from './price-counts.ts'
import { createRecovered } from './recovered.ts'
import { createTally, type Tally } from './tally.ts'
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
  const months = monthsUntil(now, 12)
  const starts = months.slice(1).map((month) => `${month}-01T00:00:00.000Z`)
  const holders = createHolders([...starts, now.toISOString(), monthAgo(now)], now)
  const prices = createPriceCounts()
  const tally = createTally(months)
  const plans = deps.plans()
  const planIds = new Map(plans.flatMap(({ id, prices }) => prices.map((price) => [price.id, id] as const)))
  const planOf = (price: string | null) => planIds.get(price ?? '') ?? price ?? ''
  const groups = new Map(plans.flatMap((plan) => plan.prices.map(({ id }) => [id, groupOf(plan)] as const)))

  const takeSubscription = (s: SubscriptionData, whose: Whose): void => {
    const { member, owner } = whose
    const plan = planOf(s.price_id)
    const begun = whose.isNeverPaid ? null : begunOf(s)
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
  await walkSubscriptions(
    deps.storage,
    ({ data, member_id: member, provider, account, owner_id, isNeverPaid }) =>
      takeSubscription(JSON.parse(data) as SubscriptionData, {
        ...{ member, isNeverPaid },
        owner: `${provider}\u0000${account}\u0000${owner_id}`,
      }),
  )
  await countMoney(deps, { tally, planOf })

  const people = holders.counts()
  return {
    at: now.toISOString(),
    months,
    people: people.slice(0, -1),
    peopleBefore: people.at(-1)!,
    ...tally.result(),
    prices: prices.result(),
    twice: holders.twice(),
  }
}

interface Whose {
  readonly member: string | null
  readonly owner: string
  readonly isNeverPaid: boolean
}

/** Counts the money that came in, went back, failed, and came after it had failed. */
const countMoney = async (
  { storage, inIso }: FiguresDeps,
  { tally, planOf }: { tally: Tally; planOf: (price: string | null) => string },
): Promise<void> => {
  const recovered = await createRecovered<{ plan: string; sum: Omit<Sum, 'count'> }>(storage)
  await walkPayments(storage, async ({ data }) => {
    const payment = JSON.parse(data) as PaymentData
    if (payment.currency === null) return
    const { provider, currency, paid_at: paidAt } = payment
    const plan = planOf(payment.price_id)
    const sum = (amount: number) => ({ currency, amount: inIso({ amount, currency, provider }) })
    if (paidAt !== null && payment.amount > 0) tally.money('received', paidAt, plan, sum(payment.amount))
    recovered.take(payment, { plan, sum: sum(payment.amount) })
    if (payment.status === 'failed') tally.money('failed', payment.updated_at, plan, sum(payment.amount))
    if (payment.amount_refunded === 0) return
    for (const { amount, at } of await backOf(storage, [payment]))
      tally.money('refunded', at, plan, sum(amount))
  })
  for (const { at, what } of recovered.all()) tally.money('recovered', at, what.plan, what.sum)
}

/**
 * Sums the money that went back of payments of one account: by their refunds; a sum that no refund tells of, as of
 * the payment's last change.
 */
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
    return all.map((item) => ({ payment, ...item }))
  })
}

const monthAgo = (now: Date): string => {
  const before = new Date(now)
  before.setUTCMonth(before.getUTCMonth() - 1)
  // The last day of a shorter month.
  if (before.getUTCDate() !== now.getUTCDate()) before.setUTCDate(0)
  return before.toISOString()
}
