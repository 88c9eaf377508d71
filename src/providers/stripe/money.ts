import { type BilledFor, firstStated, moneyOf } from '../../core/dto/index.ts'
import type { MoneyFact, Purpose } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { idOf, int, isObject, lastDigits, list, metadata, monthOf, obj, str, time } from '../narrow.ts'
import { placeIn } from '../place.ts'
import { intentIn, siteNoteIn } from '../sessions.ts'
import { cleanFact, type RefSource, refsOf } from './facts.ts'
import { isCut } from './long-lists.ts'
import { namedPrice } from './notes.ts'
import type {
  Card,
  Charge,
  Common,
  Dispute,
  Intent,
  Invoice,
  InvoicePayment,
  Line,
  LineDetails,
  Refund,
  Session,
} from './payload.ts'

/** https://docs.stripe.com/api/charges/object */
export function toCharge(raw: Charge): ReadMoney | null {
  const succeeded = raw.status === 'succeeded' || raw.status === 'paid'
  // An authorised charge is `paid` too, before any money moved; `captured` tells them apart.
  const paid = succeeded && raw.paid !== false && raw.captured !== false
  const billing = obj(raw.billing_details)
  return cleanFact(raw, {
    refs: refsOf(['intent', raw.payment_intent], ['invoice', raw.invoice]),
    customer_id: idOf(raw.customer),
    ...whatFor(raw),
    ...amountPart(moneyOf(raw, { amount: 'amount', currency: 'currency' }), backIn(raw)),
    state: paid ? 'paid' : raw.status === 'failed' ? 'failed' : 'pending',
    paid_at: paid ? time(raw.created) : null,
    ...attemptOf(raw.status === 'failed' ? 'failed' : paid ? 'paid' : 'pending', raw),
    email: str(billing.email) ?? str(raw.receipt_email),
    name: str(billing.name),
    card_expires: cardMonth(obj(obj(raw.payment_method_details).card)),
    card_last4: lastDigits(obj(obj(raw.payment_method_details).card).last4),
  })
}

function backIn(raw: Charge): Pick<MoneyFact, 'amount_refunded'> {
  const amount_refunded = int(raw.amount_refunded)
  return amount_refunded === null ? {} : { amount_refunded }
}

// A debit's charge is pending for days: https://docs.stripe.com/payments/sepa-debit
function attemptOf(
  state: MoneyFact['state'],
  raw: Pick<Charge, 'created' | 'captured'>,
): Pick<Partial<MoneyFact>, 'failed_at' | 'in_progress'> {
  if (state === 'failed') return { failed_at: time(raw.created), in_progress: false }
  return state === 'pending' && raw.captured !== false ? { in_progress: true } : {}
}

/** https://docs.stripe.com/api/charges/object#charge_object-payment_method_details-card-exp_month */
function cardMonth({ exp_month, exp_year }: Card): string | null {
  return monthOf(exp_year, exp_month)
}

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
export function toIntent(raw: Intent): ReadMoney | null {
  const state = intentState(raw)
  const asked = moneyOf(raw, { amount: 'amount', currency: 'currency' })
  const received = moneyOf(raw, { amount: 'amount_received', currency: 'currency' })
  return cleanFact(raw, {
    refs: refsOf(
      ['charge', raw.latest_charge],
      // Until API 2022-11-15 the charges were listed.
      ...list(raw.charges).map((charge): RefSource => ['charge', charge]),
      ['invoice', raw.invoice],
    ),
    customer_id: idOf(raw.customer),
    ...whatFor(raw),
    ...amountPart(state === 'paid' && received.amount ? received : asked),
    state,
    // https://docs.stripe.com/payments/paymentintents/lifecycle: asynchronous methods stay here for days.
    ...(state === 'paid' ? {} : { in_progress: raw.status === 'processing' }),
    email: str(raw.receipt_email),
  })
}

// A one-time sale notes its price. The invoice or the checkout contains everything else.
function whatFor(
  raw: Pick<Charge, 'metadata' | 'invoice'>,
): Pick<Partial<MoneyFact>, 'price_id' | 'purpose'> {
  const price_id = str(obj(raw.metadata).price_id)
  if (price_id === null) return {}
  return { price_id, ...(idOf(raw.invoice) === null ? { purpose: 'one_time' } : {}) }
}

