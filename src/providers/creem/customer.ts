import { customerChange, stampOf } from '../changes.ts'
import type { CustomerChange } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { placeIn } from '../place.ts'
import type { Customer, WithCustomer } from './payload.ts'

/**
 * Reads the customer inside an object, because no events report customers. Source:
 * https://docs.creem.io/api-reference/endpoint/get-customer
 */
export function toCarriedCustomer({ customer }: WithCustomer): CustomerChange[] {
  return toCustomerChange(obj(customer))
}

/** Reads a customer by its own revision, if it has one. */
export function toCustomerChange(raw: Customer): CustomerChange[] {
  const [id, email] = [str(raw.id), str(raw.email)]
  if (id === null || email === null) return []
  const data = { id, email, name: str(raw.name), ...placeIn(raw.country, null), deleted: false }
  return customerChange(data, stampOf('updated', str(raw.updated_at)))
}
