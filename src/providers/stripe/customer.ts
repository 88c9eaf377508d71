import type { CustomerChange } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { placeIn } from '../place.ts'
import type { Customer } from './payload.ts'

/** Converts a Stripe customer; a deleted one may be only `{ id, object, deleted }`. */
export function toCustomerData(
  raw: Customer,
  deleted: boolean,
  livemode: boolean,
): CustomerChange['data'] | null {
  const id = str(raw.id)
  if (id === null) return null
  const address = obj(raw.address)
  return {
    id,
    email: str(raw.email),
    name: str(raw.name),
    ...placeIn(address.country, address.state),
    deleted: deleted || raw.deleted === true,
    livemode: typeof raw.livemode === 'boolean' ? raw.livemode : livemode,
  }
}