/** Returns the state of a payment intent: paid, failed, or still payable. */
export function intentState(raw: Intent): MoneyFact['state'] {
  if (raw.status === 'succeeded') return 'paid'
  if (raw.status === 'canceled') return 'failed'
  // A new intent also waits for a payment method; only a failed attempt leaves an error.
  const failed =
    raw.status === 'requires_payment_method' && Object.keys(obj(raw.last_payment_error)).length > 0
  return failed ? 'failed' : 'pending'
}

/** https://docs.stripe.com/api/refunds/object */
export function toRefund(raw: Refund): ReadMoney | null {
  return cleanFact(raw, {
    refs: refsOf(['charge', raw.charge], ['intent', raw.payment_intent]),
    ...amountPart(moneyOf(raw, { amount: 'amount', currency: 'currency' })),
    // `requires_action` waits for the buyer's bank details.
    state:
      raw.status === 'succeeded' || raw.status === 'failed' || raw.status === 'canceled'
        ? raw.status
        : 'pending',
  })
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
export function toDispute(raw: Dispute): ReadMoney | null {
  return cleanFact(raw, {
    refs: refsOf(['charge', raw.charge], ['intent', raw.payment_intent]),
    ...amountPart(moneyOf(raw, { amount: 'amount', currency: 'currency' })),
    state: disputeState(raw.status),
    // https://docs.stripe.com/api/disputes/object#dispute_object-evidence_details-due_by
    due_at: /needs_response$/.test(str(raw.status) ?? '') ? time(obj(raw.evidence_details).due_by) : null,
  })
}

function disputeState(status: unknown): MoneyFact['state'] {
  switch (status) {
    case 'won':
    case 'warning_closed':
      return 'won'
    case 'lost':
      return 'lost'
    // An inquiry: the bank asks, no funds are withdrawn yet.
    // https://docs.stripe.com/disputes/how-disputes-work#inquiries
    case 'warning_needs_response':
    case 'warning_under_review':
      return 'pending'
    // Includes `prevented`, whose money may have gone back, and future statuses.
    default:
      return 'open'
  }
}

/**
 * Joins an invoice to its payment, because neither names the other (since API 2025-03-31).
 * https://docs.stripe.com/api/invoice-payment/object
 */
export function toInvoicePayment(raw: InvoicePayment): ReadMoney | null {
  const payment = obj(raw.payment)
  const state = raw.status === 'paid' ? 'paid' : raw.status === 'canceled' ? 'failed' : 'pending'
  return cleanFact(raw, {
    refs: refsOf(['invoice', raw.invoice], ['intent', payment.payment_intent], ['charge', payment.charge]),
    ...amountPart(
      firstStated(
        moneyOf(raw, { amount: 'amount_paid', currency: 'currency' }),
        moneyOf(raw, { amount: 'amount_requested', currency: 'currency' }),
      ),
    ),
    state,
    paid_at: state === 'paid' ? time(obj(raw.status_transitions).paid_at) : null,
  })
}

/** https://docs.stripe.com/api/invoices/object */
export function toInvoice(raw: Invoice): ReadMoney | null {
  const lines = list(raw.lines)
  const [subscription = null] = invoiceSubscriptions(raw)
  const state = invoiceState(raw)
  const noted = obj(obj(raw.parent).subscription_details ?? raw.subscription_details)
  const priced = lines
    .map((line) => ({ line, item: toLineItem(line, noted) }))
    .filter(({ item }) => item.price_id !== null)
  // A change of plan is invoiced with lines for the old price too; the first is a credit.
  const { item } =
    priced.find(({ line }) => !isProration(line)) ??
    priced.find(({ line }) => (int(line.amount) ?? 0) > 0) ??
    priced[0] ??
    {}
  const items = priced.map((of) => toBilledItem(of.line, of.item, raw))
  const fact: Parameters<typeof cleanFact>[1] = {
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
    purpose: invoicePurpose(raw, subscription),
    price_id: item?.price_id ?? null,
    ...(items.length > 0 ? { items, quantity: item?.quantity ?? null } : {}),
    ...(isCut(raw.lines) ? { cut: true } : {}),
    ...amountPart(
      firstStated(
        moneyOf(raw, { amount: state === 'paid' ? 'amount_paid' : 'amount_due', currency: 'currency' }),
        moneyOf(raw, { amount: 'total', currency: 'currency' }),
      ),
    ),
    state,
    paid_at: state === 'paid' ? time(obj(raw.status_transitions).paid_at) : null,
    invoice_url: str(raw.hosted_invoice_url),
    // https://docs.stripe.com/api/invoices/object#invoice_object-next_payment_attempt
    next_try_at: state === 'pending' ? time(raw.next_payment_attempt) : null,
    billed_for: reasons.get(raw.billing_reason) ?? null,
    // https://docs.stripe.com/api/invoices/object#invoice_object-due_date: only of invoices that are sent.
    due_date: raw.collection_method === 'send_invoice' ? time(raw.due_date) : null,
    ...(isWaived(raw) ? { waived: true } : {}),
    email: str(raw.customer_email),
    name: str(raw.customer_name),
    ...placeIn(obj(raw.customer_address).country, obj(raw.customer_address).state),
  }
  return cleanFact(raw, fact, siteNoteIn(noted.metadata))
}

/** Returns the subscriptions that an invoice bills, each once and its own first, in every API version. */
export function invoiceSubscriptions(raw: Invoice): string[] {
  const named = [
    idOf(raw.subscription),
    idOf(obj(obj(raw.parent).subscription_details).subscription),
    ...list(raw.lines).map(lineSubscription),
  ]
  return [...new Set(named.filter((id) => id !== null))]
}

// https://docs.stripe.com/api/invoices/object#invoice_object-billing_reason
function invoicePurpose(raw: Invoice, subscription: string | null): Purpose {
  const reason = str(raw.billing_reason)
  if (subscription !== null || reason?.startsWith('subscription')) return 'recurring'
  return reason === null ? 'unknown' : 'one_time'
}

function lineSubscription(line: Line): string | null {
  const parent = obj(line.parent)
  return (
    idOf(line.subscription) ??
    idOf(obj(parent.subscription_item_details).subscription) ??
    idOf(obj(parent.invoice_item_details).subscription)
  )
}

// Before `status` (API 2018-11-08) there was only `paid`.
function invoiceState(raw: Invoice): MoneyFact['state'] {
  if (raw.status === 'paid' || (str(raw.status) === null && raw.paid === true)) return 'paid'
  return raw.status === 'void' || raw.status === 'uncollectible' ? 'failed' : 'pending'
}

/**
 * True for a renewal that its shop gave away. A pause of collection voids its invoices or marks them uncollectible, before
 * anybody tries to collect them, and its periods are free: https://docs.stripe.com/billing/subscriptions/pause-payment
 */
function isWaived(raw: Invoice): boolean {
  if (raw.billing_reason !== 'subscription_cycle') return false
  if (raw.status === 'void') return true
  return raw.status === 'uncollectible' && raw.attempted === false && raw.collection_method !== 'send_invoice'
}

/** Converts a line of an invoice or checkout. */
export function toLineItem(
  line: Line,
  noted: Pick<Common, 'metadata'> = {},
): NonNullable<MoneyFact['items']>[number] {
  // `pricing` since API 2025-03-31, `price` since 2020-08-27, `plan` before.
  const details = obj(obj(line.pricing).price_details)
  const product_id = idOf(details.product) ?? idOf(obj(line.price).product) ?? idOf(obj(line.plan).product)
  return {
    price_id: namedPrice(noted, idOf(details.price) ?? idOf(line.price) ?? idOf(line.plan), product_id),
    product_id,
    quantity: int(line.quantity),
  }
}

// https://docs.stripe.com/api/invoices/object#invoice_object-billing_reason
const reasons: ReadonlyMap<unknown, BilledFor> = new Map([
  ['subscription_create', 'first'],
  ['subscription_cycle', 'renewal'],
  ['subscription_update', 'change'],
])

/**
 * Adds what a line says of its own: amount, time and purpose. A subscription's line has the period that it
 * bills; an item added to the invoice is bought once. Source:
 * https://docs.stripe.com/api/invoice-line-item/object
 */
function toBilledItem(
  line: Line,
  item: NonNullable<MoneyFact['items']>[number],
  raw: Invoice,
): NonNullable<MoneyFact['items']>[number] {
  const amount = int(line.amount)
  const [from, until] = [time(obj(line.period).start), time(obj(line.period).end)]
  const isAdded = line.type === 'invoiceitem' || isObject(obj(line.parent).invoice_item_details)
  const billed_for = isProration(line) ? 'change' : isAdded ? 'once' : reasons.get(raw.billing_reason)
  return {
    ...item,
    ...(amount === null ? {} : { amount }),
    ...(billed_for === 'once' || from === null || until === null || from >= until
      ? {}
      : { period_start: from, period_end: until }),
    ...(billed_for === undefined ? {} : { billed_for }),
  }
}

function isProration(line: Line): boolean {
  const parent = obj(line.parent)
  const places: Pick<LineDetails, 'proration'>[] = [
    line,
    obj(parent.subscription_item_details),
    obj(parent.invoice_item_details),
  ]
  return places.some(({ proration }) => proration === true)
}

/** https://docs.stripe.com/api/checkout/sessions/object; null for sessions without a purchase (`setup`). */
export function toCheckout(raw: Session): ReadMoney | null {
  const purpose = purposeOf(raw)
  if (purpose === null) return null
  const details = obj(raw.customer_details)
  const data = metadata(raw.metadata)
  const items = list(raw.line_items).map((line) => toLineItem(line, raw))
  const subscription = idOf(raw.subscription)
  return cleanFact(raw, {
    refs: refsOf(['intent', raw.payment_intent], ['invoice', raw.invoice], ['subscription', subscription]),
    customer_id: idOf(raw.customer),
    subscription_id: subscription,
    price_id: str(data.price_id) ?? items[0]?.price_id ?? null,
    ...(items.length > 0 ? { items, quantity: items[0]?.quantity ?? null } : {}),
    ...(isCut(raw.line_items) ? { cut: true } : {}),
    ...amountPart(moneyOf(raw, { amount: 'amount_total', currency: 'currency' })),
    state: checkoutState(raw),
    email: str(details.email) ?? str(raw.customer_email),
    name: str(details.name),
    ...placeIn(obj(details.address).country, obj(details.address).state),
    intent_id: intentIn(data),
    checkout_status:
      raw.status === 'open' || raw.status === 'complete' || raw.status === 'expired' ? raw.status : undefined,
    purpose,
  })
}

// A zero total and a trial need no payment. While the page is open, nobody has agreed to them either.
function checkoutState(raw: Session): MoneyFact['state'] {
  if (raw.status === 'expired') return 'failed'
  if (raw.payment_status === 'paid') return 'paid'
  if (raw.payment_status === 'unpaid' && raw.status === 'complete' && hasComeBack(raw)) return 'failed'
  return raw.payment_status === 'no_payment_required' && raw.status !== 'open' ? 'paid' : 'pending'
}

// A returned debit leaves the session complete and unpaid; a fetched session contains the objects that show
// it.
function hasComeBack({ payment_intent: intent, subscription }: Session): boolean {
  return (isObject(intent) && intentState(obj(intent)) === 'failed') || ends.has(obj(subscription).status)
}

const ends: ReadonlySet<unknown> = new Set(['incomplete_expired', 'canceled'])

// Sessions of 2019 have no `mode`, so the objects that they created decide.
function purposeOf(raw: Session): Purpose | null {
  if (raw.mode === 'subscription') return 'recurring'
  if (raw.mode === 'payment') return 'one_time'
  if (str(raw.mode) !== null) return null
  if (idOf(raw.subscription) !== null) return 'recurring'
  return idOf(raw.payment_intent) === null ? null : 'one_time'
}

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'invoice',
    role: 'bill',
    says: ['period', 'item amounts', 'price', 'quantity'],
    purposes: ['first', 'renewal', 'change', 'once'],
    source: 'https://docs.stripe.com/api/invoices/object',
  },
  {
    object: 'payment intent',
    role: 'collection',
    says: ['price'],
    purposes: [],
    source: 'https://docs.stripe.com/api/payment_intents/object',
  },
  {
    object: 'charge',
    role: 'payment',
    says: [],
    purposes: [],
    source: 'https://docs.stripe.com/api/charges/object',
  },
  {
    object: 'checkout session',
    role: 'checkout',
    says: ['price', 'quantity'],
    purposes: [],
    source: 'https://docs.stripe.com/api/checkout/sessions/object',
  },
]
