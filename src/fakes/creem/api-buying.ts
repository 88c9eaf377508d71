import { ApiError, type NewCheckout, openCheckout, refund, saleOf, textsOf } from '../engine/index.ts'
import { missing } from './errors.ts'
import { type CreemCall as Call, type CreemRoute, route } from './routes.ts'
import {
  toCheckout,
  toCustomer,
  toOrder,
  toProduct,
  toRefund,
  toSubscription,
  toTransaction,
} from './shapes.ts'

/** Checkouts, payments, customers and products. */
export const buyingRoutes: readonly CreemRoute[] = [
  route('POST /checkouts', (call) => ({
    data: toCheckout(call.account, openCheckout(call.world, readCheckout(call))),
  })),
  route('GET /checkouts', ({ account, world, query }) => {
    const found = world.store.find('checkout', query.get('checkout_id'))
    if (found === undefined) throw missing('Checkout')
    return { data: toCheckout(account, found) }
  }),

  route('GET /transactions', ({ account, world, query }) => {
    const found = world.store.find('payment', query.get('transaction_id'))
    if (found === undefined) throw missing('Transaction')
    return { data: toTransaction(account, found) }
  }),
  route('GET /transactions/search', ({ account, query }) => ({
    list: account
      .listPaid()
      .filter(({ payment }) => [null, payment.customer].includes(query.get('customer_id')))
      .map(({ payment }) => toTransaction(account, payment)),
  })),
  route('POST /refunds', ({ account, world, body }) => {
    const payment = world.store.find('payment', String(body.transaction_id))
    const charge = world.store.find('charge', payment?.charge ?? null)
    if (charge === undefined) throw missing('Transaction')
    return { data: toRefund(account, refund(world, charge)) }
  }),

  route('GET /customers', ({ account, world, query }) => {
    const found = world.store.find('customer', query.get('customer_id'))
    if (found === undefined) throw missing('Customer')
    return { data: toCustomer(account, found) }
  }),
  // https://docs.creem.io/api-reference/endpoint/update-customer; addresses are stored in lower case and are
  // unique.
  route('PATCH /customers', ({ account, world, body }) => {
    const found = world.store.find('customer', String(body.customer_id))
    if (found === undefined) throw missing('Customer')
    const email = typeof body.email === 'string' ? body.email.toLowerCase() : found.email
    const isTaken = world.store
      .list('customer')
      .some((other) => other.id !== found.id && other.email === email)
    if (isTaken) throw new ApiError(409, 'A customer with this email already exists')
    const name = typeof body.name === 'string' ? body.name : found.name
    return { data: toCustomer(account, world.change('customer', found.id, { email, name })) }
  }),
  route('GET /customers/list', ({ account, world }) => ({
    list: world.store.list('customer').map((customer) => toCustomer(account, customer)),
  })),
  route('GET /customers/:id/orders', ({ account, world, id }) => ({
    list: world.store
      .list('checkout')
      .filter(({ customer, status }) => customer === id && status === 'complete')
      .map((page) => toOrder(account, page)),
  })),
  route('GET /customers/:id/subscriptions', ({ account, id }) => ({
    list: account
      .listSubscriptions()
      .filter(({ customer }) => customer === id)
      .map((subscription) => toSubscription(account, subscription)),
  })),
  route('POST /customers/billing', ({ account, world, body }) => {
    const customer = world.store.find('customer', String(body.customer_id))
    if (customer === undefined) throw missing('Customer')
    return { data: { customer_portal_link: `${account.url}/portal/${customer.id}` } }
  }),

  route('GET /products/search', ({ account, world }) => ({
    list: world.store.list('price').map((price) => toProduct(account, price)),
  })),
  route('GET /products/:id', ({ account, world, id }) => {
    const found = world.store.find('price', id)
    if (found === undefined) throw missing('Product')
    return { data: toProduct(account, found) }
  }),
]

function readCheckout({ world, body }: Call): NewCheckout {
  const price = world.store.find('price', String(body.product_id))
  if (price === undefined) throw missing('Product')
  const code = world.store.list('code').find((code) => code.code === body.discount_code)
  if (body.discount_code !== undefined && code === undefined)
    throw new ApiError(400, 'The discount code is not valid')
  const { custom_price: amount } = body as { custom_price?: number }
  if (amount !== undefined && (price.rhythm !== null || amount < 100 || amount > 99_999_999))
    throw new ApiError(400, 'custom_price is for one-time products, from 100 to 99999999')
  const { id, email } = (body.customer ?? {}) as { id?: string; email?: string }
  return saleOf(price, {
    quantity: Number(body.units ?? 1),
    amount,
    coupon: code?.coupon ?? null,
    code: code?.id ?? null,
    customer: world.store.find('customer', id ?? null)?.id ?? null,
    email: email ?? null,
    trial: price.rhythm !== null && price.trial_days !== null ? { days: price.trial_days } : null,
    metadata: textsOf(body.metadata),
    success_url: (body.success_url as string | undefined) ?? null,
    own: { request_id: body.request_id },
  })
}
