import type { MoneyFact, Ref } from '../contract.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import { customOf, linked, moneyOf, revisedAt } from './facts.ts'

type State = MoneyFact['state']

/** Reads a subscription's sale, or a payment of the older API.
 *  Source: https://developer.paypal.com/docs/api/payments/v1/#sales */
export const toSale = (raw: Json): MoneyFact | null => {
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

/** The money of an order; what it was for, the order says.
 *  Source: https://developer.paypal.com/docs/api/payments/v2/#captures */
export const toCapture = (raw: Json): MoneyFact | null => {
  const fact = toPaid(raw, wordOf(raw))
  if (fact === null) return null
  const order =
    str(obj(obj(raw.supplementary_data).related_ids).order_id) ??
    linked(raw, ['up'], /\/checkout\/orders\/([\w-]+)$/)
  return { ...fact, refs: order === null ? [] : [{ kind: 'payment', id: order, part: 'bill' }] }
}

/** Money that went back, by the seller or by PayPal; null where nobody says which payment it was.
 *  Source: https://developer.paypal.com/docs/api/payments/v2/#refunds */
export const toRefund = (raw: Json): MoneyFact | null => {
  const [id, payment] = [str(raw.id), paymentOf(raw)]
  if (id === null || payment === null) return null
  const { amount, currency } = moneyOf(raw.amount)
  return {
    id,
    refs: refTo('payment', payment),
    ...(amount === null ? {} : { amount }),
    currency,
    state: refundStates.get(wordOf(raw)) ?? 'succeeded',
  }
}

/** A buyer’s complaint, once for each payment that it is about: they have nothing else in common.
 *  Source: https://developer.paypal.com/docs/api/customer-disputes/v1/ */
export const toDisputes = (raw: Json): MoneyFact[] => {
  const id = str(raw.dispute_id)
  if (id === null) return []
  const { amount, currency } = moneyOf(raw.dispute_amount)
  const due = str(raw.seller_response_due_date)
  return list(raw.disputed_transactions).flatMap(({ seller_transaction_id: transaction }) => {
    const payment = str(transaction)
    if (payment === null) return []
    return [
      {
        id: `${id}.${payment}`,
        refs: refTo('payment', payment),
        ...(amount === null ? {} : { amount }),
        currency,
        state: disputeState(raw),
        // https://developer.paypal.com/docs/api/customer-disputes/v1/#disputes_get
        ...(due === null ? {} : { due_at: due }),
      },
    ]
  })
}

/** State of a capture or a sale. */
export const paidState = (word: string): State =>
  paidWords.has(word) ? 'paid' : failedWords.has(word) ? 'failed' : 'pending'

/** The state of an object: `status` in capitals now, `state` in small letters before. */
export const wordOf = (raw: Json): string => (str(raw.status) ?? str(raw.state) ?? '').toUpperCase()

export const paidWords = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'REVERSED'])
export const failedWords = new Set(['DECLINED', 'DENIED', 'FAILED', 'VOIDED', 'EXPIRED'])

const toPaid = (raw: Json, word: string): MoneyFact | null => {
  const id = str(raw.id)
  if (id === null) return null
  const { amount, currency } = moneyOf(raw.amount)
  const state = paidState(word)
  const isBack = word === 'REFUNDED' || word === 'REVERSED'
  return {
    id,
    refs: [],
    ...(amount === null ? {} : { amount, ...(isBack ? { amount_refunded: amount } : {}) }),
    currency,
    state,
    ...(state === 'paid' ? { paid_at: str(raw.create_time) ?? revisedAt(raw) } : {}),
    metadata: customOf(raw),
  }
}

const refTo = (kind: Ref['kind'], id: string): Ref[] => [{ kind, id }]

// What was reversed may come as the payment itself, with a minus before its amount.
const paymentOf = (raw: Json): string | null =>
  str(raw.sale_id) ??
  str(raw.capture_id) ??
  linked(raw, ['up', 'sale', 'capture'], /\/(?:captures?|sale)\/([\w-]+)$/) ??
  linked(raw, ['self'], /\/(?:captures?|sale)\/([\w-]+)$/)

// The message itself says that money went back: a word that we do not know takes nothing from that.
export const refundStates: ReadonlyMap<string, State> = new Map([
  ['PENDING', 'pending'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'canceled'],
])

// An inquiry is between buyer and seller: nothing was claimed yet. What was settled in a way that we do not know stays open.
const disputeState = (raw: Json): State => {
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
