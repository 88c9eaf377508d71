import type Stripe from 'stripe'
import { MembershipError } from '../../core/errors.ts'
import type { PauseRequest } from '../contract.ts'
import { idOf, type Json, obj } from '../narrow.ts'
import { singleItem, toIso, toSeconds } from './items.ts'
import { noPaidNote, paidEnd, paidNote, paidPeriod } from './notes.ts'
import { release } from './schedules.ts'
import type { Swapped } from './swaps.ts'

/**
 * Postpones the next period without billing: a trial until that day, which keeps the paid time. Stripe's own
 * pause (API 2026-09-30, `pause` and a schedule's `pause_schedules`) works only with flexible billing.
 * Nothing says that a pause at the very end of a period prevents the renewal's invoice. Pausing collection
 * would give away the rest of the period in which it ends.
 * https://docs.stripe.com/billing/subscriptions/trials,
 * https://docs.stripe.com/billing/subscriptions/pause/schedules
 */
export async function putOff(stripe: Stripe, request: PauseRequest): Promise<Stripe.Subscription> {
  const { subscriptionId: id, until, idempotencyKey: key } = request
  if (until === null)
    throw new MembershipError('ERR_PROVIDER_UNSUPPORTED', 'Stripe cannot pause without an end from here.', {
      action: 'Say until when.',
    })
  const current = await stripe.subscriptions.retrieve(id)
  // Repeated after a lost answer.
  if (paidPeriod(current) !== null && current.trial_end === toSeconds(until)) return current
  const { current_period_start, current_period_end } = singleItem(current)
  // An undone pause leaves its note, because the period that Stripe then shows is that of the trial.
  const paid = paidPeriod(current) ?? { start: toIso(current_period_start), end: toIso(current_period_end) }
  if (current.schedule !== null) await release(stripe, current, key)
  return stripe.subscriptions.update(
    id,
    { trial_end: toSeconds(until), proration_behavior: 'none', metadata: paidNote(paid) },
    { idempotencyKey: key },
  )
}

/**
 * Resumes a subscription from any kind of pause; null if it is not paused.
 * @throws Stripe's 402 when resuming must be paid and is not
 */
export async function goOn(
  stripe: Stripe,
  current: Stripe.Subscription,
  { now, key: idempotencyKey }: { now: Date; key: string },
): Promise<Swapped | null> {
  const { id } = current
  const done = (subscription: Stripe.Subscription): Swapped => ({ subscription, payUrl: null })
  if (current.status === 'paused') {
    const after = await stripe.subscriptions.resume(
      id,
      { payment_behavior: 'resume_on_payment_success', expand: ['latest_invoice'] },
      { idempotencyKey },
    )
    const { hosted_invoice_url } = obj(plain(after).latest_invoice)
    return { subscription: after, payUrl: after.status === 'paused' ? String(hosted_invoice_url) : null }
  }
  const paid = paidEnd(current)
  if (paid !== null && paid > now.toISOString())
    return done(
      await stripe.subscriptions.update(
        id,
        { trial_end: toSeconds(paid), proration_behavior: 'none' },
        { idempotencyKey },
      ),
    )
  if (paid !== null)
    return done(
      await stripe.subscriptions.update(
        id,
        {
          trial_end: 'now',
          proration_behavior: 'none',
          payment_behavior: 'error_if_incomplete',
          metadata: noPaidNote,
        },
        { idempotencyKey },
      ),
    )
  if (current.pause_collection === null) return null
  const anew = (await isPaid(stripe, current)) ? {} : beginSoon(current, now)
  return done(await stripe.subscriptions.update(id, { pause_collection: '', ...anew }, { idempotencyKey }))
}

// An unpaid period leaves no rest: a new one begins at the next moment of Stripe's clock, and is charged.
function beginSoon(current: Stripe.Subscription, now: Date): Stripe.SubscriptionUpdateParams {
  const start = toIso(singleItem(current).current_period_start)
  return {
    trial_end: toSeconds(now.toISOString()) + soonSeconds,
    proration_behavior: 'none',
    metadata: paidNote({ start, end: start }),
  }
}

const soonSeconds = 300

async function isPaid(stripe: Stripe, { latest_invoice }: Stripe.Subscription): Promise<boolean> {
  const id = idOf(latest_invoice)
  return id === null || (await stripe.invoices.retrieve(id)).status === 'paid'
}

function plain(subscription: Stripe.Subscription): Json {
  return obj(JSON.parse(JSON.stringify(subscription)))
}
