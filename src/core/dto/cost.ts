import { requireOneCurrency } from './money.ts'
import type { Price } from './plan.ts'

/** The cost of a price and quantity, with its billing interval. */
export interface Cost {
  /** Minor units for the whole quantity. */
  readonly amount: number
  readonly currency: string
  readonly interval: NonNullable<Price['interval']>
  readonly interval_count: number
}

/** Builds a cost from parts that may be unknown; null when one is. */
export function toCost(
  price: {
    readonly amount: number | null
    readonly currency: string | null
    readonly interval: Price['interval']
    readonly interval_count: number | null
  },
  quantity: number,
): Cost | null {
  const { amount, currency, interval, interval_count } = price
  if (amount === null || currency === null || interval === null) return null
  return { amount: amount * quantity, currency, interval, interval_count: interval_count ?? 1 }
}

/**
 * Returns the cost for somebody who is charged in that currency. A price may be sold in several, and lists the amount
 * of one; what the others pay is then unknown. Null stands for a purchase without a currency yet.
 */
export function costFor(charged: string | null, cost: Cost | null): Cost | null {
  return cost === null || charged === null || cost.currency === charged ? cost : null
}

/**
 * True if a change is dearer: a higher amount per day, or a longer interval paid at once.
 * @throws TypeError for two currencies
 */
export function isDearer(next: Cost, current: Cost): boolean {
  requireOneCurrency(next, current)
  return (
    lengthOf(next) > lengthOf(current) || next.amount * lengthOf(current) > current.amount * lengthOf(next)
  )
}

// In sixteenths of a day, an average month and year are whole numbers, so nothing is rounded.
const sixteenths = { day: 16, week: 112, month: 487, year: 5844 }
function lengthOf({ interval, interval_count }: Cost): number {
  return sixteenths[interval] * interval_count
}

/**
 * Returns the moment one interval later, in UTC. In a month without that day, it is the last day. A day that a shorter
 * month cut off comes back with `anchor`, the moment from which the periods are counted: 28 February of a membership
 * that began on the 31st leads to 31 March.
 */
export function addInterval(
  at: string,
  { interval, interval_count: count }: Pick<Cost, 'interval' | 'interval_count'>,
  anchor: string | null = null,
): string {
  return new Date(
    intervalsAfter(Date.parse(at), { interval, times: count }, Date.parse(anchor ?? '')),
  ).toISOString()
}

/** The same in milliseconds, for any number of intervals, also negative ones. NaN for moments that are none. */
export function intervalsAfter(
  at: number,
  { interval, times }: { readonly interval: Cost['interval']; readonly times: number },
  anchor = Number.NaN,
): number {
  if (interval === 'day' || interval === 'week') return at + times * (interval === 'week' ? 7 : 1) * dayMs
  const [from, to] = [new Date(at), new Date(at)]
  to.setUTCDate(1)
  to.setUTCMonth(from.getUTCMonth() + times * (interval === 'year' ? 12 : 1))
  const wanted = new Date(anchor).getUTCDate()
  const isCut = wanted > from.getUTCDate() && from.getUTCDate() === daysIn(from)
  return to.setUTCDate(Math.min(isCut ? wanted : from.getUTCDate(), daysIn(to)))
}

function daysIn(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
}

const dayMs = 86_400_000
