import type { MoneyFact } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { list, obj, str, whole } from '../narrow.ts'
import { amountOf, priceIdOf } from './facts.ts'
import type { Order, OrderItem, Product, Subscription } from './payload.ts'
import { isTest } from './subscription.ts'

/**
 * Reads the order of a subscription's period; null for an order without money. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/orders
 */
export function toRenewal(
  order: Order,
  { token, customer }: { readonly token: string; readonly customer: string },
  raw: Subscription,
): ReadMoney | null {
  const id = str(order.orderId)
  const total = amountOf(obj(order.total))
  if (id === null || total.amount === null || total.amount === 0) return null
  const [item] = list(order.lineItems)
  return {
    id,
    refs: [{ kind: 'subscription', id: token }],
    purpose: 'recurring',
    subscription_id: token,
    customer_id: customer,
    price_id: priceIdOf(str(item?.productId), str(obj(item?.subscriptionDetails).basePlanId)),
    quantity: 1,
    ...itemsIn(order),
    ...amountPart(total, { amount_refunded: refundedOf(order, total.amount) }),
    ...paidOf(order),
    ...periodIn(item),
    metadata: notesOf(order),
    livemode: !isTest(raw),
  }
}

/**
 * Reads a purchase that does not renew. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.productsv2
 */
export function toProductPayment(token: string, raw: Product, order: Order): ReadMoney {
  const [item] = list(raw.productLineItem)
  const total = amountOf(obj(order.total))
  const { amount } = total
  const state = str(obj(raw.purchaseStateContext).purchaseState)
  const isVoided = state === 'CANCELLED'
  const refunded = amount === null ? null : isVoided ? amount : refundedOf(order, amount)
  return {
    id: token,
    refs: [],
    purpose: 'one_time',
    customer_id: str(raw.obfuscatedExternalAccountId),
    price_id: priceIdOf(str(item?.productId)),
    quantity: whole(obj(item?.productOfferDetails).quantity) ?? 1,
    ...amountPart(total, amount === null ? {} : { amount_refunded: refunded ?? 0 }),
    state: state === 'PENDING' ? 'pending' : isVoided && !amount ? 'failed' : 'paid',
    paid_at: str(raw.purchaseCompletionTime),
    billed_for: 'once',
    metadata: notesOf(order),
    livemode: raw.testPurchaseContext === undefined || raw.testPurchaseContext === null,
  }
}

/** Google's states of an order, each with ours. */
export const orderStates: ReadonlyMap<unknown, MoneyFact['state']> = new Map([
  ['PENDING', 'pending'],
  ['PROCESSED', 'paid'],
  ['CANCELED', 'failed'],
  ['PENDING_REFUND', 'paid'],
  ['PARTIALLY_REFUNDED', 'paid'],
  ['REFUNDED', 'paid'],
] as const)

function paidOf(order: Order): Pick<MoneyFact, 'state' | 'paid_at'> {
  const state = orderStates.get(order.state) ?? 'pending'
  const at = str(obj(obj(order.orderHistory).processedEvent).eventTime) ?? str(order.createTime)
  return { state, ...(state === 'paid' ? { paid_at: at } : {}) }
}

/**
 * The items of an order with add-ons, each with its own period. Source:
 * https://developer.android.com/google/play/billing/subscription-with-addons
 */
function itemsIn(order: Order): Pick<Partial<MoneyFact>, 'items'> {
  const lines = list(order.lineItems)
  if (lines.length < 2) return {}
  return {
    items: lines.map((item) => {
      const { amount } = amountOf(obj(item.total))
      const product = str(item.productId)
      return {
        price_id: priceIdOf(product, str(obj(item.subscriptionDetails).basePlanId)),
        product_id: product,
        quantity: 1,
        ...(amount === null ? {} : { amount }),
        ...periodIn(item),
      }
    }),
  }
}

function periodIn(item: OrderItem | undefined): Pick<Partial<MoneyFact>, 'period_start' | 'period_end'> {
  const details = obj(item?.subscriptionDetails)
  const [from, until] = [str(details.servicePeriodStartTime), str(details.servicePeriodEndTime)]
  return from === null || until === null ? {} : { period_start: from, period_end: until }
}

function refundedOf(order: Order, amount: number): number {
  const history = obj(order.orderHistory)
  // A later rate or tax can make the refund greater. No more than what was paid goes back.
  if (order.state === 'REFUNDED')
    return Math.min(amount, amountOf(obj(obj(obj(history.refundEvent).refundDetails).total)).amount ?? amount)
  const parts = list(history.partialRefundEvents).filter(({ state }) => state !== 'PENDING')
  const sum = parts.reduce(
    (all, { refundDetails }) => all + (amountOf(obj(obj(refundDetails).total)).amount ?? 0),
    0,
  )
  return Math.min(amount, sum)
}

function notesOf(order: Order): Record<string, string> {
  const { amount: tax } = amountOf(obj(order.tax))
  return { store: 'play_store', ...(tax === null ? {} : { tax: String(tax) }) }
}

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'order',
    role: 'payment',
    says: ['period', 'price'],
    purposes: [],
    source: 'https://developers.google.com/android-publisher/api-ref/rest/v3/orders',
  },
  {
    object: 'product purchase',
    role: 'payment',
    says: ['price', 'quantity'],
    purposes: ['once'],
    source: 'https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.productsv2',
  },
]
