import { int, type Json, obj } from '../narrow.ts'

const days: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

/** The free days of one of Paddle's prices, months counted as thirty; null without any.
 *  Source: https://developer.paddle.com/api-reference/prices */
export const trialDaysOf = (price: Json): number | null => {
  const { interval, frequency } = obj(price.trial_period)
  const each = days[String(interval)]
  return each === undefined ? null : each * (int(frequency) ?? 1)
}
