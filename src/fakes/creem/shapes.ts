import type {
  Checkout,
  Customer,
  Dispute,
  Json,
  Payment,
  Price,
  Refund,
  Subscription,
} from '../engine/index.ts'
import { type Account, iso } from './account.ts'

const mode = 'test'

const times = ({ madeAt, changedAt }: Account, id: string): Json => ({
  created_at: madeAt(id),
  updated_at: changedAt(id),
})

const periods: Readonly<Record<string, string>> = {
  '1 day': 'every-day',
  '1 month': 'every-month',
  '3 month': 'every-three-months',
  '6 month': 'every-six-months',
  '1 year': 'every-year',
}

/** What is sold, with its only price. https://docs.creem.io/api-reference/endpoint/get-product */
export const toProduct = (account: Account, one: Price): Json => ({
  id: one.id,
  object: 'product',
  mode,
  name: one.nickname ?? account.world.store.find('product', one.product)?.name ?? one.id,
  description: '',
  price: one.amount,
  currency: one.currency.toUpperCase(),
  billing_type: one.rhythm === null ? 'onetime' : 'recurring',
  billing_period:
    one.rhythm === null ? 'once' : periods[`${one.rhythm.interval_count} ${one.rhythm.interval}`],
  recurring_interval: one.rhythm?.interval ?? null,
  recurring_interval_count: one.rhythm?.interval_count ?? null,
  trial_period_days: one.trial_days,
  trial_price: one.trial_amount,
  status: one.active ? 'active' : 'archived',
  tax_mode: 'inclusive',
  tax_category: 'saas',
  ...times(account, one.id),
})

/** https://docs.creem.io/api-reference/endpoint/get-customer */
export const toCustomer = (account: Account, one: Customer): Json => ({
  id: one.id,
  object: 'customer',
  mode,
  email: one.email,
  name: one.name,
  country: 'DE',
  ...times(account, one.id),
})

const customerIn = (account: Account, id: string | null): Json | null => {
  const found = account.world.store.find('customer', id)
  return found === undefined ? null : toCustomer(account, found)
}

/** One order for a page, and for everything that its subscription is billed. */
const orderIdOf = ({ id }: Checkout): string => `ord_${id.slice(3)}`

/** https://docs.creem.io/api-reference/endpoint/list-customer-orders */
export const toOrder = (account: Account, page: Checkout): Json => {
  const { store } = account.world
  const payment = page.payment ?? store.find('invoice', page.invoice)?.payment ?? null
  return {
    id: orderIdOf(page),
    object: 'order',
    mode,
    customer: page.customer,
    product: page.lines[0]?.price,
    transaction: payment,
    amount: page.subtotal,
    sub_total: page.subtotal,
    tax_amount: page.tax,
    discount_amount: page.discount,
    amount_due: page.total,
    amount_paid: page.paid === 'unpaid' ? 0 : page.total,
    currency: page.currency.toUpperCase(),
    status: page.paid === 'unpaid' ? 'pending' : 'paid',
    type: page.mode === 'payment' ? 'onetime' : 'recurring',
    created_at: account.madeAt(payment ?? page.id),
    updated_at: account.madeAt(payment ?? page.id),
  }
}

/** https://docs.creem.io/api-reference/endpoint/get-checkout */
export const toCheckout = (account: Account, page: Checkout): Json => {
  const { world, url } = account
  const price = world.store.get('price', page.lines[0]?.price ?? null)
  const begun = world.store.find('subscription', page.subscription)
  const isDone = page.status === 'complete' && page.paid !== 'unpaid'
  return {
    id: page.id,
    object: 'checkout',
    mode,
    status: isDone ? 'completed' : page.status === 'expired' ? 'expired' : 'pending',
    request_id: page.own?.request_id,
    product: toProduct(account, price),
    units: page.lines[0]?.quantity,
    ...(isDone ? { order: toOrder(account, page), customer: customerIn(account, page.customer) } : {}),
    ...(begun === undefined || !isDone
      ? {}
      : {
          subscription: {
            id: begun.id,
            object: 'subscription',
            mode,
            product: price.id,
            customer: begun.customer,
            status: wordOf(begun),
            collection_method: 'charge_automatically',
            canceled_at: null,
            ...times(account, begun.id),
            metadata: begun.metadata,
          },
        }),
    custom_fields: [],
    checkout_url: `${url}/checkout/${page.id}`,
    success_url: page.success_url,
    metadata: page.metadata,
  }
}

