import {
  type CustomerChange,
  day,
  findCharge,
  type Json,
  type NewCheckout,
  openCheckout,
  type Price,
  refund,
  saleOf,
  textsOf,
  updateCustomer,
} from '../engine/index.ts'
import { forbidden, invalid, missing } from './errors.ts'
import { sumsOf, toOrder, toRefund } from './orders.ts'
import { type PolarCall as Call, type PolarRoute, route } from './routes.ts'
import { productIdOf, toCheckout, toCustomer, toCustomerSession, toDiscount, toProduct } from './shapes.ts'

/** Checkouts, orders, refunds, customers and the catalogue. */
export const buyingRoutes: readonly PolarRoute[] = [
  route('POST /checkouts/', (call) => {
    const { account, world } = call
    const checkout = toCheckout(account, openCheckout(world, readCheckout(call)))
    account.emit('checkout.created', checkout)
    return { data: checkout, status: 201 }
  }),
  route('GET /checkouts/', ({ account, world }) => ({
    list: world.store.list('checkout').map((checkout) => toCheckout(account, checkout)),
  })),
  route('GET /checkouts/:id', ({ account, world, id }) => ({
    data: toCheckout(account, found(world.store.find('checkout', id))),
  })),

  route('GET /orders/', ({ account }) => ({
    list: account.listOrders().map((order) => toOrder(account, order)),
  })),
  route('GET /orders/:id', ({ account, id }) => ({ data: toOrder(account, found(account.findOrder(id))) })),

  route('GET /refunds/', ({ account, world }) => ({
    list: world.store.list('refund').map((refund) => toRefund(account, refund)),
  })),
  route('POST /refunds/', (call) => ({ data: giveBack(call), status: 201 })),

  route('GET /customers/', ({ account, world }) => ({
    list: world.store.list('customer').map((customer) => toCustomer(account, customer)),
  })),
  route('GET /customers/:id', (call) => ({ data: toCustomer(call.account, takeCustomer(call)) })),
  route('PATCH /customers/:id', (call) => {
    const { account, world, id } = call
    takeCustomer(call)
    // https://polar.sh/docs/api-reference/customers/update: unique within the organization
    const taken = () => invalid('email', 'A customer with this email address already exists.')
    return { data: toCustomer(account, updateCustomer(world, id, call.body as CustomerChange, taken)) }
  }),
  route('POST /customer-sessions/', (call) => {
    const { account, world, body } = call
    const customer = found(world.store.find('customer', String(body.customer_id)))
    const returnUrl = typeof body.return_url === 'string' ? body.return_url : null
    return { data: toCustomerSession(account, customer, returnUrl), status: 201 }
  }),

  route('GET /products/', ({ account, world }) => ({
    list: world.store
      .list('price')
      .filter((price) => productIdOf(price) === price.id)
      .map((price) => toProduct(account, price)),
  })),
  route('GET /discounts/', ({ account, world }) => ({
    list: world.store.list('coupon').map((coupon) => toDiscount(account, coupon)),
  })),
]

/** Requires that the object exists. @throws ApiError */
export function found<T>(item: T | undefined): T {
  if (item === undefined) throw missing()
  return item
}

function takeCustomer({ world, id }: Call) {
  return found(world.store.find('customer', id))
}

function readCheckout({ world, body }: Call): NewCheckout {
  const [id] = Array.isArray(body.products) ? body.products : []
  const listed = world.store.find('price', String(id))
  if (listed === undefined) throw invalid('products', 'Product does not exist.')
  const price = adHocPrice(world, listed, body.prices)
  const customer = body.customer_id ? world.store.find('customer', String(body.customer_id)) : null
  if (customer === undefined) throw invalid('customer_id', 'Customer does not exist.')
  const text = (name: string) => (body[name] ? String(body[name]) : null)
  return saleOf(price, {
    quantity: Number(body.seats ?? 1),
    currency: String(body.currency ?? price.currency),
    coupon: text('discount_id'),
    customer: customer?.id ?? null,
    email: text('customer_email'),
    trial: price.rhythm === null ? null : trialOf(price, body),
    metadata: textsOf(body.metadata),
    success_url: text('success_url'),
    cancel_url: text('return_url'),
    expires_at: world.clock.seconds() + day,
  })
}

/** https://polar.sh/docs/features/checkout/session#ad-hoc-prices */
function adHocPrice(world: Call['world'], listed: Price, prices: unknown): Price {
  const [given] =
    (prices as Record<string, { price_amount: number; price_currency: string }[]> | undefined)?.[listed.id] ??
    []
  if (given === undefined) return listed
  const { price_amount: amount, price_currency: currency } = given
  const metadata = { ...listed.metadata, product: listed.id }
  return world.store.put({ ...listed, id: `${listed.id}@${amount}`, amount, currency, metadata })
}

function trialOf({ trial_days }: Price, { allow_trial, trial_interval_count: own }: Json) {
  const days = Number(own ?? trial_days ?? 0)
  return allow_trial === false || days === 0 ? null : { days }
}

// The requested amount is without tax, and the tax is refunded in addition.
function giveBack({ account, world, body }: Call): Json {
  const order = account.findOrder(String(body.order_id))
  if (order === undefined) throw invalid('order_id', 'Order not found')
  const charge = findCharge(world, order.invoice?.payment ?? order.id)
  if (charge === undefined) throw forbidden('RefundUnknownPayment', 'Nothing was paid')
  const { net, tax, refundable, refundableTax } = sumsOf(account, order)
  const amount = Number(body.amount)
  const all = amount === refundable
  const gross = amount + (all ? refundableTax : Math.round((amount * tax) / Math.max(1, net)))
  const made = refund(world, charge, {
    amount: gross,
    reason: String(body.reason),
    metadata: textsOf(body.metadata),
  })
  return toRefund(account, made)
}
