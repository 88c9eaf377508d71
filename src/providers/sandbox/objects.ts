import { z } from 'zod'
import { isoTime } from '../../core/dto/index.ts'

/** A price as sold. */
export const sandboxPrice = z.object({
  id: z.string(),
  label: z.string(),
  amount: z.number().int(),
  currency: z.string(),
  interval: z.enum(['day', 'week', 'month', 'year']).nullable(),
  interval_count: z.number().int(),
  trial_days: z.number().int(),
})
export type SandboxPrice = z.infer<typeof sandboxPrice>

/** A checkout as the site sees it; `complete` but not `paid` while the bank is slow. */
export const sandboxCheckout = z.object({
  id: z.string(),
  intent_id: z.string(),
  mode: z.enum(['subscription', 'payment']),
  price: sandboxPrice,
  quantity: z.number().int(),
  /** Minor units that the code takes off the first payment. */
  discount: z.number().int().default(0),
  code: z.string().nullable().default(null),
  customer: z.string().nullable(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  status: z.enum(['open', 'complete', 'expired']),
  paid: z.boolean(),
  subscription: z.string().nullable(),
  payment: z.string().nullable(),
  return_url: z.string(),
  cancel_url: z.string(),
  metadata: z.record(z.string(), z.string()),
  updated: isoTime,
})
export type SandboxCheckout = z.infer<typeof sandboxCheckout>

/** A buyer. */
export const sandboxCustomer = z.object({
  id: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  updated: isoTime,
})
export type SandboxCustomer = z.infer<typeof sandboxCustomer>

/** A subscription of one price. */
export const sandboxSubscription = z.object({
  id: z.string(),
  customer: z.string(),
  price: sandboxPrice,
  quantity: z.number().int(),
  status: z.enum(['trialing', 'active', 'past_due', 'paused', 'canceled']),
  started: isoTime,
  trial_ends: isoTime.nullable(),
  period_start: isoTime,
  period_end: isoTime,
  /** Change of price or quantity at the end of the period. */
  scheduled: z.object({ price: sandboxPrice, quantity: z.number().int() }).nullable().default(null),
  /** Start of a pause, past or future. */
  paused: isoTime.nullable().default(null),
  resumes: isoTime.nullable().default(null),
  cancel_at_period_end: z.boolean(),
  canceled: isoTime.nullable(),
  ended: isoTime.nullable(),
  metadata: z.record(z.string(), z.string()),
  updated: isoTime,
})
export type SandboxSubscription = z.infer<typeof sandboxSubscription>

/** A payment for one price; `amount` and `amount_refunded` in minor units. */
export const sandboxPayment = z.object({
  id: z.string(),
  customer: z.string(),
  subscription: z.string().nullable(),
  checkout: z.string().nullable(),
  price: sandboxPrice,
  quantity: z.number().int(),
  amount: z.number().int(),
  amount_refunded: z.number().int(),
  status: z.enum(['pending', 'paid', 'failed']),
  paid: isoTime.nullable(),
  /** The last four digits of the card. */
  last4: z.string().optional(),
  metadata: z.record(z.string(), z.string()),
  updated: isoTime,
})
export type SandboxPayment = z.infer<typeof sandboxPayment>

/** A disputed payment, in minor units; `lost` means that the money went back. */
export const sandboxDispute = z.object({
  id: z.string(),
  payment: z.string(),
  customer: z.string(),
  amount: z.number().int(),
  currency: z.string(),
  status: z.enum(['open', 'won', 'lost']),
  updated: isoTime,
})
export type SandboxDispute = z.infer<typeof sandboxDispute>

/** Every kind of object in the sandbox's events. Events of older versions may contain more. */
export const sandboxObjects = {
  checkout: sandboxCheckout,
  customer: sandboxCustomer,
  subscription: sandboxSubscription,
  payment: sandboxPayment,
  dispute: sandboxDispute,
}
export type SandboxKind = keyof typeof sandboxObjects
export type SandboxObject<K extends SandboxKind> = z.infer<(typeof sandboxObjects)[K]>

/** An event of the sandbox; it always contains one whole object. */
export const sandboxEvent = z.discriminatedUnion('object', [
  z.object({ ...envelope(), object: z.literal('checkout'), data: sandboxCheckout }),
  z.object({ ...envelope(), object: z.literal('customer'), data: sandboxCustomer }),
  z.object({ ...envelope(), object: z.literal('subscription'), data: sandboxSubscription }),
  z.object({ ...envelope(), object: z.literal('payment'), data: sandboxPayment }),
  z.object({ ...envelope(), object: z.literal('dispute'), data: sandboxDispute }),
])
export type SandboxEvent = z.infer<typeof sandboxEvent>

function envelope() {
  return { id: z.string(), type: z.string(), created: isoTime }
}
