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
/** What a change of a subscription would cost. */
export type InvoicePreview = z.infer<typeof invoicePreviewSchema>
