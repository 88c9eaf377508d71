import type { Item, Schedule, Subscription } from '../engine/index.ts'
import { blank, headOf, listOf } from './blank.ts'
import { toPrice } from './shapes-catalogue.ts'

const reasons = { asked: 'cancellation_requested', unpaid: 'payment_failed' }
const behaviors = { draft: 'keep_as_draft', uncollectible: 'mark_uncollectible', void: 'void' } as const

/** https://docs.stripe.com/api/subscriptions/object */
export function toSubscription(subscription: Subscription) {
  const { id, cancellation, collection, pending, paused_at: transitioned_at } = subscription
  const items = subscription.items.map((item) => toItem(item, id))
  return {
    ...headOf('subscription', subscription),
    ...blank('application', 'billing_thresholds', 'days_until_due', 'description', 'pending_setup_intent'),
    ...blank('application_fee_percent', 'billing_cycle_anchor_config', 'customer_account', 'default_source'),
    ...blank('managed_payments', 'next_pending_invoice_item_invoice', 'on_behalf_of', 'payment_settings'),
    ...blank('pending_invoice_item_interval', 'test_clock', 'transfer_data'),
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: subscription.anchor,
    // "Mixed interval subscriptions must use flexible billing mode":
    // https://docs.stripe.com/billing/subscriptions/mixed-interval
    billing_mode: isMixed(subscription)
      ? { flexible: { proration_discounts: 'included' as const }, type: 'flexible' as const }
      : { flexible: null, type: 'classic' as const },
    billing_schedules: [],
    cancel_at: subscription.cancel_at,
    cancel_at_period_end: subscription.cancel_at_period_end,
    canceled_at: subscription.canceled_at,
    cancellation_details: {
      ...cancellation,
      feedback_option: null,
      reason: cancellation.reason && reasons[cancellation.reason],
    },
    collection_method: 'charge_automatically',
    currency: subscription.currency,
    customer: subscription.customer,
    default_payment_method: subscription.method,
    default_tax_rates: [],
    discounts: subscription.discounts,
    ended_at: subscription.ended_at,
    invoice_settings: {
      ...blank('account_tax_ids', 'custom_fields', 'description', 'footer'),
      issuer: { type: 'self' },
    },
    items: listOf(items, `/v1/subscription_items?subscription=${id}`),
    latest_invoice: subscription.invoice,
    metadata: subscription.metadata,
    pause_collection: collection && {
      behavior: behaviors[collection.pause],
      resumes_at: collection.resumes_at,
    },
    pending_update: pending && {
      ...blank('cancel_at_period_end', 'discount', 'discounts', 'metadata'),
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
        billing_cycle_anchor: null,
        missing_payment_method:
          subscription.without_method === 'bill' ? 'create_invoice' : subscription.without_method,
      },
    },
    trial_start: subscription.trial_start,
  }
}

function isMixed({ items }: Subscription): boolean {
  return new Set(items.map(({ price }) => JSON.stringify(price.rhythm))).size > 1
}

/** https://docs.stripe.com/api/subscription_items/object */
function toItem({ id, created, start, end, price, quantity }: Item, subscription: string) {
  return {
    id,
    object: 'subscription_item' as const,
    ...blank('billing_thresholds', 'current_trial'),
    created,
    current_period_end: end,
    current_period_start: start,
    discounts: [],
    metadata: {},
    price: toPrice(price),
    quantity,
    subscription,
    tax_rates: [],
  }
}

/** https://docs.stripe.com/api/subscription_schedules/object */
export function toSchedule(schedule: Schedule) {
  const endedAs = (status: Schedule['status']) => (schedule.status === status ? schedule.ended_at : null)
  return {
    ...headOf('subscription_schedule', schedule),
    ...blank('application', 'customer_account', 'test_clock'),
    billing_mode: { flexible: null, type: 'classic' },
    default_settings: {
      ...blank('application_fee_percent', 'billing_thresholds', 'collection_method'),
      ...blank('default_payment_method', 'description', 'on_behalf_of', 'transfer_data'),
      billing_cycle_anchor: 'automatic',
      invoice_settings: {
        ...blank('account_tax_ids', 'custom_fields', 'days_until_due', 'description', 'footer'),
        issuer: { type: 'self' },
      },
    },
    pause_schedules: [],
    canceled_at: endedAs('canceled'),
    completed_at: endedAs('completed'),
    current_phase: schedule.current && { start_date: schedule.current.start, end_date: schedule.current.end },
    customer: schedule.customer,
    end_behavior: schedule.ends,
    metadata: {},
    phases: schedule.phases.map(({ start, end, ...phase }) => ({
      ...blank('application_fee_percent', 'billing_cycle_anchor', 'billing_thresholds', 'collection_method'),
      ...blank('default_payment_method', 'description', 'invoice_settings', 'on_behalf_of', 'transfer_data'),
      add_invoice_items: [],
      discounts: [],
      proration_behavior: 'none',
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
