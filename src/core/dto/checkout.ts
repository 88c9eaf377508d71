import { z } from 'zod'
import { isoTime, metadata } from './schema-parts.ts'

/**
 * `intent_id` is this site's own id of the purchase; null where it did not begin here. `url` is where the buyer pays.
 */
export const checkoutSchema = z.strictObject({
  id: z.string(),
  provider: z.string(),
  intent_id: z.string().nullable(),
  mode: z.enum(['subscription', 'payment']),
  price_id: z.string().nullable(),
  quantity: z.number().int().nullable(),
  url: z.string().nullable(),
  customer_id: z.string().nullable(),
  email: z.string().nullable(),
  status: z.enum(['open', 'complete', 'expired']),
  expires_at: isoTime.nullable(),
  metadata,
})
/** A checkout page at the provider, begun here. */
export type Checkout = z.infer<typeof checkoutSchema>
