import { type Invoice, type Line, type Payment, unitAmount, type Waiting } from '../engine/index.ts'
import { blank, headOf, listOf } from './blank.ts'

const reasons = {
  start: 'subscription_create',
  cycle: 'subscription_cycle',
  change: 'subscription_update',
  upcoming: 'upcoming',
}

/** https://docs.stripe.com/api/invoices/object */
export const toInvoice = (one: Invoice, url: string) => {
  const { id, customer, discount, number } = one
  const lines = one.lines.map((line) => toInvoiceLine(line, one))
  return {
    ...headOf('invoice', one),
    ...blank('customer_address', 'default_payment_method', 'description', 'due_date', 'invoice_pdf'),
    id: one.reason === 'upcoming' ? `upcoming_${id}` : id,
    account_country: 'US',
    amount_due: one.due,
    amount_overpaid: 0,
    amount_paid: one.paid,
    amount_remaining: one.remaining,
    amount_shipping: 0,
    attempt_count: one.attempts,
    attempted: one.was_tried,
    auto_advance: one.is_automatic,
    automatic_tax: { enabled: false, status: null },
    automatically_finalizes_at: one.draft_until,
    billing_reason: reasons[one.reason],
    collection_method: 'charge_automatically',
    currency: one.currency,
    customer,
    customer_email: one.email,
    customer_name: one.name,
    discounts: discount ? [discount.id] : [],
    effective_at: one.finalized_at,
    ending_balance: one.ending_balance,
    hosted_invoice_url: one.finalized_at === null ? null : `${url}/i/${id}`,
    lines: listOf(lines, `/v1/invoices/${id}/lines`),
    metadata: {},
    next_payment_attempt: one.next_try,
    number: number && `${customer.slice(4, 12).toUpperCase()}-${String(number).padStart(4, '0')}`,
    parent: {
      type: 'subscription_details',
      subscription_details: { metadata: one.metadata, subscription: one.subscription },
    },
    period_end: one.period.end,
    period_start: one.period.start,
    starting_balance: one.starting_balance,
    status: one.status,
    status_transitions: {
      finalized_at: one.finalized_at,
      marked_uncollectible_at: one.given_up_at,
      paid_at: one.paid_at,
      voided_at: one.voided_at,
    },
    subtotal: one.subtotal,
    total: one.total,
    total_discount_amounts: discount?.amount ? [{ amount: discount.amount, discount: discount.id }] : [],
    total_taxes: one.tax === 0 ? [] : [{ amount: one.tax, type: 'tax_rate_details' }],
    webhooks_delivered_at: null,
  }
}

/** https://docs.stripe.com/api/invoice-line-item/object */
export const toInvoiceLine = (line: Line, on: Invoice) => ({
  id: line.id,
  object: 'line_item' as const,
  amount: line.amount,
  currency: on.currency,
  description: line.text,
  discount_amounts: [],
  discountable: line.waiting === null,
  discounts: [],
  invoice: on.id,
  livemode: false,
  metadata: {},
  parent: {
    type: 'subscription_item_details',
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: line.waiting,
      proration: line.waiting !== null,
      proration_details: { credited_items: null },
      subscription: on.subscription,
      subscription_item: line.item,
    },
  },
  period: line.period,
  pricing: {
    type: 'price_details',
    price_details: { price: line.price.id, product: line.price.product },
    unit_amount_decimal: String(unitAmount(line.price, on.currency)),
  },
  quantity: line.quantity,
  subtotal: line.amount,
  taxes: [],
})

/** https://docs.stripe.com/api/invoiceitems/object */
export const toInvoiceItem = ({ id, line, ...one }: Waiting) => ({
  id,
  object: 'invoiceitem' as const,
  amount: line.amount,
  currency: one.currency,
  customer: one.customer,
  date: one.created,
  description: line.text,
  discountable: false,
  invoice: one.invoice,
  livemode: false,
  metadata: {},
  period: line.period,
  proration: true,
  quantity: line.quantity,
  subscription: one.subscription,
})

/** What joins an invoice and its payment. https://docs.stripe.com/api/invoice-payment/object */
export const toInvoicePayment = (payment: Payment, invoice: Invoice) => {
  const isPaid = invoice.status === 'paid'
  const id = `inpay_${payment.id.slice('pi_'.length)}`
  return {
    ...headOf('invoice_payment', { id, created: payment.created }),
    amount_paid: isPaid ? invoice.paid : null,
    amount_requested: payment.amount,
    currency: payment.currency,
    invoice: invoice.id,
    is_default: true,
    payment: { type: 'payment_intent', payment_intent: payment.id },
    status: isPaid ? 'paid' : 'open',
    status_transitions: { canceled_at: null, paid_at: invoice.paid_at },
  }
}
