import { z } from 'zod'
import { subscriptionStatuses } from './common.ts'
import { currencyCode, isoTime, metadata } from './schema-parts.ts'

/** One of {@link subscriptionStatuses}. A provider's own status belongs in `provider_status`. */
export const subscriptionStatus = z.enum(subscriptionStatuses)
/** One of {@link subscriptionStatuses}. */
export type SubscriptionStatus = z.infer<typeof subscriptionStatus>

/**
 * Why a subscription ended: somebody asked for it, its payment failed, a payment was lost in a dispute, or its agreed
 * number of periods was over.
 */
export const endReasons = ['request', 'unpaid', 'dispute', 'term'] as const

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
  /** Why it ended; absent where the provider does not tell. */
  ended_for: z.enum(endReasons).optional(),
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
export type Subscription = Readonly<Required<Omit<SubscriptionData, 'ended_for'>>> &
  Readonly<Pick<SubscriptionData, 'ended_for'>> &
  SubscriptionRules
