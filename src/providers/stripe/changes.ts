import type { Change, MoneyChange, MoneyFact, ProviderEvent, Stage } from '../contract.ts'
import { idOf, isObject, type Json, list, obj, str } from '../narrow.ts'
import { toCheckout } from './checkout.ts'
import { toCustomerData } from './customer.ts'
import { invoiceSubscriptions, toInvoice } from './invoice.ts'
import { places, type StripeKind, toRef } from './kinds.ts'
import { isExcerpt } from './long-lists.ts'
import { toCharge, toDispute, toIntent, toInvoicePayment, toRefund } from './money.ts'
import { toSubscriptionBefore, toSubscriptionData } from './subscription.ts'
import { hidesTerms } from './terms.ts'

/** Reads one Stripe event. Pure and total: unknown events yield no change. */
export const stripeChanges = (event: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
  const message = obj(event.object)
  if (message.object === 'v2.core.event') return touchRelated(message)
  const data = obj(message.data)
  const raw = data.object
  if (event.type.startsWith('subscription_schedule.')) return touchManaged(obj(raw))
  // `invoice.upcoming` previews an invoice that does not exist yet.
  if (!isObject(raw) || !handles(event.type)) return []
  const kind = kindOf(event.type, raw)
  if (kind === null) return []
  const change = toChange(kind, raw, {
    type: event.type,
    livemode: message.livemode === true,
    previous: data.previous_attributes,
  })
  return change === null
    ? []
    : [change, ...touchExcerpt(kind, raw), ...touches(event.type, kind, raw, change)]
}

/** Reads one fetched API object; `livemode` is for objects that do not contain it (refunds). */
export const fetchedChange = (kind: StripeKind, raw: Json, livemode: boolean): Change | null =>
  toChange(kind, raw, { type: '', livemode, previous: null })

type MoneyObject = Exclude<StripeKind, 'subscription' | 'customer'>

interface Context {
  readonly type: string
  readonly livemode: boolean
  readonly previous: unknown
}

const toChange = (kind: StripeKind, raw: Json, { type, livemode, previous }: Context): Change | null => {
  const stage = stageOf(type)
  if (kind === 'subscription') {
    const data = toSubscriptionData(raw, livemode)
    if (data === null) return null
    const before = toSubscriptionBefore(raw, previous, livemode)
    return { type: 'subscription', id: data.id, stage, data, ...(before === null ? {} : { before }) }
  }
  if (kind === 'customer') {
    const data = toCustomerData(raw, stage === 'deleted', livemode)
    if (data === null) return null
    const changed = { type: 'customer', id: data.id, stage: data.deleted ? 'deleted' : stage, data } as const
    return paysOtherwise(previous) ? { ...changed, pays_otherwise: true } : changed
  }
  const fact = toFact[kind](raw)
  if (fact === null) return null
  const data = { livemode, ...fact, ...(isOver(type, kind) ? { state: 'failed' as const } : {}) }
  return { ...placeOf(kind), type: 'money', id: fact.id, stage, data }
}

const placeOf = (kind: MoneyObject) => places[kind] as Pick<MoneyChange, 'kind' | 'part'>

const paysOtherwise = (previous: unknown): boolean =>
  'default_payment_method' in obj(obj(previous).invoice_settings) || 'default_source' in obj(previous)

// Only the event's type shows that they stay so: the session still says `unpaid`, and the invoice `draft`.
const isOver = (type: string, kind: MoneyObject): boolean =>
  (kind === 'checkout' && type === 'checkout.session.async_payment_failed') ||
  (kind === 'invoice' && type === 'invoice.deleted')

const toFact: Record<MoneyObject, (raw: Json) => MoneyFact | null> = {
  checkout: toCheckout,
  intent: toIntent,
  charge: toCharge,
  invoice: toInvoice,
  invoice_payment: toInvoicePayment,
  refund: toRefund,
  dispute: toDispute,
}

const stageOf = (type: string): Stage =>
  type.endsWith('.created') ? 'created' : type.endsWith('.deleted') ? 'deleted' : 'updated'

const kindOfObject: ReadonlyMap<unknown, StripeKind> = new Map([
  ['subscription', 'subscription'],
  ['customer', 'customer'],
  ['checkout.session', 'checkout'],
  ['payment_intent', 'intent'],
  ['charge', 'charge'],
  ['invoice', 'invoice'],
  ['invoice_payment', 'invoice_payment'],
  ['refund', 'refund'],
  ['dispute', 'dispute'],
])

