import { openCheckout, refund } from '../../../merchant/index.ts'
import { ApiError, missing } from './errors.ts'
import type { Json } from './options.ts'
import { type Call, type Route, route } from './routes.ts'
import {
  toCheckout,
  toCustomer,
  toOrder,
  toProduct,
  toRefund,
  toSubscription,
  toTransaction,
} from './shapes.ts'

/** Checkouts, payments, customers and what is sold. */
export const buyingRoutes: readonly Route[] = [
  route('POST /v1/checkouts', (call) => ({
    data: toCheckout(call.account, openCheckout(call.world, readCheckout(call))),
  })),
  route('GET /v1/checkouts', ({ account, world, query }) => {
    const found = world.store.find('checkout', query.get('checkout_id'))
    if (found === undefined) throw missing('Checkout')
    return { data: toCheckout(account, found) }
  }),

  route('GET /v1/transactions', ({ account, world, query }) => {
    const found = world.store.find('payment', query.get('transaction_id'))
    if (found === undefined) throw missing('Transaction')
    return { data: toTransaction(account, found) }
  }),
  route('GET /v1/transactions/search', ({ account, query }) => ({
    list: account
      .listPaid()
      .map(({ payment }) => toTransaction(account, payment))
      .filter(({ customer }) => [null, customer].includes(query.get('customer_id'))),
  })),
  route('POST /v1/refunds', ({ account, world, body }) => {
    const payment = world.store.find('payment', String(body.transaction_id))
    const charge = world.store.find('charge', payment?.charge ?? null)
    if (charge === undefined) throw missing('Transaction')
    return { data: toRefund(account, refund(world, charge)) }
  }),

  route('GET /v1/customers', ({ account, world, query }) => {
    const found = world.store.find('customer', query.get('customer_id'))
    if (found === undefined) throw missing('Customer')
    return { data: toCustomer(account, found) }
  }),
  route('GET /v1/customers/list', ({ account, world }) => ({
    list: world.store.list('customer').map((one) => toCustomer(account, one)),
  })),
  route('GET /v1/customers/:id/orders', ({ account, world, id }) => ({
    list: world.store
      .list('checkout')
      .filter(({ customer, status }) => customer === id && status === 'complete')
      .map((page) => toOrder(account, page)),
  })),
  route('GET /v1/customers/:id/subscriptions', ({ account, id }) => ({
    list: account
      .listSubscriptions()
      .filter(({ customer }) => customer === id)
      .map((one) => toSubscription(account, one)),
  })),
  route('POST /v1/customers/billing', ({ account, world, body }) => {
    const customer = world.store.find('customer', String(body.customer_id))
    if (customer === undefined) throw missing('Customer')
    return { data: { customer_portal_link: `${account.url}/portal/${customer.id}` } }
  }),

  route('GET /v1/products/search', ({ account, world }) => ({
    list: world.store.list('price').map((one) => toProduct(account, one)),
  })),
]

const readCheckout = ({ world, body }: Call): Parameters<typeof openCheckout>[1] => {
  const price = world.store.find('price', String(body.product_id))
  if (price === undefined) throw missing('Product')
  const code = world.store.list('code').find((one) => one.code === body.discount_code)
  if (body.discount_code !== undefined && code === undefined)
    throw new ApiError(400, 'The discount code is not valid')
  const { id, email } = (body.customer ?? {}) as { id?: string; email?: string }
  const customer = world.store.find('customer', id ?? null)
  const metadata = textsOf(body.metadata)
  return {
    mode: price.rhythm === null ? 'payment' : 'subscription',
    lines: [{ price: price.id, quantity: Number(body.units ?? 1) }],
    currency: price.currency,
    coupon: code?.coupon ?? null,
    code: code?.id ?? null,
    allows_codes: true,
    customer: customer?.id ?? null,
    email: email ?? null,
    allows_guests: false,
    needs_method: price.rhythm !== null,
    trial: price.rhythm !== null && price.trial_days !== null ? { days: price.trial_days } : null,
    without_method: 'cancel',
    metadata,
    // What was given to the page comes back with its subscription.
    subscription_metadata: metadata,
    payment_metadata: {},
    success_url: (body.success_url as string | undefined) ?? null,
    cancel_url: null,
    expires_at: 253_402_300_799,
    own: { request_id: body.request_id },
  }
}

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries((value ?? {}) as Json).map(([key, text]) => [key, String(text)]))
