import { eachOf, moneyOf } from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { int, interval, metadata, obj, str } from '../narrow.ts'
import {
  type CostPart,
  costPart,
  type PausePart,
  type ReadSubscription,
  type StatusWords,
  statusPart,
} from '../subscription.ts'
import type { Subscription } from './payload.ts'

/**
 * Converts a Polar subscription; null without an id. The product is what is sold, because a checkout names
 * nothing else. Source: https://polar.sh/docs/api-reference/subscriptions
 */
export function toSubscriptionData(raw: Subscription): ReadSubscription | null {
  const id = str(raw.id)
  if (id === null) return null
  const product = str(raw.product_id)
  const sold = { price_id: product, product_id: product, quantity: int(raw.seats) }
  const period = {
    current_period_start: str(raw.current_period_start),
    current_period_end: str(raw.current_period_end),
  }
  const status = statusPart(statuses, str(raw.status))
  const isOver = status.status === 'canceled' || status.status === 'expired'
  return {
    id,
    customer_id: str(raw.customer_id),
    ...sold,
    items: product === null ? [] : [{ id: null, ...sold, ...period }],
    ...status,
    ...costOf(raw),
    started_at: str(raw.started_at) ?? str(raw.created_at),
    trial_ends_at: str(raw.trial_end),
    ...period,
    cancel_at_period_end: raw.cancel_at_period_end === true,
    // `canceled_at` is the time of the decision; the subscription is paid and open until `ends_at`.
    cancel_at: isOver ? null : endOf(raw),
    canceled_at: str(raw.canceled_at),
    ended_at: isOver ? str(raw.ended_at) : null,
    ...pauseOf(raw),
    scheduled_change: scheduledChangeOf(raw),
    metadata: metadata(raw.metadata),
  }
}

export const statuses: StatusWords = new Map([
  ['incomplete', 'incomplete'],
  ['incomplete_expired', 'expired'],
  ['trialing', 'trialing'],
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['unpaid', 'unpaid'],
  ['paused', 'paused'],
  ['canceled', 'canceled'],
])

// The amount is for all seats together; with price tiers, there is no amount per seat.
function costOf(raw: Subscription): CostPart {
  return costPart(eachOf(moneyOf(raw, { amount: 'amount', currency: 'currency' }), int(raw.seats) ?? 1), {
    interval: interval(raw.recurring_interval),
    interval_count: int(raw.recurring_interval_count),
  })
}

function endOf(raw: Subscription): string | null {
  return str(raw.ends_at) ?? (raw.cancel_at_period_end === true ? str(raw.current_period_end) : null)
}

/** Returns a current or planned pause. A planned pause begins with the next period. */
function pauseOf(raw: Subscription): PausePart {
  const isPlanned = raw.pause_at_period_end === true
  if (raw.status !== 'paused' && !isPlanned) return { paused_at: null, resumes_at: null }
  return {
    paused_at: raw.status === 'paused' ? str(raw.paused_at) : str(raw.current_period_end),
    resumes_at: str(raw.resumes_at),
  }
}

function scheduledChangeOf(raw: Subscription): NonNullable<SubscriptionSnapshot['scheduled_change']> | null {
  const { applies_at, product_id, seats } = obj(raw.pending_update)
  const at = str(applies_at)
  // null leaves a field unchanged.
  return at === null
    ? null
    : { price_id: str(product_id) ?? str(raw.product_id), quantity: int(seats) ?? int(raw.seats), at }
}
