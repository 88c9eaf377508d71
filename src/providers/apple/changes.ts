import { moneyChange } from '../changes.ts'
import type { Change, ProviderEvent } from '../contract.ts'
import { isObject, str, whole } from '../narrow.ts'
import { isSubscription, moment } from './facts.ts'
import { toPayment } from './money.ts'
import type { Bought, Renewal, Transaction } from './payload.ts'
import { toSubscriptionData, wordOf } from './subscription.ts'

/**
 * Reads one notification. Pure and total: unknown types yield no change. Apple signs the data anew each time,
 * so the time of the signature is the revision.
 */
export function appleChanges({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] {
  if (!types.has(type) || !isObject(object)) return []
  const { status, transaction, renewal } = object
  if (!isObject(transaction)) return []
  // Without its date the transaction would count as paid.
  if (endings.has(type) && moment(transaction.revocationDate) === null) return touchesOf(transaction)
  const bought: Bought = { status, transaction, renewal: isObject(renewal) ? renewal : {} }
  return boughtChanges(bought, { isLast: !ofAnyTransaction.has(type) || isNewest(bought) })
}

/**
 * Reads a purchase. `isLast` is false for a transaction that is perhaps not the subscription's last one: it
 * says nothing about the present, so the subscription is fetched.
 */
export function boughtChanges(bought: Bought, { isLast }: { readonly isLast: boolean }): Change[] {
  const { transaction, renewal } = bought
  const payment = paymentChanges(bought)
  if (!isSubscription(transaction)) return payment
  const data = toSubscriptionData(bought)
  if (data === null) return payment
  const present: Change = isLast
    ? { type: 'subscription', id: data.id, ...stampOf(transaction, renewal), data }
    : { type: 'touch', ref: { kind: 'subscription', id: data.id } }
  return [present, ...payment]
}

/** Reads the payment of a transaction. */
export function paymentChanges(bought: Pick<Bought, 'transaction' | 'renewal'>): Change[] {
  return moneyChange('payment', toPayment(bought), stampOf(bought.transaction, {}))
}

/** Names what has to be asked for. */
function touchesOf(transaction: Transaction): Change[] {
  const [id, subscription] = [str(transaction.transactionId), str(transaction.originalTransactionId)]
  if (isSubscription(transaction) && subscription !== null)
    return [{ type: 'touch', ref: { kind: 'subscription', id: subscription } }]
  return id === null ? [] : [{ type: 'touch', ref: { kind: 'payment', id } }]
}

function stampOf(transaction: Transaction, renewal: Renewal) {
  const signed = [whole(transaction.signedDate), whole(renewal.signedDate)].filter((ms) => ms !== null)
  const at = signed.length === 0 ? null : moment(Math.max(...signed))
  return { stage: 'updated', ...(at === null ? {} : { at }) } as const
}

// A refund may be of any earlier transaction. If the subscription is over by it, the transaction was the last.
function isNewest(bought: Bought): boolean {
  const { transaction, renewal } = bought
  const [end, last] = [whole(transaction.expiresDate), whole(renewal.renewalDate)]
  return end !== null && last !== null ? end >= last : wordOf(bought) === 'revoked'
}

const ofAnyTransaction: ReadonlySet<string> = new Set(['REFUND', 'REFUND_REVERSED', 'REVOKE'])

const endings: ReadonlySet<string> = new Set(['REFUND', 'REVOKE'])

/**
 * Notifications about a purchase. The others ask the site for something, or are about all at once. Source:
 * https://developer.apple.com/documentation/appstoreservernotifications/notificationtype
 */
export const types: ReadonlySet<string> = new Set([
  'SUBSCRIBED',
  'DID_CHANGE_RENEWAL_PREF',
  'DID_CHANGE_RENEWAL_STATUS',
  'DID_FAIL_TO_RENEW',
  'DID_RENEW',
  'EXPIRED',
  'GRACE_PERIOD_EXPIRED',
  'OFFER_REDEEMED',
  'ONE_TIME_CHARGE',
  'PRICE_CHANGE',
  'PRICE_INCREASE',
  'REFUND',
  'REFUND_REVERSED',
  'RENEWAL_EXTENDED',
  'REVOKE',
])
