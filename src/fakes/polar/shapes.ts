import {
  type Checkout,
  type Coupon,
  type Customer,
  type Item,
  iso,
  isoOrNull,
  type Json,
  type Price,
  type Schedule,
  type Subscription,
} from '../engine/index.ts'
import type { Account } from './account.ts'

/** When an object was made, and when it or what it shows last changed: null until then. */
export const times = ({ madeAt, changedAt }: Account, id: string, ...others: (string | null)[]): Json => {
  const [created_at, last] = [madeAt(id), changedAt(id, ...others)]
  return { created_at, modified_at: last > created_at ? last : null }
}

/** What is sold is the product: https://polar.sh/docs/api-reference/products/get */
export const toProduct = (account: Account, one: Price): Json => ({
  id: one.id,
  ...times(account, one.id),
  name: account.world.store.find('product', one.product)?.name ?? one.id,
  description: null,
  visibility: 'public',
  recurring_interval: one.rhythm?.interval ?? null,
  recurring_interval_count: one.rhythm?.interval_count ?? null,
  meter_interval: null,
  meter_interval_count: null,
  is_recurring: one.rhythm !== null,
  is_archived: !one.active,
  trial_interval: one.trial_days === null ? null : 'day',
  trial_interval_count: one.trial_days,
  organization_id: 'org_1',
  metadata: {},
  benefits: [],
  medias: [],
  attached_custom_fields: [],
  prices: [
    {
      id: `price_of_${one.id}`,
      ...times(account, one.id),
      source: 'catalog',
      amount_type: 'fixed',
      price_currency: one.currency,
      price_amount: one.amount,
      tax_behavior: null,
      is_archived: false,
      product_id: one.id,
    },
  ],
})

/** https://polar.sh/docs/api-reference/customers/get */
export const toCustomer = (account: Account, one: Customer): Json => ({
  id: one.id,
  ...times(account, one.id),
  metadata: {},
  external_id: null,
  email: one.email,
  email_verified: false,
  type: 'individual',
  name: one.name,
  billing_name: null,
  billing_address: null,
  tax_id: null,
  avatar_url: null,
  organization_id: 'org_1',
  deleted_at: one.deleted ? account.changedAt(one.id) : null,
})

/** https://polar.sh/docs/api-reference/discounts/get */
export const toDiscount = (account: Account, one: Coupon): Json => ({
  id: one.id,
  ...times(account, one.id),
  name: one.id,
  type: one.percent_off === null ? 'fixed' : 'percentage',
  code: account.world.store.list('code').find(({ coupon }) => coupon === one.id)?.code ?? null,
})

/** https://polar.sh/docs/api-reference/checkouts/get-session */
export const toCheckout = (account: Account, one: Checkout): Json => {
  const [line] = one.lines
  const price = account.world.store.get('price', line!.price)
  const customer = account.world.store.find('customer', one.customer)
  const product = toProduct(account, price)
  const [productPrice] = product.prices as readonly Json[]
  const isOpen = one.status === 'open'
  const isTrial = one.trial !== null
  return {
    id: one.id,
    ...times(account, one.id),
    payment_processor: 'stripe',
    status: pageStatus(one),
    client_secret: `polar_c_${one.id}`,
    url: `${account.url}/checkout/polar_c_${one.id}`,
    expires_at: iso(one.expires_at),
    success_url: one.success_url ?? `${account.url}/checkout/polar_c_${one.id}/confirmation`,
    return_url: one.cancel_url,
    embed_origin: null,
    amount: one.subtotal,
    seats: line!.quantity,
    min_seats: null,
    max_seats: null,
    discount_amount: one.discount,
    net_amount: one.subtotal - one.discount,
    tax_amount: one.tax,
    tax_behavior: null,
    total_amount: one.total,
    currency: one.currency,
    allow_trial: null,
    active_trial_interval: isTrial ? product.trial_interval : null,
    active_trial_interval_count: isTrial ? product.trial_interval_count : null,
    trial_end: null,
    trial_interval: null,
    trial_interval_count: null,
    organization_id: 'org_1',
    product_id: price.id,
    product_price_id: productPrice?.id ?? null,
    discount_id: one.coupon,
    discount: discountOn(account, one),
    allow_discount_codes: one.allows_codes,
    require_billing_address: false,
    is_discount_applicable: true,
    is_free_product_price: price.amount === 0,
    is_payment_required: one.total > 0,
    is_payment_setup_required: one.needs_method,
    is_payment_form_required: isOpen && (one.total > 0 || one.needs_method),
    customer_id: one.customer,
    external_customer_id: null,
    is_business_customer: false,
    customer_name: one.buyer?.name ?? customer?.name ?? null,
    customer_email: one.buyer?.email ?? customer?.email ?? one.email,
    customer_ip_address: null,
    customer_billing_name: null,
    customer_billing_address: null,
    customer_tax_id: null,
    customer_metadata: {},
    payment_processor_metadata: {},
    billing_address_fields: {
      country: 'required',
      state: 'disabled',
      city: 'disabled',
      postal_code: 'disabled',
      line1: 'disabled',
      line2: 'disabled',
    },
    products: [product],
    product,
    product_price: productPrice ?? null,
    prices: { [price.id]: product.prices },
    attached_custom_fields: [],
    subscription_id: null,
    metadata: one.metadata,
  }
}

