import { z } from 'zod'
import { paymentStatuses } from './common.ts'
import { currencyCode, isoTime, metadata } from './schema-parts.ts'

/** One of {@link paymentStatuses}. A provider's own status is rejected. */
export const paymentStatus = z.enum(paymentStatuses)
/** One of {@link paymentStatuses}. */
export type PaymentStatus = z.infer<typeof paymentStatus>

/** The purposes of a payment: one-time, of a subscription, or unknown so far. */
export const purposes = ['one_time', 'recurring', 'unknown'] as const

/**
 * The purpose of a payment, or of one of its items: the first period, a renewal, a change within a period, something extra
 * that a subscription's invoice includes, or a one-time purchase.
 */
export const billedFor = ['first', 'renewal', 'change', 'extra', 'once'] as const
/** One of {@link billedFor}. */
export type BilledFor = (typeof billedFor)[number]

/** One paid item; null for what the provider does not state. A field is absent where the provider never states it. */
export const paymentItemSchema = z.strictObject({
  price_id: z.string().nullable(),
  product_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
  /** Minor units of the whole line, before tax where the provider states it so. Negative for a credit. */
  amount: z.number().int().optional(),
  /** The time that this item pays for. */
  period_start: isoTime.nullable().optional(),
  period_end: isoTime.nullable().optional(),
  billed_for: z.enum(billedFor).optional(),
  /** True for the free or cheaper days of a trial. */
  trial: z.boolean().optional(),
})
/** One paid item and its quantity. */
export type PaymentItem = z.infer<typeof paymentItemSchema>

/**
 * The stored shape of a payment. Amounts are in minor units; `price_id` is the first item's where the payment names
 * none itself.
 */
export const paymentSchema = z.strictObject({
  id: z.string(),
  provider: z.string(),
  account: z.string(),
  customer_id: z.string().nullable(),
  subscription_id: z.string().nullable(),
  invoice_id: z.string().nullable(),
  price_id: z.string().nullable(),
  items: z.array(paymentItemSchema),
  quantity: z.number().int().nullable(),
  /** Minor units. */
  amount: z.number().int(),
  amount_refunded: z.number().int(),
  currency: currencyCode.nullable(),
  status: paymentStatus,
  paid_at: isoTime.nullable(),
  /** An https address, or a path of this site where the provider runs within it. */
  invoice_url: z.string().nullable(),
  livemode: z.boolean(),
  metadata,
  updated_at: isoTime,
  /** `recurring` even before the subscription is named. `unknown` opens nothing. */
  purpose: z.enum(purposes),
  /** When the provider retries an open payment; absent where it does not say. */
  next_try_at: isoTime.optional(),
  /** The last month of the card that paid, `2027-08`; absent where the provider does not tell. */
  card_expires: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .optional(),
  /** The last four digits of the card that paid; absent where the provider does not tell. */
  card_last4: z
    .string()
    .regex(/^\d{4}$/)
    .optional(),
  /** Its purpose; absent where the provider does not tell. */
  billed_for: z.enum(billedFor).optional(),
  /** The time that it pays for, where its items name none; absent where the provider does not tell. */
  period_start: isoTime.optional(),
  period_end: isoTime.optional(),
  /** True for the payment of a trial. */
  trial: z.boolean().optional(),
  /** When an open invoice is due that the buyer pays by hand; absent for one that is collected automatically. */
  due_at: isoTime.optional(),
  /** When the provider first failed to collect it. */
  failed_at: isoTime.optional(),
  /** True while a debit of this payment is on its way. */
  in_progress: z.boolean().optional(),
  /**
   * True for a renewal's bill that was cancelled, whose period is free, and for a checkout that closed before
   * anybody tried to pay. Their status is `failed`.
   */
  waived: z.boolean().optional(),
  /** The outcome of a dispute that holds or took the money; absent without one. */
  dispute: z.enum(['open', 'lost']).optional(),
  /** When it was asked for, if it was paid later: a debit, or a later attempt. */
  billed_at: isoTime.optional(),
  /** The part of `amount_refunded` whose refund is asked for and not made yet; absent without one. */
  refund_pending: z.number().int().optional(),
  /** The sum of the refunds that failed, so that the money stayed here; absent without one. */
  refund_failed: z.number().int().optional(),
})
/** A payment as plain JSON. Moments are ISO 8601 UTC, amounts minor units. */
export type PaymentData = z.infer<typeof paymentSchema>
/** A payment as templates and hooks get it: frozen data. */
export type Payment = Readonly<PaymentData>
