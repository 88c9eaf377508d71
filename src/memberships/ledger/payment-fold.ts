import {
  invoiceAddress,
  msOf,
  type PaymentData,
  type PaymentItem,
  type PaymentStatus,
  toMillisecond,
} from '../../core/dto/index.ts'
import type { MoneyFact, MoneyKind, PaymentPart, Purpose } from '../../providers/contract.ts'
import { fetchWindowMs } from './message-order.ts'

/** A fact's role in its payment: its kind, or which of several objects of the kind `payment` it is. */
export type Role = MoneyKind | PaymentPart

/** One money object's statements about a payment, and their moment. */
export interface StoredFact {
  readonly role: Role
  readonly at: string
  readonly data: MoneyFact
  /** True if it shows only the first of its items. */
  readonly isCut?: boolean
  /** Other contents of its moment, as stored. */
  readonly tied?: string | null
}

/** The key by which facts refer to each other: `payment:ch_123`, `bill:in_123`. */
export function refOf(role: Role, id: string): string {
  return `${role}:${id}`
}

/** Reverses `refOf`. */
export function splitRef(ref: string): {
  readonly role: Role
  readonly kind: MoneyKind
  readonly id: string
} {
  const at = ref.indexOf(':')
  const role = ref.slice(0, at) as Role
  return { role, kind: role === 'collection' || role === 'bill' ? 'payment' : role, id: ref.slice(at + 1) }
}

export function roleOf({
  kind,
  part,
}: {
  readonly kind: MoneyKind
  readonly part?: PaymentPart | undefined
}): Role {
  return part ?? kind
}

// The first of these roles that a payment has gives it its id.
const naming: readonly Role[] = ['collection', 'payment', 'bill', 'checkout', 'link', 'refund', 'dispute']

/** Returns the id of the payment that these references belong to. The order in which they arrived does not matter. */
export function paymentIdOf(refs: Iterable<string>): string {
  const sorted = [...refs].sort()
  for (const role of naming) {
    const found = sorted.find((ref) => ref.startsWith(`${role}:`))
    if (found) return splitRef(found).id
  }
  throw new TypeError('a payment without any reference')
}

/** Folds all facts of one payment into the DTO; null while only a refund, a dispute or a link is known. */
export function foldPayment(input: {
  provider: string
  account: string
  id: string
  facts: readonly StoredFact[]
}): PaymentData | null {
  const facts = [...heard(input.facts)].sort((a, b) =>
    refOf(a.role, a.data.id) < refOf(b.role, b.data.id) ? -1 : 1,
  )
  const of: Of = (role) => facts.filter((f) => f.role === role)
  // A checkout that opened a subscription is no payment by itself, because a trial costs nothing.
  const checkouts = of('checkout').filter((f) => f.data.purpose !== 'recurring')
  const asked = [...of('payment'), ...of('collection'), ...of('bill'), ...checkouts]
  if (asked.length === 0) return null

  const say = sayIn(of)
  const money = moneyOf(asked, of, say)
  const mayTryAgain = money.status === 'pending' || money.status === 'failed'
  const next_try_at = mayTryAgain ? say('next_try_at', 'bill', 'payment') : null
  const card_expires = say('card_expires', 'payment', 'collection', 'bill')
  const card_last4 = say('card_last4', 'payment', 'collection', 'bill')
  const dispute = money.status === 'disputed' ? disputeOf(of('dispute')) : undefined
  return {
    id: input.id,
    provider: input.provider,
    account: input.account,
    customer_id: say('customer_id', 'payment', 'collection', 'bill', 'checkout', 'refund') ?? null,
    subscription_id: say('subscription_id', 'bill', 'checkout', 'collection', 'payment', 'link') ?? null,
    invoice_id: invoiceIdOf(facts, of),
    ...boughtOf(say),
    ...money,
    invoice_url: invoiceAddress({ id: input.id, invoice_url: say('invoice_url', 'bill', 'payment') }),
    livemode: asked.some((f) => f.data.livemode === true),
    metadata: {
      ...say('metadata', 'payment'),
      ...say('metadata', 'collection'),
      ...say('metadata', 'checkout'),
    },
    updated_at: toMillisecond(facts.reduce((newest, f) => (f.at > newest ? f.at : newest), '')),
    purpose: purposeOf(facts),
    ...(next_try_at ? { next_try_at } : {}),
    ...(card_expires ? { card_expires } : {}),
    ...(card_last4 ? { card_last4 } : {}),
    ...coveredBy(say, asked),
    ...(dispute ? { dispute } : {}),
    ...returnsOf(of('refund'), money.amount_refunded),
  }
}

