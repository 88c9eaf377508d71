import { addInterval, type BilledFor, moneyOf } from '../../core/dto/index.ts'
import type { MoneyChange, MoneyFact, Ref } from '../contract.ts'
import { amountPart, type PaymentWords, type ReadMoney } from '../money.ts'
import { int, interval, lastDigits, list, metadata, monthOf, obj, str, whole } from '../narrow.ts'
import { intentIn } from '../sessions.ts'
import { priceOf, recurs } from './facts.ts'
import { isClosed } from './notes.ts'
import type { Adjustment, Item, OfSubscription, Subscription, Transaction } from './payload.ts'

/**
 * Reads a transaction, which is sale, page and payment in one:
 * https://developer.paddle.com/api-reference/transactions
 */
export function toPayment(raw: Transaction): ReadMoney | null {
  const id = str(raw.id)
  if (id === null) return null
  const lines = linesOf(raw)
  const [main] = lines
  const subscription = subscriptionOf(raw)
  const state = stateOf(raw)
  const { currency_code } = raw
  const { grand_total } = obj(obj(raw.details).totals)
  return {
    id,
    refs: subscriptionRef(raw),
    purpose: purposeOf(raw, lines),
    customer_id: str(raw.customer_id),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    ...(main === undefined
      ? {}
      : {
          price_id: priceOf(main).price_id,
          quantity: int(main.quantity),
          items: lines.map((line) => toItem(line, raw)),
        }),
    ...coveredBy(raw),
    ...amountPart(
      moneyOf({ grand_total, currency_code }, { amount: 'grand_total', currency: 'currency_code' }, whole),
    ),
    state,
    ...(state === 'paid' ? { paid_at: paidAt(raw), ...cardOf(raw) } : {}),
    metadata: metadata(raw.custom_data),
  }
}

/**
 * Reads the same transaction as the page that the buyer was sent to; null if the purchase did not begin here.
 * Paddle copies our note to the subscription, and from there to all later transactions:
 * https://developer.paddle.com/build/transactions/custom-data
 */
export function toCheckout(raw: Transaction, paid: ReadMoney): ReadMoney | null {
  const intent = intentIn(raw.custom_data)
  if (intent === null || str(raw.origin)?.startsWith('subscription_')) return null
  return {
    ...paid,
    refs: [...paid.refs, { kind: 'payment', id: paid.id }],
    intent_id: intent,
    checkout_status: paid.state === 'paid' ? 'complete' : isClosed(raw) ? 'expired' : 'open',
  }
}

/**
 * Joins a subscription to the transaction that began it, which is named only when the subscription is
 * created.
 */
export function toFirstPayment(raw: Subscription, subscription: string): ReadMoney | null {
  const transaction = str(raw.transaction_id)
  if (transaction === null) return null
  return {
    id: transaction,
    refs: [
      { kind: 'payment', id: transaction },
      { kind: 'subscription', id: subscription },
    ],
    subscription_id: subscription,
    state: 'paid',
  }
}

/**
 * Reads a refund or dispute: https://developer.paddle.com/api-reference/adjustments. A credit for a change of
 * plan moves no money.
 */
export function toAdjustment(
  raw: Adjustment,
): { readonly kind: MoneyChange['kind']; readonly data: ReadMoney } | null {
  const [id, transaction] = [str(raw.id), str(raw.transaction_id)]
  if (id === null || transaction === null) return null
  const { currency_code } = raw
  const { total } = obj(raw.totals)
  const data = {
    refs: [{ kind: 'payment', id: transaction } as const, ...subscriptionRef(raw)],
    ...amountPart(moneyOf({ total, currency_code }, { amount: 'total', currency: 'currency_code' }, whole)),
  }
  if (raw.action === 'refund')
    return { kind: 'refund', data: { ...data, id, state: refundState(raw.status) } }
  const state = disputeState(raw)
  // A dispute's end is another adjustment; both share the transaction.
  return state && { kind: 'dispute', data: { ...data, id: transaction, state } }
}

/** Returns the lines of the transaction, the recurring one first, because the others were bought with it. */
function linesOf(raw: Transaction): Item[] {
  return [...list(raw.items)].sort((a, b) => Number(recurs(b) ?? false) - Number(recurs(a) ?? false))
}

function toItem(line: Item, raw: Transaction): NonNullable<MoneyFact['items']>[number] {
  const { price_id, product_id } = priceOf(line)
  const billed = list(obj(raw.details).line_items).find(
    (billed) => str(billed.price_id) === str(obj(line.price).id),
  )
  const amount = whole(obj(billed?.totals).total)
  const prorated = obj(obj(line.proration).billing_period)
  const [from, until] = [str(prorated.starts_at), str(prorated.ends_at)]
  return {
    price_id,
    product_id,
    quantity: int(line.quantity),
    ...(amount === null ? {} : { amount }),
    ...(from === null || until === null ? {} : { period_start: from, period_end: until }),
    ...(recurs(line) === false ? { billed_for: 'once' as const } : {}),
  }
}

// https://developer.paddle.com/api-reference/transactions: `origin`
const origins: ReadonlyMap<unknown, BilledFor> = new Map([
  ['web', 'first'],
  ['api', 'first'],
  ['subscription_recurring', 'renewal'],
  ['subscription_update', 'change'],
])

