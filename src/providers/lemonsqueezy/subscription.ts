import type { SubscriptionStatus } from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { int, type Json, metadata, obj, str } from '../narrow.ts'
import { besideWord, nearestStatus, type StatusWords } from '../statuses.ts'
import { idText, soldIn } from './facts.ts'

/** A subscription of Lemon Squeezy as our data. What it costs, and how often, it does not say.
 *  Source: https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object */
export const toSubscriptionData = (id: string, raw: Json, custom: Json): SubscriptionSnapshot => {
  const status = statusOf(raw)
  // There is none in a trial.
  const quantity = int(obj(raw.first_subscription_item).quantity)
  const sold = { ...soldIn(raw), quantity }
  const period = { current_period_start: null, current_period_end: periodEnd(raw) }
  return {
    id,
    customer_id: idText(raw.customer_id),
    ...sold,
    items: sold.price_id === null ? [] : [{ id: null, ...sold, ...period }],
    ...status,
    currency: null,
    unit_amount: null,
    interval: null,
    interval_count: null,
    started_at: str(raw.created_at),
    trial_ends_at: str(raw.trial_ends_at),
    ...period,
    ...endOf(raw, status.status),
    ...pauseOf(raw, status.status),
    metadata: metadata(custom),
  }
}

export const statuses: StatusWords = new Map([
  ['on_trial', 'trialing'],
  ['active', 'active'],
  ['paused', 'paused'],
  // An older word for it: https://github.com/lmsqueezy/lemonsqueezy.js/blob/main/src/subscriptions/types.ts
  ['pause', 'paused'],
  ['past_due', 'past_due'],
  ['unpaid', 'unpaid'],
  ['expired', 'expired'],
])

const statusOf = (raw: Json): Pick<SubscriptionSnapshot, 'status' | 'provider_status'> => {
  const word = str(raw.status)
  const status = effectOf(raw) ?? nearestStatus(statuses, word)
  return besideWord(status, word)
}

/** Refines the provider's word: a cancelled one is valid until `ends_at`, and in a pause of mode `free` the seller
 *  goes on serving, unpaid. */
const effectOf = (raw: Json): SubscriptionStatus | null => {
  if (raw.status === 'cancelled') return str(raw.ends_at) === null ? 'canceled' : 'active'
  return isPausedWord(raw.status) && obj(raw.pause).mode === 'free' ? 'active' : null
}

const isPausedWord = (word: unknown): boolean => statuses.get(word) === 'paused'

/** `renews_at` is the end of what is paid; of one whose payment failed it is the next try instead. */
const periodEnd = (raw: Json): string | null => {
  if (raw.status === 'cancelled' || raw.status === 'expired') return str(raw.ends_at)
  return raw.status === 'past_due' || raw.status === 'unpaid' ? null : str(raw.renews_at)
}

type End = Pick<SubscriptionSnapshot, 'cancel_at_period_end' | 'cancel_at' | 'canceled_at' | 'ended_at'>

/** When it was cancelled nobody says, only when it ends. */
const endOf = (raw: Json, status: SubscriptionStatus): End => {
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

/** When a pause began nobody says: it is one. */
const pauseOf = (
  raw: Json,
  status: SubscriptionStatus,
): Pick<SubscriptionSnapshot, 'paused_at' | 'resumes_at'> => ({
  paused_at: null,
  resumes_at: status === 'paused' ? str(obj(raw.pause).resumes_at) : null,
})