// A provider counts a refund once it is asked for. The money can still wait, or come back from the buyer's bank.
function returnsOf(
  refunds: readonly StoredFact[],
  refunded: number,
): Pick<PaymentData, 'refund_pending' | 'refund_failed'> {
  const sum = (...states: readonly MoneyFact['state'][]) =>
    refunds
      .filter(({ data }) => states.includes(data.state))
      .reduce((total, { data }) => total + (data.amount ?? 0), 0)
  const pending = Math.min(sum('pending'), Math.max(0, refunded - sum('succeeded')))
  const failed = sum('failed', 'canceled')
  return {
    ...(pending > 0 ? { refund_pending: pending } : {}),
    ...(failed > 0 ? { refund_failed: failed } : {}),
  }
}

// Fields that a provider does not state are absent, because absent is not "none".
function coveredBy(say: Say, asked: readonly StoredFact[]): Partial<PaymentData> {
  const failures = asked.flatMap(({ data }) => data.failed_at ?? [])
  const debits = asked.filter((fact) => !isPaid(fact)).flatMap(({ data }) => data.in_progress ?? [])
  const known = {
    billed_for: say('billed_for', 'bill', 'payment', 'collection', 'checkout'),
    period_start: say('period_start', 'bill', 'payment', 'collection', 'checkout'),
    period_end: say('period_end', 'bill', 'payment', 'collection', 'checkout'),
    trial: say('trial', 'bill', 'payment', 'collection', 'checkout'),
    due_at: say('due_date', 'bill', 'payment'),
    waived: say('waived', 'bill') ?? (isAbandoned(asked) || undefined),
    // Each attempt may be an object of its own.
    failed_at: failures.sort()[0],
    in_progress: debits.length === 0 ? undefined : debits.includes(true),
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}

// A page that closed unpaid is all that is known: nobody tried to pay.
function isAbandoned(asked: readonly StoredFact[]): boolean {
  return asked.every(
    ({ role, data }) => role === 'checkout' && data.checkout_status === 'expired' && data.state === 'failed',
  )
}

function disputeOf(disputes: readonly StoredFact[]): PaymentData['dispute'] {
  return disputes.some((f) => f.data.state === 'lost') ? 'lost' : 'open'
}

type Of = (role: Role) => readonly StoredFact[]
type Say = <K extends keyof MoneyFact>(key: K, ...roles: Role[]) => MoneyFact[K] | undefined

// Roles are asked in order, starting with the object that is about the value itself.
function sayIn(of: Of): Say {
  return (key, ...roles) => {
    for (const role of roles)
      for (const fact of of(role)) {
        const value = fact.data[key]
        if (value !== undefined && value !== null) return value
      }
    return undefined
  }
}

function invoiceIdOf(facts: readonly StoredFact[], of: Of): string | null {
  return (
    of('bill')[0]?.data.id ?? facts.flatMap((f) => f.data.refs).find((ref) => ref.part === 'bill')?.id ?? null
  )
}

function boughtOf(say: Say): Pick<PaymentData, 'price_id' | 'items' | 'quantity'> {
  const named = (say('items', 'checkout', 'bill', 'collection', 'payment') ?? []) as readonly PaymentItem[]
  const billed = (say('items', 'bill') ?? []) as readonly PaymentItem[]
  // Only the bill of a subscription's checkout tells the periods and the amounts.
  const items = billed.some(({ amount, period_end }) => amount !== undefined || period_end != null)
    ? billed
    : named
  return {
    price_id:
      say('price_id', 'checkout', 'collection', 'payment', 'bill') ??
      items[0]?.price_id ??
      say('price_id', 'link') ??
      null,
    items: items.map((item) => ({ ...item })),
    quantity: say('quantity', 'checkout', 'bill', 'collection', 'payment') ?? items[0]?.quantity ?? null,
  }
}

function moneyOf(
  asked: readonly StoredFact[],
  of: Of,
  say: Say,
): Pick<PaymentData, 'amount' | 'amount_refunded' | 'currency' | 'status' | 'paid_at' | 'billed_at'> {
  const paidFirst = [...asked].sort((a, b) => Number(isPaid(b)) - Number(isPaid(a)))
  const stated = paidFirst.find((f) => isPaid(f) && f.data.paid_at)?.data.paid_at ?? null
  const later = stated === null ? undefined : of('link').find(({ data }) => data.paid_at)?.data.paid_at
  const stating = of('bill').find((f) => isPaid(f) && f.data.amount !== undefined)
  const currency =
    stating?.data.currency ?? say('currency', 'payment', 'collection', 'bill', 'checkout') ?? null
  // A sum has one currency: what another one states is neither added to it nor taken from it.
  const isOfSum = ({ data }: StoredFact): boolean =>
    currency === null || data.is_whole === true || (data.currency ?? currency) === currency
  const parts = partsOf(of('payment').filter(isOfSum), of('collection').filter(isOfSum))
  const owed = openAmount(of('bill').filter(isOfSum), parts)
  const first = paidFirst.find((f) => f.data.amount !== undefined && isOfSum(f))
  const amount = stating?.data.amount ?? owed ?? (parts > 0 ? parts : (first?.data.amount ?? 0))
  const isReturned = areWon(of('dispute'))
  const staysBack = (fact: StoredFact): boolean =>
    isOfSum(fact) && !(isReturned && fact.data.reversed === true)
  const refunded = refundedAmount(of('payment').filter(staysBack), of('refund').filter(staysBack))
  return {
    amount,
    amount_refunded: refunded,
    currency,
    status: statusOf({ asked, disputes: of('dispute'), amount, refunded, isOwed: owed !== null }),
    paid_at: later ?? stated,
    ...(later && stated && later !== stated ? { billed_at: stated } : {}),
  }
}

// The money of a reversal comes back with the last dispute that is won.
function areWon(disputes: readonly StoredFact[]): boolean {
  return disputes.length > 0 && disputes.every(({ data }) => data.state === 'won')
}

// An operator's assignment counts only while the provider gives no purpose, and only the newest one. The provider takes
// precedence, so that a renewal taken for a purchase does not open a gate for ever.
function heard(facts: readonly StoredFact[]): readonly StoredFact[] {
  const own = facts.filter(({ data }) => data.assigned === undefined)
  const [newest] = facts
    .filter(({ data }) => data.assigned !== undefined)
    .sort((a, b) => (a.at === b.at ? (a.data.id < b.data.id ? 1 : -1) : a.at < b.at ? 1 : -1))
  return newest === undefined || purposeOf(own) !== 'unknown' ? own : [...own, newest]
}

// One object is enough to state the purpose. If two disagree, `recurring` wins, because it cannot open a gate by
// mistake.
function purposeOf(facts: readonly StoredFact[]): Purpose {
  const stated = facts.map(({ data }) => (data.subscription_id ? 'recurring' : data.purpose))
  return stated.includes('recurring') ? 'recurring' : stated.includes('one_time') ? 'one_time' : 'unknown'
}

// An invoice may be paid in parts, each with its own charge: https://docs.stripe.com/invoicing/partial-payments
function partsOf(charges: readonly StoredFact[], intents: readonly StoredFact[]): number {
  const paid = charges.filter(isPaid)
  const alone = intents.filter(isPaid).filter((intent) => !paid.some((charge) => isPair(charge, intent)))
  return [...paid, ...alone].reduce((sum, { data }) => sum + (data.amount ?? 0), 0)
}

function isPaid({ data }: StoredFact): boolean {
  return data.state === 'paid'
}

function isPair(charge: StoredFact, intent: StoredFact): boolean {
  return names(charge, intent.data.id) || names(intent, charge.data.id)
}

function names({ data }: StoredFact, id: string): boolean {
  return data.refs.some((ref) => ref.kind === 'payment' && ref.id === id)
}

/** The full amount of an invoice while only a part is paid; null otherwise. */
function openAmount(invoices: readonly StoredFact[], parts: number): number | null {
  if (parts === 0 || invoices.some(isPaid)) return null
  const asked = invoices.find(({ data }) => data.state === 'pending')?.data.amount ?? 0
  return parts < asked ? asked : null
}

// A charge counts its refunds, and refunds report their success. Each can arrive without the other.
function refundedAmount(charges: readonly StoredFact[], refunds: readonly StoredFact[]): number {
  const byCharges = charges.reduce((sum, charge) => sum + countedBy(charge, refunds), 0)
  const succeeded = refunds.filter(({ data }) => data.state === 'succeeded')
  const byRefunds = succeeded.reduce((sum, { data }) => sum + (data.amount ?? 0), 0)
  const isWhole = succeeded.some(({ data }) => data.is_whole)
  const whole = isWhole ? charges.reduce((sum, { data }) => sum + (data.amount ?? 0), 0) : 0
  return Math.max(byCharges, byRefunds, whole)
}

// A refund that failed after the charge was read is still counted in the charge. Within the window the charge may
// already know of the failure.
function countedBy(charge: StoredFact, refunds: readonly StoredFact[]): number {
  const failed = refunds
    .filter(({ data }) => data.state === 'failed' || data.state === 'canceled')
    .filter((refund) => names(refund, charge.data.id))
    .filter(({ at }) => msOf(at) - msOf(charge.at) > fetchWindowMs)
    .reduce((sum, { data }) => sum + (data.amount ?? 0), 0)
  return Math.max(0, (charge.data.amount_refunded ?? 0) - failed)
}

function statusOf(known: {
  asked: readonly StoredFact[]
  disputes: readonly StoredFact[]
  amount: number
  refunded: number
  /** True while the rest of an invoice is unpaid. */
  isOwed: boolean
}): PaymentStatus {
  const { asked, disputes, amount, refunded, isOwed } = known
  const wasPaid = asked.some(isPaid) && !isOwed
  if (disputes.some((f) => f.data.state === 'open' || f.data.state === 'lost')) return 'disputed'
  if (wasPaid && refunded > 0) return refunded >= amount ? 'refunded' : 'partially_refunded'
  if (wasPaid) return 'paid'
  // After a failed attempt another may follow, as long as a part of the payment is open.
  return isOwed || asked.some((f) => f.data.state === 'pending') ? 'pending' : 'failed'
}
