import { z } from 'zod'
import { currencyCode, deepFreeze, isoTime, metadata } from './common.ts'
import { invoiceAddress } from './outside.ts'

/** Every payment status, for all providers. */
export const paymentStatuses = [
  'pending',
  'paid',
  'failed',
  'partially_refunded',
  'refunded',
  'disputed',
] as const
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

/**
 * Builds the payment for templates and hooks. Its invoice is a link only if it is an https address or our own page of
 * that payment.
 */
export const toPayment = (data: PaymentData): Payment => {
  const invoice_url = invoiceAddress(data)
  return deepFreeze(invoice_url === data.invoice_url ? data : { ...data, invoice_url })
}

/** True for a payment that was neither fully refunded nor lost to a dispute. */
export const isPaid = (p: PaymentData): boolean => p.status === 'paid' || p.status === 'partially_refunded'

/**
 * True for a payment that opens gates by itself. A subscription's payment never does, even before the subscription is
 * named; the subscription opens them. `boughtOnce`: providers whose payments of unknown purpose count as one-time.
 */
export const opensGate = (p: PaymentData, boughtOnce?: ReadonlySet<string>): boolean =>
  isPaid(p) &&
  p.subscription_id === null &&
  (p.purpose === 'one_time' || (p.purpose === 'unknown' && boughtOnce?.has(p.provider) === true))

/** True for a paid payment of unknown purpose. */
export const isUnknown = (p: PaymentData): boolean => isPaid(p) && p.purpose === 'unknown'

/** The time for a provider to state a payment's purpose. After it the member and the operator are notified. */
export const beingAssignedMs = 600_000

/** True once a paid payment's purpose has been unknown for ten minutes. An operator then has to decide. */
export const isBeingAssigned = (p: PaymentData, now: Date): boolean =>
  isUnknown(p) && Date.parse(p.paid_at ?? p.updated_at) + beingAssignedMs <= now.getTime()

/** True if the payment was for the price, alone or as an item, whether or not the money stayed. */
export const paymentHasPrice = (p: PaymentData, priceId: string): boolean =>
  p.price_id === priceId || p.items.some((item) => item.price_id === priceId)
