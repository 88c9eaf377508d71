import type { MoneyFact, Ref } from '../contract.ts'
import { intentIn } from '../intent-note.ts'
import { int, type Json, metadata, obj, str, whole } from '../narrow.ts'
import { contactIn } from './customer.ts'
import { currencyOf, idText, soldIn } from './facts.ts'

/** An order is a purchase, its page and its payment in one, and does not say whether it began a subscription: that the
 *  subscription says, or the site, whose plans name what is sold once.
 *  Source: https://docs.lemonsqueezy.com/api/orders/the-order-object */
export const toPayment = (
  id: string,
  raw: Json,
  custom: Json,
  isSoldOnce: (variant: string) => boolean,
): MoneyFact | null => {
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

/** The same order as the page that the buyer was sent to; null where we did not begin it. */
export const toCheckout = (paid: MoneyFact, custom: Json): MoneyFact | null => {
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

/** Joins a subscription with the order that began it, and, by its own id, with the invoice of that order. */
export const toFirstOrder = (subscription: string, raw: Json): MoneyFact | null => {
  const order = idText(raw.order_id)
  if (order === null) return null
  return {
    id: subscription,
    refs: [{ kind: 'payment', id: order }, ofSubscription(subscription)],
    subscription_id: subscription,
    // Whether anything was paid, others say.
    state: 'pending',
  }
}

/** Reads an invoice of a subscription. The first invoice asks for the money of the order, which it does not name. Numbers of
 *  invoices and of orders overlap: `inv_` keeps them apart.
 *  Source: https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object */
export const toBill = (number: string, raw: Json): MoneyFact | null => {
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
    invoice_url: str(obj(raw.urls).invoice_url),
    ...contactIn(raw),
  }
}

/** All that went back of an invoice so far; null while nothing did. */
export const toRefund = (raw: Json, bill: MoneyFact): MoneyFact | null => {
  const back = refundedOf(raw, bill.amount ?? 0)
  if (back === 0) return null
  return {
    id: bill.id,
    refs: [{ kind: 'payment', id: bill.id, part: 'bill' }],
    amount: back,
    currency: currencyOf(raw),
    state: 'succeeded',
  }
}

const ofSubscription = (id: string): Ref => ({ kind: 'subscription', id })

type Money = Pick<MoneyFact, 'amount' | 'amount_refunded' | 'currency' | 'state' | 'paid_at'>

const moneyIn = (raw: Json, word: string): Money => {
  const total = whole(raw.total)
  const state = states.get(word) ?? 'pending'
  return {
    ...(total === null ? {} : { amount: total, amount_refunded: refundedOf(raw, total) }),
    currency: currencyOf(raw),
    state,
    // Nobody says when it was paid; it is made to be paid at once.
    ...(state === 'paid' ? { paid_at: str(raw.created_at) } : {}),
  }
}

// Of orders and of invoices. What is fraudulent opens nothing.
export const states: ReadonlyMap<string, MoneyFact['state']> = new Map([
  ['pending', 'pending'],
  ['paid', 'paid'],
  ['refunded', 'paid'],
  ['partial_refund', 'paid'],
  ['failed', 'failed'],
  ['fraudulent', 'failed'],
  ['void', 'failed'],
])

// Its word that all went back counts. Earlier messages say no amount.
const refundedOf = (raw: Json, total: number): number => {
  const back = whole(raw.refunded_amount)
  const isWhole =
    raw.status === 'refunded' || (raw.refunded === true && raw.status === 'paid' && back === null)
  return isWhole ? Math.max(back ?? 0, total) : (back ?? 0)
}
