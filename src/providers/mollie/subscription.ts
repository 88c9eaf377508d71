import { eachOf } from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { str } from '../narrow.ts'
import { besideWord, costPart, type ReadSubscription } from '../subscription.ts'
import { amountOf, metadataOf, modeIn, notesIn, parentOf, rhythmOf, toMoment } from './facts.ts'
import { stateOf } from './money.ts'
import type { Subscription } from './payload.ts'
import { nextCharge, type Paid, paidUntil, shifted, trialEnd } from './periods.ts'

/**
 * Converts a Mollie subscription with its payments; null without an id. `at` is the moment of this state.
 *
 * Mollie has no trials, failed renewals or period ends, so they are derived. A first charge on a later day is
 * the end of a trial, unless the time until then was paid. If the last charge failed or was returned, the
 * subscription is past due. An ended one is paid until the day of the next charge that will not happen.
 * Source: https://docs.mollie.com/reference/get-subscription
 */
export function toSubscriptionData(
  raw: Subscription,
  { paid, at }: { readonly paid: Paid; readonly at: string },
): ReadSubscription | null {
  const id = str(raw.id)
  if (id === null) return null
  const notes = notesIn(raw)
  const word = str(raw.status)
  const trial = paid.charge === null ? trialEnd(raw, notes) : null
  const isRunning = word === 'active' || word === 'pending'
  const end = isRunning ? null : paidUntil(raw, paid)
  const isLeft = end !== null && end > at
  const status = isRunning || isLeft ? runningStatus(raw, paid, trial) : (statuses.get(word) ?? 'incomplete')
  const next = nextCharge(raw) ?? end
  const period = {
    current_period_start: next === null ? null : trial === null ? shifted(raw, next, -1) : str(raw.createdAt),
    current_period_end: next,
  }
  const quantity = notes.quantity ?? 1
  const sold = { price_id: notes.price, product_id: null, quantity }
  const isOver = status === 'canceled' || status === 'expired'
  return {
    id,
    customer_id: parentOf(raw, 'customer'),
    ...sold,
    items: notes.price === null ? [] : [{ id: null, ...sold, ...period }],
    ...besideWord(status, word),
    ...costPart(
      eachOf(amountOf(raw.amount), quantity),
      rhythmOf(raw.interval) ?? { interval: null, interval_count: null },
    ),
    started_at: str(raw.createdAt),
    trial_ends_at: status === 'trialing' ? trial : notes.trialEnds,
    ...period,
    cancel_at_period_end: isLeft,
    cancel_at: isLeft ? end : null,
    canceled_at: word === 'canceled' ? (str(raw.canceledAt) ?? (isOver ? end : null)) : null,
    ended_at: isOver ? latest(end, toMoment(Date.parse(str(raw.canceledAt) ?? ''))) : null,
    paused_at: null,
    resumes_at: null,
    scheduled_change: null,
    ...modeIn(raw),
    metadata: metadataOf(raw),
  }
}

function latest(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : a > b ? a : b
}

type Status = SubscriptionSnapshot['status']

// `suspended`: the mandate is invalid, and nothing is charged until there is another.
export const statuses: ReadonlyMap<string | null, Status> = new Map([
  ['canceled', 'canceled'],
  ['completed', 'expired'],
  ['suspended', 'unpaid'],
])

// `pending` waits for the mandate, which may take a day after the first payment.
function runningStatus(raw: Subscription, paid: Paid, trial: string | null): Status {
  if (paid.isOwed) return 'past_due'
  if (raw.status === 'pending' && stateOf(paid.first?.status) !== 'paid') return 'incomplete'
  return trial === null ? 'active' : 'trialing'
}
