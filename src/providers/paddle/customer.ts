import type { CustomerChange } from '../contract.ts'
import { type Json, str } from '../narrow.ts'

/** Paddle deletes no customers: an archived one keeps what it bought, and its subscriptions go on.
 *  Source: https://developer.paddle.com/api-reference/customers */
export const toCustomerData = (raw: Json): CustomerChange['data'] | null => {
  const id = str(raw.id)
  return id === null ? null : { id, email: str(raw.email), name: str(raw.name), deleted: false }
}
