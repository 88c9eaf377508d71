import type { MoneyFact, Ref } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { list, obj, str } from '../narrow.ts'
import { amountOf, customOf, linked, revisedAt } from './facts.ts'
import type { Dispute, Paid, Refund, Stated } from './payload.ts'

type State = MoneyFact['state']

/**
 * Reads a subscription's sale, or a payment of the older API. Source:
 * https://developer.paypal.com/docs/api/payments/v1/#sales
 */
export function toSale(raw: Paid): ReadMoney | null {
  // `I-…` is a subscription; others are agreements to charge at any time.
  const agreement = str(raw.billing_agreement_id)
  const subscription = agreement?.startsWith('I-') ? agreement : null
  const fact = toPaid(raw, wordOf(raw))
  if (fact === null || subscription === null) return fact
  return {
    ...fact,
    refs: refTo('subscription', subscription),
    subscription_id: subscription,
    purpose: 'recurring',
  }
}

/**
 * Reads a capture, the money of an order; the order contains its purpose. Source:
 * https://developer.paypal.com/docs/api/payments/v2/#captures
 */
export function toCapture(raw: Paid): ReadMoney | null {
  const fact = toPaid(raw, wordOf(raw))
  if (fact === null) return null
  const order =
    str(obj(obj(raw.supplementary_data).related_ids).order_id) ??
    linked(raw, ['up'], /\/checkout\/orders\/([\w-]+)$/)
  return { ...fact, refs: order === null ? [] : [{ kind: 'payment', id: order, part: 'bill' }] }
}

/**
 * Reads a refund by the seller or by PayPal; null if it does not name its payment. Source:
 * https://developer.paypal.com/docs/api/payments/v2/#refunds
 */
export function toRefund(raw: Refund): ReadMoney | null {
  const [id, payment] = [str(raw.id), paymentOf(raw)]
  if (id === null || payment === null) return null
  return {
    id,
    refs: refTo('payment', payment),
    ...amountPart(amountOf(raw.amount)),
    state: refundStates.get(wordOf(raw)) ?? 'succeeded',
  }
}

/**
 * Reads money that a dispute or the bank took back. A dispute that was won returns it, and no message of the
 * payment says so: https://developer.paypal.com/api/nvp-soap/ipn/IPNandPDTVariables/ (`Canceled_Reversal`)
 */
export function toReversal(raw: Refund): ReadMoney | null {
  const fact = toRefund(raw)
  return fact && { ...fact, reversed: true }
}

/**
 * Reads a dispute, as one for each disputed payment, because the payments share nothing else. Source:
 * https://developer.paypal.com/docs/api/customer-disputes/v1/
 */
export function toDisputes(raw: Dispute): ReadMoney[] {
  const id = str(raw.dispute_id)
  if (id === null) return []
  const due = str(raw.seller_response_due_date)
  return list(raw.disputed_transactions).flatMap(({ seller_transaction_id: transaction }) => {
    const payment = str(transaction)
    if (payment === null) return []
    return [
      {
        id: `${id}.${payment}`,
        refs: refTo('payment', payment),
        ...amountPart(amountOf(raw.dispute_amount)),
        state: disputeState(raw),
        // https://developer.paypal.com/docs/api/customer-disputes/v1/#disputes_get
        ...(due === null ? {} : { due_at: due }),
      },
    ]
  })
}

/** Returns the state of a capture or sale. */
export function paidState(word: string): State {
  return paidWords.has(word) ? 'paid' : failedWords.has(word) ? 'failed' : 'pending'
}

/** Returns an object's state: `status` in capitals today, `state` in lower case before. */
export function wordOf(raw: Stated): string {
  return (str(raw.status) ?? str(raw.state) ?? '').toUpperCase()
}

export const paidWords = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'REVERSED'])
export const failedWords = new Set(['DECLINED', 'DENIED', 'FAILED', 'VOIDED', 'EXPIRED'])

function toPaid(raw: Paid, word: string): ReadMoney | null {
  const id = str(raw.id)
  if (id === null) return null
  const money = amountOf(raw.amount)
  const state = paidState(word)
  const isBack = word === 'REFUNDED' || word === 'REVERSED'
  return {
    id,
    refs: [],
    ...amountPart(money, money.amount !== null && isBack ? { amount_refunded: money.amount } : {}),
    ...(word === 'REVERSED' ? { reversed: true as const } : {}),
    state,
    ...(state === 'paid' ? { paid_at: str(raw.create_time) ?? revisedAt(raw) } : {}),
    // An eCheck clears after days: https://developer.paypal.com/docs/api/payments/v1/#sales
    ...(state === 'pending' && raw.payment_mode === 'ECHECK' ? { in_progress: true } : {}),
    metadata: customOf(raw),
  }
}

function refTo(kind: Ref['kind'], id: string): Ref[] {
  return [{ kind, id }]
}

// A reversal may arrive as the payment itself with a negative amount.
function paymentOf(raw: Refund): string | null {
  return (
    str(raw.sale_id) ??
    str(raw.capture_id) ??
    linked(raw, ['up', 'sale', 'capture'], /\/(?:captures?|sale)\/([\w-]+)$/) ??
    linked(raw, ['self'], /\/(?:captures?|sale)\/([\w-]+)$/)
  )
}

// The event itself reports a refund, so an unknown status does not weaken that.
export const refundStates: ReadonlyMap<string, State> = new Map([
  ['PENDING', 'pending'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'canceled'],
])

// An inquiry is between buyer and seller, without a claim yet. A dispute with an unknown outcome stays open.
function disputeState(raw: Dispute): State {
  if (raw.status === 'RESOLVED') return outcomes.get(String(obj(raw.dispute_outcome).outcome_code)) ?? 'open'
  return raw.dispute_life_cycle_stage === 'INQUIRY' ? 'pending' : 'open'
}

export const outcomes: ReadonlyMap<string, State> = new Map([
  ['RESOLVED_BUYER_FAVOUR', 'lost'],
  ['ACCEPTED', 'lost'],
  ['RESOLVED_SELLER_FAVOUR', 'won'],
  ['RESOLVED_WITH_PAYOUT', 'won'],
  ['CANCELED_BY_BUYER', 'won'],
  ['DENIED', 'won'],
])

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'sale',
    role: 'payment',
    says: [],
    purposes: [],
    source: 'https://developer.paypal.com/docs/api/payments/v1/#sales',
  },
  {
    object: 'order',
    role: 'bill',
    says: ['price', 'quantity'],
    purposes: [],
    source: 'https://developer.paypal.com/docs/api/orders/v2/',
  },
]
