import {
  type Checkout,
  type Customer,
  type Dispute,
  day,
  findPage,
  iso,
  isoOrNull,
  type Json,
  type Payment,
  type Price,
  type Refund,
  type Subscription,
} from '../engine/index.ts'
import type { Account } from './account.ts'

/** Buyer's billing address: https://docs.dodopayments.com/api-reference/payments/get-payments-1 */
const billing = { billing: { country: 'DE', city: null, state: null, street: null, zipcode: null } }
const business = { business_id: 'bus_1', brand_id: 'bus_1' }
const intervals = { day: 'Day', week: 'Week', month: 'Month', year: 'Year' } as const

/** https://docs.dodopayments.com/api-reference/products/get-products */
export function toProduct(account: Account, price: Price): Json {
  return {
    ...business,
    product_id: price.id,
    name: price.nickname ?? account.world.store.find('product', price.product)?.name ?? price.id,
    description: null,
    entitlements: [],
    is_recurring: price.rhythm !== null,
    metadata: {},
    price: price.amount,
    currency: price.currency.toUpperCase(),
    price_detail: priceOf(price),
    tax_category: 'digital_products',
    created_at: account.madeAt(price.id),
    updated_at: account.changedAt(price.id),
  }
}

/**
 * Shows a product fetched by id, whose price is an object.
 * https://docs.dodopayments.com/api-reference/products/get-products-1
 */
export function toWholeProduct(account: Account, price: Price): Json {
  return {
    ...toProduct(account, price),
    credit_entitlements: [],
    license_key_enabled: false,
    price: priceOf(price),
  }
}

/** True for a product whose buyers choose the amount; the price is the smallest one. */
export function isChosen({ rhythm, metadata }: Price): boolean {
  return rhythm === null && metadata.pay_what_you_want === 'true'
}

function priceOf(price: Price): Json {
  const cost = { price: price.amount, currency: price.currency.toUpperCase(), discount: 0 }
  if (price.rhythm === null)
    return {
      type: 'one_time_price',
      ...cost,
      purchasing_power_parity: false,
      ...(isChosen(price) ? { pay_what_you_want: true, suggested_price: null } : {}),
    }
  return {
    type: 'recurring_price',
    ...cost,
    purchasing_power_parity: false,
    payment_frequency_count: price.rhythm.interval_count,
    payment_frequency_interval: intervals[price.rhythm.interval],
    subscription_period_count: 10,
    subscription_period_interval: 'Year',
    trial_period_days: price.trial_days ?? 0,
    trial_amount: price.trial_amount,
  }
}

/** https://docs.dodopayments.com/api-reference/customers/get-customers-1 */
export function toCustomer(account: Account, customer: Customer): Json {
  return {
    business_id: 'bus_1',
    ...inShort(customer),
    created_at: account.madeAt(customer.id),
  }
}

function inShort({ id, email, name }: Customer): Json {
  return {
    customer_id: id,
    email,
    name: name ?? '',
    metadata: {},
    phone_number: null,
  }
}

function customerIn({ world }: Account, id: string | null): Json | null {
  const found = world.store.find('customer', id)
  return found === undefined ? null : inShort(found)
}

/**
 * Shows a checkout session with its payment.
 * https://docs.dodopayments.com/api-reference/checkout-sessions/get-checkouts
 */
export function toSession(account: Account, page: Checkout): Json {
  const payment = account.world.store.find('payment', paymentOf(account, page))
  return {
    id: page.id,
    created_at: account.madeAt(page.id),
    customer_email: page.buyer?.email ?? page.email,
    customer_name: page.buyer?.name ?? null,
    payment_id: payment?.id ?? null,
    payment_status: payment === undefined ? null : statusOf(payment),
  }
}

function paymentOf({ world }: Account, page: Checkout): string | null {
  return page.payment ?? world.store.find('invoice', page.invoice)?.payment ?? null
}

function statusOf({ status, refusal }: Payment): string {
  if (status === 'paid') return 'succeeded'
  if (status === 'processing') return status
  return refusal === null ? 'requires_payment_method' : 'failed'
}

/**
 * Shows a payment in a list, without its items and refunds.
 * https://docs.dodopayments.com/api-reference/payments/get-payments
 */
export function toListedPayment(account: Account, payment: Payment): Json {
  const { product_cart: _cart, refunds: _refunds, tax: _tax, ...more } = toPayment(account, payment)
  const { billing: _billing, disputes: _disputes, retry_attempt: _tries, ...rest } = more
  const { settlement_amount: _sum, settlement_currency: _code, settlement_tax: _share, ...listed } = rest
  return { ...listed, dispute_status: null, has_license_key: false }
}

