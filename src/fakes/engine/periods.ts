/** Unit of an interval. */
export type Interval = 'day' | 'week' | 'month' | 'year'
/** Interval of periods. */
export interface Rhythm {
  readonly interval: Interval
  readonly interval_count: number
}

/** In seconds. */
export const hour = 3600
/** In seconds; in UTC all days are equally long. */
export const day = 24 * hour

/**
 * Returns the end of the period that contains `after`, counted from the anchor. A month without the anchor's
 * day ends on its last day, and the next month uses the anchor's day again.
 * https://docs.stripe.com/billing/subscriptions/billing-cycle
 */
export function periodEnd(anchor: number, after: number, rhythm: Rhythm): number {
  let n = after < anchor ? 0 : Math.max(0, Math.floor((after - anchor) / longest(rhythm)))
  while (addIntervals(anchor, rhythm, n) <= after) n++
  return addIntervals(anchor, rhythm, n)
}

/** Adds `count` intervals to a moment, in UTC. */
export function addIntervals(from: number, { interval, interval_count }: Rhythm, count = 1): number {
  const units = interval_count * count
  if (interval === 'day') return from + units * day
  if (interval === 'week') return from + units * 7 * day
  return addMonths(from, interval === 'year' ? units * 12 : units)
}

/** Adds calendar months; a month that is too short gives its last day. */
export function addMonths(from: number, months: number): number {
  const date = new Date(from * 1000)
  const dayOfMonth = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(dayOfMonth, lastDay))
  return Math.floor(date.getTime() / 1000)
}

const longestDays: Record<Interval, number> = { day: 1, week: 7, month: 31, year: 366 }
function longest({ interval, interval_count }: Rhythm): number {
  return longestDays[interval] * interval_count * day
}
