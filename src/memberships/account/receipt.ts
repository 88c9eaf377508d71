import type { InvoiceLine, InvoiceSheet, Payment } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { chargeIn, titleIn, type Voice } from '../../core/words/index.ts'
import type { View } from '../members/index.ts'

/** The seller named on a receipt. */
export interface Seller {
  readonly name: string
  readonly address: readonly string[]
}

/**
 * The facts of a printable page about the member's own payment.
 * @throws ERR_NOT_FOUND, also for another member's payment and for one that was never paid
 */
export function receiptOf(view: View, id: string, voice: Voice) {
  const payment = view
    .user()
    ?.payments()
    .find((knownPayment) => knownPayment.id === id && isConfirmed(knownPayment))
  if (payment === undefined)
    throw new MembershipError('ERR_NOT_FOUND', 'You have no such payment.', { action: 'See your account.' })
  const { currency, provider } = payment
  const money = (amount: number) =>
    currency === null ? String(amount) : view.money({ amount, currency, provider }, voice.locale)
  return {
    provider,
    payment: {
      id,
      title: titleIn(
        voice,
        payment.price_id,
        view.boughtAs(payment.price_id, payment.paid_at ?? payment.updated_at),
        payment.quantity ?? 1,
      ),
      amount: money(payment.amount),
      refunded: payment.amount_refunded > 0 ? money(payment.amount_refunded) : null,
      day: voice.day(payment.paid_at ?? payment.updated_at),
    },
    invoice_url: payment.invoice_url,
  }
}

function isConfirmed({ status }: Payment): boolean {
  return status === 'paid' || status === 'partially_refunded' || status === 'refunded'
}

/**
 * The facts of an invoice for the member's own payment, where the provider runs within this site.
 * @throws ERR_NOT_FOUND, also for another member's payment and where the provider keeps its invoices elsewhere
 */
export async function invoiceOf(
  view: View,
  id: string,
  { voice, sheetOf }: { voice: Voice; sheetOf: (payment: Payment) => Promise<InvoiceSheet | null> },
) {
  const payment = view
    .user()
    ?.payments()
    .find((knownPayment) => knownPayment.id === id)
  const sheet = payment === undefined ? null : await sheetOf(payment)
  if (payment === undefined || sheet === null)
    throw new MembershipError('ERR_NOT_FOUND', 'You have no such invoice.', { action: 'See your account.' })
  const money = (amount: number) =>
    view.money({ amount, currency: sheet.currency, provider: payment.provider }, voice.locale)
  const lines = sheet.lines.map((line) => ({
    text: chargeIn(voice, line.kind, titleOf(line, sheet, { view, voice })),
    period:
      line.period === null
        ? null
        : voice.say('invoice.period', {
            from: voice.day(line.period.from),
            until: voice.day(line.period.until),
          }),
    amount: money(line.amount),
  }))
  const { credit, refunded, total, number, buyer, paid_at } = sheet
  return {
    number,
    buyer,
    lines,
    day: voice.day(paid_at),
    credit: credit === 0 ? null : money(credit),
    total: money(total),
    refunded: refunded === 0 ? null : money(refunded),
  }
}

// The plan's name at the time of purchase.
function titleOf(
  { price_id, quantity }: InvoiceLine,
  { paid_at }: InvoiceSheet,
  { view, voice }: { view: View; voice: Voice },
): string {
  return titleIn(voice, price_id, view.boughtAs(price_id, paid_at), quantity)
}
