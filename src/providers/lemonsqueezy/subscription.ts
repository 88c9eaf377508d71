import { type SubscriptionStatus, unstated } from '../../core/dto/index.ts'
import { int, type Json, metadata, obj, str } from '../narrow.ts'
import {
  besideWord,
  costPart,
  type EndPart,
  nearestStatus,
  type PausePart,
  type ReadSubscription,
  type StatusPart,
  type StatusWords,
} from '../subscription.ts'
import { idText, soldIn } from './facts.ts'
import type { Subscription } from './payload.ts'

/**
 * Converts a Lemon Squeezy subscription. It contains neither amount nor interval. Source:
 * https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object
 */
export function toSubscriptionData(id: string, raw: Subscription, custom: Json): ReadSubscription {
  const status = statusOf(raw)
  const pause = pauseOf(raw)
  // A trial has none.
  const quantity = int(obj(raw.first_subscription_item).quantity)
  const sold = { ...soldIn(raw), quantity }
  const period = { current_period_start: null, current_period_end: periodEnd(raw) }
  return {
    id,
    customer_id: idText(raw.customer_id),
    ...sold,
    items: sold.price_id === null ? [] : [{ id: null, ...sold, ...period }],
    ...status,
    ...costPart(unstated(null), { interval: null, interval_count: null }),
    started_at: str(raw.created_at),
    trial_ends_at: str(raw.trial_ends_at),
    ...period,
    ...endOf(raw, status.status),
    ...pause,
    metadata: metadata(custom),
  }
}

export const statuses: StatusWords = new Map([
  ['on_trial', 'trialing'],
  ['active', 'active'],
  ['paused', 'paused'],
  // Older status name: https://github.com/lmsqueezy/lemonsqueezy.js/blob/main/src/subscriptions/types.ts
  ['pause', 'paused'],
  ['past_due', 'past_due'],
  ['unpaid', 'unpaid'],
  ['expired', 'expired'],
])

function statusOf(raw: Subscription): StatusPart {
  const word = str(raw.status)
  const status = effectOf(raw) ?? nearestStatus(statuses, word)
  return besideWord(status, word)
}

/**
 * Refines the status. A cancelled subscription is valid until `ends_at`. During a pause of mode `free` the
 * seller continues to serve without payment. A pause stops the collection of payments, so one of mode `void`
 * begins when the paid period ends.
 */
function effectOf(raw: Subscription): SubscriptionStatus | null {
  if (raw.status === 'cancelled') return str(raw.ends_at) === null ? 'canceled' : 'active'
  if (!isPausedWord(raw.status)) return null
  return obj(raw.pause).mode === 'free' || pauseOf(raw).paused_at !== null ? 'active' : null
}

function isPausedWord(word: unknown): boolean {
  return statuses.get(word) === 'paused'
}

/**
 * Returns the end of the paid period, `renews_at`. After a failed payment, `renews_at` is the next retry
 * instead.
 */
function periodEnd(raw: Subscription): string | null {
  if (raw.status === 'cancelled' || raw.status === 'expired') return str(raw.ends_at)
  return raw.status === 'past_due' || raw.status === 'unpaid' ? null : str(raw.renews_at)
}

/** Returns the end. Lemon Squeezy does not report the time of the cancellation. */
function endOf(raw: Subscription, status: SubscriptionStatus): EndPart {
  const at = str(raw.ends_at)
  const isOver = status === 'expired' || status === 'canceled'
  const isPlanned = raw.status === 'cancelled' && !isOver
  return {
    cancel_at_period_end: isPlanned,
    cancel_at: isPlanned ? at : null,
    canceled_at: null,
    ended_at: isOver ? at : null,
  }
}

/**
 * Returns a pause. One of mode `void` begins at the next renewal, because nothing is charged from then on;
 * when another began is unknown.
 */
function pauseOf(raw: Subscription): PausePart {
  const { mode, resumes_at } = obj(raw.pause)
  if (!isPausedWord(raw.status) || mode === 'free') return { paused_at: null, resumes_at: null }
  return { paused_at: mode === 'void' ? str(raw.renews_at) : null, resumes_at: str(resumes_at) }
}
