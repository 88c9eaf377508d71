import { int, type Json, obj, whole } from '../narrow.ts'

const days: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

/** The free days of one of Paddle's prices, months counted as thirty; null without any.
 *  Source: https://developer.paddle.com/api-reference/prices */
export const trialDaysOf = (price: Json): number | null => {
  const { interval, frequency } = obj(price.trial_period)
  const each = days[String(interval)]
  return each === undefined ? null : each * (int(frequency) ?? 1)
}

/** Minor units that the trial of a price costs; 0: it is free; null: it costs something that cannot be read.
 *  Source: https://developer.paddle.com/changelog/2026/paid-trials */
export function trialAmountOf(price: Json): number | null {
  const { unit_price: cost } = obj(price.trial_period)
  return cost === undefined || cost === null ? 0 : whole(obj(cost).amount)
}