/** The discount as a checkout shows it: https://polar.sh/docs/api-reference/checkouts/get-session */
function discountOn(account: Account, { coupon: id }: Checkout): Json | null {
  const coupon = account.world.store.find('coupon', id)
  if (coupon === undefined) return null
  const { id: _, ...shown } = toDiscount(account, coupon)
  return {
    id: coupon.id,
    name: shown.name,
    code: shown.code,
    type: shown.type,
    duration: coupon.duration,
    ...(coupon.duration === 'repeating' ? { duration_in_months: coupon.months } : {}),
    ...(coupon.percent_off === null
      ? {
          amount: coupon.amount_off,
          currency: coupon.currency,
          amounts: { [coupon.currency ?? '']: coupon.amount_off },
        }
      : { basis_points: coupon.percent_off * 100 }),
  }
}

/** https://polar.sh/docs/api-reference/customer-portal/sessions/create */
export const toCustomerSession = (account: Account, customer: Customer, returnUrl: string | null): Json => {
  const token = `polar_cst_${customer.id}`
  return {
    ...times(account, customer.id),
    id: `cse_${customer.id}`,
    token,
    expires_at: iso(account.world.clock.seconds() + 3600),
    return_url: returnUrl,
    customer_portal_url: `${account.url}/portal/${customer.id}`,
    customer_id: customer.id,
    customer: toCustomer(account, customer),
  }
}

const pageStatus = ({ status, paid }: Checkout): string =>
  status === 'expired'
    ? 'expired'
    : status === 'open'
      ? 'open'
      : paid === 'unpaid'
        ? 'confirmed'
        : 'succeeded'

/** https://polar.sh/docs/api-reference/subscriptions/get */
export const toSubscription = (account: Account, one: Subscription): Json => {
  const { store } = account.world
  const item = one.items[0]!
  const { rhythm } = item.price
  const schedule = store.find('schedule', one.schedule)
  const isOver = one.status === 'canceled'
  const page = account.checkoutOf(one.id)
  return {
    id: one.id,
    ...times(account, one.id, page?.id ?? null, one.schedule),
    amount: item.price.amount * item.quantity,
    currency: one.currency,
    recurring_interval: rhythm?.interval ?? 'month',
    recurring_interval_count: rhythm?.interval_count ?? 1,
    status: one.status,
    current_period_start: iso(item.start),
    current_period_end: iso(item.end),
    trial_start: isoOrNull(one.trial_start),
    trial_end: isoOrNull(one.trial_end),
    cancel_at_period_end: one.cancel_at !== null,
    canceled_at: isoOrNull(one.canceled_at),
    started_at: iso(one.created),
    ends_at: isoOrNull(isOver ? one.ended_at : one.cancel_at),
    ended_at: isoOrNull(one.ended_at),
    past_due_at: null,
    current_meter_period_start: null,
    current_meter_period_end: null,
    customer_cancellation_reason: null,
    customer_cancellation_comment: null,
    meters: [],
    pause_at_period_end: one.pause_at !== null,
    paused_at: isoOrNull(one.paused_at),
    resumes_at: isoOrNull(one.resumes_at),
    customer_id: one.customer,
    product_id: item.price.id,
    discount_id: null,
    discount: null,
    checkout_id: page?.id ?? null,
    seats: item.quantity,
    metadata: one.metadata,
    customer: toCustomer(account, store.get('customer', one.customer)),
    product: toProduct(account, item.price),
    prices: toProduct(account, item.price).prices,
    pending_update: isOver || schedule === undefined ? null : pendingUpdate(account, schedule, item),
  }
}

const pendingUpdate = (account: Account, one: Schedule, now: Item): Json | null => {
  const next = one.phases.find(({ start }) => start === one.current?.end)
  if (next === undefined) return null
  const [item] = next.items
  return {
    id: one.id,
    ...times(account, one.id),
    applies_at: iso(next.start),
    product_id: item?.price === now.price.id ? null : item?.price,
    seats: item?.quantity === now.quantity ? null : item?.quantity,
  }
}
