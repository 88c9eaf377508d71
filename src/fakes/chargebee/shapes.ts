import type { Coupon, Customer, Json, Phase, Price, Subscription } from '../engine/index.ts'
import type { Account } from './account.ts'

/** What every object says of its revision. */
export const revision = (account: Account, ...ids: (string | null | undefined)[]): Json => {
  const version = account.changedAt(...ids)
  return { updated_at: Math.floor(version / 1000), resource_version: version, deleted: false }
}

/** https://apidocs.chargebee.com/docs/api/item_prices */
export const toItemPrice = (account: Account, one: Price): Json => ({
  id: one.id,
  name: one.nickname ?? one.id,
  item_id: one.product,
  item_family_id: 'all',
  status: one.active ? 'active' : 'archived',
  pricing_model: 'per_unit',
  price: one.amount,
  currency_code: one.currency.toUpperCase(),
  free_quantity: 0,
  ...(one.rhythm === null
    ? { item_type: 'charge' }
    : { item_type: 'plan', period: one.rhythm.interval_count, period_unit: one.rhythm.interval }),
  ...(one.trial_days === null ? {} : { trial_period: one.trial_days, trial_period_unit: 'day' }),
  created_at: one.created,
  ...revision(account, one.id),
  object: 'item_price',
})

/** https://apidocs.chargebee.com/docs/api/coupons */
export const toCoupon = (account: Account, one: Coupon): Json => ({
  id: one.id,
  name: one.id,
  status: 'active',
  discount_type: one.percent_off === null ? 'fixed_amount' : 'percentage',
  discount_percentage: one.percent_off,
  discount_amount: one.amount_off,
  duration_type: one.duration === 'once' ? 'one_time' : 'forever',
  ...revision(account, one.id),
  object: 'coupon',
})

/** https://apidocs.chargebee.com/docs/api/customers */
export const toCustomer = (account: Account, one: Customer): Json => {
  const words = (one.name ?? '').split(' ')
  const last = words.length > 1 ? words.pop() : undefined
  return {
    id: one.id,
    ...(one.name ? { first_name: words.join(' '), last_name: last } : {}),
    email: one.email ?? undefined,
    auto_collection: 'on',
    net_term_days: 0,
    created_at: one.created,
    ...revision(account, one.id),
    deleted: one.deleted,
    object: 'customer',
  }
}

/** What is planned for later: what stands after the phase that runs. */
export const plannedPhase = ({ world }: Account, one: Subscription): Phase | null => {
  const schedule = world.store.find('schedule', one.schedule)
  const { current, phases = [] } = schedule ?? {}
  return (current && phases.find(({ start }) => start >= current.end)) ?? null
}

/** The invoices of a subscription that were tried in vain. */
const duesOf = ({ world }: Account, { id }: Subscription) =>
  world.store
    .list('invoice')
    .filter((one) => one.subscription === id && one.status === 'open' && one.was_tried)

const statuses: Partial<Record<Subscription['status'], string>> = {
  trialing: 'in_trial',
  canceled: 'cancelled',
  expired: 'cancelled',
  incomplete: 'future',
  paused: 'paused',
}

/** https://apidocs.chargebee.com/docs/api/subscriptions; with other items as it will be. */
export const toSubscription = (
  account: Account,
  one: Subscription,
  items: readonly { readonly price: Price; readonly quantity: number }[] = one.items,
): Json => {
  const [first] = one.items
  const word = statuses[one.status]
  const isOver = word === 'cancelled'
  const status = word ?? (one.cancel_at === null ? 'active' : 'non_renewing')
  const dues = duesOf(account, one)
  const bills = account.world.store.list('invoice').filter(({ subscription }) => subscription === one.id)
  const rhythm = items[0]?.price.rhythm
  const planned = plannedPhase(account, one)
  const term =
    status === 'in_trial'
      ? {}
      : { current_term_start: first?.start, current_term_end: first?.end, activated_at: one.created }
  return {
    id: one.id,
    customer_id: one.customer,
    currency_code: one.currency.toUpperCase(),
    status,
    billing_period: rhythm?.interval_count ?? 1,
    billing_period_unit: rhythm?.interval ?? 'month',
    auto_collection: 'on',
    ...(one.trial_end === null ? {} : { trial_start: one.trial_start, trial_end: one.trial_end }),
    ...term,
    ...(isOver || one.cancel_at !== null || status === 'paused' ? {} : { next_billing_at: first?.end }),
    created_at: one.created,
    started_at: one.created,
    ...endOf(one, isOver),
    ...pauseOf(one),
    has_scheduled_changes: planned !== null && !isOver,
    ...(planned === null ? {} : { changes_scheduled_at: planned.start }),
    subscription_items: items.map(({ price, quantity }) => ({
      item_price_id: price.id,
      item_type: 'plan',
      quantity,
      unit_price: price.amount,
      amount: price.amount * quantity,
      free_quantity: 0,
      object: 'subscription_item',
    })),
    due_invoices_count: dues.length,
    ...(dues.length === 0 ? {} : { due_since: dues[0]!.created }),
    ...(Object.keys(one.metadata).length === 0 ? {} : { meta_data: one.metadata }),
    ...revision(account, one.id, one.schedule, ...bills.map(({ id }) => id)),
    object: 'subscription',
  }
}

const endOf = (one: Subscription, isOver: boolean): Json => {
  if (isOver)
    return {
      cancelled_at: one.ended_at,
      ...(one.cancellation.reason === 'unpaid' ? { cancel_reason: 'not_paid' } : {}),
    }
  return one.cancel_at === null
    ? {}
    : { cancelled_at: one.cancel_at, cancel_schedule_created_at: one.canceled_at }
}

const pauseOf = (one: Subscription): Json => {
  const at = one.status === 'paused' ? one.paused_at : one.pause_at
  if (at === null || one.status === 'canceled') return {}
  return { pause_date: at, ...(one.resumes_at === null ? {} : { resume_date: one.resumes_at }) }
}
