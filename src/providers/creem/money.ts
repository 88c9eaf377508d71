import { firstStated, moneyOf, type StatedMoney, type Unstated, unstated } from '../../core/dto/index.ts'
import type { MoneyFact, Ref } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { idOf, int, metadata, obj, str } from '../narrow.ts'
import { intentIn } from '../sessions.ts'
import { currencyOf, moment, productOf } from './facts.ts'
import type {
  Amounts,
  Bought,
  CheckoutPage,
  Order,
  Priced,
  Return,
  Sold,
  Subscription,
  Transaction,
} from './payload.ts'

/**
 * Reads the order of a completed one-time checkout. An order of a subscription returns null: it is charged
 * repeatedly, and the subscription reports each payment. Source: https://docs.creem.io/code/webhooks,
 * `checkout.completed`
 */
export function toOrder(
  raw: Bought,
  { isAsked }: { readonly isAsked: boolean },
  order: Order = obj(raw.order),
): ReadMoney | null {
  const [id, page] = [str(order.id), str(raw.id)]
  const purpose = purposeOf(raw, order)
  if (id === null || purpose === 'recurring') return null
  const state = order.status === 'paid' ? 'paid' : 'pending'
  return {
    id,
    refs: [...refTo('payment', idOf(order.transaction)), ...refTo('checkout', page)],
    purpose,
    customer_id: idOf(raw.customer) ?? idOf(order.customer),
    ...soldIn(isAsked ? { product: raw.product } : raw),
    ...amountPart(amountOf(order)),
    state,
    ...(state === 'paid' ? { paid_at: str(order.created_at) } : {}),
    ...(isAsked ? {} : { metadata: metadata(raw.metadata) }),
  }
}

/** Reads the page that the buyer was sent to; null if the purchase did not begin here. */
export function toCheckout(raw: CheckoutPage): ReadMoney | null {
  const [id, intent] = [str(raw.id), intentIn(raw.metadata)]
  if (id === null || intent === null) return null
  const subscription = idOf(raw.subscription)
  const isDone = raw.status === 'completed'
  return {
    id,
    refs: refTo('subscription', subscription),
    intent_id: intent,
    checkout_status: isDone ? 'complete' : raw.status === 'expired' ? 'expired' : 'open',
    purpose: purposeOf(raw, obj(raw.order)),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    customer_id: idOf(raw.customer),
    ...soldIn(raw),
    state: isDone && obj(raw.order).status !== 'pending' ? 'paid' : 'pending',
    email: str(obj(raw.customer).email),
    name: str(obj(raw.customer).name),
    metadata: metadata(raw.metadata),
  }
}

/** Reads the payment of `subscription.paid`, given as an id or as an object. */
export function toRenewal(
  raw: Subscription,
  subscription: string,
  { isAsked }: { readonly isAsked: boolean },
): ReadMoney | null {
  const whole = obj(raw.last_transaction)
  const id = str(whole.id) ?? str(raw.last_transaction_id)
  if (id === null) return null
  if (isAsked && str(whole.id) !== null)
    return toTransaction(whole, { subscription, customer: idOf(raw.customer) })
  const status = str(whole.status)
  const state = paymentState(status)
  const refunded = int(whole.refunded_amount)
  return {
    id,
    refs: refTo('subscription', subscription),
    purpose: 'recurring',
    customer_id: idOf(raw.customer),
    subscription_id: subscription,
    ...soldIn(raw),
    ...amountPart(
      str(whole.currency) === null ? unstated(currencyOf(obj(raw.product))) : amountOf(whole),
      refunded === null ? {} : { amount_refunded: refunded },
    ),
    state,
    ...(state === 'paid' ? { paid_at: moment(whole.created_at) ?? str(raw.last_transaction_date) } : {}),
    ...periodIn(whole),
    metadata: metadata(raw.metadata),
  }
}

/**
 * Reads a payment from a list. Its purpose is in its order or subscription. Source:
 * https://docs.creem.io/api-reference/endpoint/get-transaction
 */
export function toTransaction(
  raw: Transaction,
  { subscription = idOf(raw.subscription), customer = idOf(raw.customer) }: Partial<Payer> = {},
): ReadMoney | null {
  const [id, word] = [str(raw.id), str(raw.status)]
  if (id === null) return null
  const order = idOf(raw.order)
  const isOnce = subscription === null && raw.type !== 'invoice'
  const state = paymentState(word)
  const refunded = int(raw.refunded_amount)
  return {
    id,
    refs: [
      ...refTo('subscription', subscription),
      ...(isOnce && order !== null ? [{ kind: 'payment', id: order, part: 'bill' } as const] : []),
    ],
    purpose: isOnce ? 'one_time' : 'recurring',
    customer_id: customer,
    ...(subscription === null ? {} : { subscription_id: subscription }),
    ...amountPart(amountOf(raw), refunded === null ? {} : { amount_refunded: refunded }),
    state,
    ...(state === 'paid' ? { paid_at: moment(raw.created_at) } : {}),
    ...periodIn(raw),
  }
}

