import {
  firstStated,
  moneyOf,
  type StatedMoney,
  sumOf,
  type Unstated,
  unstated,
} from '../../core/dto/index.ts'
import type { MoneyFact, Ref, SubscriptionSnapshot } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { type Json, list, str, whole } from '../narrow.ts'
import { intentIn, intentKey, siteNoteOf } from '../sessions.ts'
import { currencyOf, moment } from './facts.ts'
import type { Invoice, InvoiceLine, LinkedNote, Subscription, Transaction } from './payload.ts'

/**
 * Reads an invoice, which is sale and payment in one: it shows how much of it was paid. A `pending` invoice
 * requests no payment yet and has a provisional id. Source: https://apidocs.chargebee.com/docs/api/invoices
 */
export function toPayment(raw: Invoice): ReadMoney | null {
  const id = str(raw.id)
  if (id === null || raw.status === 'pending') return null
  const subscription = subscriptionOf(raw)
  const lines = linesOf(raw)
  const [main] = lines
  const state = raw.deleted === true ? 'failed' : (states.get(raw.status) ?? 'pending')
  return {
    id,
    refs: subscription === null ? [] : [{ kind: 'subscription', id: subscription }],
    purpose: purposeOf(raw, subscription),
    customer_id: str(raw.customer_id),
    ...(subscription === null ? {} : { subscription_id: subscription, ...siteOf(subscription) }),
    ...(main === undefined
      ? {}
      : { price_id: str(main.entity_id), quantity: whole(main.quantity), items: lines.map(toItem) }),
    ...coveredBy(raw, state),
    ...amountPart(askedIn(raw)),
    state,
    ...(state === 'paid' ? { paid_at: moment(raw.paid_at) ?? moment(raw.date) } : {}),
    // https://apidocs.chargebee.com/docs/api/invoices/invoice-object#next_retry_at
    ...(state === 'pending' && typeof raw.next_retry_at === 'number'
      ? { next_try_at: moment(raw.next_retry_at) }
      : {}),
  }
}

