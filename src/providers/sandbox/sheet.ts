import type { InvoiceLine, InvoiceSheet } from '../../core/dto/index.ts'
import type { Line } from '../../fakes/engine/index.ts'
import type { Book } from './book.ts'
import { paymentsIn } from './customers.ts'
import type { SandboxPayment } from './objects.ts'
import { isoOf } from './views.ts'

/** Builds the printable invoice of a payment; null for one that is not in the book or was not paid. */
export function sheetIn(book: Book, id: string): InvoiceSheet | null {
  const payment = paymentsIn(book).find((item) => item.id === id)
  if (payment === undefined || payment.paid === null) return null
  const { store } = book.world
  const invoice = store.find('invoice', store.get('payment', id).invoice)
  const buyer = invoice ?? store.find('checkout', payment.checkout)?.buyer
  return {
    number: numberOf(id),
    paid_at: payment.paid,
    currency: payment.price.currency,
    buyer: { name: buyer?.name ?? null, email: buyer?.email ?? null },
    lines: invoice?.lines.map(toLine) ?? [boughtOnce(payment)],
    credit: invoice === undefined ? 0 : invoice.due - invoice.total,
    total: payment.amount,
    refunded: payment.amount_refunded,
  }
}

// A bookkeeper must not mistake it for an invoice number of a series:
// https://eur-lex.europa.eu/eli/dir/2006/112/oj, Article 226.
function numberOf(id: string): string {
  return `TEST-${id.replace(/^pay_/, '')}`
}

function toLine({ amount, price, quantity, period, waiting }: Line): InvoiceLine {
  return {
    kind: waiting === null ? 'price' : amount < 0 ? 'unused' : 'rest',
    price_id: price.id,
    quantity,
    amount,
    period: { from: isoOf(period.start), until: isoOf(period.end) },
  }
}

function boughtOnce({ price, quantity, amount }: SandboxPayment): InvoiceLine {
  return {
    kind: 'price',
    price_id: price.id,
    quantity,
    amount,
    period: null,
  }
}
