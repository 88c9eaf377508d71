import { failureOf } from '../api-errors.ts'
import { once } from '../call-once.ts'
import type { CheckoutRequest } from '../contract.ts'
import { str } from '../narrow.ts'
import type { PaddleApi } from './api.ts'

/**
 * As whom a member buys: the customer that is known, else the one of their address, which is made where there is none.
 * Null for who is nobody here yet, and types an address at Paddle. https://developer.paddle.com/api-reference/customers
 */
export const customerFor = async (
  api: PaddleApi,
  { customerId, email }: Pick<CheckoutRequest, 'customerId' | 'email'>,
): Promise<string | null> => {
  if (customerId !== null || email === null) return customerId
  const find = async (): Promise<string | null> => {
    const { all } = await api.all('a customer', '/customers', { email, status: 'active,archived' })
    return str(all[0]?.id)
  }
  const make = async (): Promise<string | null> => {
    const { data } = await api.ask('a new customer', { method: 'POST', path: '/customers', body: { email } })
    return str(data.id)
  }
  return once({ make, find, looksFirst: true }).catch((error: unknown) => {
    // Made by another click meanwhile: https://developer.paddle.com/errors/customers/customer_already_exists
    if (error instanceof Error && failureOf(error.cause).status === 409) return find()
    throw error
  })
}