/** A payment. https://docs.creem.io/api-reference/endpoint/get-transaction */
export const toTransaction = (account: Account, one: Payment): Json => {
  const { store } = account.world
  const charge = store.find('charge', one.charge)
  const invoice = store.find('invoice', one.invoice)
  const subscription = invoice?.subscription ?? null
  const page = account.pageOf(subscription === null ? { payment: one.id } : { subscription })
  const refunded = charge?.refunded ?? 0
  return {
    id: one.id,
    object: 'transaction',
    mode,
    amount: one.amount,
    amount_paid: one.amount,
    currency: one.currency.toUpperCase(),
    type: subscription === null ? 'payment' : 'invoice',
    tax_country: 'DE',
    tax_amount: 0,
    status: charge?.disputed
      ? 'chargeback'
      : refunded === 0
        ? 'paid'
        : refunded < one.amount
          ? 'partialRefund'
          : 'refunded',
    refunded_amount: refunded === 0 ? null : refunded,
    order: page === undefined ? null : orderIdOf(page),
    subscription,
    customer: one.customer,
    period_start: invoice === undefined ? undefined : invoice.period.start * 1000,
    period_end: invoice === undefined ? undefined : invoice.period.end * 1000,
    created_at: Date.parse(account.madeAt(one.id)),
  }
}

const words: Partial<Record<Subscription['status'], string>> = { expired: 'canceled', incomplete: 'unpaid' }

const wordOf = (one: Subscription): string =>
  one.cancel_at !== null && (one.status === 'active' || one.status === 'trialing')
    ? 'scheduled_cancel'
    : (words[one.status] ?? one.status)

/** https://docs.creem.io/api-reference/endpoint/get-subscription */
export const toSubscription = (account: Account, one: Subscription): Json => {
  const [item] = one.items
  const last = account
    .listPaid()
    .findLast(({ payment }) => account.world.store.find('invoice', payment.invoice)?.subscription === one.id)
  const isOver = one.status === 'canceled'
  const isPlanned = one.cancel_at !== null
  return {
    id: one.id,
    object: 'subscription',
    mode,
    product: item === undefined ? null : toProduct(account, item.price),
    customer: customerIn(account, one.customer),
    items: one.items.map(({ id, price, quantity }) => ({
      id,
      object: 'subscription_item',
      mode,
      product_id: price.id,
      price_id: `pprice_${price.id.slice(5)}`,
      units: quantity,
    })),
    collection_method: 'charge_automatically',
    status: wordOf(one),
    ...(last === undefined
      ? {}
      : {
          last_transaction_id: last.payment.id,
          last_transaction: toTransaction(account, last.payment),
          last_transaction_date: account.madeAt(last.payment.id),
        }),
    // Also of one that ends: so it stands in messages of `subscription.scheduled_cancel`.
    next_transaction_date: item === undefined ? null : iso(item.end),
    current_period_start_date: item === undefined ? null : iso(item.start),
    current_period_end_date: item === undefined ? null : iso(item.end),
    canceled_at: isOver || isPlanned ? iso(one.canceled_at ?? one.ended_at ?? 0) : null,
    ...times(account, one.id),
    metadata: one.metadata,
  }
}

/** https://docs.creem.io/code/webhooks, `refund.created` */
export const toRefund = (account: Account, one: Refund): Json => ({
  id: one.id,
  object: 'refund',
  mode,
  status: 'succeeded',
  refund_amount: one.amount,
  refund_currency: one.currency.toUpperCase(),
  reason: 'requested_by_customer',
  ...paidIn(account, one.payment),
  created_at: Date.parse(account.madeAt(one.id)),
})

/** https://docs.creem.io/code/webhooks, `dispute.created` */
export const toDispute = (account: Account, one: Dispute): Json => ({
  id: one.id,
  object: 'dispute',
  mode,
  amount: one.amount,
  currency: one.currency.toUpperCase(),
  ...paidIn(account, one.payment),
  created_at: Date.parse(account.madeAt(one.id)),
})

const paidIn = (account: Account, id: string): Json => {
  const payment = account.world.store.get('payment', id)
  const transaction = toTransaction(account, payment)
  const subscription = account.world.store.find('subscription', transaction.subscription as string | null)
  const page = account.pageOf(subscription ? { subscription: subscription.id } : { payment: id })
  return {
    transaction,
    ...(page === undefined ? {} : { order: toOrder(account, page) }),
    ...(subscription === undefined ? {} : { subscription: toSubscription(account, subscription) }),
    customer: customerIn(account, payment.customer),
  }
}
