import { failureOf } from '../api-errors.ts'
import { once } from '../call-once.ts'
import type { CheckoutRequest } from '../contract.ts'
import { str } from '../narrow.ts'
import type { PaddleApi } from './api.ts'
import type { Customer } from './payload.ts'

/** Returns the customer that a member buys as: the known one, else the one with the member's address,
 *  which is created if missing. null for a visitor without an account, who types an address at Paddle.
 *  https://developer.paddle.com/api-reference/customers */
export const customerFor = async (
  api: PaddleApi,
  { customerId, email }: Pick<CheckoutRequest, 'customerId' | 'email'>,
): Promise<string | null> => {
  if (customerId !== null || email === null) return customerId
  const find = async (): Promise<string | null> => {
    const { all } = await api.all<Customer>('a customer', '/customers', { email, status: 'active,archived' })
    return str(all[0]?.id)
  }
  const make = async (): Promise<string | null> => {
    const { raw } = await api.ask<Customer>('a new customer', {
      method: 'POST',
      path: '/customers',
      body: { email },
    })
    return str(raw.id)
  }
  return once({ make, find, looksFirst: true }).catch((error: unknown) => {
    // A simultaneous click created it: https://developer.paddle.com/errors/customers/customer_already_exists
    if (error instanceof Error && failureOf(error.cause).status === 409) return find()
    throw error
  })
}
