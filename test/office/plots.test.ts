import test from 'ava'
import type { MonthRow } from '../../src/office/money-page.ts'
import {
  barsOf,
  drawnCurrencies,
  linesOf,
  plotsOf,
  recurringByPlan,
  stayingOf,
} from '../../src/office/plots.ts'

function sum(currency: string, amount: number, count = 1) {
  return { currency, amount, count }
}
function month(name: string, more: Partial<MonthRow> = {}): MonthRow {
  return {
    month: name,
    begun: 0,
    lost: 0,
    paying: 0,
    churn: null,
    received: [],
    refunded: [],
    failed: [],
    recovered: [],
    ...more,
  }
}

test('bars start at one zero, are as long as their numbers, and have a scale with round ends', (t) => {
  const { bars, ticks, height } = barsOf(
    { of: 'begun', values: [10, 0, 40] },
    { of: 'lost', values: [0, 20, 1] },
  )
  const zero = ticks.find(({ value }) => value === 0)!.y
  t.deepEqual(
    ticks.map(({ value }) => value),
    [40, 0, -20],
  )
  const begun = bars.filter(({ of }) => of === 'begun')
  const lost = bars.filter(({ of }) => of === 'lost')
  t.is(begun.length, 2, 'what is nothing has no bar')
  t.true(begun.every((bar) => Math.abs(bar.y + bar.height - zero) < 0.2))
  t.true(lost.every((bar) => bar.y === zero))
  t.true(Math.abs(begun[1]!.height - 4 * begun[0]!.height) < 0.5)
  t.true(Math.abs(lost[0]!.height - 2 * begun[0]!.height) < 0.5, 'up and down by the same scale')
  t.true(bars.every((bar) => bar.height >= 1.5 && bar.y >= 0 && bar.y + bar.height <= height))
})

test('a line breaks where a number is missing, a single number is visible, and none leaves an empty scale', (t) => {
  const { lines, ticks } = linesOf([{ of: 'churn', values: [null, 0.1, 0.2, null, 0.05] }])
  t.is(lines[0]!.path.match(/M/g)!.length, 2)
  t.regex(lines[0]!.path, /h0$/)
  t.is(ticks[0]!.value, 0.2)
  for (const values of [[], [null, null], [0, 0]]) {
    const { lines: none, ticks: scale } = linesOf([{ of: 'churn', values }])
    t.notRegex(none[0]!.path, /NaN|Infinity/)
    t.true(scale.every(({ y, value }) => Number.isFinite(y) && Number.isFinite(value)))
  }
})

test('each currency has its own chart, those with most payments first, and empty ones are omitted', (t) => {
  t.deepEqual(plotsOf([month('2026-02'), month('2026-01')]), [])
  const currencies = ['USD', 'EUR', 'CHF', 'JPY', 'SEK']
  const rows = [
    month('2026-02', {
      begun: 2,
      churn: 0.5,
      received: currencies.map((currency, i) => sum(currency, 100, 20 - 4 * i)),
    }),
    month('2026-01', { lost: 1, failed: [sum('EUR', 300)] }),
  ]
  const plots = plotsOf(rows)
  t.deepEqual(
    plots.map(({ name, currency }) => `${name} ${currency}`),
    ['memberships null', 'churn null', 'money USD', 'money EUR', 'failures EUR', 'money CHF', 'money JPY'],
  )
  t.is(new Set(plots.flatMap(({ currency }) => currency ?? [])).size, drawnCurrencies)
  t.deepEqual(plots[0]!.months, ['2026-01', '2026-02'])
  t.deepEqual(
    plots[0]!.series.map(({ values }) => values),
    [
      [0, 2],
      [1, 0],
    ],
  )
  t.deepEqual(plots.find(({ name }) => name === 'failures')!.series[1]!.values, [300, 0])
})

test('retention counts all who ever joined; plans are compared within their currency only', (t) => {
  const left = (name: string, counts: number[]) => ({
    month: name,
    left: counts.map((count, i) => ({ month: `${i}`, count, share: count / counts[0]! })),
  })
  const { shares, chart } = stayingOf([left('2026-02', [10, 5]), left('2026-01', [30, 30, 15])])
  t.deepEqual(shares, [1, 35 / 40, 15 / 30])
  t.is(chart.lines.length, 3)
  t.is(chart.ticks[0]!.value, 1)
  t.deepEqual(
    recurringByPlan([
      { plan: 'a', ...sum('USD', 50) },
      { plan: 'a', ...sum('EUR', 10) },
      { plan: 'b', ...sum('EUR', 40) },
    ]).map(({ plan, currency, share }) => `${plan} ${currency} ${share}`),
    ['b EUR 1', 'a EUR 0.25', 'a USD 1'],
  )
})
