import { z } from 'zod'
import { currencyCode, isoTime } from './schema-parts.ts'

/** Current or future terms: a price, its quantity, and the cost of a whole period, which is null if unknown. */
export const termsSchema = z.strictObject({
  price_id: z.string().nullable(),
  quantity: z.number().int(),
  cost: z
    .strictObject({
      /** Minor units for the whole quantity. */
      amount: z.number().int(),
      currency: currencyCode,
      interval: z.enum(['day', 'week', 'month', 'year']),
      interval_count: z.number().int(),
    })
    .nullable(),
})
/** Current or future terms, as plain JSON. */
export type Terms = Readonly<z.infer<typeof termsSchema>>

/**
 * The preview of an action, shown before it is confirmed. Amounts are minor units of `currency`, moments ISO 8601 UTC.
 */
export const prospectSchema = z.strictObject({
  action: z.enum(['change', 'keep', 'cancel', 'pause', 'resume', 'discount']),
  provider: z.string(),
  subscription_id: z.string(),
  from: termsSchema,
  /** The end of the paid period, if known. */
  paid_until: isoTime.nullable(),
  /** null if the subscription ends. */
  to: termsSchema.nullable(),
  /** When it takes effect; null for at once. */
  at: isoTime.nullable(),
  currency: currencyCode.nullable(),
  /** Charged at once; null if only the provider can calculate it, afterwards. */
  amount_due: z.number().int().nullable(),
  /** The unused part of what was paid. It counts towards the next payments. */
  credit: z.number().int(),
  /** The lines of the amount, where the provider gives them. */
  lines: z.array(z.looseObject({ text: z.string(), amount: z.number().int() })),
  /** null if nothing more is charged. `at` is null if unknown; `amount` is null where the provider calculates it. */
  next_payment: z.strictObject({ at: isoTime.nullable(), amount: z.number().int().nullable() }).nullable(),
  /** True if a failed payment is still due, whatever the action does. */
  is_owed: z.boolean(),
  /** When the current access ends; null if the action does not end it. */
  access_until: isoTime.nullable(),
  /** When a pause ends by itself. */
  resumes_at: isoTime.nullable(),
  /** The moment that the amounts are calculated for. Send it with the action to keep them. */
  proration_at: isoTime.nullable(),
  /** The percentage that the next payment is reduced by; absent for other actions. */
  percent_off: z.number().int().optional(),
})
/** The preview of an action, as plain JSON. */
export type Prospect = Readonly<z.infer<typeof prospectSchema>>
