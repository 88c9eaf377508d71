import type { CustomerChange, SubscriptionChange } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'

/** The id of whoever pays. */
export const customerIdOf = ({ customer }: Json): string | null => str(obj(customer).customer_id)

/** Payer's contact, from every object: there are no messages about customers. */
export const toContact = ({ customer }: Json): NonNullable<SubscriptionChange['contact']> | null => {
  const { email, name } = obj(customer)
  return str(email) === null ? null : { email: str(email), name: str(name) }
}

/** The same for what is bought once. */
export const toCustomerChange = (raw: Json): CustomerChange[] => {
  const [id, contact] = [customerIdOf(raw), toContact(raw)]
  if (id === null || contact === null) return []
  return [{ type: 'customer', id, stage: 'updated', data: { id, ...contact, deleted: false } }]
}
