import { z } from 'zod'
import { isoTime } from './common.ts'

/** A customer of one account at a provider; a deleted one stays, with `deleted` set. */
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
/** Somebody who pays, as one account at a provider knows them; plain JSON. */
export type Customer = z.infer<typeof customerSchema>
