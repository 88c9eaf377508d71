import {
  type Checkout,
  type Customer,
  type Dispute,
  findPage,
  type Json,
  type Payment,
  type Price,
  type Refund,
  type Subscription,
} from '../engine/index.ts'
import { type Account, iso } from './account.ts'

const mode = 'test'

function times({ madeAt, changedAt }: Account, id: string): Json {
  return {
    created_at: madeAt(id),
    updated_at: changedAt(id),
  }
}

const periods: Readonly<Record<string, string>> = {
  '1 day': 'every-day',
  '1 month': 'every-month',
  '3 month': 'every-three-months',
  '6 month': 'every-six-months',
  '1 year': 'every-year',
}

/** Shows a product with its only price. https://docs.creem.io/api-reference/endpoint/get-product */
export function toProduct(account: Account, price: Price): Json {
  return {
    id: price.id,
    object: 'product',
    mode,
    name: price.nickname ?? account.world.store.find('product', price.product)?.name ?? price.id,
    description: '',
    price: price.amount,
    currency: price.currency.toUpperCase(),
    billing_type: price.rhythm === null ? 'onetime' : 'recurring',
    billing_period:
      price.rhythm === null ? 'once' : periods[`${price.rhythm.interval_count} ${price.rhythm.interval}`],
    recurring_interval: price.rhythm?.interval ?? null,
    recurring_interval_count: price.rhythm?.interval_count ?? null,
    trial_period_days: price.trial_days,
    trial_price: price.trial_amount,
    status: price.active ? 'active' : 'archived',
    tax_mode: 'inclusive',
    tax_category: 'saas',
    ...times(account, price.id),
  }
}

/** https://docs.creem.io/api-reference/endpoint/get-customer */
export function toCustomer(account: Account, customer: Customer): Json {
  return {
    id: customer.id,
    object: 'customer',
    mode,
    email: customer.email,
    name: customer.name,
    country: 'DE',
    ...times(account, customer.id),
  }
}

function customerIn(account: Account, id: string | null): Json | null {
  const found = account.world.store.find('customer', id)
  return found === undefined ? null : toCustomer(account, found)
}

/** Returns the order id of a page; all later charges of its subscription share it. */
function orderIdOf({ id }: Checkout): string {
  return `ord_${id.slice(3)}`
}

/** https://docs.creem.io/api-reference/endpoint/list-customer-orders */
export function toOrder(account: Account, page: Checkout): Json {
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
export function toCheckout(account: Account, page: Checkout): Json {
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
    ...(page.lines[0]?.amount === undefined ? {} : { custom_price: page.lines[0].amount }),
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

/** Shows a payment. https://docs.creem.io/api-reference/endpoint/get-transaction */
export function toTransaction(account: Account, payment: Payment): Json {
  const { store } = account.world
  const charge = store.find('charge', payment.charge)
  const invoice = store.find('invoice', payment.invoice)
  const subscription = invoice?.subscription ?? null
  const page = findPage(
    account.world.store,
    subscription === null ? { payment: payment.id } : { subscription },
  )
  const refunded = charge?.refunded ?? 0
  // The engine's invoice has the period before; its lines have the billed one.
  const billed = invoice?.lines.at(-1)?.period ?? invoice?.period
  return {
    id: payment.id,
    object: 'transaction',
    mode,
    amount: payment.amount,
    amount_paid: payment.amount,
    currency: payment.currency.toUpperCase(),
    type: subscription === null ? 'payment' : 'invoice',
    tax_country: 'DE',
    tax_amount: 0,
    status: charge?.disputed
      ? 'chargeback'
      : refunded === 0
        ? 'paid'
        : refunded < payment.amount
          ? 'partialRefund'
          : 'refunded',
    refunded_amount: refunded === 0 ? null : refunded,
    order: page === undefined ? null : orderIdOf(page),
    subscription,
    customer: payment.customer,
    period_start: billed === undefined ? undefined : billed.start * 1000,
    period_end: billed === undefined ? undefined : billed.end * 1000,
    created_at: Date.parse(account.madeAt(payment.id)),
  }
}

const words: Partial<Record<Subscription['status'], string>> = { expired: 'canceled', incomplete: 'unpaid' }

function wordOf(subscription: Subscription): string {
  return subscription.cancel_at !== null &&
    (subscription.status === 'active' || subscription.status === 'trialing')
    ? 'scheduled_cancel'
    : (words[subscription.status] ?? subscription.status)
}

/** https://docs.creem.io/api-reference/endpoint/get-subscription */
export function toSubscription(account: Account, subscription: Subscription): Json {
  const [item] = subscription.items
  const last = account.lastPaid(subscription.id)
  const isOver = subscription.status === 'canceled'
  const isPlanned = subscription.cancel_at !== null
  return {
    id: subscription.id,
    object: 'subscription',
    mode,
    product: item === undefined ? null : toProduct(account, item.price),
    customer: customerIn(account, subscription.customer),
    items: subscription.items.map(({ id, price, quantity }) => ({
      id,
      object: 'subscription_item',
      mode,
      product_id: price.id,
      price_id: `pprice_${price.id.slice(5)}`,
      units: quantity,
    })),
    collection_method: 'charge_automatically',
    status: wordOf(subscription),
    ...(last === undefined
      ? {}
      : {
          last_transaction_id: last.id,
          last_transaction: toTransaction(account, last),
          last_transaction_date: account.madeAt(last.id),
        }),
    // Set even if the subscription ends, as in events of `subscription.scheduled_cancel`.
    next_transaction_date: item === undefined ? null : iso(item.end),
    current_period_start_date: item === undefined ? null : iso(item.start),
    current_period_end_date: item === undefined ? null : iso(item.end),
    canceled_at: isOver || isPlanned ? iso(subscription.canceled_at ?? subscription.ended_at ?? 0) : null,
    ...times(account, subscription.id),
    metadata: subscription.metadata,
  }
}

/** https://docs.creem.io/code/webhooks, `refund.created` */
export function toRefund(account: Account, refund: Refund): Json {
  return {
    id: refund.id,
    object: 'refund',
    mode,
    status: 'succeeded',
    refund_amount: refund.amount,
    refund_currency: refund.currency.toUpperCase(),
    reason: 'requested_by_customer',
    ...paidIn(account, refund.payment),
    created_at: Date.parse(account.madeAt(refund.id)),
  }
}

/** https://docs.creem.io/code/webhooks, `dispute.created` */
export function toDispute(account: Account, dispute: Dispute): Json {
  return {
    id: dispute.id,
    object: 'dispute',
    mode,
    amount: dispute.amount,
    currency: dispute.currency.toUpperCase(),
    ...paidIn(account, dispute.payment),
    created_at: Date.parse(account.madeAt(dispute.id)),
  }
}

function paidIn(account: Account, id: string): Json {
  const payment = account.world.store.get('payment', id)
  const transaction = toTransaction(account, payment)
  const subscription = account.world.store.find('subscription', transaction.subscription as string | null)
  const page = findPage(
    account.world.store,
    subscription ? { subscription: subscription.id } : { payment: id },
  )
  return {
    transaction,
    ...(page === undefined ? {} : { order: toOrder(account, page) }),
    ...(subscription === undefined ? {} : { subscription: toSubscription(account, subscription) }),
    customer: customerIn(account, payment.customer),
  }
}
