import type { SubscriptionSnapshot } from '../contract.ts'
import { toMinor } from '../decimals.ts'
import { intentIn } from '../intent-note.ts'
import { currency, interval, type Json, metadata, obj, str, whole } from '../narrow.ts'

/** An amount in minor units with its currency: Mollie writes `{ value: "10.00", currency: "EUR" }`. Null for what is no
 *  amount of that currency. */
export const moneyOf = (
  value: unknown,
): { readonly amount: number | null; readonly currency: string | null } => {
  const raw = obj(value)
  const code = currency(raw.currency)
  return { amount: code === null ? null : toMinor(raw.value, code), currency: code }
}

/** Every object says its mode. */
export const modeIn = ({ mode }: Json): { readonly livemode?: boolean } =>
  mode === 'live' ? { livemode: true } : mode === 'test' ? { livemode: false } : {}

/** A day, at its first moment: `2026-03-01` has no time at Mollie. */
export const dayOf = (value: unknown): string | null =>
  /^\d{4}-\d\d-\d\d$/.test(str(value) ?? '') ? toMoment(Date.parse(String(value))) : null

/** Milliseconds as ISO 8601 UTC; null for what is no moment of these ages. */
export const toMoment = (ms: number): string | null =>
  ms >= 0 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : null

/** Parent of an object: by a field in newer versions, else by its link alone. */
export const parentOf = (raw: Json, kind: 'customer' | 'payment' | 'subscription'): string | null =>
  str(raw[`${kind}Id`]) ??
  new RegExp(`/${kind}s/(\\w+)(?:\\?|$)`).exec(str(obj(obj(raw._links)[kind]).href) ?? '')?.[1] ??
  null

/** Interval as text: `1 month`, `14 days`. A year is written as twelve months, which is the longest there is. */
export const rhythmOf = (
  value: unknown,
): Pick<SubscriptionSnapshot, 'interval' | 'interval_count'> | null => {
  const [, times, word] = /^(\d+) (day|week|month)s?$/.exec(str(value) ?? '') ?? []
  const [unit, count] = [interval(word), whole(times)]
  if (unit === null || count === null) return null
  return unit === 'month' && count === 12
    ? { interval: 'year', interval_count: 1 }
    : { interval: unit, interval_count: count }
}

/** The other way. */
export const toRhythm = (unit: 'day' | 'week' | 'month' | 'year', count: number): string =>
  unit === 'year' ? `${count * 12} months` : `${count} ${unit}${count === 1 ? '' : 's'}`

/**
 * What we write beside an object, in its metadata: Mollie knows neither prices nor what belongs together. What is written
 * beside a subscription stands beside each of its payments, too.
 * Source: https://docs.mollie.com/reference/create-subscription
 */
export interface Notes {
  /** Our purchase. */
  readonly intent: string | null
  readonly price: string | null
  readonly quantity: number | null
  /** Subscriptions only: the payment that paid its first period. */
  readonly first: string | null
  /** Subscriptions only: the day on which its trial ends. */
  readonly trialEnds: string | null
  /** Cancelled subscriptions only: end of the paid time. */
  readonly paidUntil: string | null
  /** Payments only: the subscription that it is for, which it is no charge of. */
  readonly subscription: string | null
  /** Payments only: the charge that failed and is paid by it. */
  readonly pays: string | null
  /** Payments only: the price and quantity that it was charged for beside a subscription's rhythm. Of the subscription:
   *  the payment by which it came to the ones that it has. */
  readonly change: string | null
  readonly changedBy: string | null
  /** First payments only: amount that the subscription will charge, how often, and after how many free days. */
  readonly amount: string | null
  readonly rhythm: string | null
  readonly trialDays: number | null
  /** Page to which the member comes back after paying by hand. */
  readonly page: string | null
}

/** Reads them; text that is no object is somebody else's. */
export const notesIn = (raw: Json): Notes => {
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

/** Notes as they are written; what is null is left out. */
export const toNotes = (notes: Partial<Notes>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(notes).flatMap(([key, value]) =>
      value === null
        ? []
        : [[`membership_${key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}`, `${value}`]],
    ),
  )

/** Metadata as the site and we wrote it, without what we keep for ourselves. */
export const metadataOf = (raw: Json): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata(raw.metadata)).filter(([key]) => !key.startsWith('membership_')))
