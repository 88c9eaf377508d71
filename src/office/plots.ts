import { barsOf, type Chart, linesOf, type Series } from './chart.ts'
import type { Sum } from './counted.ts'
import type { cohortRows, MoneyKind, MonthRow } from './money-page.ts'

/** A picture of the money page, with the rows of the table behind it. */
export interface Plot {
  /** The name of the words: `plot.{name}`. */
  readonly name: 'memberships' | 'churn' | 'money' | 'failures'
  /** The currency of money, whose minor units of ISO 4217 the numbers are. */
  readonly currency: string | null
  readonly chart: Chart
  /** The kinds of the lists that the numbers open. */
  readonly series: readonly Series[]
  /** The months of the series, oldest first. */
  readonly months: readonly string[]
}

/** So many currencies are drawn, those with the most payments; the others are in the table alone. */
export const drawnCurrencies = 4

/** Draws the months (the newest first): memberships, the share that leaves, and the money of each currency. */
export const plotsOf = (rows: readonly MonthRow[]): Plot[] => {
  const inOrder = [...rows].reverse()
  const months = inOrder.map(({ month }) => month)
  const counts = (of: 'begun' | 'lost'): Series => ({ of, values: inOrder.map((row) => row[of]) })
  const bars = (
    name: Plot['name'],
    currency: string | null,
    [comes, goes]: readonly [Series, Series],
  ): Plot[] =>
    isEmpty(comes) && isEmpty(goes)
      ? []
      : [{ name, currency, chart: barsOf(comes, goes), series: [comes, goes], months }]
  const money = (of: MoneyKind, currency: string): Series => ({
    of,
    values: inOrder.map((row) => row[of].find((sum) => sum.currency === currency)?.amount ?? 0),
  })
  const churn: Series = { of: 'churn', values: inOrder.map((row) => row.churn) }
  return [
    ...bars('memberships', null, [counts('begun'), counts('lost')]),
    ...(isEmpty(churn)
      ? []
      : [{ name: 'churn' as const, currency: null, chart: linesOf([churn]), series: [churn], months }]),
    ...currenciesOf(rows).flatMap((currency) => [
      ...bars('money', currency, [money('received', currency), money('refunded', currency)]),
      ...bars('failures', currency, [money('recovered', currency), money('failed', currency)]),
    ]),
  ]
}

/** The share of members who stay, month after month: of all cohorts that have come so far, together. */
export const stayingOf = (cohorts: ReturnType<typeof cohortRows>): { chart: Chart; shares: number[] } => {
  const length = Math.max(0, ...cohorts.map(({ left }) => left.length))
  const shares = Array.from({ length }, (_, i) => {
    const far = cohorts.filter(({ left }) => left.length > i)
    const [begun, still] = [0, i].map((at) => far.reduce((sum, { left }) => sum + left[at]!.count, 0))
    return still! / begun!
  })
  const each = cohorts.map(({ left }) => ({ of: 'cohort', values: left.map(({ share }) => share) }))
  // Every line on the same places: a cohort that has not come so far ends earlier.
  const wide = [...each, { of: 'all', values: shares }].map(({ of, values }) => ({
    of,
    values: Array.from({ length }, (_, i) => values[i] ?? null),
  }))
  return { chart: linesOf(wide, 1), shares }
}

/**
 * Sums the recurring money by plan, a currency after the other, the greatest first, with its share of the greatest
 * of its currency.
 */
export const recurringByPlan = (
  recurring: readonly (Sum & { readonly plan: string })[],
): (Sum & { readonly plan: string; readonly share: number })[] => {
  const most = new Map<string, number>()
  for (const { currency, amount } of recurring) most.set(currency, Math.max(most.get(currency) ?? 0, amount))
  return [...recurring]
    .sort((a, b) => a.currency.localeCompare(b.currency) || b.amount - a.amount)
    .map((item) => ({ ...item, share: item.amount / (most.get(item.currency) || 1) }))
}

const isEmpty = ({ values }: Series): boolean => values.every((value) => !value)

/** Those with the most payments first. */
const currenciesOf = (rows: readonly MonthRow[]): string[] => {
  const counts = new Map<string, number>()
  for (const row of rows)
    for (const kind of ['received', 'refunded', 'failed', 'recovered'] as const)
      for (const { currency, count } of row[kind]) counts.set(currency, (counts.get(currency) ?? 0) + count)
  return [...counts]
    .sort(([a, most], [b, more]) => more - most || a.localeCompare(b))
    .slice(0, drawnCurrencies)
    .map(([currency]) => currency)
}
