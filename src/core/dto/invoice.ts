import { z } from 'zod'
import { currencyCode, isoTime } from './schema-parts.ts'

/** Amounts in minor units of `currency`; moments in ISO 8601 UTC. */
export const invoicePreviewSchema = z.strictObject({
  provider: z.string(),
  subscription_id: z.string(),
  currency: currencyCode,
  /** Minor units charged at once; 0 when everything is a credit. */
  amount_due: z.number().int(),
  /** Minor units; a negative total is a credit. */
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
  /** When a later change takes effect. Nothing is charged until then. */
  changes_at: isoTime.nullable().default(null),
  /** The moment that the amounts are calculated for. Send it with the change to keep them. */
  proration_at: isoTime,
})
/** A preview of the cost of changing a subscription. */
export type InvoicePreview = z.infer<typeof invoicePreviewSchema>

/** An invoice for operators. Amounts are in minor units of `currency`, moments in ISO 8601 UTC. */
export const invoiceSchema = z.strictObject({
  id: z.string(),
  provider: z.string(),
  account: z.string(),
  customer_id: z.string().nullable(),
  subscription_id: z.string().nullable(),
  /** The invoice number; null while it has none. */
  number: z.string().nullable(),
  status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']),
  currency: currencyCode.nullable(),
  /** Minor units. */
  total: z.number().int(),
  /** Minor units. */
  amount_paid: z.number().int(),
  created_at: isoTime.nullable(),
  paid_at: isoTime.nullable(),
  /** The page that shows or pays it; null where it has none. */
  url: z.string().nullable(),
})
/** An invoice as plain JSON. Amounts are in minor units of `currency`. */
export type Invoice = z.infer<typeof invoiceSchema>

/**
 * A printable invoice, in minor units of `currency` and ISO 8601 UTC, of a provider within this process. The site shows
 * its pages.
 */
export interface InvoiceSheet {
  readonly number: string
  readonly paid_at: string
  readonly currency: string
  readonly buyer: { readonly name: string | null; readonly email: string | null }
  readonly lines: readonly InvoiceLine[]
  /** The credit from earlier invoices; 0 or negative. */
  readonly credit: number
  readonly total: number
  readonly refunded: number
}

/** `unused`: paid time that is credited. `rest`: the remaining period after a change. */
export interface InvoiceLine {
  readonly kind: 'price' | 'unused' | 'rest'
  readonly price_id: string
  readonly quantity: number
  readonly amount: number
  /** The period; null for a one-time line. */
  readonly period: { readonly from: string; readonly until: string } | null
}

/** Finds a payment's invoice, where the provider runs within this process; null for an unknown payment. */
export type FindSheet = (paymentId: string) => Promise<InvoiceSheet | null>
