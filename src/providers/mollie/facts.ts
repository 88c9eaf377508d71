import { moneyOf, type StatedMoney, type Unstated } from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { toMinor } from '../decimals.ts'
import { interval, metadata, obj, str, whole } from '../narrow.ts'
import { intentIn, siteNoteIn } from '../sessions.ts'
import type { Common, Payment } from './payload.ts'

/**
 * Converts an amount to minor units with its currency: Mollie writes `{ value: "10.00", currency: "EUR" }`.
 * null for an invalid amount.
 */
export function amountOf(value: Payment['amount']): StatedMoney | Unstated {
  return moneyOf(obj(value), { amount: 'value', currency: 'currency' }, toMinor)
}

/** Returns the mode that every object contains. */
export function modeIn({ mode }: Common): { readonly livemode?: boolean } {
  return mode === 'live' ? { livemode: true } : mode === 'test' ? { livemode: false } : {}
}

/** Converts a day to its first moment; Mollie's `2026-03-01` has no time. */
export function dayOf(value: unknown): string | null {
  return /^\d{4}-\d\d-\d\d$/.test(str(value) ?? '') ? toMoment(Date.parse(String(value))) : null
}

/** Converts milliseconds to ISO 8601 UTC; null before 1970 or after 9999. */
export function toMoment(ms: number): string | null {
  return ms >= 0 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : null
}

/** Returns the parent of an object: by a field in newer versions, else by its link. */
export function parentOf(raw: Common, kind: 'customer' | 'payment' | 'subscription'): string | null {
  return (
    str(raw[`${kind}Id`]) ??
    new RegExp(`/${kind}s/(\\w+)(?:\\?|$)`).exec(str(obj(obj(raw._links)[kind]).href) ?? '')?.[1] ??
    null
  )
}

/**
 * Parses an interval such as `1 month` or `14 days`. A year is written as twelve months, the longest that
 * Mollie accepts.
 */
export function rhythmOf(value: unknown): Pick<SubscriptionSnapshot, 'interval' | 'interval_count'> | null {
  const [, times, word] = /^(\d+) (day|week|month)s?$/.exec(str(value) ?? '') ?? []
  const [unit, count] = [interval(word), whole(times)]
  if (unit === null || count === null) return null
  return unit === 'month' && count === 12
    ? { interval: 'year', interval_count: 1 }
    : { interval: unit, interval_count: count }
}

/** Formats an interval as Mollie writes it. */
export function toRhythm(unit: 'day' | 'week' | 'month' | 'year', count: number): string {
  return unit === 'year' ? `${count * 12} months` : `${count} ${unit}${count === 1 ? '' : 's'}`
}

/**
 * Our notes in an object's metadata, because Mollie knows neither prices nor related objects. Mollie copies a
 * subscription's notes to each of its payments. Source: https://docs.mollie.com/reference/create-subscription
 */
export interface Notes {
  /** Intent of our purchase. */
  readonly intent: string | null
  readonly price: string | null
  readonly quantity: number | null
  /** Subscriptions only: the payment of the first period. */
  readonly first: string | null
  /** Subscriptions only: the day on which the trial ends. */
  readonly trialEnds: string | null
  /** Cancelled subscriptions only: end of the paid time. */
  readonly paidUntil: string | null
  /** Payments only: the subscription that it belongs to without being its automatic charge. */
  readonly subscription: string | null
  /** Payments only: the failed charge that it replaces. */
  readonly pays: string | null
  /**
   * Payments only: the new price and quantity that it paid for outside the interval. `changedBy`, on the
   * subscription, is the payment that led to the current ones.
   */
  readonly change: string | null
  readonly changedBy: string | null
  /** First payments only: amount and interval of the future charges, and the number of free days. */
  readonly amount: string | null
  readonly rhythm: string | null
  readonly trialDays: number | null
  /** Page that the member returns to after paying manually. */
  readonly page: string | null
}

/** Reads the notes; metadata that is not an object is not ours. */
export function notesIn(raw: Common): Notes {
  const metadata = obj(raw.metadata)
  return {
    intent: intentIn(metadata),
    price: str(metadata.membership_price) ?? str(metadata.price_id),
    quantity: whole(metadata.membership_quantity),
    first: str(metadata.membership_first),
    trialEnds: dayOf(str(metadata.membership_trial_ends)?.slice(0, 10)),
    paidUntil: str(metadata.membership_paid_until),
    subscription: str(metadata.membership_subscription),
    pays: str(metadata.membership_pays),
    change: str(metadata.membership_change),
    changedBy: str(metadata.membership_changed_by),
    amount: str(metadata.membership_amount),
    rhythm: str(metadata.membership_rhythm),
    trialDays: whole(metadata.membership_trial_days),
    page: str(metadata.membership_page),
  }
}

/** Formats notes for writing, without null values. */
export function toNotes(notes: Partial<Notes>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(notes).flatMap(([key, value]) =>
      value === null
        ? []
        : [[`membership_${key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}`, `${value}`]],
    ),
  )
}

/** Returns the metadata without our own notes; the id of the site stays. */
export function metadataOf(raw: Common): Record<string, string> {
  return {
    ...Object.fromEntries(
      Object.entries(metadata(raw.metadata)).filter(([key]) => !key.startsWith('membership_')),
    ),
    ...siteNoteIn(raw.metadata),
  }
}
