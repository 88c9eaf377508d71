import { type Charge, type Dispute, day, type Payment, type Refund, type Refused } from '../engine/index.ts'
import { blank, headOf } from './blank.ts'

/** What a buyer reads. */
export const refusalText = (refusal: Refused): string =>
  refusal === 'funds' ? 'Your card has insufficient funds.' : 'Your card was declined.'
const declineCode = (refusal: Refused): string =>
  refusal === 'funds' ? 'insufficient_funds' : 'generic_decline'

const intentStatus = {
  open: 'requires_payment_method',
  asks: 'requires_action',
  processing: 'processing',
  paid: 'succeeded',
} as const

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
export const toIntent = (one: Payment) => ({
  ...headOf('payment_intent', one),
  ...blank('canceled_at', 'cancellation_reason', 'receipt_email'),
  amount: one.amount,
  amount_capturable: 0,
  amount_received: one.status === 'paid' ? one.amount : 0,
  capture_method: 'automatic',
  confirmation_method: 'automatic',
  currency: one.currency,
  customer: one.customer,
  description: one.description,
  last_payment_error: one.refusal && {
    charge: one.charge,
    code: 'card_declined',
    decline_code: declineCode(one.refusal),
    message: refusalText(one.refusal),
    type: 'card_error',
  },
  latest_charge: one.charge,
  metadata: one.metadata,
  payment_method: one.method,
  payment_method_types: ['card'],
  status: intentStatus[one.status],
})

const chargeStatus = { paid: 'succeeded', pending: 'pending', failed: 'failed' } as const

/** https://docs.stripe.com/api/charges/object */
export const toCharge = (one: Charge) => {
  const { amount, refusal } = one
  const hasFailed = one.status === 'failed'
  const isPaid = one.status === 'paid'
  const last4 = one.number.slice(-4)
  return {
    ...headOf('charge', one),
    amount,
    amount_captured: isPaid ? amount : 0,
    amount_refunded: one.refunded,
    billing_details: { ...blank('address', 'phone'), email: one.email, name: one.name },
    captured: !hasFailed,
    currency: one.currency,
    customer: one.customer,
    description: one.description,
    disputed: one.disputed,
    failure_code: hasFailed ? 'card_declined' : null,
    failure_message: refusal && refusalText(refusal),
    metadata: one.metadata,
    outcome: {
      network_status: hasFailed ? 'declined_by_network' : 'approved_by_network',
      reason: refusal && declineCode(refusal),
      type: hasFailed ? 'issuer_declined' : 'authorized',
    },
    paid: isPaid,
    payment_intent: one.payment,
    payment_method: one.method,
    payment_method_details: /^\d/.test(one.number)
      ? { card: { last4 }, type: 'card' }
      : { sepa_debit: { last4 }, type: 'sepa_debit' },
    receipt_email: null,
    refunded: one.refunded === amount,
    status: chargeStatus[one.status],
  }
}

/** https://docs.stripe.com/api/refunds/object */
export const toRefund = (one: Refund) => ({
  ...headOf('refund', one),
  ...blank('balance_transaction', 'receipt_number'),
  amount: one.amount,
  charge: one.charge,
  currency: one.currency,
  destination_details: { type: 'card' },
  metadata: one.metadata,
  payment_intent: one.payment,
  reason: one.reason,
  status: 'succeeded' as 'succeeded' | 'pending' | 'failed' | 'canceled',
})

/** https://docs.stripe.com/api/disputes/object */
export const toDispute = (one: Dispute) => ({
  ...headOf('dispute', one),
  amount: one.amount,
  charge: one.charge,
  currency: one.currency,
  evidence_details: { due_by: one.created + 7 * day, has_evidence: false },
  is_charge_refundable: false,
  metadata: {},
  payment_intent: one.payment,
  reason: one.reason,
  status: one.status === 'open' ? ('needs_response' as const) : one.status,
})
