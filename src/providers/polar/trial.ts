import { int, type Json } from '../narrow.ts'

const days: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

/** The free days of a product, months counted as thirty; null without any.
 *  Source: https://polar.sh/docs/features/trials */
export const trialDaysOf = ({ trial_interval: each, trial_interval_count: count }: Json): number | null => {
  const item = days[String(each)]
  return item === undefined ? null : item * (int(count) ?? 1)
}
