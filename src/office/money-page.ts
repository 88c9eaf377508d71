import type { Figures, MonthOfPlan, Sum } from './figures.ts'

/** The kinds of money in a month, in display order. */
export const kinds = ['received', 'refunded', 'failed', 'recovered'] as const
/** One of {@link kinds}. */
export type MoneyKind = (typeof kinds)[number]

/** One month, of all plans or one. */
export interface MonthRow extends Omit<MonthOfPlan, 'plan'> {
  /** The share of memberships paid at its start that ended in it; null without any. */
  readonly churn: number | null
}

/** Lists the months, newest first, of all plans or one. */
export function monthRows(figures: Figures, plan: string | null): MonthRow[] {
  return figures.months
    .map((month) => {
      const cells = figures.byMonth.filter(
        (item) => item.month === month && (plan === null || item.plan === plan),
      )
      const lost = total(cells.map((cell) => cell.lost))
      const paying = total(cells.map((cell) => cell.paying))
      return {
        month,
        begun: total(cells.map((cell) => cell.begun)),
        lost,
        paying,
        churn: paying === 0 ? null : lost / paying,
        received: sums(cells.flatMap((cell) => cell.received)),
        refunded: sums(cells.flatMap((cell) => cell.refunded)),
        failed: sums(cells.flatMap((cell) => cell.failed)),
        // A count stored by an older version has none.
        recovered: sums(cells.flatMap((cell) => cell.recovered ?? [])),
        recoveredByMember: sums(cells.flatMap((cell) => cell.recoveredByMember ?? [])),
      }
    })
    .reverse()
}

/** Recovered money of all months in one currency, by who made the payment. */
export interface RecoveredRow extends Sum {
  /** `member` opened the page that pays; `retry` is the provider's own. */
  readonly by: 'member' | 'retry'
  /** Its share of what was recovered in the currency. */
  readonly share: number
}

/** Splits the recovered money by who made the payment: the members first, then retries. */
export function recoveredRows(rows: readonly MonthRow[]): RecoveredRow[] {
  const ofMembers = sums(rows.flatMap(({ recoveredByMember = [] }) => recoveredByMember))
  return sums(rows.flatMap(({ recovered }) => recovered)).flatMap(({ currency, amount, count }) => {
    const own = ofMembers.find((sum) => sum.currency === currency) ?? { currency, amount: 0, count: 0 }
    const retried = { currency, amount: amount - own.amount, count: count - own.count }
    const share = (part: number) => (amount === 0 ? 0 : part / amount)
    return [
      { by: 'member' as const, share: share(own.amount), ...own },
      { by: 'retry' as const, share: share(retried.amount), ...retried },
    ]
  })
}

/** Sums a month's recurring money by currency. Different currencies are never added. */
export function recurringOf(figures: Figures, plan: string | null = null): Sum[] {
  return sums(figures.recurring.filter((item) => plan === null || item.plan === plan))
}

/**
 * The share of paid memberships that end per month, over the last three full months, and the resulting lifetime in
 * months. Null where nothing ended or nobody paid.
 */
export function churnOf(
  figures: Figures,
  plan: string | null = null,
): { share: number; lifetimeMonths: number | null; months: readonly string[] } | null {
  const months = figures.months.slice(-4, -1)
  const cells = figures.byMonth.filter(
    (item) => months.includes(item.month) && (plan === null || item.plan === plan),
  )
  const paying = total(cells.map((cell) => cell.paying))
  if (paying === 0) return null
  const share = total(cells.map((cell) => cell.lost)) / paying
  return { share, lifetimeMonths: share === 0 ? null : 1 / share, months }
}

/** Lists cohorts of memberships with the number left month by month, of all plans or one, newest first. */
export function cohortRows(
  figures: Figures,
  plan: string | null = null,
): { readonly month: string; readonly left: readonly { month: string; count: number; share: number }[] }[] {
  return figures.months
    .map((month, first) => {
      const own = figures.cohorts.filter(
        (cohort) => cohort.month === month && (plan === null || cohort.plan === plan),
      )
      const begun = total(own.map(({ left }) => left[0] ?? 0))
      return {
        month,
        left: figures.months.slice(first).map((at, i) => {
          const count = total(own.map(({ left }) => left[i] ?? 0))
          return { month: at, count, share: begun === 0 ? 0 : count / begun }
        }),
      }
    })
    .filter(({ left }) => (left[0]?.count ?? 0) > 0)
    .reverse()
}

/** Adds amounts by currency, sorted by currency code. */
export function sums(all: readonly Sum[]): Sum[] {
  const found = new Map<string, { currency: string; amount: number; count: number }>()
  for (const { currency, amount, count } of all) {
    const known = found.get(currency) ?? { currency, amount: 0, count: 0 }
    found.set(currency, { currency, amount: known.amount + amount, count: known.count + count })
  }
  return [...found.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
