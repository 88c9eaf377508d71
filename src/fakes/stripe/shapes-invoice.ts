import { type Invoice, type Line, type Payment, unitAmount, type Waiting } from '../engine/index.ts'
import { blank, headOf, listOf } from './blank.ts'

const reasons = {
  start: 'subscription_create',
  cycle: 'subscription_cycle',
  change: 'subscription_update',
  upcoming: 'upcoming',
}

/** https://docs.stripe.com/api/invoices/object */
export function toInvoice(invoice: Invoice, url: string) {
  const { id, customer, discount, number } = invoice
  const lines = invoice.lines.map((line) => toInvoiceLine(line, invoice))
  return {
    ...headOf('invoice', invoice),
    ...blank('customer_address', 'default_payment_method', 'description', 'due_date', 'invoice_pdf'),
    ...blank('account_name', 'account_tax_ids', 'application', 'custom_fields', 'customer_account'),
    ...blank('customer_phone', 'customer_shipping', 'default_source', 'footer', 'from_invoice'),
    ...blank('last_finalization_error', 'latest_revision', 'on_behalf_of', 'receipt_number', 'rendering'),
    ...blank('shipping_cost', 'shipping_details', 'statement_descriptor', 'test_clock'),
    id: invoice.reason === 'upcoming' ? `upcoming_${id}` : id,
    account_country: 'US',
    amount_due: invoice.due,
    amount_overpaid: 0,
    amount_paid: invoice.paid,
    amount_remaining: invoice.remaining,
    amount_shipping: 0,
    attempt_count: invoice.attempts,
    attempted: invoice.was_tried,
    auto_advance: invoice.is_automatic,
    automatic_tax: { ...blank('disabled_reason', 'liability', 'provider'), enabled: false, status: null },
    automatically_finalizes_at: invoice.draft_until,
    billing_reason: reasons[invoice.reason],
    collection_method: 'charge_automatically',
    currency: invoice.currency,
    customer,
    customer_email: invoice.email,
    customer_name: invoice.name,
    customer_tax_exempt: 'none',
    default_tax_rates: [],
    discounts: discount ? [discount.id] : [],
    effective_at: invoice.finalized_at,
    ending_balance: invoice.ending_balance,
    hosted_invoice_url: invoice.finalized_at === null ? null : `${url}/i/${id}`,
    issuer: { type: 'self' },
    lines: listOf(lines, `/v1/invoices/${id}/lines`),
    metadata: {},
    next_payment_attempt: invoice.next_try,
    number: number && `${customer.slice(4, 12).toUpperCase()}-${String(number).padStart(4, '0')}`,
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: invoice.metadata, subscription: invoice.subscription },
    },
    period_end: invoice.period.end,
    period_start: invoice.period.start,
    payment_settings: blank('default_mandate', 'payment_method_options', 'payment_method_types'),
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: invoice.starting_balance,
    status: invoice.status,
    status_transitions: {
      finalized_at: invoice.finalized_at,
      marked_uncollectible_at: invoice.given_up_at,
      paid_at: invoice.paid_at,
      voided_at: invoice.voided_at,
    },
    subtotal: invoice.subtotal,
    subtotal_excluding_tax: invoice.subtotal,
    total: invoice.total,
    total_excluding_tax: invoice.total - invoice.tax,
    total_pretax_credit_amounts: [],
    total_discount_amounts: discount?.amount ? [{ amount: discount.amount, discount: discount.id }] : [],
    total_taxes: invoice.tax === 0 ? [] : [{ amount: invoice.tax, type: 'tax_rate_details' }],
    webhooks_delivered_at: null,
  }
}

// A one-time price waits for its invoice, too, and is no proration.
function isProration({ waiting, price }: Line): boolean {
  return waiting !== null && price.rhythm !== null
}

/** Shows where a line comes from: an item of the subscription, or one that was added to the invoice. */
function parentOf(line: Line, subscription: string) {
  const own = { invoice_item: line.waiting, proration: isProration(line), subscription }
  const details = { ...own, proration_details: { credited_items: null } }
  return line.price.rhythm === null
    ? {
        type: 'invoice_item_details',
        invoice_item_details: details,
        subscription_item_details: null,
      }
    : {
        type: 'subscription_item_details',
        invoice_item_details: null,
        subscription_item_details: { ...details, subscription_item: line.item },
      }
}

/** https://docs.stripe.com/api/invoice-line-item/object */
export function toInvoiceLine(line: Line, on: Invoice) {
  return {
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
    parent: parentOf(line, on.subscription),
    period: line.period,
    pretax_credit_amounts: [],
    pricing: {
      type: 'price_details',
      price_details: { price: line.price.id, product: line.price.product },
      unit_amount_decimal: String(unitAmount(line.price, on.currency)),
    },
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription: on.subscription,
    subtotal: line.amount,
    taxes: [],
  }
}

/** https://docs.stripe.com/api/invoiceitems/object */
export function toInvoiceItem({ id, line, ...item }: Waiting) {
  return {
    id,
    object: 'invoiceitem' as const,
    amount: line.amount,
    currency: item.currency,
    customer: item.customer,
    date: item.created,
    description: line.text,
    discountable: false,
    invoice: item.invoice,
    livemode: false,
    metadata: {},
    period: line.period,
    proration: isProration(line),
    quantity: line.quantity,
    subscription: item.subscription,
  }
}

/** Shows the link between an invoice and its payment. https://docs.stripe.com/api/invoice-payment/object */
export function toInvoicePayment(payment: Payment, invoice: Invoice) {
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
