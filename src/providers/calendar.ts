import { intervalsAfter as counted } from '../core/dto/index.ts'
import type { SubscriptionSnapshot } from './snapshots.ts'

/** Unit of a billing interval. */
type Unit = NonNullable<SubscriptionSnapshot['interval']>

/**
 * Adds a number of intervals to a moment, in milliseconds; a negative number subtracts them. In a shorter
 * month, the 31st becomes the last day; `anchor`, the start of the subscription, gives it back.
 */
export function intervalsAfter(from: number, unit: Unit, times: number, anchor?: number): number {
  return counted(from, { interval: unit, times }, anchor)
}

/** A billing interval; null where it is unknown. */
export type Interval = Pick<SubscriptionSnapshot, 'interval' | 'interval_count'>

// The stores offer no others: https://developer.apple.com/help/app-store-connect/reference/auto-renewable-subscription-information
// and https://support.google.com/googleplay/android-developer/answer/12154973
const lengths = [
  ['week', 1],
  ['month', 1],
  ['month', 2],
  ['month', 3],
  ['month', 4],
  ['month', 6],
  ['year', 1],
] as const

/**
 * Works out the billing interval of a store that does not tell it, from a paid period in milliseconds; null
 * for a trial's length, or a shortened period of a test environment.
 */
export function intervalBetween(from: number, to: number): Interval {
  const found = lengths.find(
    ([unit, count]) => Math.abs(intervalsAfter(from, unit, count) - to) <= 86_400_000,
  )
  return { interval: found?.[0] ?? null, interval_count: found?.[1] ?? null }
}
