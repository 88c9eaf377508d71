import type { SubscriptionData } from '../../core/dto/index.ts'
import { idOf, int, isObject, list, obj, str, time } from '../narrow.ts'
import { hasPaidNote, namedPrice, readChangeNote, readPaidNote } from './notes.ts'
import type { Schedule, Subscription } from './payload.ts'

type Terms = Pick<
  SubscriptionData,
  | 'status'
  | 'provider_status'
  | 'trial_ends_at'
  | 'current_period_start'
  | 'current_period_end'
  | 'paused_at'
  | 'resumes_at'
>

/**
 * Reads a pause that was requested here: the paid period stays, and nothing is charged until the next one
 * begins. At Stripe it is a trial, because only a trial starts and charges a new period on any day:
 * https://docs.stripe.com/billing/subscriptions/trials
 */
export function putOff(raw: Subscription): Partial<Terms> | null {
  const paid = readPaidNote(raw)
  const until = time(raw.trial_end)
  if (paid === null || until === null || raw.status !== 'trialing') return null
  return {
    status: 'active',
    provider_status: 'trialing',
    trial_ends_at: null,
    current_period_start: paid.start,
    current_period_end: paid.end,
    ...(until > paid.end ? { paused_at: paid.end, resumes_at: until } : {}),
  }
}

/**
 * Reads the end of a trial. Stripe keeps it after the trial. A pause that was requested here is a trial, too,
 * and is over once the status is another.
 */
export function trialEndOf(raw: Subscription): string | null {
  return raw.status !== 'trialing' && hasPaidNote(raw) ? null : time(raw.trial_end)
}

/**
 * Reads Stripe's own pauses. The pause endpoint, its portal, and a trial that ends without a payment method
 * set `status` to `paused`, with the time and the reason. Pausing *collection* is no pause of the service:
 * with `void` and `mark_uncollectible` the periods that begin meanwhile are free, and with `keep_as_draft`
 * there is more time to pay, while the status stays as it was. Sources:
 * https://docs.stripe.com/billing/subscriptions/pausing,
 * https://docs.stripe.com/billing/subscriptions/pause-payment
 */
export function pauseOf(raw: Subscription): Partial<Terms> {
  const resumes_at = time(obj(raw.pause_collection).resumes_at)
  if (raw.status !== 'paused') return { paused_at: null, resumes_at }
  const details = obj(obj(raw.status_details).paused)
  const type = str(obj(details.subscription).type)
  return {
    paused_at: time(details.transitioned_at),
    resumes_at,
    ...(type === null || type === 'pause_requested' ? {} : { provider_status: type }),
  }
}

/** Returns the next change of a schedule: from the expanded schedule, else from our note. */
export function scheduledOf(raw: Subscription): SubscriptionData['scheduled_change'] {
  if (idOf(raw.schedule) === null) return null
  const noted = readChangeNote(raw) ?? null
  const planned = isObject(raw.schedule) ? nextPhase(obj(raw.schedule)) : noted
  // The phase names the price of a chosen amount by its id alone; the note names the site's price.
  const change = noted?.unit_amount !== undefined && noted.at === planned?.at ? noted : planned
  const item = list(raw.items)[0] ?? {}
  const price = obj(item.price)
  const named = namedPrice(raw, idOf(item.price) ?? idOf(item.plan), idOf(price.product))
  const isThere =
    change?.price_id === named &&
    change?.quantity === item.quantity &&
    (change?.unit_amount === undefined || change.unit_amount === price.unit_amount)
  return isThere ? null : change
}

/** Returns true if a fetch is worthwhile, because the event names something that it does not contain. */
export function hidesTerms(raw: Subscription): boolean {
  return str(raw.schedule) !== null && readChangeNote(raw) === undefined
}

function nextPhase(schedule: Schedule): SubscriptionData['scheduled_change'] {
  const now = int(obj(schedule.current_phase).start_date)
  const next = list(schedule.phases).find((phase) => now !== null && (int(phase.start_date) ?? 0) > now)
  const at = time(next?.start_date)
  const item = list(next?.items)[0] ?? {}
  if (at === null || idOf(item.price) === null) return null
  return { price_id: idOf(item.price), quantity: int(item.quantity) ?? 1, at }
}
