import {
  type CustomerChange,
  type Json,
  type NewCheckout,
  openCheckout,
  refund,
  saleOf,
  textsOf,
  updateCustomer,
} from '../engine/index.ts'
import type { Resource } from './account.ts'
import { invalid, missing } from './errors.ts'
import { type LemonSqueezyCall as Call, type LemonSqueezyRoute, route } from './routes.ts'
import { toCheckout, toCustomer, toInvoice, toOrder, toSubscription } from './shapes.ts'
import { toPrice, toProduct, toStore, toVariant } from './shapes-goods.ts'

/** Checkouts, orders, customers and products. */
export const buyingRoutes: readonly LemonSqueezyRoute[] = [
  route('POST /checkouts', (call) => {
    const opened = openCheckout(call.world, readCheckout(call))
    return { data: toCheckout(call.account, opened), status: 201 }
  }),
  route('GET /checkouts/:id', ({ account, world, id }) => {
    const found = world.store.find('checkout', id)
    if (found === undefined) throw missing(id)
    return { data: toCheckout(account, found) }
  }),

  // https://docs.lemonsqueezy.com/api/users/retrieve-user
  route('GET /users/me', ({ account }) => ({
    document: {
      meta: { test_mode: true },
      links: { self: `${account.url}/v1/users/1` },
      data: {
        type: 'users',
        id: '1',
        attributes: { name: 'Seller', email: 'seller@example.com', has_custom_avatar: false },
        links: { self: `${account.url}/v1/users/1` },
      },
    },
  })),
  route('GET /orders', ({ account }) => ({ list: listOrders(account) })),
  route('GET /orders/:id', (call) => ({ data: toOrder(call.account, takeOrder(call)) })),
  route('POST /orders/:id/refund', (call) => {
    const page = takeOrder(call)
    const { payment } = call.world.store.find('invoice', page.invoice) ?? page
    giveBack(call, payment)
    return { data: toOrder(call.account, page) }
  }),

  route('GET /subscription-invoices', ({ account }) => ({
    list: account.listInvoices().map((invoice) => toInvoice(account, invoice)),
  })),
  route('GET /subscription-invoices/:id', (call) => ({
    data: toInvoice(call.account, takeInvoice(call)),
  })),
  route('POST /subscription-invoices/:id/refund', (call) => {
    giveBack(call, takeInvoice(call).payment)
    return { data: toInvoice(call.account, takeInvoice(call)) }
  }),

  route('GET /customers', ({ account, world }) => ({
    list: world.store.list('customer').map((customer) => toCustomer(account, customer)),
  })),
  route('GET /customers/:id', (call) => ({ data: toCustomer(call.account, takeCustomer(call)) })),
  route('PATCH /customers/:id', (call) => {
    const { world, body, account } = call
    const { id } = takeCustomer(call)
    const taken = () => invalid('email', 'The email has already been taken.')
    return { data: toCustomer(account, updateCustomer(world, id, body.fields as CustomerChange, taken)) }
  }),
  route('GET /customers/:id/orders', (call) => ({
    list: listOrders(call.account).filter((order) => isOf(order, takeCustomer(call).id)),
  })),
  route('GET /customers/:id/subscriptions', (call) => ({
    list: call.account
      .listSubscriptions()
      .filter(({ customer }) => customer === takeCustomer(call).id)
      .map((subscription) => toSubscription(call.account, subscription)),
  })),

  route('GET /stores', ({ account }) => ({ list: [toStore(account)] })),
  route('GET /products', ({ account, world }) => ({
    list: world.store.list('product').map((product) => toProduct(account, product)),
  })),
  route('GET /variants', ({ account, world }) => ({
    list: world.store.list('price').map((price) => toVariant(account, price)),
  })),
  route('GET /prices', ({ account, world }) => ({
    list: world.store.list('price').map((price) => toPrice(account, price)),
  })),
]

type Account = Call['account']

function listOrders(account: Account): Resource[] {
  return account.listOrders().map((page) => toOrder(account, page))
}

function isOf({ attributes }: Resource, customer: string): boolean {
  return String(attributes.customer_id) === customer
}

function readCheckout({ world, body: { fields, named } }: Call): NewCheckout {
  if (named.store !== '1') throw invalid('store', 'The store is not one of yours.')
  const price = world.store.find('price', named.variant ?? null)
  if (price === undefined) throw invalid('variant', 'The variant is not one of yours.')
  const data = (fields.checkout_data ?? {}) as Json
  const [asked] = (data.variant_quantities as { quantity: number }[] | undefined) ?? []
  const code = world.store.list('code').find((code) => code.code === data.discount_code)
  if (data.discount_code !== undefined && code === undefined)
    throw invalid('checkout_data.discount_code', 'The discount code is invalid.')
  const { skip_trial } = (fields.checkout_options ?? {}) as { skip_trial?: boolean }
  const isTrial = price.rhythm !== null && price.trial_days !== null && skip_trial !== true
  return saleOf(price, {
    quantity: asked?.quantity,
    amount: typeof fields.custom_price === 'number' ? fields.custom_price : undefined,
    coupon: code?.coupon ?? null,
    code: code?.id ?? null,
    email: (data.email as string | undefined) ?? null,
    trial: isTrial ? { days: price.trial_days ?? 0 } : null,
    ...(typeof fields.expires_at === 'string'
      ? { expires_at: Math.floor(Date.parse(fields.expires_at) / 1000) }
      : {}),
    own: {
      product_options: fields.product_options ?? {},
      checkout_options: fields.checkout_options ?? {},
      checkout_data: { ...data, custom: textsOf(data.custom) },
    },
  })
}

function takeOrder({ account, id }: Call) {
  const found = account.findOrder(id)
  if (found === undefined) throw missing(id)
  return found
}

function takeInvoice({ account, id }: Call) {
  const found = account.listInvoices().find((invoice) => invoice.id === id)
  if (found === undefined) throw missing(id)
  return found
}

function takeCustomer({ world, id }: Call) {
  const found = world.store.find('customer', id)
  if (found === undefined) throw missing(id)
  return found
}

function giveBack({ world, body }: Call, payment: string | null): void {
  const charge = world.store.find('charge', world.store.find('payment', payment)?.charge ?? null)
  if (charge === undefined) throw invalid('amount', 'Nothing was paid.')
  refund(world, charge, body.fields.amount === undefined ? {} : { amount: Number(body.fields.amount) })
}
