import { z } from 'zod'
import { currencyCode, deepFreeze, isoTime, metadata } from './common.ts'

/** Every status that a subscription can have here, whichever provider it is from. */
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

/** One of {@link subscriptionStatuses}; a provider's own word belongs in `provider_status`. */
export const subscriptionStatus = z.enum(subscriptionStatuses)
/** One of {@link subscriptionStatuses}. */
export type SubscriptionStatus = z.infer<typeof subscriptionStatus>

/** One price of a subscription, with the period that it is paid for; null is what nobody said. */
export const subscriptionItemSchema = z.strictObject({
  id: z.string().nullable(),
  price_id: z.string().nullable(),
  product_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
  current_period_start: isoTime.nullable(),
  current_period_end: isoTime.nullable(),
})
/** One price of a subscription, and how many of it. */
export type SubscriptionItem = z.infer<typeof subscriptionItemSchema>

/** The terms that it changes to; null is a term that the provider does not name. */
export const scheduledChangeSchema = z.strictObject({
  price_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
  /** When it takes effect. */
  at: isoTime,
})
/** Another price or quantity that is agreed on and waits for its moment. */
export type ScheduledChange = z.infer<typeof scheduledChangeSchema>

/** The stored shape of a subscription: what `JSON.stringify` of a {@link Subscription} gives. */
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
  /** The provider's own word, where `status` is only the nearest of ours. */
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
  /** When a pause began or will begin: what is paid until then stays open. */
  paused_at: isoTime.nullable(),
  /** When it ends by itself; null beside a `paused_at`: when somebody ends it. */
  resumes_at: isoTime.nullable(),
  /** Absent where the provider schedules nothing, and in what was stored before there was one. */
  scheduled_change: scheduledChangeSchema.nullable().optional(),
  /** When the payment first failed that is still open; later tries and later periods do not move it. */
  past_due_since: isoTime.nullable().default(null),
  /** Its free days were paid by another account: until this moment it opens nothing, unless it is paid before. Far ahead
   *  where the subscription was ended at once from here. */
  opens_at: isoTime.nullable().optional(),
  livemode: z.boolean(),
  metadata,
  updated_at: isoTime,
})
/** A subscription as plain JSON: moments are ISO 8601 UTC, amounts minor units. */
export type SubscriptionData = z.infer<typeof subscriptionSchema>

/** Pure rules about one subscription, readable from templates; they are not part of its JSON. */
export interface SubscriptionRules {
  /** Opens its gates by itself: active, or on trial. */
  readonly active: boolean
  readonly on_trial: boolean
  /** Cancelled or about to be, but paid up: still active until the period or `cancel_at` ends. */
  readonly on_grace_period: boolean
  readonly past_due: boolean
  readonly ended: boolean
  hasPrice(priceId: string): boolean
}

/** A subscription as templates and hooks get it: its data, frozen, with the rules beside it; JSON carries the data
 *  alone. */
export type Subscription = Readonly<Required<SubscriptionData>> & SubscriptionRules

/** Opens its gates by status alone; a trial does too. */
export const isActive = (s: SubscriptionData): boolean => s.status === 'active' || s.status === 'trialing'
/** By status: the dates of the trial are not looked at. */
export const isOnTrial = (s: SubscriptionData): boolean => s.status === 'trialing'
/** Still active, and its end is planned. */
export const isOnGracePeriod = (s: SubscriptionData): boolean =>
  isActive(s) && (s.cancel_at_period_end || s.cancel_at !== null)
/** A payment failed and is still open. */
export const isPastDue = (s: SubscriptionData): boolean => s.status === 'past_due'
/** Over at the provider: cancelled, or expired before its first payment. */
export const isEnded = (s: SubscriptionData): boolean => s.status === 'canceled' || s.status === 'expired'
/** True if it holds the price, as its first or in any of its items. */
export const hasPrice = (s: SubscriptionData, priceId: string): boolean =>
  s.price_id === priceId || s.items.some((item) => item.price_id === priceId)

/** True if a pause has begun and is not over: nothing is paid for now. */
export const isPaused = (s: SubscriptionData, now: Date): boolean => {
  const moment = now.toISOString()
  if (s.status === 'paused') return true
  return s.paused_at !== null && s.paused_at <= moment && (s.resumes_at === null || moment < s.resumes_at)
}

/** The moment until which a subscription is paid as far as is known, or null. An end that is planned for a later period
 *  pays for nothing. */
export const paidUntil = (s: SubscriptionData): string | null =>
  earlier(s.cancel_at, s.current_period_end ?? s.trial_ends_at)

/** The moment at which a subscription ends by what is planned, or null. */
export const endsAt = (s: SubscriptionData): string | null =>
  earlier(s.cancel_at, s.cancel_at_period_end ? s.current_period_end : null)

const earlier = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b

/** The DTO: frozen data with its rules as non-enumerable getters, so that JSON carries the data alone. */
export const toSubscription = (data: SubscriptionData): Subscription =>
  Object.freeze(Object.assign(Object.create(rules) as SubscriptionRules, unsaid, deepFreeze(data)))

// What providers and rows of earlier versions need not say.
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

// From the one a member would want to see to the one that matters least.
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

/** Sorts best first: by status, then the later paid-until, then the later start, then the id. */
export const compareSubscriptions = (a: SubscriptionData, b: SubscriptionData): number =>
  order[a.status] - order[b.status] ||
  compareText(b.current_period_end, a.current_period_end) ||
  compareText(b.started_at, a.started_at) ||
  compareText(a.id, b.id)

const compareText = (a: string | null, b: string | null): number => {
  const [left, right] = [a ?? '', b ?? '']
  return left < right ? -1 : left > right ? 1 : 0
}

/** The best subscription that has the price, or null. */
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
