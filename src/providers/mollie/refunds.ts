import { MembershipError } from '../../core/errors.ts'
import { failureOf } from '../api-errors.ts'
import type { Fetched, RefundRequest } from '../contract.ts'
import { unknownPayment } from '../refunds.ts'
import { address } from '../rest.ts'
import { isMissing, type MollieApi, type MollieFetch } from './api.ts'
import { toAmount } from './terms.ts'

/** Refunds a payment: https://docs.mollie.com/reference/create-refund */
export function mollieRefund(api: MollieApi, { fetch }: Pick<MollieFetch, 'fetch'>) {
  return async ({ payment, amount, idempotencyKey: key }: RefundRequest): Promise<Fetched> => {
    const path = address`/payments/${payment.id}/refunds`
    try {
      const body = { amount: toAmount(amount, payment.currency ?? '') }
      const { at } = await api.write(`a refund of ${payment.id}`, { method: 'POST', path, key, body })
      return (await fetch({ kind: 'payment', id: payment.id })) ?? { changes: [], at }
    } catch (error) {
      throw toRefusal(payment.id, error)
    }
  }
}

function toRefusal(id: string, error: unknown): unknown {
  if (isMissing(error)) return unknownPayment('Mollie', id, { cause: error })
  const { status } = failureOf(error instanceof Error ? error.cause : undefined)
  if (status !== 409 && status !== 422) return error
  return new MembershipError('ERR_ACTION_REFUSED', `Mollie does not give back so much of ${id}.`, {
    reason: 'amount_too_large',
    action: 'See in the Mollie dashboard what is left of it.',
    cause: error,
  })
}
