import type { PaymentData } from '../../core/dto/index.ts'
import { MembershipError, type RefusalReason } from '../../core/errors.ts'
import { failureOf } from '../api-errors.ts'
import type { Fetched, RefundRequest } from '../contract.ts'
import { toDecimal } from '../decimals.ts'
import type { Json } from '../narrow.ts'
import { unknownPayment } from '../refunds.ts'
import { address, unlessMissing } from '../rest.ts'
import { issueOf, keyed, type PayPalApi } from './api.ts'
import { paypalDigits } from './minor-units.ts'
import type { Refund } from './payload.ts'
import type { PayPalReader } from './read-objects.ts'

/**
 * Refunds a capture or a subscription's sale.
 * https://developer.paypal.com/docs/api/payments/v2/#captures_refund, …/payments/v1/#sale_refund
 */
export async function refundPayPal(
  api: PayPalApi,
  objects: PayPalReader,
  { payment, amount, idempotencyKey }: RefundRequest,
): Promise<Fetched> {
  const { id, currency } = payment
  const value = toDecimal(amount, currency ?? 'USD', paypalDigits)
  const give = (path: string, body: Json) =>
    unlessMissing(
      api.ask<Refund>(`a refund of ${id}`, { method: 'POST', path, body, ...keyed(idempotencyKey) }),
    )
  const ofSale = () => give(address`/v1/payments/sale/${id}/refund`, { amount: { total: value, currency } })
  const ofCapture = () =>
    give(address`/v2/payments/captures/${id}/refund`, { amount: { value, currency_code: currency } })
  try {
    const [first, second] = payment.subscription_id === null ? [ofCapture, ofSale] : [ofSale, ofCapture]
    const made = (await first()) ?? (await second())
    if (made !== null) return objects.changes('refund', made)
  } catch (error) {
    throw toRefusal(payment, error)
  }
  throw unknownPayment('PayPal', id, { elsewhere: 'another account, or to the sandbox' })
}

/** Translates PayPal's refusal. */
function toRefusal({ id }: PaymentData, error: unknown): unknown {
  if (!(error instanceof MembershipError)) return error
  const { status } = failureOf(error.cause)
  if (status !== 400 && status !== 422) return error
  const [reason, message, action] = reasons.get(issueOf(error) ?? '') ?? [
    'provider_refused',
    `PayPal does not give the payment ${id} back (${issueOf(error) ?? status}).`,
    'See it in your PayPal account.',
  ]
  return new MembershipError('ERR_ACTION_REFUSED', message, { reason, action, cause: error.cause })
}

type Reason = readonly [reason: RefusalReason, message: string, action: string]

const givenBack: Reason = [
  'already_refunded',
  'This payment was given back already.',
  'Nothing is left to do.',
]
const tooMuch: Reason = [
  'amount_too_large',
  'Less than that is left of this payment.',
  'See in your PayPal account what is left.',
]
const disputed: Reason = [
  'disputed',
  'This payment is disputed: PayPal decides about it.',
  'Answer it in PayPal’s Resolution Center.',
]

const reasons: ReadonlyMap<string, Reason> = new Map([
  ['CAPTURE_FULLY_REFUNDED', givenBack],
  ['TRANSACTION_ALREADY_REFUNDED', givenBack],
  ['REFUND_AMOUNT_EXCEEDED', tooMuch],
  ['REFUND_EXCEEDED_TRANSACTION_AMOUNT', tooMuch],
  ['TRANSACTION_DISPUTED', disputed],
  ['REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK', disputed],
])
