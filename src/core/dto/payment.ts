import { z } from 'zod'
import { paymentStatuses } from './common.ts'
import { currencyCode, isoTime, metadata } from './schema-parts.ts'

/** One of {@link paymentStatuses}. A provider's own status is rejected. */
export const paymentStatus = z.enum(paymentStatuses)
/** One of {@link paymentStatuses}. */
export type PaymentStatus = z.infer<typeof paymentStatus>

/** The purposes of a payment: one-time, of a subscription, or unknown so far. */
export const purposes = ['one_time', 'recurring', 'unknown'] as const

/** One paid item; null for what the provider does not state. */
export const paymentItemSchema = z.strictObject({
  price_id: z.string().nullable(),
  product_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
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
})
/** A payment as plain JSON. Moments are ISO 8601 UTC, amounts minor units. */
export type PaymentData = z.infer<typeof paymentSchema>
/** A payment as templates and hooks get it: frozen data. */
export type Payment = Readonly<PaymentData>
