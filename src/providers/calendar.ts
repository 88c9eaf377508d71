import type { SubscriptionSnapshot } from './snapshots.ts'

/** A rhythm's unit. */
type Unit = NonNullable<SubscriptionSnapshot['interval']>

/** So many intervals after a moment (before it, for a negative number), in milliseconds. The 31st of a shorter month is
 *  its last day. */
export const intervalsAfter = (from: number, unit: Unit, times: number): number => {
  if (unit === 'day' || unit === 'week') return from + times * (unit === 'week' ? 7 : 1) * 86_400_000
  const date = new Date(from)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + times * (unit === 'year' ? 12 : 1))
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, days))
}
