import type { Figures, Sum } from './counted.ts'
import { type Begun, isLeft, monthOf } from './measures.ts'

/** A sum while it is added up. */
export interface MutableSum {
  currency: string
  amount: number
  count: number
}

/** Adds an amount to the sum of its key. */
export const add = (
  sums: Map<string, MutableSum>,
  key: string,
  { currency, amount }: Omit<Sum, 'count'>,
): void => {
  const found = sums.get(key) ?? { currency, amount: 0, count: 0 }
  found.amount += amount
  found.count += 1
  sums.set(key, found)
}

type MoneyKind = 'received' | 'refunded' | 'failed' | 'recovered'

interface Cell {
  begun: number
  lost: number
  paying: number
  sums: Map<string, MutableSum>
}

export type Tally = ReturnType<typeof createTally>

/** Adds up by month and plan. */
export const createTally = (months: readonly string[]) => {
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
    membership: ({ from, until }: Begun, plan: string): void => {
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
          }
        }),
    }),
  }
}
