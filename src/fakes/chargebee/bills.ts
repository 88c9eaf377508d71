import type { Checkout, Invoice, Json, Metadata, Price } from '../engine/index.ts'
import type { Account } from './account.ts'
import { itemPriceOf, revision } from './shapes.ts'

/** An invoice: of a subscription, or of a one-time purchase on a page. */
export interface Bill {
  readonly id: string
  readonly customer: string
  readonly subscription: string | null
  readonly currency: string
  readonly created: number
  /** Time that its lines cover. */
  readonly period: { readonly start: number; readonly end: number }
  readonly lines: readonly BillLine[]
  readonly total: number
  /** Amount that credits pay. */
  readonly credits: number
  readonly due: number
  readonly status: 'paid' | 'payment_due' | 'not_paid' | 'voided'
  readonly paidAt: number | null
  readonly payment: string | null
  readonly metadata: Metadata
  /** Ids of the engine's objects that it shows. */
  readonly from: readonly (string | null)[]
}

interface BillLine {
  readonly id: string
  readonly price: Price
  readonly quantity: number
  readonly amount: number
  readonly text: string
}

/** Lists every invoice, oldest first. */
export function listBills(account: Account): Bill[] {
  const { store } = account.world
  return [
    ...store.list('invoice').filter(isShown).map(ofInvoice),
    ...store
      .list('checkout')
      .filter(isSoldOnce)
      .map((checkout) => ofCheckout(account, checkout)),
  ].sort((a, b) => a.created - b.created)
}

/** Finds the invoice of that id; undefined if there is none. */
export function findBill(account: Account, id: string): Bill | undefined {
  const { store } = account.world
  const invoice = store.find('invoice', id)
  if (invoice !== undefined) return isShown(invoice) ? ofInvoice(invoice) : undefined
  return soldOnceFor(account, `pay_${id.slice('inv_'.length)}`)
}

/** Finds the invoice that a payment paid. */
export function billPaidBy(account: Account, payment: string): Bill | undefined {
  const invoice = account.world.store.having('invoice', 'payment', payment).find(isShown)
  return invoice === undefined ? soldOnceFor(account, payment) : ofInvoice(invoice)
}

function soldOnceFor(account: Account, payment: string): Bill | undefined {
  const checkout = account.world.store.having('checkout', 'payment', payment).find(isSoldOnce)
  return checkout && ofCheckout(account, checkout)
}

// A mere credit, and a trial without charge, make no invoice.
function isShown({ status, lines }: Invoice): boolean {
  return status !== 'draft' && lines.reduce((sum, { amount }) => sum + amount, 0) > 0
}

function isSoldOnce({ mode, status, payment }: Checkout): boolean {
  return mode === 'payment' && status === 'complete' && payment !== null
}

function billIdOf({ payment }: Checkout): string {
  return `inv_${payment?.slice('pay_'.length)}`
}

function ofInvoice(invoice: Invoice): Bill {
  const credited = invoice.lines.reduce((sum, { amount }) => sum - Math.min(0, amount), 0)
  const total = invoice.total + credited
  return {
    id: invoice.id,
    customer: invoice.customer,
    subscription: invoice.subscription,
    currency: invoice.currency,
    created: invoice.created,
    // The engine's invoice has the period before; its lines have the billed one.
    period: invoice.lines.at(-1)?.period ?? invoice.period,
    lines: invoice.lines.filter(({ amount }) => amount >= 0),
    total,
    credits: total - invoice.due,
    due: invoice.due,
    status: statusOf(invoice),
    paidAt: invoice.paid_at,
    payment: invoice.payment,
    metadata: invoice.metadata,
    from: [invoice.id],
  }
}

function statusOf({ status, was_tried, next_try }: Invoice): Bill['status'] {
  if (status === 'paid') return 'paid'
  if (status === 'void') return 'voided'
  return status === 'uncollectible' || (was_tried && next_try === null) ? 'not_paid' : 'payment_due'
}

function ofCheckout({ world: { store } }: Account, checkout: Checkout): Bill {
  const payment = store.find('payment', checkout.payment)
  const charge = store.find('charge', payment?.charge ?? null)
  const isPaid = payment?.status === 'paid'
  return {
    id: billIdOf(checkout),
    customer: checkout.customer ?? '',
    subscription: null,
    currency: checkout.currency,
    created: payment?.created ?? checkout.created,
    period: { start: checkout.created, end: checkout.created },
    lines: checkout.lines.map(({ id, price: priceId, quantity }) => {
      const price = store.get('price', priceId)
      return { id, price, quantity, amount: price.amount * quantity, text: price.nickname ?? price.id }
    }),
    total: checkout.total,
    credits: 0,
    due: checkout.total,
    status: isPaid ? 'paid' : payment?.refusal ? 'not_paid' : 'payment_due',
    paidAt: isPaid ? (charge?.created ?? null) : null,
    payment: checkout.payment,
    metadata: {},
    from: [checkout.id, checkout.payment],
  }
}

/** https://apidocs.chargebee.com/docs/api/invoices */
export function toInvoice(account: Account, bill: Bill): Json {
  const isPaid = bill.status === 'paid'
  const isOwed = bill.status === 'payment_due' || bill.status === 'not_paid'
  return {
    id: bill.id,
    customer_id: bill.customer,
    ...(bill.subscription === null ? {} : { subscription_id: bill.subscription }),
    recurring: bill.subscription !== null,
    is_gifted: false,
    term_finalized: true,
    status: bill.status,
    price_type: 'tax_exclusive',
    date: bill.created,
    due_date: bill.created,
    currency_code: bill.currency.toUpperCase(),
    sub_total: bill.total,
    tax: 0,
    total: bill.total,
    credits_applied: bill.credits,
    amount_adjusted: 0,
    amount_paid: isPaid ? bill.due : 0,
    amount_due: isOwed ? bill.due : 0,
    ...(isPaid ? { paid_at: bill.paidAt } : {}),
    line_items: bill.lines.map((line) => toLine(bill, line)),
    ...revision(account, ...bill.from),
    object: 'invoice',
  }
}

function toLine(bill: Bill, { id, price, quantity, amount, text }: BillLine): Json {
  return {
    id,
    ...(bill.subscription === null ? {} : { subscription_id: bill.subscription }),
    customer_id: bill.customer,
    unit_amount: price.amount,
    quantity,
    amount,
    description: text,
    date_from: bill.period.start,
    date_to: bill.period.end,
    is_taxed: false,
    entity_type: price.rhythm === null ? 'charge_item_price' : 'plan_item_price',
    entity_id: itemPriceOf(price),
    object: 'line_item',
  }
}
