import { z } from 'zod'
import { currencyCode, deepFreeze, isoTime, metadata } from './common.ts'

/**
 * Every subscription status, for all providers. Their order matters: of two events of one moment the later status in
 * this list wins.
 */
export const subscriptionStatuses = [
  'incomplete',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
  'expired',
] as const

/** One of {@link subscriptionStatuses}. A provider's own status belongs in `provider_status`. */
export const subscriptionStatus = z.enum(subscriptionStatuses)
/** One of {@link subscriptionStatuses}. */
export type SubscriptionStatus = z.infer<typeof subscriptionStatus>

/** One price of a subscription with its paid period; null for what is unknown. */
export const subscriptionItemSchema = z.strictObject({
  id: z.string().nullable(),
  price_id: z.string().nullable(),
  product_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
  current_period_start: isoTime.nullable(),
  current_period_end: isoTime.nullable(),
})
/** One price of a subscription and its quantity. */
export type SubscriptionItem = z.infer<typeof subscriptionItemSchema>

/** The new terms; null for a term that the provider does not name. */
export const scheduledChangeSchema = z.strictObject({
  price_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
  /** The amount that the member chose for then, in minor units; absent for a price with one amount. */
  unit_amount: z.number().int().optional(),
  /** When it takes effect. */
  at: isoTime,
})
/** A scheduled change of price or quantity. */
export type ScheduledChange = z.infer<typeof scheduledChangeSchema>

/** The stored shape of a subscription: the `JSON.stringify` result of a {@link Subscription}. */
export const subscriptionSchema = z.strictObject({
  id: z.string(),
  provider: z.string(),
  account: z.string(),
  customer_id: z.string().nullable(),
  /** The first item's price. */
  price_id: z.string().nullable(),
  product_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
  items: z.array(subscriptionItemSchema),
  status: subscriptionStatus,
  /** The provider's own status, where `status` is only the nearest one. */
  provider_status: z.string().nullable(),
  currency: currencyCode.nullable(),
  /** Minor units. */
  unit_amount: z.number().int().nullable(),
  interval: z.enum(['day', 'week', 'month', 'year']).nullable(),
  interval_count: z.number().int().nullable(),
  started_at: isoTime.nullable(),
  trial_ends_at: isoTime.nullable(),
  current_period_start: isoTime.nullable(),
  current_period_end: isoTime.nullable(),
  cancel_at_period_end: z.boolean(),
  cancel_at: isoTime.nullable(),
  canceled_at: isoTime.nullable(),
  ended_at: isoTime.nullable(),
  /** When a pause began or will begin. Paid access stays open until then. */
  paused_at: isoTime.nullable(),
  /** When the pause ends by itself; null beside a `paused_at` if it has no planned end. */
  resumes_at: isoTime.nullable(),
  /** Absent where the provider schedules nothing, and in data from before this field. */
  scheduled_change: scheduledChangeSchema.nullable().optional(),
  /** When the open payment first failed. Later attempts and periods do not move it. */
  past_due_since: isoTime.nullable().default(null),
  /**
   * Another account paid its free days. It opens nothing until this moment, unless it is paid before. Far in the future
   * for a subscription that was ended here at once.
   */
  opens_at: isoTime.nullable().optional(),
  livemode: z.boolean(),
  metadata,
  updated_at: isoTime,
})
/** A subscription as plain JSON. Moments are ISO 8601 UTC, amounts minor units. */
export type SubscriptionData = z.infer<typeof subscriptionSchema>

/** Rules about one subscription for templates. They are pure and not part of its JSON. */
export interface SubscriptionRules {
  /** Active or on trial, so that it opens its gates by itself. */
  readonly active: boolean
  readonly on_trial: boolean
  /** Cancelled or about to be, but still active until the paid period or `cancel_at` ends. */
  readonly on_grace_period: boolean
  readonly past_due: boolean
  readonly ended: boolean
  hasPrice(priceId: string): boolean
}

/** A subscription as templates and hooks get it: frozen data with its rules. JSON contains the data alone. */
export type Subscription = Readonly<Required<SubscriptionData>> & SubscriptionRules

