import type { MoneyFact } from '../contract.ts'
import { int, str, whole } from '../narrow.ts'
import { ownerOfPurchase } from '../stores.ts'
import { customerOf, isShared, isSubscription, livemodeOf, moment, priceIdOf, priceOf } from './facts.ts'
import type { Bought, Transaction } from './payload.ts'

/** Reads the payment of a transaction; null where nobody paid: a shared or free period of a subscription.
 *  Source: https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload */
export function toPayment({
  transaction: raw,
  renewal,
}: Pick<Bought, 'transaction' | 'renewal'>): MoneyFact | null {
  const id = str(raw.transactionId)
  const { currency, amount } = priceOf(raw)
  const isRecurring = isSubscription(raw)
  const wasFree = isShared(raw) || amount === 0
  if (id === null || typeof raw.type !== 'string' || (isRecurring && wasFree)) return null
  const subscription = isRecurring ? str(raw.originalTransactionId) : null
  const livemode = livemodeOf(raw.environment)
  const paid = isShared(raw) ? 0 : amount
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
    ...(paid === null ? {} : { amount: paid, amount_refunded: refundedOf(raw, paid) }),
    currency,
    // Nothing can be refunded of what was free or shared, so it never counts as paid.
    state: isRevoked(raw) && (paid ?? 0) === 0 ? 'failed' : 'paid',
    paid_at: moment(raw.purchaseDate),
    ...coveredBy(raw, isRecurring),
    metadata: {
      store: 'app_store',
      ...(isShared(raw) ? { ownership: 'family_shared' } : {}),
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

const isRevoked = (raw: Transaction): boolean => moment(raw.revocationDate) !== null

/** Returns the refunded part. A reversed refund leaves no trace in the transaction. Percentages are
 *  thousandths of a percent: 100000 is all. Source:
 *  https://developer.apple.com/documentation/appstoreservernotifications/revocationpercentage */
function refundedOf(raw: Transaction, amount: number): number {
  if (!isRevoked(raw)) return 0
  const share = int(raw.revocationPercentage) ?? -1
  return share < 0 ? amount : Math.min(amount, Math.round((amount * share) / 100_000))
}
