import type { CustomerChange, SubscriptionChange } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'

/** Returns the id of the payer. */
export const customerIdOf = ({ customer }: Json): string | null => str(obj(customer).customer_id)

/** Reads the payer's contact from any object, because no events report customers. */
export const toContact = ({ customer }: Json): NonNullable<SubscriptionChange['contact']> | null => {
  const { email, name } = obj(customer)
  return str(email) === null ? null : { email: str(email), name: str(name) }
}

/** Does the same for one-time purchases. */
export const toCustomerChange = (raw: Json): CustomerChange[] => {
  const [id, contact] = [customerIdOf(raw), toContact(raw)]
  if (id === null || contact === null) return []
  return [{ type: 'customer', id, stage: 'updated', data: { id, ...contact, deleted: false } }]
}
