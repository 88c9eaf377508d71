import { moneyOf, nothingOf, unstated } from '../../core/dto/index.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { int, list, obj, str } from '../narrow.ts'
import { isGranted, livemodeOf, minorOf, moment, priceOf, revenueOf } from './facts.ts'
import type { WebhookEvent, WholePurchase, WholeSubscription } from './payload.ts'

/**
 * Reads what was paid for a subscription. A free trial, and time that a family shares, cost nothing. Source:
 * https://www.revenuecat.com/docs/api-v2/subscription-transactions
 */
export function toRenewals(
  { raw, transactions }: WholeSubscription,
  subscription: { readonly customerId: string; readonly price_id: string | null },
): ReadMoney[] {
  const id = str(raw.id)
  if (id === null || raw.ownership === 'family_shared') return []
  const livemode = livemodeOf(raw)
  return transactions.flatMap((transaction) => {
    const [payment, revenue] = [str(transaction.id), revenueOf(obj(transaction.revenue_in_local_currency))]
    if (payment === null || revenue === null || revenue.gross.amount === 0) return []
    return [
      {
        id: payment,
        refs: [{ kind: 'subscription', id }] as const,
        purpose: 'recurring' as const,
        customer_id: subscription.customerId,
        subscription_id: id,
        price_id: subscription.price_id,
        quantity: 1,
        ...amountPart(revenue.gross),
        state: 'paid' as const,
        paid_at: moment(transaction.purchased_at),
        ...(livemode === null ? {} : { livemode }),
        metadata: { ...(str(raw.store) === null ? {} : { store: str(raw.store)! }), ...revenue.shares },
      },
    ]
  })
}

/**
 * Reads refunds of a subscription's payments. A refunded transaction has no revenue left; neither has a free
 * trial, of which no payment is known, so that its refund counts for nothing. Source: "Measuring gross
 * revenue" in https://www.revenuecat.com/docs/data-export-version-4
 */
export function toRefunds({ raw, transactions }: WholeSubscription): ReadMoney[] {
  return raw.ownership === 'family_shared'
    ? []
    : transactions.flatMap((transaction): ReadMoney[] => {
        const payment = str(transaction.id)
        const revenue = revenueOf(obj(transaction.revenue_in_local_currency))
        if (payment === null || revenue === null || revenue.gross.amount !== 0) return []
        return [
          {
            ...refundOf(payment),
            is_whole: true,
            ...amountPart(unstated(revenue.gross.currency)),
            state: 'succeeded',
          },
        ]
      })
}

function refundOf(payment: string) {
  return {
    id: `${payment}:refund`,
    refs: [{ kind: 'payment' as const, id: payment }],
  }
}

/** Reads something bought once, with its refund. Source: https://www.revenuecat.com/docs/api-v2/purchase */
export function toPurchase(
  { raw, product }: WholePurchase,
  customerId: string,
): { readonly payment: ReadMoney; readonly refund: ReadMoney | null } | null {
  const id = str(raw.id)
  if (id === null) return null
  const price_id = priceOf(raw, product, str(list(obj(raw.entitlements).items)[0]?.lookup_key))
  const product_id = str(product?.store_identifier) ?? str(raw.product_id)
  const quantity = int(raw.quantity) ?? 1
  const isFree = isGranted(raw) || raw.ownership === 'family_shared'
  const revenue = isFree
    ? null
    : (revenueOf(obj(raw.revenue_in_local_currency)) ?? revenueOf(obj(raw.revenue_in_usd)))
  const livemode = livemodeOf(raw)
  const mode = livemode === null ? {} : { livemode }
  const isRefunded = raw.status === 'refunded'
  // Revenue counts without what was given back, so a refunded purchase has none left to read.
  const gross = revenue?.gross ?? unstated(null)
  const paid = isFree ? nothingOf(gross) : isRefunded && gross.amount === 0 ? unstated(gross.currency) : gross
  const payment: ReadMoney = {
    id,
    refs: [],
    purpose: 'one_time',
    customer_id: customerId,
    price_id,
    quantity,
    items: [{ price_id, product_id, quantity }],
    ...amountPart(paid),
    state: 'paid',
    paid_at: moment(raw.purchased_at),
    billed_for: 'once',
    ...mode,
    metadata: {
      ...(str(raw.store) === null ? {} : { store: str(raw.store)! }),
      ...(revenue?.shares ?? {}),
    },
  }
  if (!isRefunded) return { payment, refund: null }
  const refund: ReadMoney = {
    ...refundOf(id),
    customer_id: customerId,
    ...amountPart(paid, { is_whole: true }),
    state: 'succeeded',
    ...mode,
  }
  return { payment, refund }
}

/**
 * The refund of a subscription's payment, with its amount; null for any other event. A reversed refund takes
 * it back. Sources: `CUSTOMER_SUPPORT` and `REFUND_REVERSED` in
 * https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields
 */
export function toRefund(event: WebhookEvent): ReadMoney | null {
  const payment = str(event.transaction_id)
  const isBack = event.type === 'CANCELLATION' && event.cancel_reason === 'CUSTOMER_SUPPORT'
  const isReversed = event.type === 'REFUND_REVERSED'
  if (payment === null || !(isBack || isReversed)) return null
  const back = moneyOf(event, { amount: 'price_in_purchased_currency', currency: 'currency' }, minorOf)
  return {
    ...refundOf(payment),
    ...amountPart(back),
    state: isReversed ? 'canceled' : 'succeeded',
  }
}

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'transaction',
    role: 'payment',
    says: ['price'],
    purposes: [],
    source: 'https://www.revenuecat.com/docs/api-v2/subscription-transactions',
  },
  {
    object: 'purchase',
    role: 'payment',
    says: ['price', 'quantity'],
    purposes: ['once'],
    source: 'https://www.revenuecat.com/docs/api-v2/purchase',
  },
]
