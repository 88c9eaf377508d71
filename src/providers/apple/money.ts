import { nothingOf } from '../../core/dto/index.ts'
import type { MoneyFact } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { int, obj, str, whole } from '../narrow.ts'
import { ownerOfPurchase } from '../stores.ts'
import { customerOf, isSubscription, livemodeOf, moment, priceIdOf, priceOf, sharedBy } from './facts.ts'
import type { Bought, Transaction } from './payload.ts'

/**
 * Reads the payment of a transaction; null where nobody paid: a shared or free period of a subscription.
 * Source: https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload
 */
export function toPayment({
  transaction: raw,
  renewal,
}: Pick<Bought, 'transaction' | 'renewal'>): ReadMoney | null {
  const id = str(raw.transactionId)
  const price = priceOf(raw)
  const isRecurring = isSubscription(raw)
  const ownership = sharedBy(raw)
  const wasFree = ownership !== null || price.amount === 0
  if (id === null || typeof raw.type !== 'string' || (isRecurring && wasFree)) return null
  const subscription = isRecurring ? str(raw.originalTransactionId) : null
  const livemode = livemodeOf(raw.environment)
  const paid = ownership === null ? price : nothingOf(price)
  return {
    id,
    refs: subscription === null ? [] : [{ kind: 'subscription', id: subscription }],
    purpose: isRecurring ? 'recurring' : 'one_time',
    customer_id:
      customerOf({ transaction: raw, renewal }) ??
      (subscription === null ? null : ownerOfPurchase(subscription)),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    price_id: priceIdOf(raw),
    quantity: whole(raw.quantity) ?? 1,
    ...amountPart(paid, paid.amount === null ? {} : { amount_refunded: refundedOf(raw, paid.amount) }),
    // Nothing can be refunded of what was free or shared, so it never counts as paid.
    state: isRevoked(raw) && (paid.amount ?? 0) === 0 ? 'failed' : 'paid',
    paid_at: moment(raw.purchaseDate),
    ...coveredBy(raw, isRecurring),
    metadata: {
      store: 'app_store',
      ...(ownership === null ? {} : { ownership }),
    },
    ...(livemode === null ? {} : { livemode }),
  }
}

/** Source: https://developer.apple.com/documentation/appstoreserverapi/transactionreason */
function coveredBy(raw: Transaction, isRecurring: boolean): Partial<MoneyFact> {
  if (!isRecurring) return { billed_for: 'once' }
  const [from, until] = [moment(raw.purchaseDate), moment(raw.expiresDate)]
  return {
    ...(from === null || until === null ? {} : { period_start: from, period_end: until }),
    ...(raw.transactionReason === 'RENEWAL' ? { billed_for: 'renewal' } : {}),
    ...(raw.offerDiscountType === 'FREE_TRIAL' ? { trial: true } : {}),
  }
}

function isRevoked(raw: Transaction): boolean {
  return moment(raw.revocationDate) !== null
}

/**
 * Returns the refunded part. A reversed refund leaves no trace in the transaction. Percentages are
 * thousandths of a percent: 100000 is all. Source:
 * https://developer.apple.com/documentation/appstoreservernotifications/revocationpercentage
 */
function refundedOf(raw: Transaction, amount: number): number {
  if (!isRevoked(raw)) return revokedSeats(raw, amount)
  const share = int(raw.revocationPercentage) ?? -1
  return share < 0 ? amount : Math.min(amount, Math.round((amount * share) / 100_000))
}

/**
 * Returns what was paid for the seats that a refund took, at their average price. The transaction stays valid
 * for the others: https://developer.apple.com/documentation/appstoreserverapi/revokedseatquantity
 */
function revokedSeats(raw: Transaction, amount: number): number {
  const [seats, revoked] = [whole(raw.quantity) ?? 1, int(obj(raw.multiSeatInfo).revokedSeatQuantity) ?? 0]
  return Math.min(amount, Math.round((amount * Math.max(0, revoked)) / Math.max(1, seats)))
}

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'transaction',
    role: 'payment',
    says: ['period', 'price', 'quantity', 'trial'],
    purposes: ['renewal', 'once'],
    source: 'https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload',
  },
]