/** https://docs.dodopayments.com/api-reference/payments/get-payments-1 */
export function toPayment(account: Account, knownPayment: Payment): Json {
  const { store } = account.world
  const invoice = store.find('invoice', knownPayment.invoice)
  const subscription = store.find('subscription', invoice?.subscription ?? null)
  const page = findPage(
    store,
    subscription ? { subscription: subscription.id } : { payment: knownPayment.id },
  )
  const refunds = store.list('refund').filter(({ payment }) => payment === knownPayment.id)
  const given = refunds.reduce((sum, { amount }) => sum + amount, 0)
  return {
    payload_type: 'Payment',
    ...business,
    payment_id: knownPayment.id,
    checkout_session_id: page?.id ?? null,
    created_at: account.madeAt(knownPayment.id),
    currency: knownPayment.currency.toUpperCase(),
    customer: customerIn(account, knownPayment.customer ?? page?.customer ?? null),
    ...billing,
    digital_products_delivered: false,
    disputes: [],
    invoice_id: null,
    invoice_url: null,
    is_multi_subscription: false,
    is_update_payment_method: false,
    metadata: (subscription ?? page)?.metadata ?? {},
    payment_method: 'card',
    product_cart:
      subscription || page?.mode !== 'payment'
        ? null
        : page.lines.map(({ price, quantity }) => ({ product_id: price, quantity })),
    payment_provider: 'dodo',
    retry_attempt: 0,
    settlement_amount: knownPayment.amount,
    settlement_currency: knownPayment.currency.toUpperCase(),
    settlement_tax: invoice?.tax ?? page?.tax ?? 0,
    refund_status: given === 0 ? null : given < knownPayment.amount ? 'partial' : 'full',
    refunds: refunds.map((refund) => toRefund(account, refund)),
    status: statusOf(knownPayment),
    subscription_id: subscription?.id ?? null,
    subscription_ids: subscription === undefined ? [] : [subscription.id],
    tax: invoice?.tax ?? page?.tax ?? 0,
    total_amount: knownPayment.amount,
    updated_at: account.changedAt(knownPayment.id),
  }
}

const words: Readonly<Record<Subscription['status'], string>> = {
  incomplete: 'pending',
  trialing: 'active',
  active: 'active',
  past_due: 'on_hold',
  unpaid: 'on_hold',
  paused: 'paused',
  canceled: 'cancelled',
  expired: 'failed',
}

/**
 * Shows a subscription in a list, without add-ons and the end of its term.
 * https://docs.dodopayments.com/api-reference/subscriptions/get-subscriptions
 */
export function toListedSubscription(account: Account, subscription: Subscription): Json {
  const {
    addons: _addons,
    expires_at: _end,
    brand_id: _brand,
    meters: _meters,
    ...rest
  } = toSubscription(account, subscription)
  const { credit_entitlement_cart: _credit, meter_credit_entitlement_cart: _metered, ...listed } = rest
  return { ...listed, discounts: [], product_name: null }
}

/** https://docs.dodopayments.com/api-reference/subscriptions/get-subscriptions-1 */
export function toSubscription(account: Account, subscription: Subscription): Json {
  const item = subscription.items[0]!
  const { rhythm } = item.price
  const [made, isOver] = [account.madeAt(subscription.id), subscription.status === 'canceled']
  return {
    payload_type: 'Subscription',
    brand_id: 'bus_1',
    subscription_id: subscription.id,
    status: words[subscription.status],
    product_id: item.price.id,
    quantity: item.quantity,
    addons: [],
    ...billing,
    cancel_at_next_billing_date: subscription.cancel_at !== null && !isOver,
    cancelled_at: isoOrNull(subscription.canceled_at),
    created_at: made,
    currency: subscription.currency.toUpperCase(),
    credit_entitlement_cart: [],
    customer: customerIn(account, subscription.customer),
    discount_id: null,
    expires_at: iso(subscription.created + 3650 * day),
    has_payment_method: subscription.method !== null,
    metadata: subscription.metadata,
    meter_credit_entitlement_cart: [],
    meters: [],
    next_billing_date: iso(item.end),
    on_demand: false,
    paused_at: isoOrNull(subscription.paused_at),
    payment_frequency_count: rhythm?.interval_count,
    payment_frequency_interval: intervals[rhythm?.interval ?? 'month'],
    previous_billing_date: iso(item.start),
    recurring_pre_tax_amount: item.price.amount * item.quantity,
    scheduled_change: plannedFor(account, subscription),
    subscription_period_count: 10,
    subscription_period_interval: 'Year',
    tax_inclusive: true,
    trial_amount: subscription.trial_end === null ? null : item.price.trial_amount,
    trial_period_days:
      subscription.trial_end === null ? 0 : Math.round((subscription.trial_end - subscription.created) / day),
  }
}

function plannedFor({ world, madeAt }: Account, { schedule, status }: Subscription): Json | null {
  const found = world.store.find('schedule', schedule)
  const next = found?.phases.find(({ start }) => start === found.current?.end)
  const [item] = next?.items ?? []
  if (found === undefined || next === undefined || status === 'canceled') return null
  return {
    id: found.id,
    addons: [],
    created_at: madeAt(found.id),
    effective_at: iso(next.start),
    product_id: item?.price,
    quantity: item?.quantity,
  }
}

/** https://docs.dodopayments.com/api-reference/refunds/get-refunds-1 */
export function toRefund(account: Account, refund: Refund): Json {
  return {
    payload_type: 'Refund',
    ...business,
    refund_id: refund.id,
    payment_id: refund.payment,
    amount: refund.amount,
    currency: refund.currency.toUpperCase(),
    customer: customerIn(account, account.world.store.find('payment', refund.payment)?.customer ?? null),
    created_at: account.madeAt(refund.id),
    is_partial: refund.amount < (account.world.store.find('payment', refund.payment)?.amount ?? 0),
    metadata: refund.metadata,
    reason: refund.reason,
    status: 'succeeded',
  }
}

const disputeWords = { won: 'dispute_won', lost: 'dispute_lost', open: 'dispute_opened' } as const

/** https://docs.dodopayments.com/api-reference/disputes/get-disputes-1 */
export function toDispute(account: Account, dispute: Dispute): Json {
  return {
    payload_type: 'Dispute',
    business_id: 'bus_1',
    dispute_id: dispute.id,
    payment_id: dispute.payment,
    amount: String(dispute.amount),
    currency: dispute.currency.toUpperCase(),
    created_at: account.madeAt(dispute.id),
    dispute_stage: 'dispute',
    dispute_status: disputeWords[dispute.status as 'open'] ?? 'dispute_opened',
    is_resolved_by_rdr: false,
  }
}
