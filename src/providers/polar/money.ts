import type { MoneyFact, Ref } from '../contract.ts'
import { intentIn } from '../intent-note.ts'
import { int, type Json, metadata, obj, str } from '../narrow.ts'
import { currencyOf } from './facts.ts'

/** An order is a bill and its payment in one; the subscription that it carries is an old copy, and says nothing here. A
 *  draft asks for nothing yet. Source: https://polar.sh/docs/api-reference/orders */
export const toPayment = (raw: Json): MoneyFact | null => {
  const id = str(raw.id)
  if (id === null || raw.status === 'draft') return null
  const subscription = str(raw.subscription_id)
  const state = stateOf(raw.status)
  const amount = int(raw.due_amount) ?? int(raw.total_amount)
  return {
    id,
    refs: [...refTo('subscription', subscription), ...refTo('checkout', str(raw.checkout_id))],
    purpose: purposeOf(raw),
    customer_id: str(raw.customer_id),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    ...soldIn(raw),
    ...(amount === null ? {} : { amount, amount_refunded: refundedOf(raw, amount) }),
    currency: currencyOf(raw),
    state,
    // An order does not say when it was paid; it is made to be paid at once.
    ...(state === 'paid' ? { paid_at: str(raw.created_at) } : {}),
    metadata: metadata(raw.metadata),
  }
}

/** The page that the buyer was sent to; null where we did not begin it. Source: https://polar.sh/docs/api-reference/checkouts */
export const toCheckout = (raw: Json): MoneyFact | null => {
  const [id, intent] = [str(raw.id), intentIn(raw.metadata)]
  if (id === null || intent === null) return null
  const amount = int(raw.total_amount)
  return {
    id,
    refs: [],
    intent_id: intent,
    checkout_status: checkoutStatuses.get(raw.status) ?? 'open',
    purpose: recursIn(raw.product),
    customer_id: str(raw.customer_id),
    ...soldIn(raw),
    ...(amount === null ? {} : { amount }),
    currency: currencyOf(raw),
    // `confirmed`: the buyer has pressed the button, and the bank has not answered.
    state: raw.status === 'succeeded' ? 'paid' : 'pending',
    email: str(raw.customer_email),
    name: str(raw.customer_name),
    metadata: metadata(raw.metadata),
  }
}

/** Joins a subscription with the page on which it was bought: the page itself does not name it. */
export const toFirstPage = (raw: Json, subscription: string): MoneyFact | null => {
  const checkout = str(raw.checkout_id)
  if (checkout === null) return null
  return {
    id: checkout,
    refs: [...refTo('checkout', checkout), ...refTo('subscription', subscription)],
    subscription_id: subscription,
    // Whether anything was paid, others say.
    state: 'pending',
  }
}

/** Source: https://polar.sh/docs/api-reference/refunds */
export const toRefund = (raw: Json): MoneyFact | null => {
  const [id, order] = [str(raw.id), str(raw.order_id)]
  if (id === null || order === null) return null
  const amount = int(raw.amount)
  return {
    id,
    refs: [...refTo('payment', order), ...refTo('subscription', str(raw.subscription_id))],
    // The tax goes back beside it.
    ...(amount === null ? {} : { amount: amount + (int(raw.tax_amount) ?? 0) }),
    currency: currencyOf(raw),
    state: refundStates.get(raw.status) ?? 'pending',
  }
}

const refTo = (kind: Ref['kind'], id: string | null): Ref[] => (id === null ? [] : [{ kind, id }])

const soldIn = (raw: Json): Pick<MoneyFact, 'price_id' | 'quantity' | 'items'> => {
  const product = str(raw.product_id)
  if (product === null) return {}
  const quantity = int(raw.seats)
  return {
    price_id: product,
    quantity,
    items: [{ price_id: product, product_id: product, quantity }],
  }
}

// Source: https://polar.sh/docs/integrate/webhooks/events, `billing_reason`.
const purposeOf = (raw: Json): NonNullable<MoneyFact['purpose']> => {
  const reason = str(raw.billing_reason) ?? ''
  if (str(raw.subscription_id) !== null || reason.startsWith('subscription_')) return 'recurring'
  if (recursIn(raw.product) === 'recurring') return 'recurring'
  return reason === 'purchase' ? 'one_time' : 'unknown'
}

const recursIn = (product: unknown): NonNullable<MoneyFact['purpose']> => {
  const { is_recurring: recurs } = obj(product)
  return recurs === true ? 'recurring' : recurs === false ? 'one_time' : 'unknown'
}

const stateOf = (status: unknown): MoneyFact['state'] => {
  if (status === 'paid' || status === 'refunded' || status === 'partially_refunded') return 'paid'
  return status === 'void' ? 'failed' : 'pending'
}

// Its word that all went back counts, whatever a balance or a tax left over.
const refundedOf = (raw: Json, amount: number): number => {
  const back = (int(raw.refunded_amount) ?? 0) + (int(raw.refunded_tax_amount) ?? 0)
  return raw.status === 'refunded' ? Math.max(back, amount) : back
}

export const checkoutStatuses: ReadonlyMap<unknown, NonNullable<MoneyFact['checkout_status']>> = new Map([
  ['open', 'open'],
  ['confirmed', 'open'],
  ['succeeded', 'complete'],
  ['expired', 'expired'],
  ['failed', 'expired'],
])

export const refundStates: ReadonlyMap<unknown, MoneyFact['state']> = new Map([
  ['pending', 'pending'],
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['canceled', 'canceled'],
])
