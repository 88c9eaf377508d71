import type { Sum } from './counted.ts'
import type { cohortRows, MoneyKind, MonthRow } from './money-page.ts'

/** A bar of a picture, or a dot of a line: what of, and where. */
export interface Mark {
  readonly of: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A picture of numbers over time, as the markup needs it; whoever cannot see it reads the table behind it. The picture is
 *  stretched to the place that it is given, the scale's words beside it are not: those stand at `y`, from the top. */
export interface Chart {
  readonly width: number
  readonly height: number
  /** Numbers of the scale with their places. */
  readonly ticks: readonly { readonly y: number; readonly value: number }[]
  readonly bars: readonly Mark[]
  /** Lines; a missing value interrupts one. */
  readonly lines: readonly { readonly of: string; readonly path: string; readonly area: string }[]
}

/** Numbers of one kind, from left to right; null: there is none. */
export interface Series {
  readonly of: string
  readonly values: readonly (number | null)[]
}

const width = 1000
const height = 140
const top = 14

/** A line from left to right for each series; the scale begins at 0 and ends at a round number. */
export const linesOf = (series: readonly Series[], most = 0): Chart => {
  const scale = scaleOf([most, ...series.flatMap(numbersOf)])
  const lines = series.map(({ of, values }) => {
    const x = (i: number) => round((i * width) / Math.max(1, values.length - 1))
    const runs = runsOf(values).map((run) => run.map(([i, value]) => [x(i), scale.y(value)] as const))
    // A point between gaps is a line of no length: the stroke's round end shows it.
    const paths = runs.map(([[x0, y0] = [0, 0], ...rest]) =>
      [`M${x0} ${y0}`, ...(rest.length === 0 ? ['h0'] : rest.map(([at, y]) => `L${at} ${y}`))].join(' '),
    )
    const areas = runs.map(
      (run, i) => `${paths[i]} L${run.at(-1)![0]} ${scale.y(0)} L${run[0]![0]} ${scale.y(0)} Z`,
    )
    return { of, path: paths.join(' '), area: areas.join(' ') }
  })
  return { width, height, ticks: scale.ticks, bars: [], lines }
}

/** Bars of one place above each other: what comes stands, what goes hangs below zero. */
export const barsOf = (comes: Series, goes: Series): Chart => {
  const scale = scaleOf([...numbersOf(comes), ...numbersOf(goes).map((value) => -value)])
  const place = width / Math.max(1, comes.values.length)
  const bars = ({ of, values }: Series, sign: 1 | -1): Mark[] =>
    values.flatMap((value, i) => {
      if (!value) return []
      const [y, zero] = [scale.y(sign * value), scale.y(0)]
      // What is there is seen, however little it is.
      const long = Math.max(1.5, round(Math.abs(zero - y)))
      return [
        {
          ...{ of, x: round((i + 0.18) * place), y: sign === 1 ? round(zero - long) : zero },
          ...{ width: round(0.64 * place), height: long },
        },
      ]
    })
  return { width, height, ticks: scale.ticks, bars: [...bars(comes, 1), ...bars(goes, -1)], lines: [] }
}

/** From the least to the most of some numbers and zero, both round, with what stands at its edge. */
const scaleOf = (values: readonly number[]) => {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const step = stepOf(Math.max(most, -least) || 1)
  const [from, until] = [
    Math.floor(least / step) * step,
    Math.ceil(most / step) * step || (least < 0 ? 0 : step),
  ]
  const y = (value: number): number => round(top + ((until - value) * (height - top)) / (until - from))
  // Half a member is none.
  const isCount = values.every(Number.isInteger)
  const marks = [...new Set([until, ...(from < 0 ? [0] : [(from + until) / 2]), from])].filter(
    (mark) => !isCount || Number.isInteger(mark),
  )
  return { y, ticks: marks.map((value) => ({ y: y(value), value })) }
}

/** 1, 2 or 5 times a power of ten, two to five of which make up the number. */
const stepOf = (most: number): number => {
  const power = 10 ** Math.floor(Math.log10(most / 2))
  return [5, 2, 1].map((item) => item * power).find((item) => most / item >= 2) ?? power
}

/** Splits the values at the gaps, with the places of each. */
const runsOf = (values: Series['values']): [number, number][][] => {
  const runs: [number, number][][] = [[]]
  for (const [i, value] of values.entries())
    if (value !== null) runs.at(-1)!.push([i, value])
    else runs.push([])
  return runs.filter((run) => run.length > 0)
}

const numbersOf = ({ values }: Series): number[] => values.filter((value) => value !== null)

const round = (value: number): number => Math.round(value * 10) / 10

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
