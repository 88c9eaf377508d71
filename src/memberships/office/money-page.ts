import type { Figures, MonthOfPlan, Sum } from './figures.ts'

/** What money does in a month, in the order in which it is told. */
export const kinds = ['received', 'refunded', 'failed'] as const
/** One of {@link kinds}. */
export type MoneyKind = (typeof kinds)[number]

/** One month over all plans, or one of them. */
export interface MonthRow extends Omit<MonthOfPlan, 'plan'> {
  /** Of the paid memberships at its beginning those that ended in it; null where there were none. */
  readonly churn: number | null
}

/** The months, the newest first, of all plans or one. */
export const monthRows = (figures: Figures, plan: string | null): MonthRow[] =>
  figures.months
    .map((month, i) => {
      const cells = figures.byMonth.filter(
        (one) => one.month === month && (plan === null || one.plan === plan),
      )
      const lost = total(cells.map((one) => one.lost))
      const paying = figures.paying[i] ?? 0
      return {
        month,
        begun: total(cells.map((one) => one.begun)),
        lost,
        churn: plan !== null || paying === 0 ? null : lost / paying,
        received: sums(cells.flatMap((one) => one.received)),
        refunded: sums(cells.flatMap((one) => one.refunded)),
        failed: sums(cells.flatMap((one) => one.failed)),
      }
    })
    .reverse()

/** What recurs in a month, by currency: never added up over currencies. */
export const recurringOf = (figures: Figures, plan: string | null = null): Sum[] =>
  sums(figures.recurring.filter((one) => plan === null || one.plan === plan))

/** The share of paid memberships that ended in a month, over the last three whole months, and how many months one lasts
 *  by it; null where nothing was lost, or nobody paid. */
export const churnOf = (figures: Figures): { share: number; lifetimeMonths: number | null } | null => {
  const whole = figures.months.map((month, i) => ({ month, i })).slice(-4, -1)
  const paying = total(whole.map(({ i }) => figures.paying[i] ?? 0))
  if (paying === 0) return null
  const lost = total(
    whole.flatMap(({ month }) => figures.byMonth.filter((one) => one.month === month).map((one) => one.lost)),
  )
  const share = lost / paying
  return { share, lifetimeMonths: share === 0 ? null : 1 / share }
}

/** Amounts of one currency added up, in the order of the currencies' codes. */
export const sums = (all: readonly Sum[]): Sum[] => {
  const found = new Map<string, { currency: string; amount: number; count: number }>()
  for (const { currency, amount, count } of all) {
    const known = found.get(currency) ?? { currency, amount: 0, count: 0 }
    found.set(currency, { currency, amount: known.amount + amount, count: known.count + count })
  }
  return [...found.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
