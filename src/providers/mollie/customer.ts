import type { CustomerChange } from '../contract.ts'
import { type Json, str } from '../narrow.ts'
import { modeIn } from './facts.ts'

/** A customer of Mollie as our data; null without an id. One that was deleted is not shown any more.
 *  Source: https://docs.mollie.com/reference/get-customer */
export const toCustomerData = (raw: Json): CustomerChange['data'] | null => {
  const id = str(raw.id)
  return id === null
    ? null
    : { id, email: str(raw.email), name: str(raw.name), deleted: false, ...modeIn(raw) }
}
