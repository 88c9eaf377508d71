import { eachOf, nothingOf } from '../../core/dto/index.ts'
import { type Interval, intervalBetween } from '../calendar.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { obj, str, whole } from '../narrow.ts'
import { ownerOfPurchase } from '../stores.ts'
import {
  besideWord,
  type CostPart,
  costPart,
  type EndPart,
  type ReadSubscription,
  type StatusPart,
} from '../subscription.ts'
import { customerOf, livemodeOf, moment, priceIdOf, priceOf, renewalPriceOf, sharedBy } from './facts.ts'
import type { Bought, Renewal, Transaction } from './payload.ts'

/**
 * Converts the last transaction of a subscription and its renewal; null without an id. All renewals and
 * upgrades share the id of the first transaction. Source:
 * https://developer.apple.com/documentation/appstoreserverapi/originaltransactionid
 */
export function toSubscriptionData(bought: Bought): ReadSubscription | null {
  const { transaction: raw, renewal } = bought
  const id = str(raw.originalTransactionId)
  if (id === null) return null
  const word = wordOf(bought)
  const price = { price_id: priceIdOf(raw), product_id: str(raw.productId) }
  const quantity = quantityOf(bought)
  const period = periodOf(raw, renewal, word)
  const livemode = livemodeOf(raw.environment)
  return {
    id,
    customer_id: customerOf(bought) ?? ownerOfPurchase(id),
    ...price,
    quantity,
    items: [{ id: null, ...price, quantity, ...period }],
    ...statusOf(word, raw),
    ...costOf(bought, quantity),
    started_at: moment(raw.originalPurchaseDate),
    trial_ends_at: isTrial(raw) ? moment(raw.expiresDate) : null,
    ...period,
    ...endOf(raw, renewal, word),
    paused_at: null,
    resumes_at: null,
    scheduled_change: scheduledOf(raw, renewal),
    metadata: notesOf(raw, renewal),
    ...(livemode === null ? {} : { livemode }),
  }
}

/** Names of Apple's numbers: https://developer.apple.com/documentation/appstoreserverapi/status */
export type StatusWord = 'active' | 'expired' | 'billing_retry' | 'grace_period' | 'revoked'

const statuses: ReadonlyMap<unknown, StatusWord> = new Map([
  [1, 'active'],
  [2, 'expired'],
  [3, 'billing_retry'],
  [4, 'grace_period'],
  [5, 'revoked'],
])

/** Returns the status. Older notifications have none, so it is worked out from the same facts. */
export function wordOf({ status, transaction: raw, renewal }: Bought): StatusWord | null {
  if (typeof status === 'number') return statuses.get(status) ?? null
  if (moment(raw.revocationDate) !== null) return 'revoked'
  const [now, end] = [whole(raw.signedDate), whole(raw.expiresDate)]
  if (now === null || end === null) return null
  if (end > now) return 'active'
  const graceEnd = whole(renewal.gracePeriodExpiresDate)
  if (renewal.isInBillingRetryPeriod !== true) return 'expired'
  return graceEnd !== null && graceEnd > now ? 'grace_period' : 'billing_retry'
}

// In the grace period the store keeps its promise of access; while it only tries to bill, it does not:
// https://developer.apple.com/documentation/storekit/reducing-involuntary-subscriber-churn
function statusOf(word: StatusWord | null, raw: Transaction): StatusPart {
  if (word === 'active')
    return besideWord(isTrial(raw) ? 'trialing' : 'active', isTrial(raw) ? 'trialing' : word)
  if (word === 'grace_period') return besideWord('active', word)
  if (word === 'billing_retry') return besideWord('unpaid', word)
  return word === null ? besideWord('incomplete', null) : besideWord('canceled', word)
}

// Offer codes, promotional and win-back offers may be free, too.
function isTrial(raw: Transaction): boolean {
  return raw.offerDiscountType === 'FREE_TRIAL'
}

function periodOf(
  raw: Transaction,
  renewal: Renewal,
  word: StatusWord | null,
): Pick<SubscriptionSnapshot, 'current_period_start' | 'current_period_end'> {
  const paid = moment(raw.expiresDate)
  const grace = word === 'grace_period' ? moment(renewal.gracePeriodExpiresDate) : null
  return { current_period_start: moment(raw.purchaseDate), current_period_end: grace ?? paid }
}

