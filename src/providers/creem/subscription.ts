import { moneyOf } from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { idOf, int, list, metadata, obj, str } from '../narrow.ts'
import {
  besideWord,
  type CostPart,
  costPart,
  type EndPart,
  nearestStatus,
  type ReadSubscription,
  type StatusPart,
  type StatusWords,
} from '../subscription.ts'
import { moment, periods, productOf } from './facts.ts'
import { paymentState } from './money.ts'
import type { Product, Subscription } from './payload.ts'

/**
 * Converts a Creem subscription; null without an id. `hasExpired` means that its period is over and was not
 * paid. Source: https://docs.creem.io/api-reference/endpoint/get-subscription
 */
export function toSubscriptionData(raw: Subscription, hasExpired: boolean): ReadSubscription | null {
  const id = str(raw.id)
  if (id === null) return null
  const period = {
    current_period_start: str(raw.current_period_start_date),
    current_period_end: str(raw.current_period_end_date),
  }
  const items = itemsOf(raw).map((item) => ({ ...item, ...period }))
  const product = productOf(raw) ?? items[0]?.product_id ?? null
  const status = statusOf(raw, hasExpired)
  return {
    id,
    customer_id: idOf(raw.customer),
    price_id: product,
    product_id: product,
    quantity: items[0]?.quantity ?? null,
    items,
    ...status,
    ...costOf(obj(raw.product)),
    started_at: str(raw.created_at),
    // It says so still when the trial expired without a payment.
    trial_ends_at: raw.status === 'trialing' ? period.current_period_end : null,
    ...period,
    ...endOf(raw),
    // Creem does not report when a pause ends.
    paused_at: pauseAt(raw),
    resumes_at: null,
    metadata: metadata(raw.metadata),
  }
}

type Item = Pick<SubscriptionSnapshot['items'][number], 'id' | 'price_id' | 'product_id' | 'quantity'>

function itemsOf(raw: Subscription): Item[] {
  const items = list(raw.items).map((item) => ({
    id: str(item.id),
    sold: str(item.product_id),
    units: int(item.units),
  }))
  const product = productOf(raw)
  const known = items.length > 0 || product === null ? items : [{ id: null, sold: product, units: null }]
  return known.map(({ id, sold, units }) => ({ id, price_id: sold, product_id: sold, quantity: units }))
}

export const statuses: StatusWords = new Map([
  ['active', 'active'],
  ['trialing', 'trialing'],
  ['past_due', 'past_due'],
  ['unpaid', 'unpaid'],
  ['paused', 'paused'],
  ['canceled', 'canceled'],
  // Paid and open until its period ends.
  ['scheduled_cancel', 'active'],
])

// An unknown status becomes `incomplete`, the safest one, which opens no gate. An expired subscription keeps
// the status `active` while its payment is retried.
function statusOf(raw: Subscription, hasExpired: boolean): StatusPart {
  const word = str(raw.status)
  const isOwed = hasExpired && (word === 'active' || word === 'trialing')
  if (isOwed) return besideWord('past_due', word)
  return besideWord(pauseAt(raw) === null ? nearestStatus(statuses, word) : 'active', word)
}

/**
 * The beginning of a pause. It stops billing, and no page says that it ends days that are paid. It therefore begins after
 * them. A period whose charge is not paid has none.
 * Source: https://docs.creem.io/api-reference/endpoint/pause-subscription
 */
function pauseAt(raw: Subscription): string | null {
  if (raw.status !== 'paused') return null
  const [start, end] = [str(raw.current_period_start_date), str(raw.current_period_end_date)]
  const last = obj(raw.last_transaction)
  const word = str(last.status)
  if (word === null) return end
  const paidUntil = paymentState(word) === 'paid' ? moment(last.period_end) : start
  return paidUntil !== null && (end === null || Date.parse(paidUntil) < Date.parse(end)) ? paidUntil : end
}

function costOf(product: Product): CostPart {
  const [interval, interval_count] = periods.get(product.billing_period) ?? [null, null]
  return costPart(moneyOf(product, { amount: 'price', currency: 'currency' }), { interval, interval_count })
}

function endOf(raw: Subscription): EndPart {
  const isPlanned = raw.status === 'scheduled_cancel'
  const at = isPlanned || raw.status === 'canceled' ? str(raw.canceled_at) : null
  return {
    cancel_at_period_end: isPlanned,
    cancel_at: isPlanned ? str(raw.current_period_end_date) : null,
    canceled_at: at,
    ended_at: isPlanned ? null : at,
  }
}
