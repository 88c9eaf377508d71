import { nothingOf, unstated } from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { list, obj, str } from '../narrow.ts'
import {
  besideWord,
  type CostPart,
  costPart,
  type EndPart,
  nearestStatus,
  type PausePart,
  type ReadSubscription,
  type StatusPart,
  type StatusWords,
} from '../subscription.ts'
import { isGranted, livemodeOf, moment, priceOf, revenueOf } from './facts.ts'
import type { Product, Subscription, WebhookEvent, WholeSubscription } from './payload.ts'

/**
 * Converts a subscription of a store, or granted time; null without an id. Source:
 * https://www.revenuecat.com/docs/api-v2/subscription
 */
export function toSubscriptionData(
  { raw, product, transactions }: WholeSubscription,
  customerId: string,
): ReadSubscription | null {
  const id = str(raw.id)
  if (id === null) return null
  const price_id = priceOf(raw, product, str(list(obj(raw.entitlements).items)[0]?.lookup_key))
  const product_id = str(product?.store_identifier) ?? str(raw.product_id)
  const period = {
    current_period_start: moment(raw.current_period_starts_at),
    current_period_end: moment(raw.ends_at) ?? moment(raw.current_period_ends_at),
  }
  const status = statusOf(raw)
  const livemode = livemodeOf(raw)
  return {
    id,
    customer_id: customerId,
    price_id,
    product_id,
    quantity: 1,
    items: [{ id: null, price_id, product_id, quantity: 1, ...period }],
    ...status,
    ...costOf(raw, product, transactions),
    started_at: moment(raw.starts_at),
    trial_ends_at: status.status === 'trialing' ? period.current_period_end : null,
    ...period,
    ...endOf(raw, status),
    ...pauseOf(raw, status),
    scheduled_change: plannedOf(raw),
    ...(livemode === null ? {} : { livemode }),
    metadata: metadataOf(raw),
  }
}

/**
 * Converts a temporary grant, which opens for a day what the store could not confirm yet: a subscription
 * without money that ends by itself. Its purchase follows under an id of its own. Source:
 * TEMPORARY_ENTITLEMENT_GRANT in https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields
 */
export function toTemporaryGrant(event: WebhookEvent): ReadSubscription | null {
  const [transaction, customer, product] = [event.transaction_id, event.app_user_id, event.product_id].map(
    str,
  )
  const [start, end] = [moment(event.purchased_at_ms), moment(event.expiration_at_ms)]
  if (transaction == null || customer == null || end === null) return null
  const sold = {
    price_id: product == null ? null : `rc:${product}`,
    product_id: product ?? null,
    quantity: 1,
  }
  const period = { current_period_start: start, current_period_end: end }
  return {
    id: `temporary:${transaction}`,
    customer_id: customer,
    ...sold,
    items: [{ id: null, ...sold, ...period }],
    ...besideWord('active', 'temporary_grant'),
    ...costPart(nothingOf(unstated(null)), { interval: null, interval_count: null }),
    started_at: start,
    trial_ends_at: null,
    ...period,
    cancel_at_period_end: true,
    cancel_at: end,
    canceled_at: null,
    ended_at: null,
    paused_at: null,
    resumes_at: null,
    scheduled_change: null,
    metadata: str(event.store) === null ? {} : { store: str(event.store)!.toLowerCase() },
  }
}

export const statuses: StatusWords = new Map([
  ['trialing', 'trialing'],
  ['active', 'active'],
  // The store promises access while it tries to charge, however short the site's own patience is.
  ['in_grace_period', 'active'],
  // The store goes on trying, without access.
  ['in_billing_retry', 'unpaid'],
  ['paused', 'paused'],
  ['expired', 'canceled'],
  ['incomplete', 'incomplete'],
])

// RevenueCat announces further statuses, and names `gives_access` as the field that decides.
function statusOf(raw: Subscription): StatusPart {
  const word = str(raw.status)
  const status = statuses.has(word)
    ? nearestStatus(statuses, word)
    : raw.gives_access === true
      ? 'active'
      : 'incomplete'
  const isOpen = status === 'active' || status === 'trialing'
  return besideWord(isOpen && raw.gives_access === false ? 'incomplete' : status, word)
}

function costOf(
  raw: Subscription,
  product: Product | null,
  transactions: WholeSubscription['transactions'],
): CostPart {
  const [interval, interval_count] = periodOf(obj(product?.subscription).duration)
  // The store charges one person of a family, and nobody for granted time.
  if (isGranted(raw) || raw.ownership === 'family_shared')
    return costPart(nothingOf(unstated(null)), { interval, interval_count })
  const paid = transactions
    .flatMap((transaction) => revenueOf(obj(transaction.revenue_in_local_currency))?.gross ?? [])
    .filter(({ amount }) => amount > 0)
    .at(-1)
  return costPart(paid ?? unstated(null), { interval, interval_count })
}

/** Reads a duration such as P1M. A week is P1W, half a year P6M. */
function periodOf(duration: unknown): [CostPart['interval'], number | null] {
  const [, count, unit] = /^P(\d+)([DWMY])$/.exec(str(duration) ?? '') ?? []
  const interval = intervals.get(unit ?? '')
  return interval === undefined ? [null, null] : [interval, Number(count)]
}
const intervals = new Map([
  ['D', 'day'],
  ['W', 'week'],
  ['M', 'month'],
  ['Y', 'year'],
] as const) as ReadonlyMap<string, NonNullable<CostPart['interval']>>

// The subscription ends with its period unless somebody turns the renewal on, or agrees to a higher price.
export const endingWords: ReadonlySet<unknown> = new Set([
  'will_not_renew',
  'requires_price_increase_consent',
])

function endOf(raw: Subscription, { status }: StatusPart): EndPart {
  const end = moment(raw.ends_at) ?? moment(raw.current_period_ends_at)
  const hasEnded = status === 'canceled'
  const isEnding = !hasEnded && endingWords.has(raw.auto_renewal_status)
  return {
    cancel_at_period_end: isEnding,
    cancel_at: isEnding ? end : null,
    canceled_at: hasEnded ? end : null,
    ended_at: hasEnded ? end : null,
  }
}

// Only Google Play pauses. While it is paused, the end of the period is the day on which it goes on.
function pauseOf(raw: Subscription, { status }: StatusPart): PausePart {
  if (status === 'paused')
    return {
      paused_at: moment(raw.current_period_starts_at),
      resumes_at: moment(raw.current_period_ends_at),
    }
  const willPause = raw.auto_renewal_status === 'will_pause'
  return { paused_at: willPause ? moment(raw.current_period_ends_at) : null, resumes_at: null }
}

function plannedOf(raw: Subscription): SubscriptionSnapshot['scheduled_change'] {
  const id = str(obj(obj(raw.pending_changes).product).store_identifier)
  const at = moment(raw.current_period_ends_at)
  if (raw.auto_renewal_status !== 'will_change_product' || id === null || at === null) return null
  return { price_id: `rc:${id}`, quantity: 1, at }
}

function metadataOf(raw: Subscription): Record<string, string> {
  return {
    ...(str(raw.store) === null ? {} : { store: str(raw.store)! }),
    ...(str(raw.management_url) === null ? {} : { management_url: str(raw.management_url)! }),
    ...(raw.ownership === 'family_shared' ? { ownership: 'family_shared' } : {}),
  }
}
