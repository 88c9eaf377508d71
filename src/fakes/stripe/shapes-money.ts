import { type Charge, type Dispute, day, type Payment, type Refund, type Refused } from '../engine/index.ts'
import { blank, headOf } from './blank.ts'

/** Text of a refusal for the buyer. */
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
export const toIntent = (payment: Payment) => ({
  ...headOf('payment_intent', payment),
  ...blank('canceled_at', 'cancellation_reason', 'receipt_email'),
  amount: payment.amount,
  amount_capturable: 0,
  amount_received: payment.status === 'paid' ? payment.amount : 0,
  capture_method: 'automatic',
  confirmation_method: 'automatic',
  currency: payment.currency,
  customer: payment.customer,
  description: payment.description,
  last_payment_error: payment.refusal && {
    charge: payment.charge,
    code: 'card_declined',
    decline_code: declineCode(payment.refusal),
    message: refusalText(payment.refusal),
    type: 'card_error',
  },
  latest_charge: payment.charge,
  metadata: payment.metadata,
  payment_method: payment.method,
  payment_method_types: ['card'],
  status: intentStatus[payment.status],
})

const chargeStatus = { paid: 'succeeded', pending: 'pending', failed: 'failed' } as const

/** https://docs.stripe.com/api/charges/object */
export const toCharge = (charge: Charge) => {
  const { amount, refusal } = charge
  const hasFailed = charge.status === 'failed'
  const isPaid = charge.status === 'paid'
  const last4 = charge.number.slice(-4)
  return {
    ...headOf('charge', charge),
    amount,
    amount_captured: isPaid ? amount : 0,
    amount_refunded: charge.refunded,
    billing_details: { ...blank('address', 'phone'), email: charge.email, name: charge.name },
    captured: !hasFailed,
    currency: charge.currency,
    customer: charge.customer,
    description: charge.description,
    disputed: charge.disputed,
    failure_code: hasFailed ? 'card_declined' : null,
    failure_message: refusal && refusalText(refusal),
    metadata: charge.metadata,
    outcome: {
      network_status: hasFailed ? 'declined_by_network' : 'approved_by_network',
      reason: refusal && declineCode(refusal),
      type: hasFailed ? 'issuer_declined' : 'authorized',
    },
    paid: isPaid,
    payment_intent: charge.payment,
    payment_method: charge.method,
    payment_method_details: /^\d/.test(charge.number)
      ? { card: { last4 }, type: 'card' }
      : { sepa_debit: { last4 }, type: 'sepa_debit' },
    receipt_email: null,
    refunded: charge.refunded === amount,
    status: chargeStatus[charge.status],
  }
}

/** https://docs.stripe.com/api/refunds/object */
export const toRefund = (refund: Refund) => ({
  ...headOf('refund', refund),
  ...blank('balance_transaction', 'receipt_number'),
  amount: refund.amount,
  charge: refund.charge,
  currency: refund.currency,
  destination_details: { type: 'card' },
  metadata: refund.metadata,
  payment_intent: refund.payment,
  reason: refund.reason,
  status: 'succeeded' as 'succeeded' | 'pending' | 'failed' | 'canceled',
})

/** https://docs.stripe.com/api/disputes/object */
export const toDispute = (dispute: Dispute) => ({
  ...headOf('dispute', dispute),
  amount: dispute.amount,
  charge: dispute.charge,
  currency: dispute.currency,
  evidence_details: { due_by: dispute.created + 7 * day, has_evidence: false },
  is_charge_refundable: false,
  metadata: {},
  payment_intent: dispute.payment,
  reason: dispute.reason,
  status: dispute.status === 'open' ? ('needs_response' as const) : dispute.status,
})
