import {
  type Coupon,
  type Customer,
  iso,
  isoOrNull,
  type Json,
  type Price,
  type Product,
  type Subscription,
} from '../engine/index.ts'
import type { Account } from './account.ts'

/** When an object was made and when it last changed. */
export const times = ({ madeAt, changedAt }: Account, id: string): Json => ({
  created_at: madeAt(id),
  updated_at: changedAt(id),
})

/** https://developer.paddle.com/api-reference/products */
export const toProduct = (account: Account, one: Product): Json => ({
  id: one.id,
  name: one.name,
  type: 'standard',
  description: one.description,
  tax_category: 'standard',
  image_url: null,
  custom_data: null,
  import_meta: null,
  status: one.active ? 'active' : 'archived',
  ...times(account, one.id),
})

/** https://developer.paddle.com/api-reference/prices */
export const toPrice = (account: Account, one: Price): Json => ({
  id: one.id,
  product_id: one.product,
  description: one.nickname ?? one.id,
  name: one.nickname,
  type: 'standard',
  billing_cycle:
    one.rhythm === null ? null : { interval: one.rhythm.interval, frequency: one.rhythm.interval_count },
  trial_period: one.trial_days === null ? null : trialPeriod(one),
  tax_mode: 'account_setting',
  unit_price: { amount: String(one.amount), currency_code: one.currency.toUpperCase() },
  unit_price_overrides: [],
  quantity: { minimum: 1, maximum: 100 },
  custom_data: null,
  import_meta: null,
  status: one.active ? 'active' : 'archived',
  ...times(account, one.id),
})

/** https://developer.paddle.com/changelog/2026/paid-trials */
function trialPeriod({ trial_days, trial_amount, currency }: Price): Json {
  return {
    interval: 'day',
    frequency: trial_days,
    requires_payment_method: true,
    unit_price:
      trial_amount === null ? null : { amount: String(trial_amount), currency_code: currency.toUpperCase() },
  }
}

/** https://developer.paddle.com/api-reference/customers */
export const toCustomer = (account: Account, one: Customer): Json => ({
  id: one.id,
  name: one.name,
  email: one.email,
  marketing_consent: false,
  status: 'active',
  custom_data: null,
  locale: 'en',
  import_meta: null,
  ...times(account, one.id),
})

/** https://developer.paddle.com/api-reference/discounts */
export const toDiscount = (account: Account, one: Coupon): Json => {
  const code = account.world.store.list('code').find(({ coupon }) => coupon === one.id)
  return {
    id: one.id,
    status: 'active',
    description: one.id,
    enabled_for_checkout: code !== undefined,
    code: code?.code ?? null,
    type: one.percent_off === null ? 'flat' : 'percentage',
    amount: String(one.percent_off ?? one.amount_off),
    currency_code: one.currency?.toUpperCase() ?? null,
    recur: one.duration !== 'once',
    maximum_recurring_intervals: one.months,
    usage_limit: null,
    restrict_to: null,
    expires_at: null,
    times_used: 0,
    custom_data: null,
    import_meta: null,
    ...times(account, one.id),
  }
}

const statuses: Partial<Record<Subscription['status'], string>> = { unpaid: 'past_due', expired: 'canceled' }

/** https://developer.paddle.com/api-reference/subscriptions */
export const toSubscription = (account: Account, one: Subscription): Json => {
  const status = statuses[one.status] ?? one.status
  const [first] = one.items
  const isOver = status === 'canceled'
  const bills = isOver || status === 'paused' || one.cancel_at !== null ? null : (first?.end ?? null)
  const rhythm = first?.price.rhythm
  return {
    id: one.id,
    status,
    customer_id: one.customer,
    address_id: `add_${one.customer.slice(4)}`,
    business_id: null,
    currency_code: one.currency.toUpperCase(),
    ...times(account, one.id),
    started_at: iso(one.created),
    first_billed_at:
      one.trial_end === null ? iso(one.created) : isoOrNull(status === 'trialing' ? null : one.trial_end),
    next_billed_at: isoOrNull(bills),
    paused_at: isoOrNull(status === 'paused' ? one.paused_at : null),
    canceled_at: isOver ? isoOrNull(one.ended_at) : null,
    discount: null,
    collection_mode: 'automatic',
    billing_details: null,
    current_billing_period:
      isOver || first === undefined ? null : { starts_at: iso(first.start), ends_at: iso(first.end) },
    billing_cycle: { interval: rhythm?.interval ?? 'month', frequency: rhythm?.interval_count ?? 1 },
    scheduled_change: isOver ? null : plannedFor(one),
    items: one.items.map((item) => ({
      status: status === 'trialing' ? 'trialing' : status === 'active' ? 'active' : 'inactive',
      quantity: item.quantity,
      recurring: true,
      created_at: iso(item.created),
      updated_at: iso(item.created),
      previously_billed_at: status === 'trialing' ? null : iso(item.start),
      next_billed_at: isoOrNull(bills),
      trial_dates:
        one.trial_end === null
          ? null
          : { starts_at: iso(one.trial_start ?? one.created), ends_at: iso(one.trial_end) },
      price: toPrice(account, item.price),
      product: toProduct(account, account.world.store.get('product', item.price.product)),
    })),
    custom_data: one.metadata,
    import_meta: null,
  }
}

const plannedFor = (one: Subscription): Json | null => {
  if (one.cancel_at !== null) return { action: 'cancel', effective_at: iso(one.cancel_at), resume_at: null }
  if (one.status === 'paused')
    return one.resumes_at === null
      ? null
      : { action: 'resume', effective_at: iso(one.resumes_at), resume_at: null }
  if (one.pause_at === null) return null
  return { action: 'pause', effective_at: iso(one.pause_at), resume_at: isoOrNull(one.resumes_at) }
}
