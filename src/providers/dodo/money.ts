import { moneyOf } from '../../core/dto/index.ts'
import type { MoneyFact } from '../contract.ts'
import { toMinor } from '../decimals.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { int, list, metadata, str, whole } from '../narrow.ts'
import { intentIn } from '../sessions.ts'
import { customerIdOf, toContact } from './customer.ts'
import type { Dispute, Payment, Refund, Sold, Subscription } from './payload.ts'
import { hasBegun } from './subscription.ts'

/**
 * Reads a payment by its status. The event's type describes the moment of the event, and the object the
 * moment of delivery. Returns null if the event is only about a new card. Source:
 * https://docs.dodopayments.com/api-reference/payments/get-payments-1
 */
export function toPayment(raw: Payment): ReadMoney | null {
  const id = str(raw.payment_id)
  if (id === null || raw.is_update_payment_method === true) return null
  const subscription = str(raw.subscription_id)
  const items = list(raw.product_cart).map(toItem)
  const state = stateOf(raw.status)
  const total = moneyOf(raw, { amount: 'total_amount', currency: 'currency' })
  const invoice = str(raw.invoice_url)
  return {
    id,
    refs: subscription === null ? [] : [{ kind: 'subscription', id: subscription }],
    // Only one-time purchases have a cart.
    purpose: subscription !== null ? 'recurring' : items.length > 0 ? 'one_time' : 'unknown',
    customer_id: customerIdOf(raw),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    ...(items[0] === undefined ? {} : { price_id: items[0].price_id, quantity: items[0].quantity, items }),
    ...amountPart(total, total.amount === null ? {} : { amount_refunded: refundedOf(raw, total.amount) }),
    state,
    ...(state === 'paid' ? { paid_at: str(raw.created_at) } : {}),
    ...(subscription === null && items.length > 0 ? { billed_for: 'once' as const } : {}),
    // One payment is one attempt.
    ...(raw.status === 'failed' ? { failed_at: str(raw.created_at) } : {}),
    ...(raw.status === 'processing' ? { in_progress: true } : {}),
    ...(invoice === null ? {} : { invoice_url: invoice }),
    metadata: metadata(raw.metadata),
  }
}

/**
 * Reads the checkout page of a one-time purchase, whose metadata is copied to the payment. Returns null if
 * the purchase did not begin here. A failed attempt may be followed by another.
 */
export function toCheckout(raw: Payment, paid: ReadMoney): ReadMoney | null {
  const intent = intentIn(raw.metadata)
  if (intent === null || paid.subscription_id !== undefined) return null
  const { amount_refunded: _, ...said } = paid
  return {
    ...said,
    ...toContact(raw),
    refs: [{ kind: 'payment', id: paid.id }],
    intent_id: intent,
    checkout_status: paid.state === 'paid' ? 'complete' : 'open',
    state: paid.state === 'paid' ? 'paid' : 'pending',
  }
}

/** Reads the checkout page of a subscription. Its payments repeat the metadata forever and are not used. */
export function toFirstPage(raw: Subscription, subscription: string): ReadMoney | null {
  const intent = intentIn(raw.metadata)
  if (intent === null) return null
  return {
    id: subscription,
    ...toContact(raw),
    refs: [{ kind: 'subscription', id: subscription }],
    intent_id: intent,
    checkout_status: hasBegun(raw) ? 'complete' : raw.status === 'failed' ? 'expired' : 'open',
    purpose: 'recurring',
    subscription_id: subscription,
    customer_id: customerIdOf(raw),
    ...soldIn(raw),
    state: hasBegun(raw) ? 'paid' : 'pending',
    metadata: metadata(raw.metadata),
  }
}

/** Source: https://docs.dodopayments.com/api-reference/refunds/get-refunds-1 */
export function toRefund(raw: Refund): ReadMoney | null {
  const [id, payment] = [str(raw.refund_id), str(raw.payment_id)]
  if (id === null || payment === null) return null
  return {
    id,
    refs: [{ kind: 'payment', id: payment }],
    ...amountPart(moneyOf(raw, { amount: 'amount', currency: 'currency' })),
    // `review` is pending as well.
    state: raw.status === 'succeeded' || raw.status === 'failed' ? raw.status : 'pending',
  }
}

/** Source: https://docs.dodopayments.com/api-reference/disputes/get-disputes-1 */
export function toDispute(raw: Dispute): ReadMoney | null {
  const [id, payment] = [str(raw.dispute_id), str(raw.payment_id)]
  if (id === null || payment === null) return null
  return {
    id,
    refs: [{ kind: 'payment', id: payment }],
    ...amountPart(moneyOf(raw, { amount: 'amount', currency: 'currency' }, toDisputed)),
    state: disputeState(raw),
  }
}

/**
 * Parses a disputed amount to minor units. It is a text, "for precision", and a decimal number if it has a
 * point.
 */
function toDisputed(amount: unknown, code: string): number | null {
  return whole(amount) ?? toMinor(amount, code)
}

/** Returns price and quantity of the main product, without add-ons. */
function soldIn(raw: Sold): Pick<MoneyFact, 'price_id' | 'quantity' | 'items'> {
  const item = toItem(raw)
  return { price_id: item.price_id, quantity: item.quantity, items: [item] }
}

function toItem(line: Sold): NonNullable<MoneyFact['items']>[number] {
  return {
    price_id: str(line.product_id),
    product_id: str(line.product_id),
    quantity: int(line.quantity),
  }
}

// A partial capture is not paid; anything that waits for somebody is pending.
function stateOf(status: unknown): MoneyFact['state'] {
  if (status === 'succeeded') return 'paid'
  return status === 'failed' || status === 'cancelled' ? 'failed' : 'pending'
}

// The status for a full refund counts even if a refund does not contain its amount.
function refundedOf(raw: Payment, total: number): number {
  const back = list(raw.refunds)
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, refund) => sum + (int(refund.amount) ?? 0), 0)
  return raw.refund_status === 'full' ? Math.max(back, total) : back
}

// Without an answer in time, or with an unknown status, the money counts as lost.
function disputeState({ dispute_status: status, dispute_stage: stage, ...raw }: Dispute): MoneyFact['state'] {
  if (status === 'dispute_won' || status === 'dispute_cancelled') return 'won'
  if (status === 'dispute_lost' || status === 'dispute_accepted' || raw.is_resolved_by_rdr === true)
    return 'lost'
  // The bank is only inquiring; no money has moved yet.
  if (stage === 'pre_dispute') return 'pending'
  return status === 'dispute_expired' ? 'lost' : 'open'
}

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'payment',
    role: 'payment',
    says: ['price', 'quantity'],
    purposes: ['once'],
    source: 'https://docs.dodopayments.com/api-reference/payments/get-payments-1',
  },
]
