import type { Coupon, Customer, Json, Phase, Price, Subscription } from '../engine/index.ts'
import type { Account } from './account.ts'

/** Builds the revision fields of every object. */
export function revision(account: Account, ...ids: (string | null | undefined)[]): Json {
  const version = account.changedAt(...ids)
  return { updated_at: Math.floor(version / 1000), resource_version: version, deleted: false }
}

/** The price at another amount, for one checkout or subscription alone. */
export function priceAt({ world }: Account, price: Price, amount: number | null): Price {
  if (amount === null) return price
  const id = `${price.id}@${amount}`
  const own = { ...price, id, amount, active: false, metadata: { ...price.metadata, item_price: price.id } }
  return world.store.find('price', id) ?? world.store.put(own)
}
/** The id of the item price, whatever the amount. */
export function itemPriceOf({ id, metadata }: Price): string {
  return metadata.item_price ?? id
}

/** https://apidocs.chargebee.com/docs/api/item_prices */
export function toItemPrice(account: Account, price: Price): Json {
  return {
    id: price.id,
    name: price.nickname ?? price.id,
    item_id: price.product,
    item_family_id: 'all',
    status: price.active ? 'active' : 'archived',
    pricing_model: 'per_unit',
    price: price.amount,
    currency_code: price.currency.toUpperCase(),
    free_quantity: 0,
    ...(price.rhythm === null
      ? { item_type: 'charge' }
      : { item_type: 'plan', period: price.rhythm.interval_count, period_unit: price.rhythm.interval }),
    ...(price.trial_days === null ? {} : { trial_period: price.trial_days, trial_period_unit: 'day' }),
    created_at: price.created,
    ...revision(account, price.id),
    object: 'item_price',
  }
}

/** https://apidocs.chargebee.com/docs/api/coupons */
export function toCoupon(account: Account, coupon: Coupon): Json {
  return {
    id: coupon.id,
    name: coupon.id,
    status: 'active',
    discount_type: coupon.percent_off === null ? 'fixed_amount' : 'percentage',
    ...(coupon.percent_off === null
      ? { discount_amount: coupon.amount_off }
      : { discount_percentage: coupon.percent_off }),
    apply_on: 'invoice_amount',
    apply_discount_on: 'not_applicable',
    created_at: Math.floor(account.changedAt(coupon.id) / 1000),
    duration_type: coupon.duration === 'once' ? 'one_time' : 'forever',
    ...revision(account, coupon.id),
    object: 'coupon',
  }
}

/** https://apidocs.chargebee.com/docs/api/customers */
export function toCustomer(account: Account, customer: Customer): Json {
  const words = (customer.name ?? '').split(' ')
  const last = words.length > 1 ? words.pop() : undefined
  return {
    id: customer.id,
    ...(customer.name ? { first_name: words.join(' '), last_name: last } : {}),
    email: customer.email ?? undefined,
    auto_collection: 'on',
    net_term_days: 0,
    allow_direct_debit: false,
    promotional_credits: 0,
    refundable_credits: 0,
    excess_payments: 0,
    unbilled_charges: 0,
    created_at: customer.created,
    ...revision(account, customer.id),
    deleted: customer.deleted,
    ...(Object.keys(customer.metadata).length === 0 ? {} : { meta_data: customer.metadata }),
    object: 'customer',
  }
}

/** Returns the scheduled change: the phase after the current one. */
export function plannedPhase({ world }: Account, subscription: Subscription): Phase | null {
  const schedule = world.store.find('schedule', subscription.schedule)
  const { current, phases = [] } = schedule ?? {}
  return (current && phases.find(({ start }) => start >= current.end)) ?? null
}

/** Lists a subscription's invoices with a failed payment. */
function duesOf({ world }: Account, { id }: Subscription) {
  return world.store
    .having('invoice', 'subscription', id)
    .filter(({ status, was_tried }) => status === 'open' && was_tried)
}

const statuses: Partial<Record<Subscription['status'], string>> = {
  trialing: 'in_trial',
  canceled: 'cancelled',
  expired: 'cancelled',
  incomplete: 'future',
  paused: 'paused',
}

/**
 * https://apidocs.chargebee.com/docs/api/subscriptions; given other items, the subscription as it will be.
 */
export function toSubscription(
  account: Account,
  knownSubscription: Subscription,
  items: readonly { readonly price: Price; readonly quantity: number }[] = knownSubscription.items,
): Json {
  const [first] = knownSubscription.items
  const word = statuses[knownSubscription.status]
  const isOver = word === 'cancelled'
  const status = word ?? (knownSubscription.cancel_at === null ? 'active' : 'non_renewing')
  const dues = duesOf(account, knownSubscription)
  const bills = account.world.store.having('invoice', 'subscription', knownSubscription.id)
  const rhythm = items[0]?.price.rhythm
  const planned = plannedPhase(account, knownSubscription)
  const term =
    status === 'in_trial'
      ? {}
      : {
          current_term_start: first?.start,
          current_term_end: first?.end,
          activated_at: knownSubscription.created,
        }
  return {
    id: knownSubscription.id,
    customer_id: knownSubscription.customer,
    currency_code: knownSubscription.currency.toUpperCase(),
    status,
    billing_period: rhythm?.interval_count ?? 1,
    billing_period_unit: rhythm?.interval ?? 'month',
    auto_collection: 'on',
    ...(knownSubscription.trial_end === null
      ? {}
      : { trial_start: knownSubscription.trial_start, trial_end: knownSubscription.trial_end }),
    ...term,
    ...(isOver || knownSubscription.cancel_at !== null || status === 'paused'
      ? {}
      : { next_billing_at: first?.end }),
    created_at: knownSubscription.created,
    started_at: knownSubscription.created,
    ...endOf(knownSubscription, isOver),
    ...pauseOf(knownSubscription),
    has_scheduled_changes: planned !== null && !isOver,
    has_scheduled_advance_invoices: false,
    decommissioned: false,
    ...(planned === null ? {} : { changes_scheduled_at: planned.start }),
    subscription_items: items.map(({ price, quantity }) => ({
      item_price_id: itemPriceOf(price),
      item_type: 'plan',
      quantity,
      unit_price: price.amount,
      amount: price.amount * quantity,
      free_quantity: 0,
      object: 'subscription_item',
    })),
    due_invoices_count: dues.length,
    ...(dues.length === 0 ? {} : { due_since: dues[0]!.created }),
    ...(Object.keys(knownSubscription.metadata).length === 0
      ? {}
      : { meta_data: knownSubscription.metadata }),
    ...revision(account, knownSubscription.id, knownSubscription.schedule, ...bills.map(({ id }) => id)),
    object: 'subscription',
  }
}

function endOf(subscription: Subscription, isOver: boolean): Json {
  if (isOver)
    return {
      cancelled_at: subscription.ended_at,
      ...(subscription.cancellation.reason === 'unpaid' ? { cancel_reason: 'not_paid' } : {}),
    }
  return subscription.cancel_at === null
    ? {}
    : { cancelled_at: subscription.cancel_at, cancel_schedule_created_at: subscription.canceled_at }
}

function pauseOf(subscription: Subscription): Json {
  const at = subscription.status === 'paused' ? subscription.paused_at : subscription.pause_at
  if (at === null || subscription.status === 'canceled') return {}
  return {
    pause_date: at,
    ...(subscription.resumes_at === null ? {} : { resume_date: subscription.resumes_at }),
  }
}
