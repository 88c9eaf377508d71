import { customerChange } from '../changes.ts'
import type { CustomerChange, SubscriptionChange } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { placeIn } from '../place.ts'
import type { Customer, WithCustomer } from './payload.ts'

/** Returns the id of the payer. */
export function customerIdOf({ customer }: WithCustomer): string | null {
  return str(obj(customer).customer_id)
}

/** Reads the payer's contact from any object, because no events report customers. */
export function toContact({ customer, billing }: WithCustomer): Contact | null {
  const contact = contactOf(obj(customer))
  return contact && { ...contact, ...placeIn(obj(billing).country, obj(billing).state) }
}

/** Does the same for one-time purchases. */
export function toCustomerChange(raw: Customer): CustomerChange[] {
  const [id, contact] = [str(raw.customer_id), contactOf(raw)]
  return id === null || contact === null ? [] : customerChange({ id, ...contact, deleted: false })
}

type Contact = NonNullable<SubscriptionChange['contact']>

function contactOf({ email, name }: Customer): Contact | null {
  return str(email) === null ? null : { email: str(email), name: str(name) }
}
