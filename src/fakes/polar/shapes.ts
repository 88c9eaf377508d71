import {
  type Checkout,
  type Coupon,
  type Customer,
  findPage,
  type Item,
  iso,
  isoOrNull,
  type Json,
  type Price,
  type Schedule,
  type Subscription,
  toUuid,
} from '../engine/index.ts'
import { type Account, organization } from './account.ts'

/** Builds when an object was created, and when it or a shown object last changed; null until then. */
export function times({ madeAt, changedAt }: Account, id: string, ...others: (string | null)[]): Json {
  const [created_at, last] = [madeAt(id), changedAt(id, ...others)]
  return { created_at, modified_at: last > created_at ? last : null }
}

/** The id of a price's product, whatever price a checkout brought along for it. */
export function productIdOf({ id, metadata }: Price): string {
  return metadata.product ?? id
}

/** Shows a product: https://polar.sh/docs/api-reference/products/get */
export function toProduct(account: Account, price: Price): Json {
  return {
    id: productIdOf(price),
    ...times(account, price.id),
    name: account.world.store.find('product', price.product)?.name ?? price.id,
    description: null,
    visibility: 'public',
    recurring_interval: price.rhythm?.interval ?? null,
    recurring_interval_count: price.rhythm?.interval_count ?? null,
    meter_interval: null,
    meter_interval_count: null,
    is_recurring: price.rhythm !== null,
    is_archived: !price.active,
    is_deletable: false,
    trial_interval: price.trial_days === null ? null : 'day',
    trial_interval_count: price.trial_days,
    organization_id: organization,
    metadata: {},
    benefits: [],
    medias: [],
    attached_custom_fields: [],
    prices: [
      {
        id: toUuid(`price of ${price.id}`),
        ...times(account, price.id),
        source: 'catalog',
        amount_type: 'fixed',
        price_currency: price.currency,
        price_amount: price.amount,
        tax_behavior: null,
        is_archived: false,
        product_id: productIdOf(price),
      },
    ],
  }
}

/** https://polar.sh/docs/api-reference/customers/get */
export function toCustomer(account: Account, customer: Customer): Json {
  return {
    id: customer.id,
    ...times(account, customer.id),
    metadata: {},
    external_id: null,
    email: customer.email,
    email_verified: false,
    type: 'individual',
    name: customer.name,
    billing_name: null,
    billing_address: null,
    tax_id: null,
    avatar_url: null,
    first_user_event_at: null,
    organization_id: organization,
    deleted_at: customer.deleted ? account.changedAt(customer.id) : null,
  }
}

/** https://polar.sh/docs/api-reference/discounts/get */
export function toDiscount(account: Account, knownCoupon: Coupon): Json {
  return {
    id: knownCoupon.id,
    ...times(account, knownCoupon.id),
    name: knownCoupon.id,
    type: knownCoupon.percent_off === null ? 'fixed' : 'percentage',
    code: account.world.store.list('code').find(({ coupon }) => coupon === knownCoupon.id)?.code ?? null,
    metadata: {},
    starts_at: null,
    ends_at: null,
    max_redemptions: null,
    max_redemptions_per_customer: null,
    redemptions_count: 0,
    organization_id: organization,
    products: [],
    ...termsOf(knownCoupon),
  }
}

