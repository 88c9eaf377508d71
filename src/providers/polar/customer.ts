import type { CustomerChange } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { placeIn } from '../place.ts'
import { revisedAt } from './facts.ts'
import type { Customer, WithCustomer } from './payload.ts'

/** Source: https://polar.sh/docs/api-reference/customers */
export function toCustomerData(raw: Customer): CustomerChange['data'] | null {
  const id = str(raw.id)
  if (id === null) return null
  const address = obj(raw.billing_address)
  return {
    id,
    email: str(raw.email),
    name: str(raw.name),
    ...placeIn(address.country, address.state),
    deleted: str(raw.deleted_at) !== null,
  }
}

/**
 * Reads the customer inside an order or subscription. This copy counts by its own revision, not by the moment
 * of the surrounding object.
 */
export function toCarriedCustomer({ customer }: WithCustomer): CustomerChange[] {
  const raw = obj(customer)
  const [data, at] = [toCustomerData(raw), revisedAt(raw)]
  if (data === null || data.email === null || at === null) return []
  return [{ type: 'customer', id: data.id, stage: 'updated', at, data }]
}
