import type { MoneyFact } from '../contract.ts'
import { currency, idOf, int, list, monthOf, obj, str, time } from '../narrow.ts'
import { cleanFact, type RefSource, refsOf } from './facts.ts'
import type { Card, Charge, Dispute, Intent, InvoicePayment, Refund } from './payload.ts'

/** https://docs.stripe.com/api/charges/object */
export const toCharge = (raw: Charge): MoneyFact | null => {
  const succeeded = raw.status === 'succeeded' || raw.status === 'paid'
  // An authorised charge is `paid` too, before any money moved; `captured` tells them apart.
  const paid = succeeded && raw.paid !== false && raw.captured !== false
  const billing = obj(raw.billing_details)
  return cleanFact(raw, {
    refs: refsOf(['intent', raw.payment_intent], ['invoice', raw.invoice]),
    customer_id: idOf(raw.customer),
    ...whatFor(raw),
    amount: int(raw.amount),
    amount_refunded: int(raw.amount_refunded),
    currency: currency(raw.currency),
    state: paid ? 'paid' : raw.status === 'failed' ? 'failed' : 'pending',
    paid_at: paid ? time(raw.created) : null,
    email: str(billing.email) ?? str(raw.receipt_email),
    name: str(billing.name),
    card_expires: cardMonth(obj(obj(raw.payment_method_details).card)),
  })
}

/** https://docs.stripe.com/api/charges/object#charge_object-payment_method_details-card-exp_month */
const cardMonth = ({ exp_month, exp_year }: Card): string | null => monthOf(exp_year, exp_month)

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
export const toIntent = (raw: Intent): MoneyFact | null => {
  const state = intentState(raw)
  const received = int(raw.amount_received)
  return cleanFact(raw, {
    refs: refsOf(
      ['charge', raw.latest_charge],
      // Until API 2022-11-15 the charges were listed.
      ...list(raw.charges).map((charge): RefSource => ['charge', charge]),
      ['invoice', raw.invoice],
    ),
    customer_id: idOf(raw.customer),
    ...whatFor(raw),
    amount: state === 'paid' && received ? received : int(raw.amount),
    currency: currency(raw.currency),
    state,
    email: str(raw.receipt_email),
  })
}

// A one-time sale notes its price. The invoice or the checkout contains everything else.
const whatFor = (
  raw: Pick<Charge, 'metadata' | 'invoice'>,
): Pick<Partial<MoneyFact>, 'price_id' | 'purpose'> => {
  const price_id = str(obj(raw.metadata).price_id)
  if (price_id === null) return {}
  return { price_id, ...(idOf(raw.invoice) === null ? { purpose: 'one_time' } : {}) }
}

/** Returns the state of a payment intent: paid, failed, or still payable. */
export const intentState = (raw: Intent): MoneyFact['state'] => {
  if (raw.status === 'succeeded') return 'paid'
  if (raw.status === 'canceled') return 'failed'
  // A new intent also waits for a payment method; only a failed attempt leaves an error.
  const failed =
    raw.status === 'requires_payment_method' && Object.keys(obj(raw.last_payment_error)).length > 0
  return failed ? 'failed' : 'pending'
}

/** https://docs.stripe.com/api/refunds/object */
export const toRefund = (raw: Refund): MoneyFact | null =>
  cleanFact(raw, {
    refs: refsOf(['charge', raw.charge], ['intent', raw.payment_intent]),
    amount: int(raw.amount),
    currency: currency(raw.currency),
    // `requires_action` waits for the buyer's bank details.
    state:
      raw.status === 'succeeded' || raw.status === 'failed' || raw.status === 'canceled'
        ? raw.status
        : 'pending',
  })

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
export const toDispute = (raw: Dispute): MoneyFact | null =>
  cleanFact(raw, {
    refs: refsOf(['charge', raw.charge], ['intent', raw.payment_intent]),
    amount: int(raw.amount),
    currency: currency(raw.currency),
    state: disputeState(raw.status),
    // https://docs.stripe.com/api/disputes/object#dispute_object-evidence_details-due_by
    due_at: /needs_response$/.test(str(raw.status) ?? '') ? time(obj(raw.evidence_details).due_by) : null,
  })

const disputeState = (status: unknown): MoneyFact['state'] => {
  switch (status) {
    case 'won':
    case 'warning_closed':
      return 'won'
    case 'lost':
      return 'lost'
    // An inquiry: the bank asks, no funds are withdrawn yet.
    // https://docs.stripe.com/disputes/how-disputes-work#inquiries
    case 'warning_needs_response':
    case 'warning_under_review':
      return 'pending'
    // Includes `prevented`, whose money may have gone back, and future statuses.
    default:
      return 'open'
  }
}

/** Joins an invoice to its payment, because neither names the other (since API 2025-03-31).
 *  https://docs.stripe.com/api/invoice-payment/object */
export const toInvoicePayment = (raw: InvoicePayment): MoneyFact | null => {
  const payment = obj(raw.payment)
  const state = raw.status === 'paid' ? 'paid' : raw.status === 'canceled' ? 'failed' : 'pending'
  return cleanFact(raw, {
    refs: refsOf(['invoice', raw.invoice], ['intent', payment.payment_intent], ['charge', payment.charge]),
    amount: int(raw.amount_paid) ?? int(raw.amount_requested),
    currency: currency(raw.currency),
    state,
    paid_at: state === 'paid' ? time(obj(raw.status_transitions).paid_at) : null,
  })
}
