import {
  addCustomer,
  type Customer,
  type CustomerChange,
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
import { soldId } from './account.ts'
import { toAdjustment } from './adjustments.ts'
import { fault, invalid, missing } from './errors.ts'
import { type PaddleCall as Call, type PaddleRoute, route } from './routes.ts'
import { isCustom, priceOfItem, toCustomer, toDiscount, toPrice, toProduct } from './shapes.ts'
import { toTransaction } from './transactions.ts'

/** Transactions, adjustments, customers and the catalogue. */
export const buyingRoutes: readonly PaddleRoute[] = [
  route('POST /transactions', (call) => {
    const { account, world } = call
    const opened = openCheckout(world, readCheckout(call))
    const data = toTransaction(account, account.findSold(opened.id)!)
    account.emit('transaction.created', data)
    return { data, status: 201 }
  }),
  route('GET /transactions', ({ account }) => ({
    list: account.listSold().map((sold) => toTransaction(account, sold)),
  })),
  route('GET /transactions/:id', (call) => {
    const { account, world, query, id } = call
    const sold = toTransaction(account, takeSold(call))
    const buyer = world.store.find('customer', sold.customer_id as string | null)
    const isAsked = (part: string) => query.get('include')?.split(',').includes(part)
    const data = isAsked('customer') && buyer ? { ...sold, customer: toCustomer(account, buyer) } : sold
    if (!isAsked('adjustment')) return { data }
    const adjustments = account
      .listBack()
      .map((dispute) => toAdjustment(account, dispute))
      .filter(({ transaction_id }) => transaction_id === id)
    return { data: { ...data, adjustments } }
  }),
  route('PATCH /transactions/:id', (call) => {
    const { account, world, body, id } = call
    const { status } = toTransaction(account, takeSold(call))
    // https://developer.paddle.com/errors/transactions/transaction_invalid_status_change
    if (
      body.status !== undefined &&
      !(body.status === 'canceled' && (status === 'ready' || status === 'billed'))
    )
      throw fault(
        400,
        'transaction_invalid_status_change',
        `Invalid attempt to change status from '${String(status)}' to '${String(body.status)}'`,
      )
    if (body.status === 'canceled') world.change('checkout', id, { status: 'expired' }, 'checkout expired')
    if (body.custom_data !== undefined) {
      if (status !== 'draft' && status !== 'ready')
        throw fault(400, 'transaction_immutable', 'transaction cannot be changed any more')
      const { own } = world.store.get('checkout', id)
      world.change('checkout', id, {
        own: { ...own, custom_data: body.custom_data },
        subscription_metadata: textsOf(body.custom_data),
      })
    }
    const data = toTransaction(account, takeSold(call))
    account.emit('transaction.updated', data)
    return { data }
  }),

  route('GET /adjustments', ({ account }) => ({
    list: account.listBack().map((dispute) => toAdjustment(account, dispute)),
  })),
  route('POST /adjustments', (call) => ({ data: giveBack(call), status: 201 })),

  route('GET /customers', ({ account, world }) => ({
    list: world.store.list('customer').map((customer) => toCustomer(account, customer)),
  })),
  route('POST /customers', ({ account, world, body }) => {
    const { email, name } = body as { email?: string; name?: string | null }
    if (email === undefined) throw invalid('email', 'must be provided as part of the request')
    const other = world.store.list('customer').find((customer) => customer.email === email)
    if (other !== undefined) throw taken(other)
    return { data: toCustomer(account, addCustomer(world, { email, name })), status: 201 }
  }),
  route('GET /customers/:id', (call) => ({ data: toCustomer(call.account, takeCustomer(call)) })),
  route('PATCH /customers/:id', (call) => {
    const { world, body, account, id } = call
    takeCustomer(call)
    return { data: toCustomer(account, updateCustomer(world, id, body as CustomerChange, taken)) }
  }),
  route('POST /customers/:id/portal-sessions', (call) => {
    const { id } = takeCustomer(call)
    const overview = `${call.account.url}/portal/${id}`
    const data = {
      id: `cpls_${id.slice(4)}`,
      customer_id: id,
      urls: { general: { overview }, subscriptions: [] },
      created_at: call.account.changedAt(id),
    }
    return { data, status: 201 }
  }),

  route('GET /prices', ({ account, world, query }) => ({
    list: pricesIn(world, query.get('type')).map((price) => {
      const product = toProduct(account, world.store.get('product', price.product))
      return { ...toPrice(account, price), ...(query.get('include') === 'product' ? { product } : {}) }
    }),
  })),
  route('GET /prices/:id', ({ account, world, id }) => {
    const price = world.store.find('price', id)
    if (price === undefined) throw missing('Price', id)
    return { data: toPrice(account, price) }
  }),
  route('GET /products', ({ account, world }) => ({
    list: world.store.list('product').map((product) => toProduct(account, product)),
  })),
  route('GET /discounts', ({ account, world }) => ({
    list: world.store.list('coupon').map((coupon) => toDiscount(account, coupon)),
  })),
]

function pricesIn(world: Call['world'], type: string | null): Price[] {
  return world.store
    .list('price')
    .filter((price) => type === null || type.split(',').includes(isCustom(price) ? 'custom' : 'standard'))
}

function readCheckout({ account, world, body }: Call): NewCheckout {
  const items = Array.isArray(body.items) ? (body.items as Json[]) : []
  if (items.length === 0) throw invalid('items', 'must be provided as part of the request')
  const prices = items.map((item): Price => {
    const found = priceOfItem(account, item)
    if (found === undefined)
      throw fault(400, 'transaction_price_not_found', `price ${String(item.price_id)} not found`)
    return found
  })
  const [first] = prices
  const customer = body.customer_id ? world.store.find('customer', String(body.customer_id)) : null
  if (customer === undefined) throw missing('Customer', String(body.customer_id))
  const isRecurring = prices.some(({ rhythm }) => rhythm !== null)
  const code = world.store.list('code').find(({ coupon }) => coupon === body.discount_id)
  const url = (body.checkout as { url?: string } | undefined)?.url ?? `${account.url}/pay`
  return saleOf(first!, {
    mode: isRecurring ? 'subscription' : 'payment',
    lines: items.map(({ quantity }, n) => ({
      price: prices[n]!.id,
      quantity: Number(quantity ?? 1),
    })),
    currency: String(body.currency_code ?? first!.currency).toLowerCase(),
    coupon: body.discount_id ? String(body.discount_id) : null,
    code: code?.id ?? null,
    customer: customer?.id ?? null,
    needs_method: isRecurring,
    trial: isRecurring && first!.trial_days !== null ? { days: first!.trial_days } : null,
    metadata: textsOf(body.custom_data),
    own: { custom_data: body.custom_data ?? null, url },
  })
}

function takeSold({ account, id }: Call) {
  const sold = account.findSold(id)
  if (sold === undefined) throw missing('Transaction', id)
  return sold
}

function takeCustomer({ world, id }: Call) {
  if (!id.startsWith('ctm_')) throw invalid('customer_id', 'must be a valid Paddle ID')
  const customer = world.store.find('customer', id)
  if (customer === undefined) throw missing('Customer', id)
  return customer
}

// https://developer.paddle.com/errors/customers/customer_already_exists
function taken({ id }: Customer): Error {
  return fault(409, 'customer_already_exists', `customer email conflicts with customer of id ${id}`)
}

function giveBack(call: Call): Json {
  const { account, world, body } = call
  const sold = account.findSold(String(body.transaction_id))
  if (sold === undefined) throw missing('Transaction', String(body.transaction_id))
  const { checkout, invoice } = sold
  const charge = findCharge(world, invoice?.payment ?? checkout?.payment ?? '')
  if (charge === undefined)
    throw fault(
      400,
      'adjustment_transaction_invalid_status_for_refund',
      `The transaction ${soldId(sold)} has a non supported status`,
    )
  const items = (body.items as { item_id: string; amount: string }[] | undefined) ?? []
  const amount = body.type === 'full' ? undefined : items.reduce((sum, item) => sum + Number(item.amount), 0)
  const made = refund(world, charge, { amount, reason: String(body.reason) })
  return toAdjustment(account, made)
}
