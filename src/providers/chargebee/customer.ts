import type { CustomerChange } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { placeIn } from '../place.ts'
import type { Customer } from './payload.ts'

/** Source: https://apidocs.chargebee.com/docs/api/customers */
export function toCustomerData(raw: Customer): CustomerChange['data'] | null {
  const id = str(raw.id)
  if (id === null) return null
  const address = obj(raw.billing_address)
  const names = [str(raw.first_name), str(raw.last_name)].filter((name) => name !== null)
  return {
    id,
    email: str(raw.email),
    name: names.length > 0 ? names.join(' ') : str(raw.company),
    ...placeIn(address.country, address.state_code ?? address.state),
    deleted: raw.deleted === true,
  }
}