/** Returns the amount of a discount, and its duration. */
function termsOf(coupon: Coupon): Json {
  return {
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

/** https://polar.sh/docs/api-reference/checkouts/get-session */
export function toCheckout(account: Account, checkout: Checkout): Json {
  const [line] = checkout.lines
  const price = account.world.store.get('price', line!.price)
  const customer = account.world.store.find('customer', checkout.customer)
  const product = toProduct(account, price)
  const [productPrice] = product.prices as readonly Json[]
  const isOpen = checkout.status === 'open'
  const isTrial = checkout.trial !== null
  return {
    id: checkout.id,
    ...times(account, checkout.id),
    payment_processor: 'stripe',
    status: pageStatus(checkout),
    client_secret: `polar_c_${checkout.id}`,
    url: `${account.url}/checkout/polar_c_${checkout.id}`,
    expires_at: iso(checkout.expires_at),
    success_url: checkout.success_url ?? `${account.url}/checkout/polar_c_${checkout.id}/confirmation`,
    return_url: checkout.cancel_url,
    embed_origin: null,
    amount: checkout.subtotal,
    seats: line!.quantity,
    min_seats: null,
    max_seats: null,
    units: null,
    min_units: null,
    max_units: null,
    payment_method_type: null,
    discount_amount: checkout.discount,
    net_amount: checkout.subtotal - checkout.discount,
    tax_amount: checkout.tax,
    tax_behavior: null,
    total_amount: checkout.total,
    currency: checkout.currency,
    allow_trial: null,
    active_trial_interval: isTrial ? product.trial_interval : null,
    active_trial_interval_count: isTrial ? product.trial_interval_count : null,
    trial_end: null,
    trial_interval: null,
    trial_interval_count: null,
    organization_id: organization,
    product_id: productIdOf(price),
    product_price_id: productPrice?.id ?? null,
    discount_id: checkout.coupon,
    discount: discountOn(account, checkout),
    allow_discount_codes: checkout.allows_codes,
    require_billing_address: false,
    is_discount_applicable: true,
    is_free_product_price: price.amount === 0,
    is_payment_required: checkout.total > 0,
    is_payment_setup_required: checkout.needs_method,
    is_payment_form_required: isOpen && (checkout.total > 0 || checkout.needs_method),
    customer_id: checkout.customer,
    external_customer_id: null,
    is_business_customer: false,
    customer_name: checkout.buyer?.name ?? customer?.name ?? null,
    customer_email: checkout.buyer?.email ?? customer?.email ?? checkout.email,
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
    prices: { [productIdOf(price)]: product.prices },
    attached_custom_fields: [],
    subscription_id: null,
    metadata: checkout.metadata,
  }
}

/** Shows the discount in a checkout: https://polar.sh/docs/api-reference/checkouts/get-session */
function discountOn(account: Account, { coupon: id }: Checkout): Json | null {
  const coupon = account.world.store.find('coupon', id)
  if (coupon === undefined) return null
  const { id: _, ...shown } = toDiscount(account, coupon)
  return {
    id: coupon.id,
    name: shown.name,
    code: shown.code,
    type: shown.type,
    ...termsOf(coupon),
  }
}

/** https://polar.sh/docs/api-reference/customer-portal/sessions/create */
export function toCustomerSession(account: Account, customer: Customer, returnUrl: string | null): Json {
  const token = `polar_cst_${customer.id}`
  return {
    ...times(account, customer.id),
    id: toUuid(`session of ${customer.id}`),
    token,
    expires_at: iso(account.world.clock.seconds() + 3600),
    return_url: returnUrl,
    customer_portal_url: `${account.url}/portal/${customer.id}`,
    customer_id: customer.id,
    customer: toCustomer(account, customer),
  }
}

function pageStatus({ status, paid }: Checkout): string {
  return status === 'expired'
    ? 'expired'
    : status === 'open'
      ? 'open'
      : paid === 'unpaid'
        ? 'confirmed'
        : 'succeeded'
}

/** https://polar.sh/docs/api-reference/subscriptions/get */
export function toSubscription(account: Account, subscription: Subscription): Json {
  const { store } = account.world
  const item = subscription.items[0]!
  const { rhythm } = item.price
  const schedule = store.find('schedule', subscription.schedule)
  const isOver = subscription.status === 'canceled'
  const page = findPage(store, { subscription: subscription.id })
  return {
    id: subscription.id,
    ...times(account, subscription.id, page?.id ?? null, subscription.schedule),
    amount: item.price.amount * item.quantity,
    currency: subscription.currency,
    recurring_interval: rhythm?.interval ?? 'month',
    recurring_interval_count: rhythm?.interval_count ?? 1,
    status: subscription.status,
    current_period_start: iso(item.start),
    current_period_end: iso(item.end),
    trial_start: isoOrNull(subscription.trial_start),
    trial_end: isoOrNull(subscription.trial_end),
    cancel_at_period_end: subscription.cancel_at !== null,
    canceled_at: isoOrNull(subscription.canceled_at),
    started_at: iso(subscription.created),
    ends_at: isoOrNull(isOver ? subscription.ended_at : subscription.cancel_at),
    ended_at: isoOrNull(subscription.ended_at),
    past_due_at: null,
    current_meter_period_start: null,
    current_meter_period_end: null,
    customer_cancellation_reason: null,
    customer_cancellation_comment: null,
    meters: [],
    pause_at_period_end: subscription.pause_at !== null,
    paused_at: isoOrNull(subscription.paused_at),
    resumes_at: isoOrNull(subscription.resumes_at),
    customer_id: subscription.customer,
    product_id: productIdOf(item.price),
    discount_id: null,
    discount: null,
    checkout_id: page?.id ?? null,
    seats: item.quantity,
    units: null,
    metadata: subscription.metadata,
    customer: toCustomer(account, store.get('customer', subscription.customer)),
    product: toProduct(account, item.price),
    prices: toProduct(account, item.price).prices,
    pending_update: isOver || schedule === undefined ? null : pendingUpdate(account, schedule, item),
  }
}

function pendingUpdate(account: Account, schedule: Schedule, now: Item): Json | null {
  const next = schedule.phases.find(({ start }) => start === schedule.current?.end)
  if (next === undefined) return null
  const [item] = next.items
  return {
    id: schedule.id,
    ...times(account, schedule.id),
    applies_at: iso(next.start),
    product_id: item?.price === now.price.id ? null : item?.price,
    seats: item?.quantity === now.quantity ? null : item?.quantity,
    units: null,
  }
}
