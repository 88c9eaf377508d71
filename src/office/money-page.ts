import type { Figures, MonthOfPlan, Sum } from './figures.ts'

/** The kinds of money in a month, in the order in which they are told. */
export const kinds = ['received', 'refunded', 'failed', 'recovered'] as const
/** One of {@link kinds}. */
export type MoneyKind = (typeof kinds)[number]

/** One month over all plans, or one of them. */
export interface MonthRow extends Omit<MonthOfPlan, 'plan'> {
  /** The share of the paid memberships at its beginning that ended in it; null where there were none. */
  readonly churn: number | null
}

/** The months, the newest first, of all plans or one. */
export const monthRows = (figures: Figures, plan: string | null): MonthRow[] =>
  figures.months
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
        // A count that an older version kept has none.
        recovered: sums(cells.flatMap((cell) => cell.recovered ?? [])),
      }
    })
    .reverse()

/** Sums the recurring money of a month, by currency: never added up over currencies. */
export const recurringOf = (figures: Figures, plan: string | null = null): Sum[] =>
  sums(figures.recurring.filter((item) => plan === null || item.plan === plan))

/** The share of paid memberships that ended in a month, over the last three whole months, and how many months one lasts
 *  by it; null where nothing was lost, or nobody paid. */
export const churnOf = (
  figures: Figures,
  plan: string | null = null,
): { share: number; lifetimeMonths: number | null; months: readonly string[] } | null => {
  const months = figures.months.slice(-4, -1)
  const cells = figures.byMonth.filter(
    (item) => months.includes(item.month) && (plan === null || item.plan === plan),
  )
  const paying = total(cells.map((cell) => cell.paying))
  if (paying === 0) return null
  const share = total(cells.map((cell) => cell.lost)) / paying
  return { share, lifetimeMonths: share === 0 ? null : 1 / share, months }
}

/**
 * Lists cohorts: who began together and how many are left of them, month after month; of all plans or one, the
 * newest first.
 */
export const cohortRows = (
  figures: Figures,
  plan: string | null = null,
): { readonly month: string; readonly left: readonly { month: string; count: number; share: number }[] }[] =>
  figures.months
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

/** Amounts of one currency added up, in the order of the currencies' codes. */
export const sums = (all: readonly Sum[]): Sum[] => {
  const found = new Map<string, { currency: string; amount: number; count: number }>()
  for (const { currency, amount, count } of all) {
    const known = found.get(currency) ?? { currency, amount: 0, count: 0 }
    found.set(currency, { currency, amount: known.amount + amount, count: known.count + count })
  }
  return [...found.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
