import type { SubscriptionChange } from '../contract.ts'
import { type Json, str } from '../narrow.ts'

/** Who pays, by an object that they bought: of customers themselves nothing is told. */
export const contactIn = (raw: Json): NonNullable<SubscriptionChange['contact']> => ({
  email: str(raw.user_email),
  name: str(raw.user_name),
})
