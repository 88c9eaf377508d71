import type Stripe from 'stripe'
import type { ScheduleRequest } from '../contract.ts'
import { priceAt } from './chosen.ts'
import { singleItem, toIso, toSeconds } from './items.ts'
import { changeNote } from './notes.ts'

/**
 * Schedules another price or quantity for the end of the paid period, replacing an earlier schedule.
 * https://docs.stripe.com/billing/subscriptions/subscription-schedules
 */
export async function planChange(
  stripe: Stripe,
  { subscription: { id }, priceId, quantity, chosen, at, idempotencyKey: key }: ScheduleRequest,
): Promise<Stripe.Subscription> {
  const current = await stripe.subscriptions.retrieve(id)
  singleItem(current)
  const schedule =
    current.schedule === null
      ? await stripe.subscriptionSchedules.create(
          { from_subscription: id },
          { idempotencyKey: `${key}:create` },
        )
      : await stripe.subscriptionSchedules.retrieve(idOf(current.schedule))
  const { id: price, note } = chosen ? await priceAt(stripe, priceId, chosen) : { id: priceId, note: {} }
  const { recurring } = await stripe.prices.retrieve(price)
  const { interval, interval_count } = recurring ?? { interval: 'month', interval_count: 1 }
  const kept = currentPhase(schedule)
  const { metadata: _, trial_end: __, ...carried } = kept
  const end_date = toSeconds(at)
  const phases = [
    { ...kept, end_date },
    {
      ...carried,
      start_date: end_date,
      items: [{ price, quantity }],
      duration: { interval: interval as 'month', interval_count },
      // The change has happened by then.
      metadata: changeNote(null),
      proration_behavior: 'none' as const,
    },
  ]
  await stripe.subscriptionSchedules.update(
    schedule.id,
    { end_behavior: 'release', proration_behavior: 'none', phases },
    { idempotencyKey: `${key}:phases` },
  )
  // Written last; until then a fetched schedule contains the change.
  return stripe.subscriptions.update(
    id,
    {
      metadata: {
        ...changeNote({
          price_id: priceId,
          quantity,
          at: toIso(end_date),
          ...(chosen ? { unit_amount: chosen.amount } : {}),
        }),
        ...note,
      },
    },
    { idempotencyKey: `${key}:note` },
  )
}

/**
 * Ends a schedule and leaves its subscription as it is now; a cancellation set by the schedule is removed
 * with it.
 */
export async function release(
  stripe: Stripe,
  { id, schedule }: Stripe.Subscription,
  key: string,
): Promise<Stripe.Subscription> {
  await stripe.subscriptionSchedules.release(idOf(schedule!), {}, { idempotencyKey: `${key}:release` })
  return stripe.subscriptions.update(
    id,
    { metadata: changeNote(null) },
    { idempotencyKey: `${key}:released` },
  )
}

/**
 * Cancels a scheduled subscription at the end of the period. Stripe refuses to do so directly ("updating any
 * cancelation behavior directly is not allowed. Please update the schedule instead"). Later phases of the
 * schedule are dropped.
 */
export async function endWithPeriod(
  stripe: Stripe,
  current: Stripe.Subscription,
  key: string,
): Promise<Stripe.Subscription> {
  const schedule = await stripe.subscriptionSchedules.retrieve(idOf(current.schedule!))
  const end_date = singleItem(current).current_period_end
  await stripe.subscriptionSchedules.update(
    schedule.id,
    {
      end_behavior: 'cancel',
      proration_behavior: 'none',
      phases: [{ ...currentPhase(schedule), end_date }],
    },
    { idempotencyKey: `${key}:end` },
  )
  return stripe.subscriptions.update(
    current.id,
    { metadata: changeNote(null) },
    { idempotencyKey: `${key}:note` },
  )
}

/**
 * Cancels a scheduled subscription now, with its schedule; nothing is billed or credited.
 * https://docs.stripe.com/api/subscription_schedules/cancel
 */
export async function endAtOnce(
  stripe: Stripe,
  { id, schedule }: Stripe.Subscription,
  key: string,
): Promise<Stripe.Subscription> {
  await stripe.subscriptionSchedules.cancel(
    idOf(schedule!),
    { invoice_now: false, prorate: false },
    { idempotencyKey: key },
  )
  return stripe.subscriptions.retrieve(id)
}

function idOf(named: string | { id: string }): string {
  return typeof named === 'string' ? named : named.id
}

type Phase = Stripe.SubscriptionScheduleUpdateParams.Phase

// An update replaces all phases, so every field of a phase must be repeated.
function currentPhase(schedule: Stripe.SubscriptionSchedule): Phase {
  const begun = schedule.current_phase?.start_date
  const phase = schedule.phases.find(({ start_date }) => start_date === begun) ?? schedule.phases[0]!
  return toParams(phase)
}

function toParams(phase: Stripe.SubscriptionSchedule.Phase): Phase {
  return {
    start_date: phase.start_date,
    items: phase.items.map(({ price, quantity, tax_rates, discounts }) => ({
      price: idOf(price),
      ...(quantity === undefined ? {} : { quantity }),
      ...(tax_rates && tax_rates.length > 0 ? { tax_rates: tax_rates.map(idOf) } : {}),
      ...discountsOf(discounts),
    })),
    ...discountsOf(phase.discounts),
    ...(phase.default_tax_rates && phase.default_tax_rates.length > 0
      ? { default_tax_rates: phase.default_tax_rates.map(idOf) }
      : {}),
    ...(phase.automatic_tax ? { automatic_tax: { enabled: phase.automatic_tax.enabled } } : {}),
    ...(phase.collection_method ? { collection_method: phase.collection_method } : {}),
    ...(phase.default_payment_method ? { default_payment_method: idOf(phase.default_payment_method) } : {}),
    ...(phase.description ? { description: phase.description } : {}),
    ...(phase.metadata && Object.keys(phase.metadata).length > 0 ? { metadata: phase.metadata } : {}),
    ...(phase.trial_end ? { trial_end: phase.trial_end } : {}),
  }
}

type Discounts =
  | readonly {
      coupon?: string | { id: string } | null
      discount?: string | { id: string } | null
      promotion_code?: string | { id: string } | null
    }[]
  | null
  | undefined

function discountsOf(discounts: Discounts) {
  return !discounts || discounts.length === 0
    ? {}
    : {
        discounts: discounts.map(({ coupon, discount, promotion_code }) =>
          discount
            ? { discount: idOf(discount) }
            : promotion_code
              ? { promotion_code: idOf(promotion_code) }
              : { coupon: idOf(coupon ?? '') },
        ),
      }
}