/** True if its status alone opens gates; a trial counts. */
export const isActive = (s: SubscriptionData): boolean => s.status === 'active' || s.status === 'trialing'
/** Decided by the status alone, not by the trial's dates. */
export const isOnTrial = (s: SubscriptionData): boolean => s.status === 'trialing'
/** True while it is active with a planned end. */
export const isOnGracePeriod = (s: SubscriptionData): boolean =>
  isActive(s) && (s.cancel_at_period_end || s.cancel_at !== null)
/** True if a payment failed and is still open. */
export const isPastDue = (s: SubscriptionData): boolean => s.status === 'past_due'
/** True if it is over at the provider: cancelled, or expired before its first payment. */
export const isEnded = (s: SubscriptionData): boolean => s.status === 'canceled' || s.status === 'expired'
/** True if it has the price, first or in any of its items. */
export const hasPrice = (s: SubscriptionData, priceId: string): boolean =>
  s.price_id === priceId || s.items.some((item) => item.price_id === priceId)

/** True during a pause, when nothing is paid. */
export const isPaused = (
  s: Pick<SubscriptionData, 'status' | 'paused_at' | 'resumes_at'>,
  now: Date,
): boolean => {
  const moment = now.toISOString()
  if (s.status === 'paused') return true
  return s.paused_at !== null && s.paused_at <= moment && (s.resumes_at === null || moment < s.resumes_at)
}

/** The end of the known paid period, or null. An end planned for a later period does not extend it. */
export const paidUntil = (s: SubscriptionData): string | null =>
  earlier(s.cancel_at, s.current_period_end ?? s.trial_ends_at)

/** The planned end of a subscription, or null. */
export const endsAt = (s: SubscriptionData): string | null =>
  earlier(s.cancel_at, s.cancel_at_period_end ? s.current_period_end : null)

const earlier = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b

/** Builds the DTO: frozen data with the rules as non-enumerable getters, so that JSON contains the data alone. */
export const toSubscription = (data: SubscriptionData): Subscription =>
  Object.freeze(Object.assign(Object.create(rules) as SubscriptionRules, unsaid, deepFreeze(data)))

// Fields that providers and rows of older versions may omit.
const unsaid = { scheduled_change: null, past_due_since: null, opens_at: null }

const rules = Object.defineProperties(
  {},
  {
    active: {
      get(this: SubscriptionData) {
        return isActive(this)
      },
    },
    on_trial: {
      get(this: SubscriptionData) {
        return isOnTrial(this)
      },
    },
    on_grace_period: {
      get(this: SubscriptionData) {
        return isOnGracePeriod(this)
      },
    },
    past_due: {
      get(this: SubscriptionData) {
        return isPastDue(this)
      },
    },
    ended: {
      get(this: SubscriptionData) {
        return isEnded(this)
      },
    },
    hasPrice: {
      value(this: SubscriptionData, priceId: string) {
        return hasPrice(this, priceId)
      },
    },
  },
)

// Sorted from the status a member most wants to see to the least important.
const order: Record<SubscriptionStatus, number> = {
  active: 0,
  trialing: 1,
  past_due: 2,
  paused: 3,
  unpaid: 4,
  incomplete: 5,
  canceled: 6,
  expired: 7,
}

/** Sorts best first: by status, then later paid period, later start, and id. */
export const compareSubscriptions = (a: SubscriptionData, b: SubscriptionData): number =>
  order[a.status] - order[b.status] ||
  compareText(b.current_period_end, a.current_period_end) ||
  compareText(b.started_at, a.started_at) ||
  compareText(a.id, b.id)

const compareText = (a: string | null, b: string | null): number => {
  const [left, right] = [a ?? '', b ?? '']
  return left < right ? -1 : left > right ? 1 : 0
}

/** Returns the best subscription with the price, or null. */
export const bestForPrice = <S extends SubscriptionData>(
  subscriptions: readonly S[],
  priceId: string,
): S | null => {
  let best: S | null = null
  for (const candidate of subscriptions) {
    if (!hasPrice(candidate, priceId)) continue
    if (best === null || compareSubscriptions(candidate, best) < 0) best = candidate
  }
  return best
}