// The renewal's own price counts after a trial, and where seats were added: the transaction is then about these alone.
// After a move to another country it is in another currency than what was paid.
function costOf({ transaction: raw, renewal }: Bought, quantity: number): CostPart {
  const next = isTrial(raw) || hasMore(raw) ? renewalPriceOf(renewal) : null
  const total = next === null || next.amount === null ? priceOf(raw) : next
  const each = raw.multiSeatInfo === undefined ? total : eachOf(total, quantity)
  return costPart(sharedBy(raw) === null ? each : nothingOf(total), lengthOf(raw))
}

/**
 * Returns the seats: those of one person who was assigned a seat, of the renewal where seats were added, else
 * what was bought. Source:
 * https://developer.apple.com/documentation/appstoreserverapi/additionaltransactionreason
 */
function quantityOf({ transaction: raw, renewal }: Bought): number {
  const bought = whole(raw.quantity) ?? 1
  if (sharedBy(raw) !== null) return 1
  return hasMore(raw) ? (whole(renewal.renewalQuantity) ?? bought) : bought
}

// Each transaction of a period to which seats were added has it.
function hasMore(raw: Transaction): boolean {
  return str(raw.additionalTransactionReason) !== null
}

/** Apple does not tell the billing interval. */
function lengthOf(raw: Transaction): Interval {
  const [from, to] = [whole(raw.purchaseDate), whole(raw.expiresDate)]
  // Added seats begin within the period.
  const isKnown = from !== null && to !== null && !isTrial(raw) && !hasMore(raw)
  return isKnown ? intervalBetween(from, to) : { interval: null, interval_count: null }
}

function endOf(raw: Transaction, renewal: Renewal, word: StatusWord | null): EndPart {
  const open = { cancel_at_period_end: false, cancel_at: null, canceled_at: null, ended_at: null }
  if (word === 'revoked' || word === 'expired') {
    const at = word === 'revoked' ? moment(raw.revocationDate) : endedAt(raw, renewal)
    return { ...open, canceled_at: at, ended_at: at }
  }
  // A year that is paid monthly is billed to its end, although its renewal was turned off:
  // https://developer.apple.com/documentation/appstoreserverapi/renewalcommitmentinfo
  const year = obj(renewal.commitmentInfo)
  if (year.commitmentAutoRenewStatus === 0) return { ...open, cancel_at: moment(year.commitmentRenewalDate) }
  const isEnding = renewal.autoRenewStatus === 0 && (word === 'active' || word === 'grace_period')
  return isEnding
    ? { ...open, cancel_at_period_end: true, cancel_at: periodOf(raw, renewal, word).current_period_end }
    : open
}

// Without a successful retry, the time paid for was the last.
function endedAt(raw: Transaction, renewal: Renewal): string | null {
  return moment(raw.expiresDate) ?? moment(renewal.renewalDate)
}

function scheduledOf(raw: Transaction, renewal: Renewal): SubscriptionSnapshot['scheduled_change'] {
  const [next, at] = [str(renewal.autoRenewProductId), moment(renewal.renewalDate) ?? moment(raw.expiresDate)]
  if (next === null || at === null || next === raw.productId || renewal.autoRenewStatus === 0) return null
  return { price_id: priceIdOf({ productId: next }), quantity: null, at }
}

/**
 * Facts that have no field of their own. Sources:
 * https://developer.apple.com/documentation/appstoreserverapi/offertype and
 * https://developer.apple.com/documentation/appstoreserverapi/priceincreasestatus
 */
function notesOf(raw: Transaction, renewal: Renewal): Record<string, string> {
  const offer = offers.get(raw.offerType)
  const code = str(raw.offerIdentifier)
  const storefront = str(raw.storefront)
  const ownership = sharedBy(raw)
  return {
    store: 'app_store',
    ...(ownership === null ? {} : { ownership }),
    ...(storefront === null ? {} : { storefront }),
    ...(offer === undefined ? {} : { offer }),
    ...(code === null ? {} : { offer_id: code }),
    ...(renewal.priceIncreaseStatus === 0 ? { price_increase: 'pending' } : {}),
    ...(renewal.priceIncreaseStatus === 1 ? { price_increase: 'agreed' } : {}),
  }
}

/** Names of Apple's numbers. */
export const offers: ReadonlyMap<unknown, string> = new Map([
  [1, 'introductory'],
  [2, 'promotional'],
  [3, 'offer_code'],
  [4, 'win_back'],
])
