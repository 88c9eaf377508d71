import type { CustomerChange, SubscriptionChange } from '../contract.ts'
import { str } from '../narrow.ts'
import { placeIn } from '../place.ts'
import { idText } from './facts.ts'
import type { Contact, Customer, Order } from './payload.ts'

/** Reads the payer's contact from a purchased object, because no events report customers. */
export function contactIn(raw: Contact): NonNullable<SubscriptionChange['contact']> {
  return {
    email: str(raw.user_email),
    name: str(raw.user_name),
  }
}

/**
 * Reads the buyer of an order, whom no other event names where something was bought once. Source:
 * https://docs.lemonsqueezy.com/api/orders/the-order-object
 */
export function toBuyer(raw: Order): CustomerChange['data'] | null {
  const [id, { email, name }] = [idText(raw.customer_id), contactIn(raw)]
  return id === null || email === null ? null : { id, email, name, deleted: false }
}

/**
 * Converts a customer of the API. An archived one keeps its purchases. Source:
 * https://docs.lemonsqueezy.com/api/customers/the-customer-object
 */
export function toCustomerData(id: string, raw: Customer): CustomerChange['data'] {
  return {
    id,
    email: str(raw.email),
    name: str(raw.name),
    ...placeIn(raw.country, raw.region),
    deleted: false,
  }
}
