import type { MoneyFact, Purpose } from '../contract.ts'
import { currency, idOf, int, list, obj, str, time } from '../narrow.ts'
import { cleanFact, type RefSource, refsOf } from './facts.ts'
import { isCut } from './long-lists.ts'
import type { Invoice, Line, LineDetails } from './payload.ts'

/** https://docs.stripe.com/api/invoices/object */
export const toInvoice = (raw: Invoice): MoneyFact | null => {
  const lines = list(raw.lines)
  const subscription = invoiceSubscriptions(raw)[0] ?? null
  const state = invoiceState(raw)
  const items = lines.map(toLineItem).filter((item) => item.price_id !== null)
  // A change of plan is invoiced with lines for the old price too; the first is a credit.
  const priced = lines.filter((line) => toLineItem(line).price_id !== null)
  const main = priced.find((line) => !isProration(line)) ?? priced.find((line) => (int(line.amount) ?? 0) > 0)
  const item = main ? toLineItem(main) : items[0]
  return cleanFact(raw, {
    refs: refsOf(
      ['intent', raw.payment_intent],
      ['charge', raw.charge],
      ...list(raw.payments).flatMap((payment): RefSource[] => [
        ['invoice_payment', payment],
        ['intent', obj(payment.payment).payment_intent],
        ['charge', obj(payment.payment).charge],
      ]),
      ['subscription', subscription],
    ),
    customer_id: idOf(raw.customer),
    subscription_id: subscription,
    purpose: invoicePurpose(raw),
    price_id: item?.price_id ?? null,
    ...(items.length > 0 ? { items, quantity: item?.quantity ?? null } : {}),
    ...(isCut(raw.lines) ? { cut: true } : {}),
    amount: (state === 'paid' ? int(raw.amount_paid) : int(raw.amount_due)) ?? int(raw.total),
    currency: currency(raw.currency),
    state,
    paid_at: state === 'paid' ? time(obj(raw.status_transitions).paid_at) : null,
    invoice_url: str(raw.hosted_invoice_url),
    // https://docs.stripe.com/api/invoices/object#invoice_object-next_payment_attempt
    next_try_at: state === 'pending' ? time(raw.next_payment_attempt) : null,
    email: str(raw.customer_email),
    name: str(raw.customer_name),
  })
}

/** Returns the subscriptions that an invoice bills, each once and its own first, in every API version. */
export const invoiceSubscriptions = (raw: Invoice): string[] => {
  const named = [
    idOf(raw.subscription),
    idOf(obj(obj(raw.parent).subscription_details).subscription),
    ...list(raw.lines).map(lineSubscription),
  ]
  return [...new Set(named.filter((id) => id !== null))]
}

// https://docs.stripe.com/api/invoices/object#invoice_object-billing_reason
const invoicePurpose = (raw: Invoice): Purpose => {
  const reason = str(raw.billing_reason)
  if (invoiceSubscriptions(raw).length > 0 || reason?.startsWith('subscription')) return 'recurring'
  return reason === null ? 'unknown' : 'one_time'
}

const lineSubscription = (line: Line): string | null => {
  const parent = obj(line.parent)
  return (
    idOf(line.subscription) ??
    idOf(obj(parent.subscription_item_details).subscription) ??
    idOf(obj(parent.invoice_item_details).subscription)
  )
}

// Before `status` (API 2018-11-08) there was only `paid`.
const invoiceState = (raw: Invoice): MoneyFact['state'] => {
  if (raw.status === 'paid' || (str(raw.status) === null && raw.paid === true)) return 'paid'
  return raw.status === 'void' || raw.status === 'uncollectible' ? 'failed' : 'pending'
}

/** Converts a line of an invoice or checkout. */
export const toLineItem = (line: Line): NonNullable<MoneyFact['items']>[number] => {
  // `pricing` since API 2025-03-31, `price` since 2020-08-27, `plan` before.
  const details = obj(obj(line.pricing).price_details)
  return {
    price_id: idOf(details.price) ?? idOf(line.price) ?? idOf(line.plan),
    product_id: idOf(details.product) ?? idOf(obj(line.price).product) ?? idOf(obj(line.plan).product),
    quantity: int(line.quantity),
  }
}

const isProration = (line: Line): boolean => {
  const parent = obj(line.parent)
  const places: Pick<LineDetails, 'proration'>[] = [
    line,
    obj(parent.subscription_item_details),
    obj(parent.invoice_item_details),
  ]
  return places.some(({ proration }) => proration === true)
}
