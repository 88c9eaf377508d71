import type { CustomerChange } from '../contract.ts'
import { str } from '../narrow.ts'
import { modeIn } from './facts.ts'
import type { Customer } from './payload.ts'

/**
 * Converts a Mollie customer; null without an id. Mollie does not return deleted ones. Source:
 * https://docs.mollie.com/reference/get-customer
 */
export function toCustomerData(raw: Customer): CustomerChange['data'] | null {
  const id = str(raw.id)
  return id === null
    ? null
    : { id, email: str(raw.email), name: str(raw.name), deleted: false, ...modeIn(raw) }
}
