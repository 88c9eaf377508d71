import type { MoneyFact, Ref } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { list, obj, str } from '../narrow.ts'
import { amountOf, metadataOf, modeIn, notesIn, parentOf } from './facts.ts'
import type { Common, ListAnswer, Lists, Payment, Return, Subscription } from './payload.ts'

/**
 * Subscription that a first payment began, if known; `null` means not yet. A trial's first payment only
 * verifies a card or an account.
 */
export type Begun = { readonly id: string; readonly isTrial: boolean } | null

/**
 * Reads a Mollie payment; null without an id. It stays `paid` when refunded or charged back. Source:
 * https://docs.mollie.com/reference/get-payment
 */
export function toPayment(raw: Payment, begun: Begun = null): ReadMoney | null {
  const id = str(raw.id)
  if (id === null) return null
  const { price, quantity } = notesIn(raw)
  const refunded = amountOf(raw.amountRefunded).amount
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
    ...amountPart(amountOf(raw.amount), refunded === null ? {} : { amount_refunded: refunded }),
    state,
    ...(state === 'paid' ? { paid_at: str(raw.paidAt) ?? str(raw.createdAt) } : {}),
    ...collectionOf(raw),
    ...modeIn(raw),
    metadata: metadataOf(raw),
  }
}

/**
 * Reads the purpose of a payment and what became of it. A debit is `pending` until its bank answers, and a
 * `first` payment pays for the first period. Source: https://docs.mollie.com/reference/get-payment
 */
function collectionOf(raw: Payment): Partial<MoneyFact> {
  const failed = raw.status === 'failed' ? str(raw.failedAt) : null
  return {
    ...(raw.sequenceType === 'first' ? { billed_for: 'first' } : {}),
    ...(failed === null ? {} : { failed_at: failed }),
    ...(raw.status === 'pending' ? { in_progress: true } : {}),
  }
}

/**
 * Reads the same payment as the page that the buyer was sent to; null if the purchase did not begin here. A
 * page that begins a subscription is complete when the subscription exists.
 */
export function toCheckout(raw: Payment, paid: ReadMoney, begun: Begun): ReadMoney | null {
  const { intent } = notesIn(raw)
  // Mollie copies a subscription's notes to each of its payments.
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

/**
 * Joins a subscription to the payment of its first period, which only the subscription names. A trial's first
 * payment pays for nothing.
 */
export function toFirstPayment(raw: Subscription, subscription: string): ReadMoney | null {
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

/** Reads a refund: https://docs.mollie.com/reference/get-refund */
export function toRefund(raw: Return): ReadMoney | null {
  return back(raw, refundState(raw.status))
}

/**
 * Reads a chargeback, and its reversal, which returns the money. Source:
 * https://docs.mollie.com/reference/get-chargeback
 */
export function toChargeback(raw: Return): ReadMoney | null {
  return back(raw, str(raw.reversedAt) === null ? 'lost' : 'won')
}

/** Returns embedded objects, which are present if they were requested. */
export function embedded<N extends keyof Lists>(raw: ListAnswer, name: N): readonly Lists[N][] {
  return list(obj(raw._embedded)[name]) as readonly Lists[N][]
}

/** Returns true if a bank took the money back and did not return it. */
export function isChargedBack(raw: Payment): boolean {
  const shown = embedded(raw, 'chargebacks')
  if (shown.length > 0) return shown.some(({ reversedAt }) => str(reversedAt) === null)
  return (amountOf(raw.amountChargedBack).amount ?? 0) > 0
}

/** Returns true if refunds returned all of it. */
export function isRefunded(raw: Payment): boolean {
  const [paid, back] = [amountOf(raw.amount).amount ?? 0, amountOf(raw.amountRefunded).amount ?? 0]
  return back > 0 && back >= paid
}

/** Returns the state of the money. `authorized` is reserved by the bank and not yet paid. */
export function stateOf(status: unknown): 'paid' | 'pending' | 'failed' {
  if (status === 'paid') return 'paid'
  return status === 'failed' || status === 'canceled' || status === 'expired' ? 'failed' : 'pending'
}

/** Returns the subscription of a payment: an automatic charge, or a manual payment for it. */
function subscriptionOf(raw: Payment): string | null {
  return parentOf(raw, 'subscription') ?? notesIn(raw).subscription
}

// A `first` payment authorises later ones, which a single purchase never needs. Without a sequence type the
// purpose is unknown.
function purposeOf(raw: Payment): NonNullable<MoneyFact['purpose']> {
  if (subscriptionOf(raw) !== null) return 'recurring'
  if (raw.sequenceType === 'first' || raw.sequenceType === 'recurring') return 'recurring'
  return raw.sequenceType === 'oneoff' ? 'one_time' : 'unknown'
}

function parent(raw: Common): Pick<Ref, 'parent'> {
  const id = parentOf(raw, 'customer')
  return id === null ? {} : { parent: id }
}

function back(raw: Return, state: MoneyFact['state']): ReadMoney | null {
  const [id, payment] = [str(raw.id), parentOf(raw, 'payment')]
  if (id === null || payment === null) return null
  return {
    id,
    refs: [{ kind: 'payment', id: payment }],
    ...amountPart(amountOf(raw.amount)),
    state,
    ...modeIn(raw),
  }
}

// A refund can be cancelled until it is sent.
function refundState(status: unknown): MoneyFact['state'] {
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

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'payment',
    role: 'payment',
    says: ['price', 'quantity'],
    purposes: ['first'],
    source: 'https://docs.mollie.com/reference/get-payment',
  },
]