// The subscription may be known later than its invoice, and its id names the site.
function siteOf(subscription: string): Pick<MoneyFact, 'metadata'> {
  const metadata = siteNoteOf(subscription)
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

/**
 * Finds the purchase that a subscription comes from, if it began here. Our signed intent is the
 * subscription's id, because a hosted page accepts an id and no other note that events repeat. A note in its
 * `meta_data` or in a custom field is also read.
 */
export function toCheckout(
  raw: Subscription,
  { id, price_id, quantity, items }: SubscriptionSnapshot,
): ReadMoney | null {
  const intent =
    intentIn(raw.meta_data) ?? str((raw as Json)[`cf_${intentKey}`]) ?? (isSigned(id) ? id : null)
  if (intent === null) return null
  const hasBegun = begun.has(raw.status)
  return {
    id,
    refs: [{ kind: 'subscription', id }],
    intent_id: intent,
    checkout_status: hasBegun ? 'complete' : 'open',
    purpose: 'recurring',
    subscription_id: id,
    price_id,
    quantity,
    items: items.map((item) => ({ price_id: item.price_id, product_id: null, quantity: item.quantity })),
    customer_id: str(raw.customer_id),
    ...amountPart(unstated(currencyOf(raw))),
    // A bank transfer takes days; other payments are in the invoices.
    state: hasBegun && (whole(raw.due_invoices_count) ?? 0) === 0 ? 'paid' : 'pending',
  }
}

const begun: ReadonlySet<unknown> = new Set(['active', 'in_trial', 'non_renewing'])

// Matches the form of our signed intents; the core checks the signature.
function isSigned(id: string): boolean {
  return /^[\w-]{16,}\.[\w-]{16,}$/.test(id)
}

/**
 * Reads refunds from the credit notes that a transaction pays out: a transaction for several invoices is one
 * refund of each. A credit note without a transaction may be used for other invoices. Source:
 * https://apidocs.chargebee.com/docs/api/transactions
 */
export function toRefunds(raw: Transaction): ReadMoney[] {
  const id = str(raw.id)
  if (id === null || raw.type !== 'refund') return []
  const notes = list(raw.linked_credit_notes).filter((note) => str(note.cn_reference_invoice_id) !== null)
  return notes.map((note) => ({
    id: notes.length === 1 ? id : `${id}.${str(note.cn_id) ?? ''}`,
    refs: [{ kind: 'payment', id: str(note.cn_reference_invoice_id) ?? '' } satisfies Ref],
    ...amountPart(
      notes.length === 1
        ? firstStated(
            moneyOf(raw, { amount: 'amount', currency: 'currency_code' }, whole),
            appliedIn(note, raw),
          )
        : appliedIn(note, raw),
    ),
    state: raw.deleted === true ? 'canceled' : (refundStates.get(raw.status) ?? 'pending'),
  }))
}

/**
 * Lists invoices whose payment was deleted, failed late or was reversed. Both the payment and its reversal
 * report this. Source: `reversal_transaction_id` and `linked_invoices` of
 * https://apidocs.chargebee.com/docs/api/transactions
 */
export function unpaidBy(raw: Transaction): string[] {
  const isPayment = raw.type === 'payment'
  const isGone =
    raw.deleted === true || raw.status === 'late_failure' || str(raw.reversal_transaction_id) !== null
  if (raw.type !== 'payment_reversal' && !(isPayment && isGone)) return []
  return list(raw.linked_invoices).flatMap(({ invoice_id: id }) => str(id) ?? [])
}

// A note is paid out in the currency of the transaction, which pays out several.
function appliedIn({ applied_amount }: LinkedNote, { currency_code }: Transaction): StatedMoney | Unstated {
  return moneyOf(
    { applied_amount, currency_code },
    { amount: 'applied_amount', currency: 'currency_code' },
    whole,
  )
}

/** Returns the lines with a price, the plan first; manual lines have none. */
function linesOf(raw: Invoice): InvoiceLine[] {
  return list(raw.line_items)
    .filter(({ entity_type: kind, entity_id: id }) => str(id) !== null && soldKinds.has(kind))
    .sort((a, b) => Number(isPlan(b)) - Number(isPlan(a)))
}

const soldKinds: ReadonlySet<unknown> = new Set([
  'plan',
  'addon',
  'plan_item_price',
  'addon_item_price',
  'charge_item_price',
])

function isPlan({ entity_type: kind }: InvoiceLine): boolean {
  return kind === 'plan' || kind === 'plan_item_price'
}

function toItem(line: InvoiceLine): NonNullable<MoneyFact['items']>[number] {
  const amount = whole(line.amount)
  const [from, until] = [moment(line.date_from), moment(line.date_to)]
  const isCharge = line.entity_type === 'charge_item_price'
  return {
    price_id: str(line.entity_id),
    product_id: null,
    quantity: whole(line.quantity),
    ...(amount === null ? {} : { amount }),
    ...(isCharge || from === null || until === null || from >= until
      ? {}
      : { period_start: from, period_end: until }),
    ...(isCharge ? { billed_for: 'once' as const } : {}),
  }
}

/**
 * Reads the purpose of an invoice, its terms, and what became of its collection. Source:
 * https://apidocs.chargebee.com/docs/api/invoices (`first_invoice`, `net_term_days`, `linked_payments`)
 */
function coveredBy(raw: Invoice, state: MoneyFact['state']): Partial<MoneyFact> {
  const attempts = list(raw.linked_payments)
  const failed = attempts.flatMap(({ txn_status, txn_date }) =>
    txn_status === 'failure' || txn_status === 'late_failure' ? (moment(txn_date) ?? []) : [],
  )
  const due = (whole(raw.net_term_days) ?? 0) > 0 ? moment(raw.due_date) : null
  return {
    ...(raw.first_invoice === true && list(raw.line_items).some(isPlan) ? { billed_for: 'first' } : {}),
    ...(due === null ? {} : { due_date: due }),
    ...(failed.length === 0 ? {} : { failed_at: failed.sort()[0] }),
    ...(state !== 'paid' && attempts.length > 0
      ? { in_progress: attempts.some(({ txn_status }) => txn_status === 'in_progress') }
      : {}),
  }
}

// An invoice for several subscriptions names them only in its lines.
function subscriptionOf(raw: Invoice): string | null {
  return (
    str(raw.subscription_id) ??
    list(raw.line_items)
      .map((line) => str(line.subscription_id))
      .find((id) => id !== null) ??
    null
  )
}

function purposeOf(raw: Invoice, subscription: string | null): NonNullable<MoneyFact['purpose']> {
  const lines = list(raw.line_items)
  if (subscription !== null || raw.recurring === true || lines.some(isPlan)) return 'recurring'
  return raw.recurring === false && lines.length > 0 ? 'one_time' : 'unknown'
}

// Credits pay part of some invoices, and no money moves for that part.
function askedIn(raw: Invoice): StatedMoney | Unstated {
  const paid = moneyOf(raw, { amount: 'amount_paid', currency: 'currency_code' }, whole)
  const due = moneyOf(raw, { amount: 'amount_due', currency: 'currency_code' }, whole)
  const total = moneyOf(raw, { amount: 'total', currency: 'currency_code' }, whole)
  // Nothing of a voided invoice is due or paid any more.
  return raw.status === 'voided' ? firstStated(total, due) : firstStated(sumOf([paid, due]), total)
}

export const states: ReadonlyMap<unknown, MoneyFact['state']> = new Map([
  ['paid', 'paid'],
  ['posted', 'pending'],
  ['payment_due', 'pending'],
  ['not_paid', 'failed'],
  ['voided', 'failed'],
])

export const refundStates: ReadonlyMap<unknown, MoneyFact['state']> = new Map([
  ['success', 'succeeded'],
  ['failure', 'failed'],
  ['late_failure', 'failed'],
  ['timeout', 'failed'],
  ['voided', 'canceled'],
])

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'invoice',
    role: 'payment',
    says: ['period', 'item amounts', 'price', 'quantity'],
    purposes: ['first', 'once'],
    source: 'https://apidocs.chargebee.com/docs/api/invoices',
  },
  {
    object: 'hosted page',
    role: 'checkout',
    says: ['price', 'quantity'],
    purposes: [],
    source: 'https://apidocs.chargebee.com/docs/api/hosted_pages',
  },
]
