import { type BilledFor, moneyOf } from '../../core/dto/index.ts'
import type { MoneyFact, Ref } from '../contract.ts'
import { type AmountPart, amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { int, type Json, metadata, obj, str, whole } from '../narrow.ts'
import { intentIn } from '../sessions.ts'
import { contactIn } from './customer.ts'
import { idText, soldIn } from './facts.ts'
import type { Invoice, Order, Paid, Subscription } from './payload.ts'

/**
 * Reads an order, which is purchase, page and payment in one. It does not say if it began a subscription. The
 * subscription does, or the site's plans, which name what is sold once. Source:
 * https://docs.lemonsqueezy.com/api/orders/the-order-object
 */
export function toPayment(
  id: string,
  raw: Order,
  custom: Json,
  isSoldOnce: (variant: string) => boolean,
): ReadMoney | null {
  const word = str(raw.status)
  if (word === null) return null
  const line = obj(raw.first_order_item)
  const sold = soldIn(line)
  const { price_id: variant } = sold
  const quantity = int(line.quantity)
  return {
    id,
    refs: [],
    purpose: variant !== null && isSoldOnce(variant) ? 'one_time' : 'unknown',
    customer_id: idText(raw.customer_id),
    ...(variant === null ? {} : { price_id: variant, quantity, items: [{ ...sold, quantity }] }),
    ...moneyIn(raw, word),
    invoice_url: str(obj(raw.urls).receipt),
    ...contactIn(raw),
    metadata: metadata(custom),
  }
}

/** Reads the same order as the page that the buyer was sent to; null if the purchase did not begin here. */
export function toCheckout(paid: ReadMoney, custom: Json): ReadMoney | null {
  const intent = intentIn(custom)
  if (intent === null) return null
  return {
    ...paid,
    refs: [{ kind: 'payment', id: paid.id }],
    intent_id: intent,
    metadata: metadata(custom),
    checkout_status: paid.state === 'paid' ? 'complete' : 'open',
  }
}

/** Joins a subscription to the order that began it and, by the subscription's id, to that order's invoice. */
export function toFirstOrder(subscription: string, raw: Subscription): ReadMoney | null {
  const order = idText(raw.order_id)
  if (order === null) return null
  return {
    id: subscription,
    refs: [{ kind: 'payment', id: order }, ofSubscription(subscription)],
    subscription_id: subscription,
    // Other facts tell if it was paid.
    state: 'pending',
  }
}

/**
 * Reads a subscription invoice. The first invoice charges the money of the order, which it does not name.
 * Invoice and order numbers overlap, so `inv_` distinguishes them. Source:
 * https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object
 */
export function toBill(number: string, raw: Invoice): ReadMoney | null {
  const [word, subscription] = [str(raw.status), idText(raw.subscription_id)]
  if (word === null) return null
  const isFirst = raw.billing_reason === 'initial' && subscription !== null
  return {
    id: `inv_${number}`,
    refs: [
      ...(subscription === null ? [] : [ofSubscription(subscription)]),
      ...(isFirst ? [{ kind: 'link', id: subscription } as const] : []),
    ],
    purpose: 'recurring',
    customer_id: idText(raw.customer_id),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    ...moneyIn(raw, word),
    ...(reasons.has(raw.billing_reason) ? { billed_for: reasons.get(raw.billing_reason)! } : {}),
    invoice_url: str(obj(raw.urls).invoice_url),
    ...contactIn(raw),
  }
}

const reasons: ReadonlyMap<unknown, BilledFor> = new Map([
  ['initial', 'first'],
  ['renewal', 'renewal'],
  ['updated', 'change'],
])

/** Returns the total refunded of an invoice; null while it is zero. */
export function toRefund(raw: Invoice, bill: MoneyFact): ReadMoney | null {
  const back = refundedOf(raw, bill.amount ?? 0)
  if (back === 0) return null
  return {
    id: bill.id,
    refs: [{ kind: 'payment', id: bill.id, part: 'bill' }],
    ...amountPart(moneyOf({ back, currency: raw.currency }, { amount: 'back', currency: 'currency' })),
    state: 'succeeded',
  }
}

function ofSubscription(id: string): Ref {
  return { kind: 'subscription', id }
}

type Money = Pick<MoneyFact, 'amount_refunded' | 'state' | 'paid_at'> & AmountPart

function moneyIn(raw: Paid, word: string): Money {
  const total = moneyOf(raw, { amount: 'total', currency: 'currency' }, whole)
  const state = states.get(word) ?? 'pending'
  return {
    ...amountPart(total, total.amount === null ? {} : { amount_refunded: refundedOf(raw, total.amount) }),
    state,
    // An invoice is charged when it is created. An event tells a later payment.
    ...(state === 'paid' ? { paid_at: str(raw.created_at) } : {}),
  }
}

// States of orders and invoices. A fraudulent one opens no gate.
export const states: ReadonlyMap<string, MoneyFact['state']> = new Map([
  ['pending', 'pending'],
  ['paid', 'paid'],
  ['refunded', 'paid'],
  ['partial_refund', 'paid'],
  ['failed', 'failed'],
  ['fraudulent', 'failed'],
  ['void', 'failed'],
])

// The status for a full refund counts. Earlier events contain no amount.
function refundedOf(raw: Paid, total: number): number {
  const back = whole(raw.refunded_amount)
  const isWhole =
    raw.status === 'refunded' || (raw.refunded === true && raw.status === 'paid' && back === null)
  return isWhole ? Math.max(back ?? 0, total) : (back ?? 0)
}

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'subscription invoice',
    role: 'bill',
    says: [],
    purposes: ['first', 'renewal', 'change'],
    source: 'https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object',
  },
  {
    object: 'order',
    role: 'payment',
    says: ['price', 'quantity'],
    purposes: [],
    source: 'https://docs.lemonsqueezy.com/api/orders/the-order-object',
  },
]
