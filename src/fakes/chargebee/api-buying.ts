import { textsOf } from '../engine/api.ts'
import { addCustomer, findCharge, openCheckout, type Price, refund, saleOf } from '../engine/index.ts'
import { listBacks, toBack, toCreditNote, toPayment } from './backs.ts'
import { billPaidBy, findBill, listBills, toInvoice } from './bills.ts'
import { missing, untimely, wrong } from './errors.ts'
import { toHostedPage } from './pages.ts'
import { type ChargebeeCall as Call, type ChargebeeRoute, route } from './routes.ts'
import { itemPriceOf, priceAt, toCoupon, toCustomer, toItemPrice } from './shapes.ts'

/** Hosted pages, customers, invoices, refunds, and the catalogue. */
export const buyingRoutes: readonly ChargebeeRoute[] = [
  route('POST /hosted_pages/checkout_new_for_items', (call) => openPage(call, 'subscription')),
  route('POST /hosted_pages/checkout_one_time_for_items', (call) => openPage(call, 'payment')),
  route('POST /hosted_pages/collect_now', ({ account, world, body }) => {
    const customer = takeCustomer({ world, id: body.text('customer[id]') ?? '' })
    const id = account.newId('hp')
    account.collecting.set(id, customer.id)
    return { hosted_page: toHostedPage(account, id) }
  }),
  route('GET /hosted_pages/:id', ({ account, id }) => {
    const hosted_page = toHostedPage(account, id)
    if (hosted_page === null) throw missing('hosted_page', id)
    return { hosted_page }
  }),
  route('POST /portal_sessions', ({ account, world, body }) => {
    const { id } = takeCustomer({ world, id: body.text('customer[id]') ?? '' })
    const session = {
      id: account.newId('portal'),
      customer_id: id,
      access_url: `${account.url}/portal/${id}`,
    }
    return { portal_session: { ...session, status: 'created', redirect_url: body.text('redirect_url') } }
  }),

  route('GET /customers', ({ account, world }) => ({
    list: world.store.list('customer').map((customer) => ({ customer: toCustomer(account, customer) })),
  })),
  route('POST /customers', ({ account, world, body }) => {
    const meta = JSON.parse(body.text('meta_data') ?? '{}')
    const made = addCustomer(world, {
      email: body.text('email'),
      name: nameIn(body) ?? null,
      metadata: textsOf(meta),
    })
    return { customer: toCustomer(account, made) }
  }),
  route('GET /customers/:id', (call) => ({ customer: toCustomer(call.account, takeCustomer(call)) })),
  route('POST /customers/:id', (call) => {
    const { account, world, body, id } = call
    takeCustomer(call)
    const [email, name] = [body.text('email'), nameIn(body)]
    const patch = {
      ...(email === null ? {} : { email }),
      ...(name === undefined ? {} : { name: name || null }),
    }
    return { customer: toCustomer(account, world.change('customer', id, patch, 'customer changed')) }
  }),

  route('GET /invoices', ({ account }) => ({
    list: listBills(account).map((bill) => ({ invoice: toInvoice(account, bill) })),
  })),
  route('GET /invoices/:id', (call) => ({ invoice: toInvoice(call.account, takeBill(call)) })),
  route('POST /invoices/:id/refund', (call) => {
    const { account, world, body } = call
    const { payment, id } = takeBill(call)
    const charge = findCharge(world, payment ?? '')
    if (charge === undefined) throw untimely('The invoice was not paid with money')
    const reason = body.text('customer_notes') ?? undefined
    const made = refund(world, charge, { amount: body.number('refund_amount') ?? undefined, reason })
    return {
      invoice: toInvoice(account, findBill(account, id)!),
      transaction: toBack(account, made),
      credit_note: toCreditNote(account, made),
    }
  }),
  route('GET /transactions', ({ account, world }) => ({
    list: [
      ...world.store.list('charge').flatMap((charge) => {
        const bill = billPaidBy(account, charge.payment)
        return bill === undefined ? [] : toPayment(account, charge, bill)
      }),
      ...listBacks(account).map((back) => toBack(account, back)),
    ].map((transaction) => ({ transaction })),
  })),
  route('GET /transactions/:id', ({ account, id }) => {
    const found = listBacks(account).find((back) => back.id === id)
    if (found === undefined) throw missing('transaction', id)
    return { transaction: toBack(account, found) }
  }),
  route('GET /credit_notes', ({ account }) => ({
    list: listBacks(account).map((back) => ({ credit_note: toCreditNote(account, back) })),
  })),

  route('GET /item_prices', ({ account, world }) => ({
    list: world.store
      .list('price')
      .filter((price) => itemPriceOf(price) === price.id)
      .map((price) => ({ item_price: toItemPrice(account, price) })),
  })),
  route('GET /coupons/:id', ({ account, world, id }) => {
    const coupon = world.store.find('coupon', id)
    if (coupon === undefined) throw missing('coupon', id)
    return { coupon: toCoupon(account, coupon) }
  }),
  route('GET /coupon_codes/:id', ({ world, id }) => {
    const code = world.store.list('code').find((code) => code.code === id)
    if (code === undefined) throw missing('coupon_code', id)
    return {
      coupon_code: { code: id, coupon_id: code.coupon, status: 'not_redeemed', object: 'coupon_code' },
    }
  }),
]

