import { type BilledFor, firstStated, moneyOf, sumOf } from '../../core/dto/index.ts'
import type { MoneyFact, Ref } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { int, metadata, obj, str } from '../narrow.ts'
import { intentIn } from '../sessions.ts'
import type { CheckoutPage, Order, Refund, Sold, Subscription } from './payload.ts'

/**
 * Reads an order, which is bill and payment in one. Its copy of the subscription is outdated and ignored. A
 * draft requests no payment yet. Source: https://polar.sh/docs/api-reference/orders
 */
export function toPayment(raw: Order): ReadMoney | null {
  const id = str(raw.id)
  if (id === null || raw.status === 'draft') return null
  const subscription = str(raw.subscription_id)
  const state = stateOf(raw.status)
  const money = firstStated(
    moneyOf(raw, { amount: 'due_amount', currency: 'currency' }),
    moneyOf(raw, { amount: 'total_amount', currency: 'currency' }),
  )
  return {
    id,
    refs: [...refTo('subscription', subscription), ...refTo('checkout', str(raw.checkout_id))],
    purpose: purposeOf(raw),
    customer_id: str(raw.customer_id),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    ...soldIn(raw),
    ...amountPart(money, money.amount === null ? {} : { amount_refunded: refundedOf(raw, money.amount) }),
    state,
    ...(reasons.has(raw.billing_reason) ? { billed_for: reasons.get(raw.billing_reason)! } : {}),
    // An order is charged when it is created. `order.paid` tells a later payment.
    ...(state === 'paid' ? { paid_at: str(raw.created_at) } : {}),
    metadata: metadata(raw.metadata),
  }
}

/**
 * Reads the page that the buyer was sent to; null if the purchase did not begin here. Source:
 * https://polar.sh/docs/api-reference/checkouts
 */
export function toCheckout(raw: CheckoutPage): ReadMoney | null {
  const [id, intent] = [str(raw.id), intentIn(raw.metadata)]
  if (id === null || intent === null) return null
  return {
    id,
    refs: [],
    intent_id: intent,
    checkout_status: checkoutStatuses.get(raw.status) ?? 'open',
    purpose: recursIn(raw.product),
    customer_id: str(raw.customer_id),
    ...soldIn(raw),
    ...amountPart(moneyOf(raw, { amount: 'total_amount', currency: 'currency' })),
    // `confirmed`: the buyer has pressed the button, and the bank has not answered.
    state: raw.status === 'succeeded' ? 'paid' : 'pending',
    email: str(raw.customer_email),
    name: str(raw.customer_name),
    metadata: metadata(raw.metadata),
  }
}

/** Joins a subscription to the checkout where it was bought, because the checkout does not name it. */
export function toFirstPage(raw: Subscription, subscription: string): ReadMoney | null {
  const checkout = str(raw.checkout_id)
  if (checkout === null) return null
  return {
    id: checkout,
    refs: [...refTo('checkout', checkout), ...refTo('subscription', subscription)],
    subscription_id: subscription,
    // Other facts tell if it was paid.
    state: 'pending',
  }
}

/** Source: https://polar.sh/docs/api-reference/refunds */
export function toRefund(raw: Refund): ReadMoney | null {
  const [id, order] = [str(raw.id), str(raw.order_id)]
  if (id === null || order === null) return null
  const money = moneyOf(raw, { amount: 'amount', currency: 'currency' })
  const tax = moneyOf(raw, { amount: 'tax_amount', currency: 'currency' })
  return {
    id,
    refs: [...refTo('payment', order), ...refTo('subscription', str(raw.subscription_id))],
    // Tax is refunded in addition.
    ...amountPart(firstStated(sumOf([money, tax]), money)),
    state: refundStates.get(raw.status) ?? 'pending',
  }
}

function refTo(kind: Ref['kind'], id: string | null): Ref[] {
  return id === null ? [] : [{ kind, id }]
}

function soldIn(raw: Sold): Pick<MoneyFact, 'price_id' | 'quantity' | 'items'> {
  const product = str(raw.product_id)
  if (product === null) return {}
  const quantity = int(raw.seats)
  return {
    price_id: product,
    quantity,
    items: [{ price_id: product, product_id: product, quantity }],
  }
}

const reasons: ReadonlyMap<unknown, BilledFor> = new Map([
  ['purchase', 'once'],
  ['subscription_create', 'first'],
  ['subscription_cycle', 'renewal'],
  ['subscription_update', 'change'],
])

// Source: https://polar.sh/docs/integrate/webhooks/events, `billing_reason`.
function purposeOf(raw: Order): NonNullable<MoneyFact['purpose']> {
  const reason = str(raw.billing_reason) ?? ''
  if (str(raw.subscription_id) !== null || reason.startsWith('subscription_')) return 'recurring'
  if (recursIn(raw.product) === 'recurring') return 'recurring'
  return reason === 'purchase' ? 'one_time' : 'unknown'
}

function recursIn(product: Order['product']): NonNullable<MoneyFact['purpose']> {
  const { is_recurring: recurs } = obj(product)
  return recurs === true ? 'recurring' : recurs === false ? 'one_time' : 'unknown'
}

function stateOf(status: unknown): MoneyFact['state'] {
  if (status === 'paid' || status === 'refunded' || status === 'partially_refunded') return 'paid'
  return status === 'void' ? 'failed' : 'pending'
}

// The status for a full refund counts, even if a balance or tax makes the amounts differ.
function refundedOf(raw: Order, amount: number): number {
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

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'order',
    role: 'payment',
    says: ['price'],
    purposes: ['first', 'renewal', 'change', 'once'],
    source: 'https://polar.sh/docs/api-reference/orders',
  },
  {
    object: 'checkout',
    role: 'checkout',
    says: ['price'],
    purposes: [],
    source: 'https://polar.sh/docs/api-reference/checkouts',
  },
]
