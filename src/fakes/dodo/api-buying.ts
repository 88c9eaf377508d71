import {
  type CustomerChange,
  findPage,
  type Json,
  type NewCheckout,
  openCheckout,
  refund,
  saleOf,
  textsOf,
  updateCustomer,
} from '../engine/index.ts'
import { invalid, missing } from './errors.ts'
import { type DodoCall as Call, type DodoRoute, route } from './routes.ts'
import {
  isChosen,
  toCustomer,
  toDispute,
  toListedPayment,
  toPayment,
  toProduct,
  toRefund,
  toSession,
  toWholeProduct,
} from './shapes.ts'

/** Checkouts, payments, refunds, disputes, customers and products. */
export const buyingRoutes: readonly DodoRoute[] = [
  route('POST /checkouts', (call) => {
    const { id } = openCheckout(call.world, readCheckout(call))
    return { data: { session_id: id, checkout_url: `${call.account.url}/session/${id}` } }
  }),
  route('GET /checkouts/:id', ({ account, world, id }) => ({
    data: toSession(account, found(world.store.find('checkout', id), 'Checkout session')),
  })),

  route('GET /payments', ({ account }) => ({
    list: account.listPayments().map((payment) => toListedPayment(account, payment)),
  })),
  route('GET /payments/:id', (call) => ({ data: toPayment(call.account, takePayment(call)) })),
  route('GET /payments/:id/line-items', (call) => {
    const { world } = call
    const { amount, charge, invoice, currency } = takePayment(call)
    const page = findPage(world.store, { payment: call.id })
    const price = page?.lines[0]?.price ?? world.store.find('invoice', invoice)?.lines[0]?.price.id
    const given = world.store.find('charge', charge)?.refunded ?? 0
    const item = { items_id: price, amount, refundable_amount: amount - given, tax: 0, name: null }
    return { data: { currency: currency.toUpperCase(), items: [item] } }
  }),

  route('GET /refunds', ({ account, world }) => ({
    list: world.store.list('refund').map((refund) => {
      const { metadata: _, ...listed } = toRefund(account, refund)
      return listed
    }),
  })),
  route('GET /refunds/:id', ({ account, world, id }) => ({
    data: toRefund(account, found(world.store.find('refund', id), 'Refund')),
  })),
  route('POST /refunds', (call) => ({ data: giveBack(call) })),
  route('GET /disputes', ({ account, world }) => ({
    list: world.store.list('dispute').map((dispute) => toDispute(account, dispute)),
  })),
  route('GET /disputes/:id', ({ account, world, id }) => ({
    data: toDispute(account, found(world.store.find('dispute', id), 'Dispute')),
  })),

  route('GET /customers', ({ account, world }) => ({
    list: world.store.list('customer').map((customer) => toCustomer(account, customer)),
  })),
  route('GET /customers/:id', (call) => ({ data: toCustomer(call.account, takeCustomer(call)) })),
  route('PATCH /customers/:id', (call) => {
    const { account, world, body, id } = call
    takeCustomer(call)
    const taken = () => invalid('The email is taken', 'CUSTOMER_EMAIL_EXISTS')
    return { data: toCustomer(account, updateCustomer(world, id, body as CustomerChange, taken)) }
  }),
  route('POST /customers/:id/customer-portal/session', (call) => ({
    data: { link: `${call.account.url}/portal/${takeCustomer(call).id}` },
  })),

  route('GET /products/:id', ({ account, world, id }) => ({
    data: toWholeProduct(account, found(world.store.find('price', id), 'Product')),
  })),
  route('GET /products', ({ account, world, query }) => ({
    list: world.store
      .list('price')
      .filter(({ active }) => active === (query.get('archived') !== 'true'))
      .map((price) => toProduct(account, price)),
  })),
]

/** Requires that the object exists. @throws ApiError */
export function found<T>(item: T | undefined, what: string): T {
  if (item === undefined) throw missing(what)
  return item
}

function takePayment({ world, id }: Call) {
  return found(world.store.find('payment', id), 'Payment')
}
function takeCustomer({ world, id }: Call) {
  return found(world.store.find('customer', id), 'Customer')
}

function readCheckout({ world, body }: Call): NewCheckout {
  const [line] =
    (body.product_cart as { product_id: string; quantity: number; amount?: number }[] | undefined) ?? []
  const price = found(world.store.find('price', line?.product_id ?? null), 'Product')
  const code = world.store.list('code').find((code) => code.code === body.discount_code)
  if (body.discount_code !== undefined && code === undefined)
    throw invalid('The discount is not valid', 'DISCOUNT_CODE_INVALID')
  const { customer_id, email } = (body.customer ?? {}) as { customer_id?: string; email?: string }
  const { trial_period_days: asked } = (body.subscription_data ?? {}) as { trial_period_days?: number }
  const days = price.rhythm === null ? 0 : (asked ?? price.trial_days ?? 0)
  return saleOf(price, {
    quantity: line?.quantity,
    // Ignored for a product whose buyers do not choose.
    amount: isChosen(price) ? line?.amount : undefined,
    currency: String(body.billing_currency ?? price.currency).toLowerCase(),
    coupon: code?.coupon ?? null,
    code: code?.id ?? null,
    customer:
      customer_id === undefined ? null : found(world.store.find('customer', customer_id), 'Customer').id,
    email: email ?? null,
    trial: days === 0 ? null : { days },
    metadata: textsOf(body.metadata),
    success_url: (body.return_url as string | undefined) ?? null,
    cancel_url: (body.cancel_url as string | undefined) ?? null,
  })
}

function giveBack({ account, world, body }: Call): Json {
  const payment = found(world.store.find('payment', String(body.payment_id)), 'Payment')
  const charge = found(world.store.find('charge', payment.charge), 'Payment')
  const items = body.items as { amount: number }[] | null | undefined
  const amount = items?.reduce((sum, item) => sum + item.amount, 0)
  const reason = body.reason === undefined ? undefined : String(body.reason)
  return toRefund(account, refund(world, charge, { amount, reason, metadata: textsOf(body.metadata) }))
}
