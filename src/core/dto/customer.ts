import { z } from 'zod'
import { isoTime } from './schema-parts.ts'

/** A customer of one provider account. A deleted customer stays, with `deleted` set. */
export const customerSchema = z.strictObject({
  id: z.string(),
  provider: z.string(),
  account: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  deleted: z.boolean(),
  livemode: z.boolean(),
  updated_at: isoTime,
})
/** A customer in a provider's message, which may also tell where the buyer lives, as far as a law asks. */
export const customerMessageSchema = customerSchema.extend({
  place: z.enum(['california', 'elsewhere']).optional(),
})
/** A paying person as one provider account knows them, as plain JSON. */
export type Customer = z.infer<typeof customerSchema>
