import {
  type Charge,
  iso,
  isoOrNull,
  type Json,
  type Metadata,
  type Price,
  withTax,
} from '../engine/index.ts'
import { type Account, type Sold, soldId } from './account.ts'
import { toPrice, toProduct } from './shapes.ts'

/** Returns the custom data of a transaction; a subscription copies it to its later ones. */
export function customDataOf({ checkout, invoice }: Sold): Json | null {
  return (
    (checkout?.own?.custom_data as Json | undefined) ?? (invoice?.metadata as Metadata | undefined) ?? null
  )
}

/** https://developer.paddle.com/api-reference/transactions */
export function toTransaction(account: Account, sold: Sold): Json {
  const { checkout, invoice } = sold
  const id = soldId(sold)
  const status = statusOf(sold)
  const isPaid = status === 'completed'
  const lines = linesOf(account, sold)
  const currency = (checkout ?? invoice)!.currency.toUpperCase()
  const { subtotal, discount, tax, total, due } = sumOf(sold)
  const payment = account.world.store.find('payment', invoice?.payment ?? checkout?.payment ?? null)
  const charge = account.world.store.find('charge', payment?.charge ?? null)
  return {
    id,
    status,
    customer_id: (checkout ?? invoice)!.customer,
    address_id: null,
    business_id: null,
    custom_data: customDataOf(sold),
    currency_code: currency,
    origin: originOf(sold),
    subscription_id: isPaid || checkout === null ? (invoice?.subscription ?? null) : null,
    invoice_id: null,
    invoice_number: invoice?.number ? `${invoice.customer.slice(-4)}-${invoice.number}` : null,
    collection_mode: 'automatic',
    discount_id: checkout?.coupon ?? null,
    billing_details: null,
    billing_period: billedPeriod(invoice),
    items: lines
      .filter(({ amount }) => amount >= 0)
      .map(({ price, quantity }) => ({ price: toPrice(account, price), quantity, proration: null })),
    details: {
      tax_rates_used: [],
      totals: {
        subtotal: String(subtotal),
        discount: String(discount),
        tax: String(tax),
        total: String(total),
        credit: String(Math.max(0, total - due)),
        credit_to_balance: '0',
        balance: isPaid ? '0' : String(due),
        grand_total: String(due),
        grand_total_tax: String(tax),
        fee: null,
        earnings: null,
        currency_code: currency,
      },
      adjusted_totals: {
        subtotal: String(subtotal),
        tax: String(tax),
        total: String(total),
        grand_total: String(due),
        grand_total_tax: String(tax),
        fee: null,
        retained_fee: '0',
        earnings: null,
        currency_code: currency,
      },
      payout_totals: null,
      adjusted_payout_totals: null,
      line_items: lines.map((line) => lineItem(account, line)),
    },
    payments: charge === undefined ? [] : [attempt(charge)],
    checkout: { url: `${String(checkout?.own?.url ?? `${account.url}/pay`)}?_ptxn=${id}` },
    created_at: account.madeAt(id),
    updated_at: account.changedAt(id, checkout?.invoice, invoice?.id, payment?.id),
    billed_at:
      isPaid || status === 'billed' ? isoOrNull(invoice?.finalized_at ?? charge?.created ?? null) : null,
    revised_at: null,
  }
}

// The period that is billed, where the engine's invoice has the one before.
function billedPeriod(invoice: Sold['invoice']): Json | null {
  const period = invoice?.lines.at(-1)?.period ?? invoice?.period
  return period === undefined ? null : { starts_at: iso(period.start), ends_at: iso(period.end) }
}

interface SoldLine {
  readonly id: string
  readonly price: Price
  readonly quantity: number
  readonly amount: number
}

function linesOf({ world }: Account, { checkout, invoice }: Sold): SoldLine[] {
  if (checkout === null) return [...invoice!.lines]
  return checkout.lines.map(({ id, price: priceId, quantity }) => {
    const price = world.store.get('price', priceId)
    const each = price.currency === checkout.currency ? price.amount : (price.amounts[checkout.currency] ?? 0)
    return {
      id,
      price,
      quantity,
      amount: (checkout.trial === null ? each : (price.trial_amount ?? 0)) * quantity,
    }
  })
}

function lineItem(account: Account, { id, price, quantity, amount }: SoldLine): Json {
  const { tax, total } = withTax(account.world, amount)
  const totals = { subtotal: String(total - tax), discount: '0', tax: String(tax), total: String(total) }
  const product = toProduct(account, account.world.store.get('product', price.product))
  return {
    id,
    price_id: price.id,
    quantity,
    proration: null,
    tax_rate: '0',
    unit_totals: totals,
    totals,
    product,
  }
}

function sumOf({ checkout, invoice }: Sold) {
  if (checkout !== null) return { ...checkout, due: checkout.total }
  const { subtotal, discount, tax, total, due } = invoice!
  return { subtotal, discount: discount?.amount ?? 0, tax, total: Math.max(0, total), due }
}

function statusOf({ checkout, invoice }: Sold): string {
  if (checkout !== null) {
    if (checkout.status === 'expired') return 'canceled'
    if (checkout.status === 'open') return 'draft'
    return checkout.paid === 'unpaid' ? 'ready' : 'completed'
  }
  switch (invoice!.status) {
    case 'draft':
      return 'ready'
    case 'open':
      return invoice!.was_tried ? 'past_due' : 'billed'
    case 'paid':
      return 'completed'
    default:
      return 'canceled'
  }
}

// https://developer.paddle.com/changelog/2023/subscription-charge-transaction-origin
function originOf({ checkout, invoice }: Sold): string {
  return checkout !== null
    ? 'api'
    : invoice!.reason === 'cycle'
      ? 'subscription_recurring'
      : 'subscription_update'
}

function attempt(charge: Charge): Json {
  return {
    payment_attempt_id: charge.id,
    stored_payment_method_id: charge.method ?? charge.id,
    payment_method_id: charge.method,
    amount: String(charge.amount),
    status: charge.status === 'paid' ? 'captured' : charge.status === 'failed' ? 'error' : 'pending',
    error_code: charge.status === 'failed' ? 'declined' : null,
    method_details: {
      type: 'card',
      card: {
        type: 'visa',
        last4: charge.number.slice(-4),
        expiry_month: charge.expires.month,
        expiry_year: charge.expires.year,
        cardholder_name: 'Ann',
      },
      paypal: null,
      south_korea_local_card: null,
      underlying_details: null,
    },
    created_at: iso(charge.created),
    captured_at: charge.status === 'paid' ? iso(charge.created) : null,
  }
}
