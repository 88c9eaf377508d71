import type { Sum } from './counted.ts'
import type { cohortRows, MoneyKind, MonthRow } from './money-page.ts'
import { movements, type RecurringMonth } from './recurring-months.ts'

/** A bar or a point of a chart, with its position. */
export interface Mark {
  readonly of: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * A chart of numbers over time, as the markup needs it. Screen readers read the table behind it. The chart is stretched
 * to its space; the scale's labels beside it are not, and are placed at `y` from the top.
 */
export interface Chart {
  readonly width: number
  readonly height: number
  /** The scale's numbers with their positions. */
  readonly ticks: readonly { readonly y: number; readonly value: number }[]
  readonly bars: readonly Mark[]
  /** Lines. A missing value interrupts one. */
  readonly lines: readonly { readonly of: string; readonly path: string; readonly area: string }[]
}

/** Values of one kind, from left to right; null for a missing one. */
export interface Series {
  readonly of: string
  readonly values: readonly (number | null)[]
}

const width = 1000
const height = 140
const top = 14

/** Builds a line for each series. The scale starts at 0 and ends at a round number. */
export function linesOf(series: readonly Series[], most = 0): Chart {
  const scale = scaleOf([most, ...series.flatMap(numbersOf)])
  const lines = series.map(({ of, values }) => {
    const x = (i: number) => round((i * width) / Math.max(1, values.length - 1))
    const runs = runsOf(values).map((run) => run.map(([i, value]) => [x(i), scale.y(value)] as const))
    // A point between gaps is a line of length zero, which the stroke's round end makes visible.
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

/** Builds bars: gains above zero, losses below. */
export function barsOf(comes: Series, goes: Series): Chart {
  const scale = scaleOf([...numbersOf(comes), ...numbersOf(goes).map((value) => -value)])
  const place = width / Math.max(1, comes.values.length)
  const bars = ({ of, values }: Series, sign: 1 | -1): Mark[] =>
    values.flatMap((value, i) => {
      if (!value) return []
      const [y, zero] = [scale.y(sign * value), scale.y(0)]
      // Even the smallest value must be visible.
      const long = Math.max(1.5, round(Math.abs(zero - y)))
      return [
        {
          of,
          x: round((i + 0.18) * place),
          y: sign === 1 ? round(zero - long) : zero,
          width: round(0.64 * place),
          height: long,
        },
      ]
    })
  return { width, height, ticks: scale.ticks, bars: [...bars(comes, 1), ...bars(goes, -1)], lines: [] }
}

/** Builds stacked bars: gains above zero, losses below. The values of both are positive. */
export function stacksOf(gains: readonly Series[], losses: readonly Series[]): Chart {
  const months = gains[0]?.values.length ?? 0
  const sumsOf = (all: readonly Series[]) =>
    Array.from({ length: months }, (_, i) => all.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const scale = scaleOf([...sumsOf(gains), ...sumsOf(losses).map((value) => -value)])
  const place = width / Math.max(1, months)
  const bars = (all: readonly Series[], sign: 1 | -1): Mark[] =>
    Array.from({ length: months }).flatMap((_, i) => {
      let reached = 0
      return all.flatMap(({ of, values }): Mark[] => {
        const value = values[i] ?? 0
        if (value === 0) return []
        const [from, to] = [scale.y(sign * reached), scale.y(sign * (reached + value))]
        reached += value
        const size = { width: round(0.64 * place), height: Math.max(1.5, round(Math.abs(from - to))) }
        return [
          { of, x: round((i + 0.18) * place), y: sign === 1 ? round(from - size.height) : from, ...size },
        ]
      })
    })
  return { width, height, ticks: scale.ticks, bars: [...bars(gains, 1), ...bars(losses, -1)], lines: [] }
}

/** Builds a scale from the least to the greatest value, including zero, with round ends and labels. */
function scaleOf(values: readonly number[]) {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const step = stepOf(Math.max(most, -least) || 1)
  const [from, until] = [
    Math.floor(least / step) * step,
    Math.ceil(most / step) * step || (least < 0 ? 0 : step),
  ]
  const y = (value: number): number => round(top + ((until - value) * (height - top)) / (until - from))
  // A count has no fractions.
  const isCount = values.every(Number.isInteger)
  const marks = [...new Set([until, ...(from < 0 ? [0] : [(from + until) / 2]), from])].filter(
    (mark) => !isCount || Number.isInteger(mark),
  )
  return { y, ticks: marks.map((value) => ({ y: y(value), value })) }
}

/** Chooses a step of 1, 2 or 5 times a power of ten, so that two to five steps cover the number. */
function stepOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 2))
  return [5, 2, 1].map((item) => item * power).find((item) => most / item >= 2) ?? power
}

/** Splits the values at the gaps, with their positions. */
function runsOf(values: Series['values']): [number, number][][] {
  const runs: [number, number][][] = [[]]
  for (const [i, value] of values.entries())
    if (value !== null) runs.at(-1)!.push([i, value])
    else runs.push([])
  return runs.filter((run) => run.length > 0)
}

function numbersOf({ values }: Series): number[] {
  return values.filter((value) => value !== null)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** A chart of the money page, with the rows of its table. */
export interface Plot {
  /** The key of the texts: `plot.{name}`. */
  readonly name: 'memberships' | 'churn' | 'money' | 'failures' | 'recurring' | 'movements'
  /** The currency of the amounts, which are in minor units of ISO 4217. */
  readonly currency: string | null
  readonly chart: Chart
  /** The kinds of lists that the figures open. */
  readonly series: readonly Series[]
  /** The series' months, oldest first. */
  readonly months: readonly string[]
}

/** The number of currencies drawn, those with the most payments. Others are only in the table. */
export const drawnCurrencies = 4

/** Builds the charts of the months (newest first): memberships, the share that ends, and each currency's money. */
export function plotsOf(rows: readonly MonthRow[]): Plot[] {
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

const gains = ['new', 'expansion', 'reactivation'] as const
const losses = ['contraction', 'churn'] as const

/** A chart of MRR, whose table has further columns. */
export interface RecurringPlot extends Plot {
  readonly columns: readonly Series[]
}

/** Builds two charts for each of the greatest currencies: MRR by month, and its movements. */
export function recurringPlotsOf(rows: readonly RecurringMonth[]): RecurringPlot[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  const greatest = (currency: string) =>
    Math.max(...rows.filter((row) => row.currency === currency).map(({ end }) => end))
  return currencies
    .sort((a, b) => greatest(b) - greatest(a))
    .slice(0, drawnCurrencies)
    .flatMap((currency) => {
      const own = rows.filter((row) => row.currency === currency)
      const months = own.map(({ month }) => month)
      const column = (of: keyof Omit<RecurringMonth, 'month' | 'currency'>, sign = 1): Series => ({
        of,
        values: own.map((row) => sign * row[of] || 0),
      })
      const line: Series = { of: 'recurring', values: own.map(({ end }) => end) }
      const [more, less] = [gains.map((of) => column(of)), losses.map((of) => column(of, -1))]
      const all = movements.map((of) => column(of))
      return [
        {
          name: 'recurring' as const,
          currency,
          chart: linesOf([line]),
          series: [line],
          columns: [line],
          months,
        },
        {
          name: 'movements' as const,
          currency,
          months,
          chart: stacksOf(more, less),
          series: [...more, ...less],
          columns: [column('start'), ...all, column('end')],
        },
      ]
    })
}

/** The share of memberships left, month by month, over all cohorts that are old enough. */
export function stayingOf(cohorts: ReturnType<typeof cohortRows>): { chart: Chart; shares: number[] } {
  const length = Math.max(0, ...cohorts.map(({ left }) => left.length))
  const shares = Array.from({ length }, (_, i) => {
    const far = cohorts.filter(({ left }) => left.length > i)
    const [begun, still] = [0, i].map((at) => far.reduce((sum, { left }) => sum + left[at]!.count, 0))
    return still! / begun!
  })
  const each = cohorts.map(({ left }) => ({ of: 'cohort', values: left.map(({ share }) => share) }))
  // All lines use the same positions. A younger cohort ends earlier.
  const wide = [...each, { of: 'all', values: shares }].map(({ of, values }) => ({
    of,
    values: Array.from({ length }, (_, i) => values[i] ?? null),
  }))
  return { chart: linesOf(wide, 1), shares }
}

/** Lists the recurring money by currency and plan, the greatest first, with its share of the currency's greatest. */
export function recurringByPlan(
  recurring: readonly (Sum & { readonly plan: string })[],
): (Sum & { readonly plan: string; readonly share: number })[] {
  const most = new Map<string, number>()
  for (const { currency, amount } of recurring) most.set(currency, Math.max(most.get(currency) ?? 0, amount))
  return [...recurring]
    .sort((a, b) => a.currency.localeCompare(b.currency) || b.amount - a.amount)
    .map((item) => ({ ...item, share: item.amount / (most.get(item.currency) || 1) }))
}

function isEmpty({ values }: Series): boolean {
  return values.every((value) => !value)
}

/** Lists the currencies, those with the most payments first. */
function currenciesOf(rows: readonly MonthRow[]): string[] {
  const counts = new Map<string, number>()
  for (const row of rows)
    for (const kind of ['received', 'refunded', 'failed', 'recovered'] as const)
      for (const { currency, count } of row[kind]) counts.set(currency, (counts.get(currency) ?? 0) + count)
  return [...counts]
    .sort(([a, most], [b, more]) => more - most || a.localeCompare(b))
    .slice(0, drawnCurrencies)
    .map(([currency]) => currency)
}
