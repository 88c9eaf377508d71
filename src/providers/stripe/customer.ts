import type { CustomerChange } from '../contract.ts'
import { str } from '../narrow.ts'
import type { Customer } from './payload.ts'

/** Converts a Stripe customer; a deleted one may be only `{ id, object, deleted }`. */
export const toCustomerData = (
  raw: Customer,
  deleted: boolean,
  livemode: boolean,
): CustomerChange['data'] | null => {
  const id = str(raw.id)
  if (id === null) return null
  return {
    id,
    email: str(raw.email),
    name: str(raw.name),
    deleted: deleted || raw.deleted === true,
    livemode: typeof raw.livemode === 'boolean' ? raw.livemode : livemode,
  }
}
