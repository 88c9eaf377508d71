import type { Charge, Json, Refund } from '../engine/index.ts'
import { type Account, type Order, organization } from './account.ts'
import { productIdOf, times, toCustomer, toProduct, toSubscription } from './shapes.ts'

/** Sums of an order and its refunds, with separate tax, as Polar counts. */
export function sumsOf(account: Account, order: Order) {
  const { world } = account
  const { tax, total } = (order.invoice ?? order.checkout)!
  const gross = Math.max(0, total)
  const charge = chargeOf(account, order)
  const parts = world.store
    .list('refund')
    .filter((refund) => refund.charge === charge?.id)
    .map((refund) => taxedPart(refund.amount, { tax, total: gross }))
  const back = parts.reduce((sum, part) => sum + part.amount, 0)
  const taxBack = parts.reduce((sum, part) => sum + part.tax_amount, 0)
  const isPaid = charge?.status === 'paid'
  return {
    tax,
    gross,
    net: gross - tax,
    back,
    taxBack,
    refundable: isPaid ? gross - tax - back : 0,
    refundableTax: isPaid ? tax - taxBack : 0,
    charge,
  }
}

/** Splits a refund into amount and tax. */
export function taxedPart(
  gross: number,
  { tax, total }: { tax: number; total: number },
): { amount: number; tax_amount: number } {
  const tax_amount = total === 0 ? 0 : Math.round((gross * tax) / total)
  return { amount: gross - tax_amount, tax_amount }
}

function chargeOf({ world: { store } }: Account, { id, invoice }: Order): Charge | undefined {
  const payment = store.find('payment', invoice === null ? id : invoice.payment)
  return store.find('charge', payment?.charge ?? null)
}

/** https://polar.sh/docs/api-reference/orders/get */
export function toOrder(account: Account, order: Order): Json {
  const { store } = account.world
  const { id, checkout, invoice } = order
  const sums = sumsOf(account, order)
  const line = invoice?.lines.findLast(({ amount }) => amount >= 0)
  const price = line?.price ?? store.get('price', checkout?.lines[0]?.price ?? null)
  const subscription = store.find('subscription', invoice?.subscription ?? null)
  const customer = store.get('customer', (invoice ?? checkout)!.customer)
  const due = invoice?.due ?? sums.gross
  return {
    id,
    ...times(account, id, checkout?.id ?? null, sums.charge?.id ?? null),
    status: statusOf(order, sums),
    paid: isPaid(order),
    subtotal_amount: sums.net,
    discount_amount: 0,
    net_amount: sums.net,
    tax_amount: sums.tax,
    total_amount: sums.gross,
    applied_balance_amount: due - sums.gross,
    due_amount: due,
    refunded_amount: sums.back,
    refunded_tax_amount: sums.taxBack,
    refundable_amount: sums.refundable,
    refundable_tax_amount: sums.refundableTax,
    currency: (invoice ?? checkout)!.currency,
    billing_reason: reasonOf(order),
    billing_name: null,
    billing_address: null,
    description: account.world.store.find('product', price.product)?.name ?? price.id,
    is_invoice_generated: false,
    receipt_number: null,
    platform_fee_amount: 0,
    platform_fee_currency: null,
    invoice_number: invoice?.number ? `POLAR-${invoice.number}` : null,
    seats: line?.quantity ?? checkout?.lines[0]?.quantity ?? 1,
    units: null,
    customer_id: customer.id,
    product_id: productIdOf(price),
    discount_id: checkout?.coupon ?? null,
    discount: null,
    subscription_id: subscription?.id ?? null,
    checkout_id: checkout?.id ?? null,
    metadata: checkout?.metadata ?? subscription?.metadata ?? {},
    customer: toCustomer(account, customer),
    product: toProduct(account, price),
    subscription: subscription === undefined ? null : toSubscription(account, subscription),
    items: [],
  }
}

function isPaid({ checkout, invoice }: Order): boolean {
  return invoice === null ? checkout?.paid !== 'unpaid' : invoice.status === 'paid'
}

function statusOf(order: Order, { back, net }: { back: number; net: number }): string {
  if (isPaid(order)) return back === 0 ? 'paid' : back >= net ? 'refunded' : 'partially_refunded'
  const { status = 'open' } = order.invoice ?? {}
  return status === 'void' || status === 'uncollectible' ? 'void' : status === 'draft' ? 'draft' : 'pending'
}

// https://polar.sh/docs/api-reference/orders/get, `billing_reason`
function reasonOf({ invoice }: Order): string {
  if (invoice === null) return 'purchase'
  if (invoice.reason === 'start') return 'subscription_create'
  return invoice.reason === 'cycle' ? 'subscription_cycle' : 'subscription_update'
}

/** https://polar.sh/docs/api-reference/refunds/list */
export function toRefund(account: Account, refund: Refund): Json {
  const order = account.orderPaidBy(refund.payment)
  const { tax, gross } = order === undefined ? { tax: 0, gross: refund.amount } : sumsOf(account, order)
  return {
    id: refund.id,
    created_at: account.madeAt(refund.id),
    modified_at: null,
    metadata: refund.metadata,
    status: 'succeeded',
    reason: refund.reason ?? 'customer_request',
    ...taxedPart(refund.amount, { tax, total: gross }),
    currency: refund.currency,
    organization_id: organization,
    order_id: order?.id ?? refund.payment,
    subscription_id: order?.invoice?.subscription ?? null,
    customer_id: account.world.store.find('payment', refund.payment)?.customer ?? null,
    revoke_benefits: false,
    dispute: null,
  }
}
