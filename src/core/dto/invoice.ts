import { z } from 'zod'
import { currencyCode, isoTime } from './common.ts'

/** Amounts in minor units of `currency`, moments in ISO 8601 UTC. */
export const invoicePreviewSchema = z.strictObject({
  provider: z.string(),
  subscription_id: z.string(),
  currency: currencyCode,
  /** Minor units that would be charged at once; 0 when everything is a credit. */
  amount_due: z.number().int(),
  /** Minor units; below 0 is a credit. */
  total: z.number().int(),
  lines: z.array(
    z.strictObject({
      text: z.string(),
      /** Minor units. */
      amount: z.number().int(),
      price_id: z.string().nullable(),
    }),
  ),
  /** When the first full price is charged. */
  next_payment_at: isoTime.nullable(),
  /** When the change takes effect, where that is later; until then nothing is charged. */
  changes_at: isoTime.nullable().default(null),
  /** The moment that the amounts are counted from; give it back with the change, and they hold. */
  proration_at: isoTime,
})
/** The cost of a change of a subscription. */
export type InvoicePreview = z.infer<typeof invoicePreviewSchema>

/** A bill, as operators see it; amounts in minor units of `currency`, moments in ISO 8601 UTC. */
export const invoiceSchema = z.strictObject({
  id: z.string(),
  provider: z.string(),
  account: z.string(),
  customer_id: z.string().nullable(),
  subscription_id: z.string().nullable(),
  /** The number that people call it by; null where it has none yet. */
  number: z.string().nullable(),
  status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']),
  currency: currencyCode.nullable(),
  /** Minor units. */
  total: z.number().int(),
  /** Minor units. */
  amount_paid: z.number().int(),
  created_at: isoTime.nullable(),
  paid_at: isoTime.nullable(),
  /** The page where it is shown or paid; null where it has none. */
  url: z.string().nullable(),
})
/** One bill of a customer. */
export type Invoice = z.infer<typeof invoiceSchema>

/** A bill as it is printed, in minor units of `currency` and ISO 8601 UTC: of a provider that lives in the process, whose
 *  pages the site shows. */
export interface InvoiceSheet {
  readonly number: string
  readonly paid_at: string
  readonly currency: string
  readonly buyer: { readonly name: string | null; readonly email: string | null }
  readonly lines: readonly InvoiceLine[]
  /** The sum that earlier bills left over; 0 or below. */
  readonly credit: number
  readonly total: number
  readonly refunded: number
}

/** `unused`: time that was paid and is given back; `rest`: what is left of a period after a change. */
export interface InvoiceLine {
  readonly kind: 'price' | 'unused' | 'rest'
  readonly price_id: string
  readonly quantity: number
  readonly amount: number
  /** The period; a line that is paid once has none. */
  readonly period: { readonly from: string; readonly until: string } | null
}

/** The bill of a payment, where the provider lives in the process; null for one that it does not know. */
export type FindSheet = (paymentId: string) => Promise<InvoiceSheet | null>