// https://apidocs.chargebee.com/docs/api/hosted_pages: three hours
const pageSeconds = 3 * 3600

function openPage(call: Call, mode: 'subscription' | 'payment') {
  const { account, world, body } = call
  const rows = body.rows(mode === 'subscription' ? 'subscription_items' : 'item_prices')
  if (rows.length === 0) throw wrong('subscription_items[item_price_id][0]', 'cannot be blank')
  const prices = rows.map((row) => {
    const given = row.get('unit_price')
    const price = takePrice(call, row.get('item_price_id') ?? '')
    return priceAt(account, price, given === undefined ? null : Number(given))
  })
  const [first] = prices as [Price, ...Price[]]
  const customer = body.text('customer[id]')
  if (customer !== null) takeCustomer({ world, id: customer })
  const subscriptionId = body.text('subscription[id]')
  if (subscriptionId !== null && world.store.find('subscription', subscriptionId))
    throw wrong('subscription[id]', 'The value is already present')
  const coupon = couponIn(call)
  const trialEnd = body.number('subscription[trial_end]')
  const sold = saleOf(first, {
    mode,
    lines: rows.map((row, n) => ({
      price: prices[n]!.id,
      quantity: Number(row.get('quantity') ?? 1),
    })),
    currency: (body.text('currency_code') ?? first.currency).toLowerCase(),
    coupon,
    customer,
    email: body.text('customer[email]'),
    needs_method: mode === 'subscription',
    trial: mode === 'subscription' ? trialOf(first, trialEnd) : null,
    success_url: body.text('redirect_url'),
    cancel_url: body.text('cancel_url'),
    expires_at: world.clock.seconds() + pageSeconds,
    own: { pass_thru_content: body.text('pass_thru_content'), subscription_id: subscriptionId },
  })
  return { hosted_page: toHostedPage(account, openCheckout(world, sold).id) }
}

function trialOf(price: Price, end: number | null) {
  if (end !== null) return end === 0 ? null : { until: end }
  return price.trial_days === null ? null : { days: price.trial_days }
}

function couponIn({ world, body }: Call): string | null {
  const given = body.text('coupon_ids[0]')
  if (given === null) return null
  const code = world.store.list('code').find((code) => code.code === given)
  return world.store.find('coupon', given)?.id ?? code?.coupon ?? null
}

function takePrice({ world }: Call, id: string): Price {
  const found = world.store.find('price', id)
  if (found === undefined) throw missing('item_price', id)
  return found
}

function takeCustomer({ world, id }: Pick<Call, 'world' | 'id'>) {
  const found = world.store.find('customer', id)
  if (found === undefined || found.deleted) throw missing('customer', id)
  return found
}

function takeBill({ account, id }: Call) {
  const found = findBill(account, id)
  if (found === undefined) throw missing('invoice', id)
  return found
}

function nameIn(body: Call['body']): string | undefined {
  const parts = [body.text('first_name'), body.text('last_name')]
  if (parts.every((part) => part === null)) return undefined
  return parts.filter((part) => part).join(' ')
}