/**
 * Reads the period that a transaction bills, its purpose, and what became of its collection. Source:
 * https://developer.paddle.com/api-reference/transactions
 */
function coveredBy(raw: Transaction): Partial<MoneyFact> {
  const isRecurring = list(raw.items).some((line) => recurs(line) === true)
  const billed_for = isRecurring ? origins.get(raw.origin) : undefined
  const period = obj(raw.billing_period)
  const [from, until] = [str(period.starts_at), str(period.ends_at)]
  const hasTrial = list(raw.items).some(({ price }) => str(obj(obj(price).trial_period).interval) !== null)
  const attempts = list(raw.payments)
  const failed = attempts.flatMap(({ status, created_at }) =>
    status === 'error' ? (str(created_at) ?? []) : [],
  )
  const due = dueDate(raw)
  return {
    ...(billed_for === undefined ? {} : { billed_for }),
    ...(from === null || until === null ? {} : { period_start: from, period_end: until }),
    ...(billed_for === 'first' && hasTrial ? { trial: true } : {}),
    ...(failed.length === 0 ? {} : { failed_at: failed.sort()[0] }),
    ...(stateOf(raw) !== 'paid' && attempts.some(({ status }) => waiting.has(status))
      ? { in_progress: true }
      : {}),
    ...(due === null ? {} : { due_date: due }),
  }
}

// https://developer.paddle.com/api-reference/transactions: `payments[].status`
const waiting: ReadonlySet<unknown> = new Set(['pending', 'pending_no_action_required'])

/** The terms of an invoice that the buyer pays by hand. */
function dueDate(raw: Transaction): string | null {
  const { interval: unit, frequency } = obj(obj(raw.billing_details).payment_terms)
  const [at, length, count] = [str(raw.billed_at), interval(unit), int(frequency)]
  if (raw.collection_mode !== 'manual' || at === null || length === null || count === null) return null
  return addInterval(at, { interval: length, interval_count: count })
}

// A one-time charge beside a subscription does not belong to it.
function subscriptionOf(raw: OfSubscription): string | null {
  return raw.origin === 'subscription_charge' ? null : str(raw.subscription_id)
}

function subscriptionRef(raw: OfSubscription): Ref[] {
  const id = subscriptionOf(raw)
  return id === null ? [] : [{ kind: 'subscription', id }]
}

// A first payment names no subscription yet, so its prices decide. A charge beside a subscription is a
// one-time purchase. Source:
// https://developer.paddle.com/changelog/2023/subscription-charge-transaction-origin
function purposeOf(raw: Transaction, lines: readonly Item[]): NonNullable<MoneyFact['purpose']> {
  if (raw.origin === 'subscription_charge') return 'one_time'
  if (str(raw.subscription_id) !== null || lines.some((line) => recurs(line) === true)) return 'recurring'
  return lines.length > 0 && lines.every((line) => recurs(line) === false) ? 'one_time' : 'unknown'
}

function stateOf(raw: Transaction): MoneyFact['state'] {
  if (raw.status === 'paid' || raw.status === 'completed') return 'paid'
  return raw.status === 'past_due' || raw.status === 'canceled' ? 'failed' : 'pending'
}

/** https://developer.paddle.com/api-reference/transactions: `payments[].method_details.card` */
function cardOf(raw: Transaction): Pick<MoneyFact, 'card_expires' | 'card_last4'> {
  const [card] = list(raw.payments)
    .filter(({ status }) => status === 'captured')
    .map(({ method_details }) => obj(obj(method_details).card))
  return {
    card_expires: monthOf(card?.expiry_year, card?.expiry_month),
    card_last4: lastDigits(card?.last4),
  }
}

function paidAt(raw: Transaction): string | null {
  return (
    list(raw.payments)
      .filter(({ status }) => status === 'captured')
      .map(({ captured_at }) => str(captured_at))
      .find((at) => at !== null) ?? str(raw.billed_at)
  )
}

// Live refunds wait for Paddle's approval; `reversed` means that the refund was undone.
function refundState(status: unknown): MoneyFact['state'] {
  switch (status) {
    case 'approved':
      return 'succeeded'
    case 'rejected':
      return 'failed'
    case 'reversed':
      return 'canceled'
    default:
      return 'pending'
  }
}

/** Returns null for credits, which are not disputes. */
function disputeState({ action, status }: Adjustment): MoneyFact['state'] | null {
  switch (action) {
    case 'chargeback':
      return status === 'reversed' ? 'won' : 'open'
    case 'chargeback_reverse':
    case 'chargeback_warning_reverse':
      return 'won'
    // The bank is only inquiring; no money has moved yet.
    case 'chargeback_warning':
      return 'pending'
    default:
      return null
  }
}

/** The facts that its payment messages state beside their sums. */
export const paymentWords: readonly PaymentWords[] = [
  {
    object: 'transaction',
    role: 'payment',
    says: ['period', 'item amounts', 'price', 'quantity', 'trial'],
    purposes: ['first', 'renewal', 'change', 'once'],
    source: 'https://developer.paddle.com/api-reference/transactions',
  },
]
