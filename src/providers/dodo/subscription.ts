import { moneyOf, type SubscriptionStatus, unstated } from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { int, list, metadata, obj, str } from '../narrow.ts'
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
import { customerIdOf } from './customer.ts'
import type { Subscription } from './payload.ts'

/**
 * Converts a Dodo subscription; null without an id. The product is what is sold; there is no separate price.
 * Source: https://docs.dodopayments.com/api-reference/subscriptions/get-subscriptions-1
 */
export function toSubscriptionData(raw: Subscription): ReadSubscription | null {
  const id = str(raw.subscription_id)
  if (id === null) return null
  const product = str(raw.product_id)
  const quantity = int(raw.quantity)
  const period = {
    current_period_start: str(raw.previous_billing_date),
    current_period_end: str(raw.next_billing_date),
  }
  const trialEnd = trialEndOf(raw)
  const status = statusOf(raw, trialEnd)
  return {
    id,
    customer_id: customerIdOf(raw),
    price_id: product,
    product_id: product,
    quantity,
    items: [
      ...(product === null ? [] : [{ id: product, quantity }]),
      ...list(raw.addons).map((addon) => ({ id: str(addon.addon_id), quantity: int(addon.quantity) })),
    ].map(({ id: sold, quantity }) => ({ id: null, price_id: sold, product_id: sold, quantity, ...period })),
    ...status,
    ...costOf(raw),
    started_at: str(raw.created_at),
    trial_ends_at: trialEnd,
    ...period,
    ...endOf(raw, status.status),
    ...pauseOf(raw),
    scheduled_change: scheduledChangeOf(raw),
    metadata: metadata(raw.metadata),
  }
}

/** Returns true if the subscription ever began. Before that, or if it failed, nothing was bought. */
export function hasBegun(raw: Subscription): boolean {
  return raw.status !== 'failed' && statuses.has(raw.status) && raw.status !== 'pending'
}

export const statuses: StatusWords = new Map([
  ['pending', 'incomplete'],
  ['active', 'active'],
  // A renewal failed; it waits for another payment method.
  ['on_hold', 'past_due'],
  ['past_due', 'past_due'],
  ['paused', 'paused'],
  ['cancelled', 'canceled'],
  // No mandate could be made, so it never began.
  ['failed', 'expired'],
  ['expired', 'expired'],
])

function statusOf(raw: Subscription, trialEnd: string | null): StatusPart {
  const word = str(raw.status)
  const known = nearestStatus(statuses, word)
  const status = known === 'active' && isInTrial(raw, trialEnd) ? 'trialing' : known
  return besideWord(status, word)
}

const dayMs = 24 * 60 * 60 * 1000

/** Computes the end of a trial, because Dodo only gives its days. */
function trialEndOf(raw: Subscription): string | null {
  const [days, begun] = [int(raw.trial_period_days) ?? 0, Date.parse(str(raw.created_at) ?? '')]
  const end = new Date(begun + days * dayMs)
  return days <= 0 || Number.isNaN(end.getTime()) ? null : end.toISOString()
}

// No status shows a running trial. It runs while the next payment is the first one, at the trial's end. The
// mandate is made some minutes after the subscription.
function isInTrial(raw: Subscription, trialEnd: string | null): boolean {
  return trialEnd !== null && Date.parse(str(raw.next_billing_date) ?? '') <= Date.parse(trialEnd) + dayMs / 4
}

function costOf(raw: Subscription): CostPart {
  const total = moneyOf(raw, { amount: 'recurring_pre_tax_amount', currency: 'currency' })
  // It is the price of one piece only where that is bought alone, without add-ons.
  const isAlone = raw.quantity === 1 && list(raw.addons).length === 0
  return costPart(isAlone ? total : unstated(total.currency), {
    interval: intervals.get(raw.payment_frequency_interval) ?? null,
    interval_count: int(raw.payment_frequency_count),
  })
}

/** Billing interval, in our terms. */
export const intervals: ReadonlyMap<unknown, NonNullable<SubscriptionSnapshot['interval']>> = new Map([
  ['Day', 'day'],
  ['Week', 'week'],
  ['Month', 'month'],
  ['Year', 'year'],
])

/**
 * Returns the end; until then the status stays `active`. `expires_at` is the end of the whole term, even if
 * nobody cancelled.
 */
function endOf(raw: Subscription, status: SubscriptionStatus): EndPart {
  const isOver = status === 'canceled' || status === 'expired'
  const isPlanned = raw.cancel_at_next_billing_date === true && !isOver
  const ended = status === 'canceled' ? raw.cancelled_at : raw.expires_at
  return {
    cancel_at_period_end: isPlanned,
    cancel_at: isPlanned ? str(raw.next_billing_date) : null,
    canceled_at: str(raw.cancelled_at),
    ended_at: isOver ? str(ended) : null,
  }
}

/** null while nothing is paused. `on_hold` has it too, if the pause itself could not be settled. */
function pauseOf(raw: Subscription): PausePart {
  return {
    paused_at: str(raw.paused_at),
    resumes_at: null,
  }
}

function scheduledChangeOf(raw: Subscription): NonNullable<SubscriptionSnapshot['scheduled_change']> | null {
  const { effective_at, product_id, quantity } = obj(raw.scheduled_change)
  const at = str(effective_at)
  return at === null ? null : { price_id: str(product_id), quantity: int(quantity), at }
}
