import type { Item, Schedule, Subscription } from '../engine/index.ts'
import { blank, headOf, listOf } from './blank.ts'
import { toPrice } from './shapes-catalogue.ts'

const reasons = { asked: 'cancellation_requested', unpaid: 'payment_failed' }
const behaviors = { draft: 'keep_as_draft', uncollectible: 'mark_uncollectible', void: 'void' } as const

/** https://docs.stripe.com/api/subscriptions/object */
export const toSubscription = (subscription: Subscription) => {
  const { id, cancellation, collection, pending, paused_at: transitioned_at } = subscription
  const items = subscription.items.map((item) => toItem(item, id))
  return {
    ...headOf('subscription', subscription),
    ...blank('application', 'billing_thresholds', 'days_until_due', 'description', 'pending_setup_intent'),
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: subscription.anchor,
    billing_mode: { flexible: null, type: 'classic' },
    cancel_at: subscription.cancel_at,
    cancel_at_period_end: subscription.cancel_at_period_end,
    canceled_at: subscription.canceled_at,
    cancellation_details: { ...cancellation, reason: cancellation.reason && reasons[cancellation.reason] },
    collection_method: 'charge_automatically',
    currency: subscription.currency,
    customer: subscription.customer,
    default_payment_method: subscription.method,
    default_tax_rates: [],
    discounts: subscription.discounts,
    ended_at: subscription.ended_at,
    items: listOf(items, `/v1/subscription_items?subscription=${id}`),
    latest_invoice: subscription.invoice,
    metadata: subscription.metadata,
    pause_collection: collection && {
      behavior: behaviors[collection.pause],
      resumes_at: collection.resumes_at,
    },
    pending_update: pending && {
      billing_cycle_anchor: pending.change.anchor === subscription.anchor ? null : pending.change.anchor,
      expires_at: pending.expires_at,
      subscription_items: pending.change.items.map((item) => toItem(item, id)),
      trial_end: pending.change.trial_end === subscription.trial_end ? null : pending.change.trial_end,
      trial_from_plan: null,
    },
    schedule: subscription.schedule,
    start_date: subscription.created,
    status: subscription.status === 'expired' ? ('incomplete_expired' as const) : subscription.status,
    ...(transitioned_at === null
      ? {}
      : { status_details: { paused: { subscription: null, transitioned_at, type: 'subscription' } } }),
    trial_end: subscription.trial_end,
    trial_settings: {
      end_behavior: {
        missing_payment_method:
          subscription.without_method === 'bill' ? 'create_invoice' : subscription.without_method,
      },
    },
    trial_start: subscription.trial_start,
  }
}

/** https://docs.stripe.com/api/subscription_items/object */
const toItem = ({ id, created, start, end, price, quantity }: Item, subscription: string) => ({
  id,
  object: 'subscription_item' as const,
  created,
  current_period_end: end,
  current_period_start: start,
  discounts: [],
  metadata: {},
  price: toPrice(price),
  quantity,
  subscription,
  tax_rates: [],
})

/** https://docs.stripe.com/api/subscription_schedules/object */
export const toSchedule = (schedule: Schedule) => {
  const endedAs = (status: Schedule['status']) => (schedule.status === status ? schedule.ended_at : null)
  return {
    ...headOf('subscription_schedule', schedule),
    canceled_at: endedAs('canceled'),
    completed_at: endedAs('completed'),
    current_phase: schedule.current && { start_date: schedule.current.start, end_date: schedule.current.end },
    customer: schedule.customer,
    end_behavior: schedule.ends,
    metadata: {},
    phases: schedule.phases.map(({ start, end, ...phase }) => ({
      start_date: start,
      end_date: end,
      ...phase,
    })),
    released_at: endedAs('released'),
    released_subscription: schedule.released,
    status: schedule.status,
    subscription: schedule.subscription,
  }
}
