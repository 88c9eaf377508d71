import type { SubscriptionStatus } from '../../core/dto/index.ts'
import type { MoneyFact, SubscriptionSnapshot } from '../contract.ts'
import type { ReadMoney } from '../money.ts'
import { list, obj, str, whole } from '../narrow.ts'
import type { ReadSubscription, StatusPart } from '../subscription.ts'
import { nameOf, placeOf } from './customer.ts'
import { customOf } from './facts.ts'
import type { Sold } from './held.ts'
import { intentIn } from './notes.ts'
import type { Subscription } from './payload.ts'
import {
  type Cost,
  cyclesDone,
  formerlyPaidBeyond,
  isFailing,
  lastPaid,
  paidBeyond,
  paidWhileSuspended,
} from './periods.ts'

/**
 * Converts a PayPal subscription; null without an id. The plan is what is sold. `at` is the moment of this
 * state. Source: https://developer.paypal.com/docs/api/subscriptions/v1/
 */
export function toSubscriptionData(
  raw: Subscription,
  { at, sells, isFormer = false }: Reading & { readonly isFormer?: boolean },
): ReadSubscription | null {
  const id = str(raw.id)
  if (id === null) return null
  const { sold, cost, scheduled_change } = sells
  const since = str(raw.status_update_time) ?? at
  const isCancelled = raw.status === 'CANCELLED'
  // A plan with a limited number of charges says EXPIRED at the last one, before the period that it pays for:
  // https://github.com/paypal/PayPal-PHP-SDK/issues/192
  const isEnding = isCancelled || (raw.status === 'EXPIRED' && !isFormer)
  const end = isEnding ? (isFormer ? formerlyPaidBeyond : paidBeyond)(raw, cost, since) : null
  const pauseAt = isFormer ? null : pauseOf(raw, cost, since)
  const isPaid = end !== null || pauseAt !== null
  const status = isPaid
    ? ({ status: 'active', provider_status: str(raw.status) } as const)
    : statusOf(raw, at)
  const isOver = status.status === 'canceled' || status.status === 'expired'
  const period = {
    current_period_start: lastPaid(raw) ?? str(raw.start_time),
    current_period_end: end ?? pauseAt ?? str(obj(raw.billing_info).next_billing_time),
  }
  return {
    id,
    customer_id: str(obj(raw.subscriber).payer_id),
    ...sold,
    items: sold.price_id === null ? [] : [{ id: null, ...sold, ...period }],
    ...status,
    ...cost,
    started_at: str(raw.start_time) ?? str(raw.create_time),
    trial_ends_at: status.status === 'trialing' ? trialEnd(raw) : null,
    ...period,
    cancel_at_period_end: end !== null,
    cancel_at: end,
    canceled_at: isCancelled ? since : null,
    ended_at: isOver ? since : null,
    paused_at: status.status === 'paused' ? since : pauseAt,
    resumes_at: null,
    scheduled_change: isEnding ? null : scheduled_change,
    metadata: customOf(raw),
  }
}

/**
 * The beginning of a pause. PayPal suspends at once, and no page says that this ends days that are paid; null
 * where none are. Source: https://developer.paypal.com/docs/subscriptions/customize/pause-resume
 */
function pauseOf(raw: Subscription, cost: Cost, since: string | null): string | null {
  return raw.status === 'SUSPENDED' ? paidWhileSuspended(raw, cost, since) : null
}

interface Reading {
  readonly at: string | null
  readonly sells: Sold
}

/**
 * Reads an ended or suspended subscription as 2.0.0-rc.1 did, by which its stored messages are known again;
 * null where that is no other reading. One that a later message can change without a new moment is none of
 * them.
 */
export function formerData(
  raw: Subscription,
  reading: Reading,
  present: ReadSubscription,
): ReadSubscription | null {
  if (raw.status !== 'CANCELLED' && raw.status !== 'EXPIRED' && raw.status !== 'SUSPENDED') return null
  const former = toSubscriptionData(raw, { ...reading, isFormer: true })
  return JSON.stringify(former) === JSON.stringify(present) ? null : former
}

/**
 * Reads the page on which it was approved, which has the subscription's id; null if the purchase did not
 * begin here.
 */
export function toFirstPage(
  raw: Subscription,
  { id, status, customer_id }: SubscriptionSnapshot,
): ReadMoney | null {
  const intent = intentIn(raw)
  if (intent === null) return null
  const isOpen = status === 'incomplete'
  const subscriber = obj(raw.subscriber)
  return {
    id,
    refs: [{ kind: 'subscription', id }],
    intent_id: intent,
    checkout_status: isOpen ? 'open' : 'complete',
    purpose: 'recurring',
    subscription_id: id,
    customer_id,
    state: pageState(raw, status),
    email: str(subscriber.email_address),
    name: nameOf(subscriber),
    ...placeOf(subscriber),
  }
}

/** Returns the state of the page: done when the first payment was made, or during a free trial. */
function pageState(raw: Subscription, status: SubscriptionStatus): MoneyFact['state'] {
  if (status === 'trialing' || lastPaid(raw) !== null) return 'paid'
  return status === 'incomplete' || status === 'active' ? 'pending' : 'failed'
}

// An unknown status becomes `incomplete`, the safest one, which opens no gate.
function statusOf(raw: Subscription, at: string | null): StatusPart {
  const word = str(raw.status)
  const status = nearest(word?.toUpperCase(), raw, at)
  return { status, provider_status: isSameWord(word, status) ? null : word }
}

function nearest(word: string | undefined, raw: Subscription, at: string | null): SubscriptionStatus {
  switch (word) {
    case 'ACTIVE':
      if (isFailing(raw)) return 'past_due'
      if (isTrial(raw) || startsLater(raw, at)) return 'trialing'
      return isUnpaid(raw) ? 'incomplete' : 'active'
    // Suspended by somebody, or by PayPal after too many failures.
    case 'SUSPENDED':
      return isFailing(raw) ? 'unpaid' : 'paused'
    case 'CANCELLED':
      return 'canceled'
    case 'EXPIRED':
      return 'expired'
    default:
      return 'incomplete'
  }
}

function isSameWord(word: string | null, status: SubscriptionStatus): boolean {
  return word?.toLowerCase().replace('cancelled', 'canceled') === status
}

/**
 * Returns true during a trial. A period counts as completed when it begins, so the first regular one ends the
 * trial.
 */
function isTrial(raw: Subscription): boolean {
  return cyclesDone(raw, 'TRIAL') !== null && !cyclesDone(raw, 'REGULAR')
}

/** Returns true before a delayed start, which gives the free days. */
function startsLater(raw: Subscription, at: string | null): boolean {
  return !cyclesDone(raw, 'REGULAR') && Date.parse(str(raw.start_time) ?? '') > Date.parse(at ?? '')
}

// A subscription is active as soon as it is approved, but its first payment may take time or fail.
function isUnpaid(raw: Subscription): boolean {
  return cyclesDone(raw, 'REGULAR') === 0 && lastPaid(raw) === null
}

function trialEnd(raw: Subscription): string | null {
  if (!isTrial(raw)) return str(raw.start_time)
  const trials = list(obj(raw.billing_info).cycle_executions).filter(
    ({ tenure_type: kind }) => kind === 'TRIAL',
  )
  return trials.every(({ cycles_remaining: left }) => whole(left) === 0)
    ? str(obj(raw.billing_info).next_billing_time)
    : null
}
