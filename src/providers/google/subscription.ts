import { type Interval, intervalBetween, intervalsAfter } from '../calendar.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { list, obj, str, whole } from '../narrow.ts'
import {
  besideWord,
  costPart,
  type EndPart,
  type ReadSubscription,
  type StatusPart,
} from '../subscription.ts'
import { amountOf, priceIdOf } from './facts.ts'
import type { Order, Subscription, SubscriptionItem } from './payload.ts'

/**
 * Converts the state of a purchase token. A new token replaces its `linkedPurchaseToken`, which is then a
 * subscription that ended. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2
 */
export function toSubscriptionData(
  { token, customer, at }: { readonly token: string; readonly customer: string; readonly at: string },
  raw: Subscription,
  order: Order,
  prices: readonly string[],
): ReadSubscription {
  const items = heldItems(raw, at)
  const [first] = items
  const word = wordOf(raw)
  const start = startOf(raw, order)
  const expiry = str(first?.expiryTime)
  const sold = soldIn(first)
  return {
    id: token,
    customer_id: customer,
    ...sold,
    quantity: 1,
    items: items.map((item) => ({
      id: null,
      ...soldIn(item),
      quantity: 1,
      current_period_start: start,
      current_period_end: str(item.expiryTime),
    })),
    ...statusOf(word, first),
    ...costPart(
      amountOf(obj(obj(first?.autoRenewingPlan).recurringPrice)),
      isTrial(first) || word === 'in_grace_period' ? noInterval : intervalIn(start, expiry),
    ),
    started_at: str(raw.startTime),
    trial_ends_at: isTrial(first) ? expiry : null,
    current_period_start: start,
    current_period_end: expiry,
    ...endOf(word, raw, { item: first, at, start }),
    paused_at: word === 'paused' ? expiry : null,
    resumes_at: word === 'paused' ? str(obj(raw.pausedStateContext).autoResumeTime) : null,
    scheduled_change: scheduledOf(first, prices),
    metadata: notesOf(raw, first),
    livemode: !isTest(raw),
  }
}

/**
 * Returns the items that the buyer has: none that waits for its turn, and none that was replaced at its end.
 * A deferred replacement lists both; the new item has no expiry before it begins. Source:
 * https://developer.android.com/google/play/billing/subscriptions#handle-deferred-replacement
 */
export function heldItems(raw: Subscription, at: string): SubscriptionItem[] {
  const items = list(raw.lineItems)
  const begun = items.filter(({ expiryTime }) => str(expiryTime) !== null)
  const isOver = ({ expiryTime }: SubscriptionItem) => Date.parse(str(expiryTime) ?? '') <= Date.parse(at)
  // While Google tries to charge, the expiry of an item that renews lies in the past.
  const held = begun.every(isOver)
    ? begun
    : begun.filter((item) => !isOver(item) || obj(item.autoRenewingPlan).autoRenewEnabled === true)
  return held.length > 0 ? held : [...items]
}

/**
 * Returns Google's state. A replaced purchase gives no access, although its state may be `canceled` until its
 * expiry. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2#CanceledStateContext
 */
function wordOf(raw: Subscription): string {
  const word = (str(raw.subscriptionState) ?? '').replace('SUBSCRIPTION_STATE_', '').toLowerCase()
  return word === 'canceled' && isReplaced(raw) ? 'replaced' : word
}

function isReplaced({ canceledStateContext }: Subscription): boolean {
  const replaced = obj(canceledStateContext).replacementCancellation
  return replaced !== undefined && replaced !== null
}

/**
 * Purchases of licence testers cost nothing. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2#TestPurchase
 */
export function isTest(raw: Subscription): boolean {
  return raw.testPurchase !== undefined && raw.testPurchase !== null
}

/**
 * Google's states, each with our nearest status. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2#SubscriptionState
 */
export const statuses: ReadonlyMap<string, SubscriptionSnapshot['status']> = new Map([
  ['pending', 'incomplete'],
  ['active', 'active'],
  ['paused', 'paused'],
  // Google keeps its promise of access in the grace period, and moves the expiry to its end.
  ['in_grace_period', 'active'],
  ['on_hold', 'unpaid'],
  // Renewal is turned off; what is paid for stays.
  ['canceled', 'active'],
  ['expired', 'canceled'],
  ['replaced', 'canceled'],
  ['pending_purchase_canceled', 'expired'],
] as const)

