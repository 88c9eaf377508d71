import type { CustomerChange } from '../contract.ts'
import { str } from '../narrow.ts'
import type { Customer } from './payload.ts'

/**
 * Converts a customer. Paddle never deletes one; an archived customer keeps its purchases, and its
 * subscriptions continue. Source: https://developer.paddle.com/api-reference/customers
 */
export function toCustomerData(raw: Customer): CustomerChange['data'] | null {
  const id = str(raw.id)
  return id === null ? null : { id, email: str(raw.email), name: str(raw.name), deleted: false }
}
