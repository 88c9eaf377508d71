import type { MoneyFact, Ref } from '../contract.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import { metadataOf, modeIn, moneyOf, notesIn, parentOf } from './facts.ts'

/** The subscription that a first payment began, where it is known: `null` is none yet. A trial's first payment verifies
 *  a card or an account and pays for nothing. */
export type Begun = { readonly id: string; readonly isTrial: boolean } | null

/** A payment of Mollie. Refunded and charged back, it stays `paid`. Null without an id.
 *  Source: https://docs.mollie.com/reference/get-payment */
export const toPayment = (raw: Json, begun: Begun = null): MoneyFact | null => {
  const id = str(raw.id)
  if (id === null) return null
  const { price, quantity } = notesIn(raw)
  const { amount, currency } = moneyOf(raw.amount)
  const refunded = moneyOf(raw.amountRefunded).amount
  const subscription = subscriptionOf(raw) ?? (begun?.isTrial === false ? begun.id : null)
  const state = stateOf(raw.status)
  return {
    id,
    refs: subscription === null ? [] : [{ kind: 'subscription', id: subscription }],
    purpose: purposeOf(raw),
    customer_id: parentOf(raw, 'customer'),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    price_id: price,
    quantity,
    ...(price === null ? {} : { items: [{ price_id: price, product_id: null, quantity }] }),
    ...(amount === null ? {} : { amount }),
    ...(refunded === null ? {} : { amount_refunded: refunded }),
    currency,
    state,
    ...(state === 'paid' ? { paid_at: str(raw.paidAt) ?? str(raw.createdAt) } : {}),
    ...modeIn(raw),
    metadata: metadataOf(raw),
  }
}

/** The same payment as the page that the buyer was sent to; null where we did not begin it. One that begins a
 *  subscription is complete when that is there. */
export const toCheckout = (raw: Json, paid: MoneyFact, begun: Begun): MoneyFact | null => {
  const { intent } = notesIn(raw)
  // A subscription hands its notes on to each of its payments.
  if (intent === null || parentOf(raw, 'subscription') !== null || raw.sequenceType === 'recurring')
    return null
  const { items: _, ...data } = paid
  const isWaiting = raw.status === 'open' || (raw.sequenceType === 'first' && paid.state === 'paid' && !begun)
  const led: Ref[] = begun === null ? [] : [{ kind: 'subscription', id: begun.id, ...parent(raw) }]
  return {
    ...data,
    refs: [{ kind: 'payment', id: paid.id }, ...led],
    intent_id: intent,
    checkout_status: isWaiting ? 'open' : 'complete',
    state: isWaiting ? 'pending' : paid.state,
  }
}

/** Joins a subscription with the payment that paid its first period: it is named there alone. A trial's pays for nothing. */
export const toFirstPayment = (raw: Json, subscription: string): MoneyFact | null => {
  const { first, trialEnds } = notesIn(raw)
  if (first === null || trialEnds !== null) return null
  return {
    id: first,
    refs: [
      { kind: 'payment', id: first },
      { kind: 'subscription', id: subscription },
    ],
    subscription_id: subscription,
    state: 'paid',
    ...modeIn(raw),
  }
}

/** Money that goes back: https://docs.mollie.com/reference/get-refund */
export const toRefund = (raw: Json): MoneyFact | null => back(raw, refundState(raw.status))

/** Money that a bank took back, and gave again when the chargeback was reversed.
 *  Source: https://docs.mollie.com/reference/get-chargeback */
export const toChargeback = (raw: Json): MoneyFact | null =>
  back(raw, str(raw.reversedAt) === null ? 'lost' : 'won')

/** Embedded objects, present where they were asked for. */
export const embedded = (raw: Json, name: string): readonly Json[] => list(obj(raw._embedded)[name])

/** True if a bank took the money back, and it did not come again. */
export const isChargedBack = (raw: Json): boolean => {
  const shown = embedded(raw, 'chargebacks')
  if (shown.length > 0) return shown.some(({ reversedAt }) => str(reversedAt) === null)
  return (moneyOf(raw.amountChargedBack).amount ?? 0) > 0
}

/** State of the money. `authorized` is kept apart by the bank, and nobody has it yet. */
export const stateOf = (status: unknown): 'paid' | 'pending' | 'failed' => {
  if (status === 'paid') return 'paid'
  return status === 'failed' || status === 'canceled' || status === 'expired' ? 'failed' : 'pending'
}

/** The subscription that a payment is for: charged by it, or paid for it by hand. */
const subscriptionOf = (raw: Json): string | null =>
  parentOf(raw, 'subscription') ?? notesIn(raw).subscription

// A `first` payment allows others to follow, which a purchase alone never needs; one that says nothing is unknown.
const purposeOf = (raw: Json): NonNullable<MoneyFact['purpose']> => {
  if (subscriptionOf(raw) !== null) return 'recurring'
  if (raw.sequenceType === 'first' || raw.sequenceType === 'recurring') return 'recurring'
  return raw.sequenceType === 'oneoff' ? 'one_time' : 'unknown'
}

const parent = (raw: Json): Pick<Ref, 'parent'> => {
  const id = parentOf(raw, 'customer')
  return id === null ? {} : { parent: id }
}

const back = (raw: Json, state: MoneyFact['state']): MoneyFact | null => {
  const [id, payment] = [str(raw.id), parentOf(raw, 'payment')]
  if (id === null || payment === null) return null
  const { amount, currency } = moneyOf(raw.amount)
  return {
    id,
    refs: [{ kind: 'payment', id: payment }],
    ...(amount === null ? {} : { amount }),
    currency,
    state,
    ...modeIn(raw),
  }
}

// Until it is on its way, a refund may be taken back.
const refundState = (status: unknown): MoneyFact['state'] => {
  switch (status) {
    case 'refunded':
      return 'succeeded'
    case 'failed':
      return 'failed'
    case 'canceled':
      return 'canceled'
    default:
      return 'pending'
  }
}
