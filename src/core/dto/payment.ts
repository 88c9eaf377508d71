import { z } from 'zod'
import { currencyCode, deepFreeze, isoTime, metadata } from './common.ts'
import { invoiceAddress } from './outside.ts'

/** Every status that a payment can have here, whichever provider took it. */
export const paymentStatuses = [
  'pending',
  'paid',
  'failed',
  'partially_refunded',
  'refunded',
  'disputed',
] as const
/** One of {@link paymentStatuses}; a provider's own word is refused. */
export const paymentStatus = z.enum(paymentStatuses)
/** One of {@link paymentStatuses}. */
export type PaymentStatus = z.infer<typeof paymentStatus>

/** The purposes of a payment: bought once, a subscription's, or not known yet. */
export const purposes = ['one_time', 'recurring', 'unknown'] as const

/** One thing that was paid for; what the provider does not say is null. */
export const paymentItemSchema = z.strictObject({
  price_id: z.string().nullable(),
  product_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
})
/** One thing that was paid for, and how many of it. */
export type PaymentItem = z.infer<typeof paymentItemSchema>

/** The stored shape of a payment; amounts are in minor units, and `price_id` is the first item's where the
 *  payment names none itself. */
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
  /** An https address, or a path of this site where the provider lives in it. */
  invoice_url: z.string().nullable(),
  livemode: z.boolean(),
  metadata,
  updated_at: isoTime,
  /** `recurring` also where the subscription is not named yet; `unknown` opens nothing. */
  purpose: z.enum(purposes),
  /** When the provider tries by itself to collect what is open; absent where it does not say. */
  next_try_at: isoTime.optional(),
})
/** A payment as plain JSON: moments are ISO 8601 UTC, amounts minor units. */
export type PaymentData = z.infer<typeof paymentSchema>
/** A payment as templates and hooks get it: its data, frozen. */
export type Payment = Readonly<PaymentData>

/** The payment as it leaves: its invoice is a link only where it is an https address, or our own page of that payment. */
export const toPayment = (data: PaymentData): Payment => {
  const invoice_url = invoiceAddress(data)
  return deepFreeze(invoice_url === data.invoice_url ? data : { ...data, invoice_url })
}

/** Paid and not given back: in full or lost to a dispute. */
export const isPaid = (p: PaymentData): boolean => p.status === 'paid' || p.status === 'partially_refunded'

/**
 * True for a payment that opens gates by itself. A subscription's payment never does, not even before the
 * subscription is named; the subscription does. `boughtOnce`: the providers whose unknown payments count as bought
 * once.
 */
export const opensGate = (p: PaymentData, boughtOnce?: ReadonlySet<string>): boolean =>
  isPaid(p) &&
  p.subscription_id === null &&
  (p.purpose === 'one_time' || (p.purpose === 'unknown' && boughtOnce?.has(p.provider) === true))

/** Paid, and nobody said yet what for. */
export const isUnknown = (p: PaymentData): boolean => isPaid(p) && p.purpose === 'unknown'

/** The time that the provider has to say what a payment is for before people are told that it is being assigned. */
export const beingAssignedMs = 600_000

/** Unknown for ten minutes after it was paid: the site's own people have to say what it is for. */
export const isBeingAssigned = (p: PaymentData, now: Date): boolean =>
  isUnknown(p) && Date.parse(p.paid_at ?? p.updated_at) + beingAssignedMs <= now.getTime()

/** True if the price is what was charged for, alone or among the items, whatever became of the money. */
export const paymentHasPrice = (p: PaymentData, priceId: string): boolean =>
  p.price_id === priceId || p.items.some((item) => item.price_id === priceId)
