import type { Item, Schedule, Subscription } from '../engine/index.ts'
import { blank, headOf, listOf } from './blank.ts'
import { toPrice } from './shapes-catalogue.ts'

const reasons = { asked: 'cancellation_requested', unpaid: 'payment_failed' }
const behaviors = { draft: 'keep_as_draft', uncollectible: 'mark_uncollectible', void: 'void' } as const

/** https://docs.stripe.com/api/subscriptions/object */
export const toSubscription = (one: Subscription) => {
  const { id, cancellation, collection, pending, paused_at: transitioned_at } = one
  const items = one.items.map((item) => toItem(item, id))
  return {
    ...headOf('subscription', one),
    ...blank('application', 'billing_thresholds', 'days_until_due', 'description', 'pending_setup_intent'),
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: one.anchor,
    billing_mode: { flexible: null, type: 'classic' },
    cancel_at: one.cancel_at,
    cancel_at_period_end: one.cancel_at_period_end,
    canceled_at: one.canceled_at,
    cancellation_details: { ...cancellation, reason: cancellation.reason && reasons[cancellation.reason] },
    collection_method: 'charge_automatically',
    currency: one.currency,
    customer: one.customer,
    default_payment_method: one.method,
    default_tax_rates: [],
    discounts: one.discounts,
    ended_at: one.ended_at,
    items: listOf(items, `/v1/subscription_items?subscription=${id}`),
    latest_invoice: one.invoice,
    metadata: one.metadata,
    pause_collection: collection && {
      behavior: behaviors[collection.pause],
      resumes_at: collection.resumes_at,
    },
    pending_update: pending && {
      billing_cycle_anchor: pending.change.anchor === one.anchor ? null : pending.change.anchor,
      expires_at: pending.expires_at,
      subscription_items: pending.change.items.map((item) => toItem(item, id)),
      trial_end: pending.change.trial_end === one.trial_end ? null : pending.change.trial_end,
      trial_from_plan: null,
    },
    schedule: one.schedule,
    start_date: one.created,
    status: one.status === 'expired' ? ('incomplete_expired' as const) : one.status,
    ...(transitioned_at === null
      ? {}
      : { status_details: { paused: { subscription: null, transitioned_at, type: 'subscription' } } }),
    trial_end: one.trial_end,
    trial_settings: {
      end_behavior: {
        missing_payment_method: one.without_method === 'bill' ? 'create_invoice' : one.without_method,
      },
    },
    trial_start: one.trial_start,
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
export const toSchedule = (one: Schedule) => {
  const endedAs = (status: Schedule['status']) => (one.status === status ? one.ended_at : null)
  return {
    ...headOf('subscription_schedule', one),
    canceled_at: endedAs('canceled'),
    completed_at: endedAs('completed'),
    current_phase: one.current && { start_date: one.current.start, end_date: one.current.end },
    customer: one.customer,
    end_behavior: one.ends,
    metadata: {},
    phases: one.phases.map(({ start, end, ...phase }) => ({ start_date: start, end_date: end, ...phase })),
    released_at: endedAs('released'),
    released_subscription: one.released,
    status: one.status,
    subscription: one.subscription,
  }
}
