import type { SubscriptionSnapshot } from './snapshots.ts'

/** Unit of a billing interval. */
type Unit = NonNullable<SubscriptionSnapshot['interval']>

/** Adds a number of intervals to a moment, in milliseconds; a negative number subtracts them. In a shorter
 *  month, the 31st becomes the last day. */
export const intervalsAfter = (from: number, unit: Unit, times: number): number => {
  if (unit === 'day' || unit === 'week') return from + times * (unit === 'week' ? 7 : 1) * 86_400_000
  const date = new Date(from)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + times * (unit === 'year' ? 12 : 1))
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, days))
}
