import { type Charge, type Dispute, day, type Payment, type Refund, type Refused } from '../engine/index.ts'
import { blank, headOf } from './blank.ts'

/** Returns the text of a refusal for the buyer. */
export function refusalText(refusal: Refused): string {
  return refusal === 'funds' ? 'Your card has insufficient funds.' : 'Your card was declined.'
}
function declineCode(refusal: Refused): string {
  return refusal === 'funds' ? 'insufficient_funds' : 'generic_decline'
}

const intentStatus = {
  open: 'requires_payment_method',
  asks: 'requires_action',
  processing: 'processing',
  paid: 'succeeded',
} as const

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
export function toIntent(payment: Payment) {
  return {
    ...headOf('payment_intent', payment),
    ...blank('canceled_at', 'cancellation_reason', 'receipt_email'),
    ...blank('allowed_payment_method_types', 'application', 'application_fee_amount', 'customer_account'),
    ...blank('automatic_payment_methods', 'excluded_payment_method_types', 'managed_payments', 'next_action'),
    ...blank(
      'on_behalf_of',
      'payment_method_configuration_details',
      'payment_record',
      'processing',
      'review',
    ),
    ...blank('setup_future_usage', 'shipping', 'source', 'statement_descriptor', 'transfer_group'),
    ...blank('statement_descriptor_suffix', 'payment_method_options'),
    amount: payment.amount,
    amount_capturable: 0,
    amount_received: payment.status === 'paid' ? payment.amount : 0,
    capture_method: 'automatic',
    client_secret: `${payment.id}_secret_of_the_fake`,
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
  }
}

const chargeStatus = { paid: 'succeeded', pending: 'pending', failed: 'failed' } as const

/** https://docs.stripe.com/api/charges/object */
export function toCharge(charge: Charge) {
  const { amount, refusal } = charge
  const hasFailed = charge.status === 'failed'
  const isPaid = charge.status === 'paid'
  const last4 = charge.number.slice(-4)
  return {
    ...headOf('charge', charge),
    ...blank('application', 'application_fee', 'application_fee_amount', 'balance_transaction'),
    ...blank('calculated_statement_descriptor', 'failure_balance_transaction', 'on_behalf_of', 'review'),
    ...blank('receipt_number', 'receipt_url', 'shipping', 'source', 'source_transfer'),
    ...blank('statement_descriptor', 'statement_descriptor_suffix', 'transfer_data', 'transfer_group'),
    fraud_details: {},
    amount,
    amount_captured: isPaid ? amount : 0,
    amount_refunded: charge.refunded,
    billing_details: { ...blank('address', 'phone', 'tax_id'), email: charge.email, name: charge.name },
    captured: !hasFailed,
    currency: charge.currency,
    customer: charge.customer,
    description: charge.description,
    disputed: charge.disputed,
    failure_code: hasFailed ? 'card_declined' : null,
    failure_message: refusal && refusalText(refusal),
    metadata: charge.metadata,
    outcome: {
      ...blank('advice_code', 'network_advice_code', 'network_decline_code', 'seller_message'),
      network_status: hasFailed ? 'declined_by_network' : 'approved_by_network',
      reason: refusal && declineCode(refusal),
      type: hasFailed ? 'issuer_declined' : 'authorized',
    },
    paid: isPaid,
    payment_intent: charge.payment,
    payment_method: charge.method,
    payment_method_details: /^\d/.test(charge.number)
      ? { card: { ...cardOf(amount, charge.expires), last4 }, type: 'card' }
      : { sepa_debit: { ...blankAccount, last4 }, type: 'sepa_debit' },
    receipt_email: null,
    refunded: charge.refunded === amount,
    status: chargeStatus[charge.status],
  }
}

/**
 * Shows a charge's card: https://docs.stripe.com/api/charges/object#charge_object-payment_method_details-card
 */
function cardOf(amount: number, expires: Charge['expires']) {
  return {
    ...blank('authorization_code', 'checks', 'electronic_commerce_indicator', 'installments', 'mandate'),
    ...blank('network_transaction_id', 'regulated_status', 'three_d_secure', 'transaction_link_id', 'wallet'),
    amount_authorized: amount,
    brand: 'visa',
    country: 'US',
    exp_month: expires.month,
    exp_year: expires.year,
    funding: 'credit',
    network: 'visa',
  }
}

const blankAccount = blank('bank_code', 'branch_code', 'country', 'fingerprint', 'mandate')

/** https://docs.stripe.com/api/refunds/object */
export function toRefund(refund: Refund) {
  return {
    ...headOf('refund', refund),
    ...blank('balance_transaction', 'receipt_number', 'customer', 'customer_account', 'payment_method'),
    ...blank('source_transfer_reversal', 'transfer_reversal'),
    amount: refund.amount,
    charge: refund.charge,
    currency: refund.currency,
    destination_details: { type: 'card' },
    metadata: refund.metadata,
    payment_intent: refund.payment,
    reason: refund.reason,
    status: 'succeeded' as 'succeeded' | 'pending' | 'failed' | 'canceled',
  }
}

/** https://docs.stripe.com/api/disputes/object */
export function toDispute(dispute: Dispute) {
  return {
    ...headOf('dispute', dispute),
    balance_transactions: [],
    enhanced_eligibility_types: [],
    evidence: {
      enhanced_evidence: {},
      ...blank(
        ...([
          'access_activity_log',
          'billing_address',
          'cancellation_policy',
          'cancellation_policy_disclosure',
          'cancellation_rebuttal',
          'customer_communication',
          'customer_email_address',
          'customer_name',
          'customer_purchase_ip',
          'customer_signature',
          'duplicate_charge_documentation',
          'duplicate_charge_explanation',
          'duplicate_charge_id',
          'product_description',
          'receipt',
          'refund_policy',
          'refund_policy_disclosure',
          'refund_refusal_explanation',
          'service_date',
          'service_documentation',
          'shipping_address',
          'shipping_carrier',
          'shipping_date',
          'shipping_documentation',
          'shipping_tracking_number',
          'uncategorized_file',
          'uncategorized_text',
        ] as const),
      ),
    },
    intended_submission_method: 'manual',
    amount: dispute.amount,
    charge: dispute.charge,
    currency: dispute.currency,
    evidence_details: {
      due_by: dispute.created + 7 * day,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    is_charge_refundable: false,
    metadata: {},
    payment_intent: dispute.payment,
    reason: dispute.reason,
    status: dispute.status === 'open' ? ('needs_response' as const) : dispute.status,
  }
}