function statusOf(word: string, item: SubscriptionItem | undefined): StatusPart {
  const status = statuses.get(word) ?? 'incomplete'
  const isFree = status === 'active' && isTrial(item)
  if (isFree && word === 'active') return besideWord('trialing', 'trialing')
  return besideWord(isFree ? 'trialing' : status, word === 'in_grace_period' ? 'grace_period' : word || null)
}

function isTrial(item: SubscriptionItem | undefined): boolean {
  return obj(item?.offerPhase).freeTrial !== undefined
}

const noInterval = { interval: null, interval_count: null }

function intervalIn(start: string | null, end: string | null): Interval {
  return start === null || end === null ? noInterval : intervalBetween(Date.parse(start), Date.parse(end))
}

function soldIn(item: SubscriptionItem | undefined) {
  const product = str(item?.productId)
  return { price_id: priceIdOf(product, str(obj(item?.offerDetails).basePlanId)), product_id: product }
}

/** The order of the present period says when it began. */
function startOf(raw: Subscription, order: Order): string | null {
  const [item] = list(order.lineItems)
  return str(obj(item?.subscriptionDetails).servicePeriodStartTime) ?? str(raw.startTime)
}

function endOf(
  word: string,
  raw: Subscription,
  {
    item,
    at,
    start,
  }: { readonly item: SubscriptionItem | undefined; readonly at: string; readonly start: string | null },
): EndPart {
  const expiry = str(item?.expiryTime)
  const cancelled = str(obj(obj(raw.canceledStateContext).userInitiatedCancellation).cancelTime)
  if (word === 'expired' || word === 'pending_purchase_canceled')
    return {
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: cancelled ?? expiry,
      ended_at: expiry,
    }
  // Google does not say when it was replaced.
  if (word === 'replaced') {
    const ended = expiry === null || expiry > at ? at : expiry
    return { cancel_at_period_end: false, cancel_at: null, canceled_at: ended, ended_at: ended }
  }
  const committed = committedEnd(item, start)
  if (word !== 'canceled' && committed !== null)
    return { cancel_at_period_end: false, cancel_at: committed, canceled_at: null, ended_at: null }
  const isEnding = word === 'canceled' || item?.prepaidPlan !== undefined
  return {
    cancel_at_period_end: isEnding,
    cancel_at: isEnding ? expiry : null,
    canceled_at: word === 'canceled' ? cancelled : null,
    ended_at: null,
  }
}

/**
 * Returns when a cancelled installment plan ends: after its committed payments. null for every other plan,
 * and where the length of its periods is not known. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2#InstallmentPlan
 */
function committedEnd(item: SubscriptionItem | undefined, start: string | null): string | null {
  const { pendingCancellation, remainingCommittedPaymentsCount } = obj(
    obj(item?.autoRenewingPlan).installmentDetails,
  )
  const remaining = whole(remainingCommittedPaymentsCount) ?? 0
  const expiry = str(item?.expiryTime)
  if (pendingCancellation === undefined || pendingCancellation === null || expiry === null) return null
  if (remaining === 0) return expiry
  const { interval, interval_count: count } = intervalIn(start, expiry)
  if (interval === null) return null
  const end = intervalsAfter(Date.parse(expiry), interval, remaining * (count ?? 1))
  return new Date(end).toISOString()
}

/**
 * A deferred replacement names its product, and no base plan: the plans know it where they sell one price of
 * it. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2#DeferredItemReplacement
 */
function scheduledOf(
  item: SubscriptionItem | undefined,
  prices: readonly string[],
): SubscriptionSnapshot['scheduled_change'] {
  const [next, at] = [str(obj(item?.deferredItemReplacement).productId), str(item?.expiryTime)]
  if (next === null || at === null) return null
  const product = priceIdOf(next)
  const named = prices.filter((price) => price === product || price.startsWith(`${product}:`))
  return { price_id: named.length === 1 ? named[0]! : null, quantity: null, at }
}

function notesOf(raw: Subscription, item: SubscriptionItem | undefined): Record<string, string> {
  const offer = str(obj(item?.offerDetails).offerId)
  const region = str(raw.regionCode)
  const change = str(obj(obj(item?.autoRenewingPlan).priceChangeDetails).priceChangeState)
  return {
    store: 'play_store',
    ...(region === null ? {} : { storefront: region }),
    ...(offer === null ? {} : { offer_id: offer }),
    ...(change === 'OUTSTANDING' ? { price_increase: 'pending' } : {}),
    ...(change === 'CONFIRMED' ? { price_increase: 'agreed' } : {}),
  }
}
