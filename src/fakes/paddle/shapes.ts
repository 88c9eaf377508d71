import {
  addPrice,
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
import { invalid } from './errors.ts'
import { type NewPaddlePrice, toNewPrice } from './prices.ts'

/** Builds the creation and change times of an object. */
export function times({ madeAt, changedAt }: Account, id: string): Json {
  return {
    created_at: madeAt(id),
    updated_at: changedAt(id),
  }
}

/** https://developer.paddle.com/api-reference/products */
export function toProduct(account: Account, product: Product): Json {
  return {
    id: product.id,
    name: product.name,
    type: 'standard',
    description: product.description,
    tax_category: 'standard',
    image_url: null,
    custom_data: null,
    import_meta: null,
    status: product.active ? 'active' : 'archived',
    ...times(account, product.id),
  }
}

/** True for a price that was sent with a transaction or a subscription. */
export function isCustom({ metadata }: Price): boolean {
  return metadata.custom !== undefined
}

/**
 * Finds an item's price, or makes the one that the item brings along for a product of the catalogue.
 * https://developer.paddle.com/build/transactions/bill-create-custom-items-prices-products
 */
export function priceOfItem({ world }: Account, { price_id, price }: Json): Price | undefined {
  if (price === undefined) return world.store.find('price', String(price_id))
  const given = price as NewPaddlePrice
  if (typeof given.description !== 'string') throw invalid('items[0].price.description', 'is required')
  if (world.store.find('product', given.product_id ?? null) === undefined)
    throw invalid('items[0].price.product_id', 'must be a product')
  return addPrice(world, {
    ...toNewPrice(given),
    metadata: { custom: JSON.stringify(given.custom_data ?? null) },
  })
}

/** https://developer.paddle.com/api-reference/prices */
export function toPrice(account: Account, price: Price): Json {
  return {
    id: price.id,
    product_id: price.product,
    description: price.nickname ?? price.id,
    name: price.nickname,
    type: isCustom(price) ? 'custom' : 'standard',
    billing_cycle:
      price.rhythm === null
        ? null
        : { interval: price.rhythm.interval, frequency: price.rhythm.interval_count },
    trial_period: price.trial_days === null ? null : trialPeriod(price),
    tax_mode: 'account_setting',
    unit_price: { amount: String(price.amount), currency_code: price.currency.toUpperCase() },
    unit_price_overrides: [],
    quantity: { minimum: 1, maximum: 100 },
    custom_data: isCustom(price) ? JSON.parse(price.metadata.custom ?? 'null') : null,
    import_meta: null,
    status: price.active ? 'active' : 'archived',
    ...times(account, price.id),
  }
}

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
export function toCustomer(account: Account, customer: Customer): Json {
  return {
    id: customer.id,
    name: customer.name,
    email: customer.email,
    marketing_consent: false,
    status: 'active',
    custom_data: null,
    locale: 'en',
    import_meta: null,
    ...times(account, customer.id),
  }
}

/** https://developer.paddle.com/api-reference/discounts */
export function toDiscount(account: Account, knownCoupon: Coupon): Json {
  const code = account.world.store.list('code').find(({ coupon }) => coupon === knownCoupon.id)
  return {
    id: knownCoupon.id,
    status: 'active',
    description: knownCoupon.id,
    enabled_for_checkout: code !== undefined,
    code: code?.code ?? null,
    type: knownCoupon.percent_off === null ? 'flat' : 'percentage',
    amount: String(knownCoupon.percent_off ?? knownCoupon.amount_off),
    currency_code: knownCoupon.currency?.toUpperCase() ?? null,
    recur: knownCoupon.duration !== 'once',
    maximum_recurring_intervals: knownCoupon.months,
    usage_limit: null,
    restrict_to: null,
    expires_at: null,
    times_used: 0,
    custom_data: null,
    import_meta: null,
    ...times(account, knownCoupon.id),
  }
}

const statuses: Partial<Record<Subscription['status'], string>> = { unpaid: 'past_due', expired: 'canceled' }

/** https://developer.paddle.com/api-reference/subscriptions */
export function toSubscription(account: Account, subscription: Subscription): Json {
  const status = statuses[subscription.status] ?? subscription.status
  const [first] = subscription.items
  const isOver = status === 'canceled'
  const bills = isOver || status === 'paused' || subscription.cancel_at !== null ? null : (first?.end ?? null)
  const rhythm = first?.price.rhythm
  return {
    id: subscription.id,
    status,
    customer_id: subscription.customer,
    address_id: `add_${subscription.customer.slice(4)}`,
    business_id: null,
    currency_code: subscription.currency.toUpperCase(),
    ...times(account, subscription.id),
    started_at: iso(subscription.created),
    first_billed_at:
      subscription.trial_end === null
        ? iso(subscription.created)
        : isoOrNull(status === 'trialing' ? null : subscription.trial_end),
    next_billed_at: isoOrNull(bills),
    paused_at: isoOrNull(status === 'paused' ? subscription.paused_at : null),
    canceled_at: isOver ? isoOrNull(subscription.ended_at) : null,
    discount: null,
    collection_mode: 'automatic',
    billing_details: null,
    current_billing_period:
      isOver || first === undefined ? null : { starts_at: iso(first.start), ends_at: iso(first.end) },
    billing_cycle: { interval: rhythm?.interval ?? 'month', frequency: rhythm?.interval_count ?? 1 },
    scheduled_change: isOver ? null : plannedFor(subscription),
    items: subscription.items.map((item) => ({
      status: status === 'trialing' ? 'trialing' : status === 'active' ? 'active' : 'inactive',
      quantity: item.quantity,
      recurring: true,
      created_at: iso(item.created),
      updated_at: iso(item.created),
      previously_billed_at: status === 'trialing' ? null : iso(item.start),
      next_billed_at: isoOrNull(bills),
      trial_dates:
        subscription.trial_end === null
          ? null
          : {
              starts_at: iso(subscription.trial_start ?? subscription.created),
              ends_at: iso(subscription.trial_end),
            },
      price: toPrice(account, item.price),
      product: toProduct(account, account.world.store.get('product', item.price.product)),
    })),
    custom_data: subscription.metadata,
    import_meta: null,
  }
}

function plannedFor(subscription: Subscription): Json | null {
  if (subscription.cancel_at !== null)
    return { action: 'cancel', effective_at: iso(subscription.cancel_at), resume_at: null }
  if (subscription.status === 'paused')
    return subscription.resumes_at === null
      ? null
      : { action: 'resume', effective_at: iso(subscription.resumes_at), resume_at: null }
  if (subscription.pause_at === null) return null
  return {
    action: 'pause',
    effective_at: iso(subscription.pause_at),
    resume_at: isoOrNull(subscription.resumes_at),
  }
}
