import { z } from 'zod'
import { currencyCode, isoTime } from './common.ts'

/** Terms of now or later: a price, how many of it, and the cost of a whole period; null where that is not known. */
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
/** Terms of now or later. */
export type Terms = Readonly<z.infer<typeof termsSchema>>

/**
 * The effects of an action, as whoever does it is shown before. Amounts are minor units of `currency`, moments ISO
 * 8601 UTC.
 */
export const prospectSchema = z.strictObject({
  action: z.enum(['change', 'keep', 'cancel', 'pause', 'resume']),
  provider: z.string(),
  subscription_id: z.string(),
  from: termsSchema,
  /** Until when that is paid, as far as is known. */
  paid_until: isoTime.nullable(),
  /** null: it ends. */
  to: termsSchema.nullable(),
  /** When it takes effect; null: at once. */
  at: isoTime.nullable(),
  currency: currencyCode.nullable(),
  /** Charged at once; null: the provider works it out, and cannot tell before. */
  amount_due: z.number().int().nullable(),
  /** The paid sum that is not used up, and counts towards the next payments. */
  credit: z.number().int(),
  /** The lines of the amount, where the provider says them. */
  lines: z.array(z.looseObject({ text: z.string(), amount: z.number().int() })),
  /** null: nothing is charged any more. Its moment is null where it is not known, its amount where the provider works it
   *  out. */
  next_payment: z.strictObject({ at: isoTime.nullable(), amount: z.number().int().nullable() }).nullable(),
  /** A payment failed and is asked for still, whatever is done. */
  is_owed: z.boolean(),
  /** Until when what is had now stays open; null: it is not closed by this. */
  access_until: isoTime.nullable(),
  /** When a pause ends by itself. */
  resumes_at: isoTime.nullable(),
  /** The moment that the amounts are counted from: given back with the action, they hold. */
  proration_at: isoTime.nullable(),
})
/** The effects of an action. */
export type Prospect = Readonly<z.infer<typeof prospectSchema>>