// The order matters: a dispute's events are named after the charge, a subscription's after the customer.
const kindOfType: readonly (readonly [RegExp, StripeKind])[] = [
  [/^customer\.subscription\./, 'subscription'],
  [/^customer\.(created|updated|deleted)$/, 'customer'],
  [/^checkout\.session\./, 'checkout'],
  [/^payment_intent\./, 'intent'],
  [/^charge\.dispute\./, 'dispute'],
  [/^(charge\.)?refund\./, 'refund'],
  [/^charge\./, 'charge'],
  [/^invoice_payment\./, 'invoice_payment'],
  [/^invoice\./, 'invoice'],
]

/** Returns the kind of an object: the event's type gives the family, the object's own `object` field
 *  decides within it. */
const kindOf = (type: string, raw: Json): StripeKind | null => {
  const family = kindOfType.find(([pattern]) => pattern.test(type))?.[1] ?? null
  if (family === null || str(raw.object) === null) return family
  return kindOfObject.get(raw.object) ?? null
}

/** Returns true if events of this type concern purchases. */
export function handles(type: string): boolean {
  if (type === 'invoice.upcoming') return false
  return type.startsWith('subscription_schedule.') || kindOf(type, {}) !== null
}

const touchExcerpt = (kind: StripeKind, raw: Json): Change[] => {
  const id = str(raw.id)
  return id !== null && isExcerpt(kind, raw) ? [{ type: 'touch', ref: toRef(kind, id) }] : []
}

/** Returns objects that the event mentions in part and that are worth fetching. */
const touches = (type: string, kind: StripeKind, raw: Json, change: Change): Change[] => {
  const touch = (of: StripeKind, id: string | null): Change[] =>
    id === null ? [] : [{ type: 'touch', ref: toRef(of, id) }]
  if (kind === 'subscription' && hidesTerms(raw))
    return touch('subscription', change.type === 'subscription' ? change.id : null)
  if (kind === 'invoice' && (type === 'invoice.paid' || type === 'invoice.payment_failed')) {
    return [...invoiceSubscriptions(raw).flatMap((id) => touch('subscription', id)), ...touchUnlinked(change)]
  }
  if (kind === 'checkout' && completes.has(type)) {
    return [...touch('subscription', idOf(raw.subscription)), ...touchUnpriced(change)]
  }
  if (kind === 'dispute') return touch('charge', idOf(raw.charge))
  // A refund that did not reach the buyer counts as paid again. That changes the charge's total, but causes
  // no event of the charge.
  if (kind === 'refund' && (raw.status === 'failed' || raw.status === 'canceled'))
    return touch('charge', idOf(raw.charge))
  // Until API 2022-11-15 a charge listed its refunds.
  if (type === 'charge.refunded') return list(raw.refunds).flatMap((refund) => touch('refund', idOf(refund)))
  return []
}

const completes = new Set(['checkout.session.completed', 'checkout.session.async_payment_succeeded'])

// Webhooks contain no line items, so a purchase without a noted price is fetched.
const touchUnpriced = (change: Change): Change[] =>
  change.type === 'money' && change.data.purpose === 'one_time' && change.data.price_id === undefined
    ? [{ type: 'touch', ref: toRef('checkout', change.id) }]
    : []

// Since API 2025-03-31 only `invoice_payment.paid` names an invoice's payment. Not every endpoint receives
// it, and a failed attempt never causes it. A fetched invoice names its payment. An invoice over zero has
// none.
const touchUnlinked = (change: Change): Change[] =>
  change.type === 'money' &&
  change.data.amount !== 0 &&
  !change.data.refs.some(({ kind }) => kind === 'payment')
    ? [{ type: 'touch', ref: toRef('invoice', change.id) }]
    : []

// A schedule's change is reported with its subscription.
const touchManaged = (schedule: Json): Change[] => {
  const id = idOf(schedule.subscription) ?? idOf(schedule.released_subscription)
  return id === null ? [] : [{ type: 'touch', ref: toRef('subscription', id) }]
}

// `related_object.type` is the object's name, such as `v2.core.account` or `customer`.
const touchRelated = (message: Json): Change[] => {
  const related = obj(message.related_object)
  const [kind, id] = [kindOfObject.get(related.type), str(related.id)]
  return kind === undefined || id === null ? [] : [{ type: 'touch', ref: toRef(kind, id) }]
}
