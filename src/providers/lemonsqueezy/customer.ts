import type { CustomerChange, SubscriptionChange } from '../contract.ts'
import { type Json, str } from '../narrow.ts'

/** Payer's contact, from an object that they bought: no message is about customers. */
export const contactIn = (raw: Json): NonNullable<SubscriptionChange['contact']> => ({
  email: str(raw.user_email),
  name: str(raw.user_name),
})

/** A customer as the API shows one. An archived one keeps what it bought.
 *  Source: https://docs.lemonsqueezy.com/api/customers/the-customer-object */
export const toCustomerData = (id: string, raw: Json): CustomerChange['data'] => ({
  id,
  email: str(raw.email),
  name: str(raw.name),
  deleted: false,
})