/** Only the payment of a subscription has a period. */
function periodIn(raw: Transaction): Pick<Partial<MoneyFact>, 'period_start' | 'period_end'> {
  const [from, until] = [moment(raw.period_start), moment(raw.period_end)]
  return from === null || until === null || from >= until ? {} : { period_start: from, period_end: until }
}

/** Ids that an event has beside its transaction. */
interface Payer {
  readonly subscription: string | null
  readonly customer: string | null
}

/** Source: https://docs.creem.io/code/webhooks, `refund.created` */
export function toRefund(raw: Return): ReadMoney | null {
  const id = str(raw.id)
  const refs = paidIn(raw)
  if (id === null || refs.length === 0) return null
  return {
    id,
    refs,
    ...amountPart(moneyOf(raw, { amount: 'refund_amount', currency: 'refund_currency' })),
    state: refundStates.get(raw.status) ?? 'pending',
  }
}

/**
 * Reads a dispute. No event reports its end. Source: https://docs.creem.io/code/webhooks, `dispute.created`
 */
export function toDispute(raw: Return): ReadMoney | null {
  const id = str(raw.id)
  const refs = paidIn(raw)
  if (id === null || refs.length === 0) return null
  const money = moneyOf(raw, { amount: 'amount', currency: 'currency' })
  return { id, refs, ...amountPart(money), state: 'open' }
}

function refTo(kind: Ref['kind'], id: string | null): Ref[] {
  return id === null ? [] : [{ kind, id }]
}

/**
 * Returns references to the refunded payment. Only the order of a one-time purchase is a single payment; a
 * subscription's order covers all its payments.
 */
function paidIn(raw: Return): Ref[] {
  const transaction = obj(raw.transaction)
  const subscription = idOf(raw.subscription) ?? str(transaction.subscription)
  const order = idOf(raw.order) ?? str(transaction.order)
  const isOnce =
    subscription === null && transaction.type !== 'invoice' && obj(raw.order).type !== 'recurring'
  return [
    ...refTo('payment', idOf(raw.transaction) ?? str(raw.transaction_id)),
    ...(isOnce && order !== null ? [{ kind: 'payment', id: order, part: 'bill' } as const] : []),
    ...refTo('subscription', subscription),
  ]
}

function purposeOf(raw: Bought, order: Order): NonNullable<MoneyFact['purpose']> {
  const [ofOrder, ofProduct] = [order.type, obj(raw.product).billing_type]
  if (idOf(raw.subscription) !== null || ofOrder === 'recurring' || ofProduct === 'recurring')
    return 'recurring'
  return ofOrder === 'onetime' || ofProduct === 'onetime' ? 'one_time' : 'unknown'
}

function soldIn(raw: Sold): Pick<MoneyFact, 'price_id' | 'quantity' | 'items'> {
  const product = productOf(raw) ?? productOf(obj(raw.order))
  if (product === null) return {}
  const quantity = int(raw.units)
  return { price_id: product, quantity, items: [{ price_id: product, product_id: product, quantity }] }
}

// `amount` is before tax and discounts.
function amountOf(raw: Amounts & Priced): StatedMoney | Unstated {
  return firstStated(
    moneyOf(raw, { amount: 'amount_paid', currency: 'currency' }),
    moneyOf(raw, { amount: 'amount_due', currency: 'currency' }),
    moneyOf(raw, { amount: 'amount', currency: 'currency' }),
  )
}

// Payments that were refunded later had been paid.
export const collected: ReadonlySet<string> = new Set([
  'paid',
  'refunded',
  'partialRefund',
  'chargedBack',
  'chargeback',
])

export const failed: ReadonlySet<string> = new Set(['declined', 'uncollectible', 'void', 'canceled'])

/** Returns the state of a payment. Without a status, it is reported because it was made. */
export function paymentState(word: string | null): MoneyFact['state'] {
  if (word === null || collected.has(word)) return 'paid'
  return failed.has(word) ? 'failed' : 'pending'
}

export const refundStates: ReadonlyMap<unknown, MoneyFact['state']> = new Map([
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['canceled', 'canceled'],
])

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'transaction',
    role: 'payment',
    says: ['period', 'price'],
    purposes: [],
    source: 'https://docs.creem.io/api-reference/endpoint/get-transaction',
  },
  {
    object: 'order',
    role: 'bill',
    says: ['price', 'quantity'],
    purposes: [],
    source: 'https://docs.creem.io/code/webhooks',
  },
  {
    object: 'checkout',
    role: 'checkout',
    says: ['price', 'quantity'],
    purposes: [],
    source: 'https://docs.creem.io/code/webhooks',
  },
]
