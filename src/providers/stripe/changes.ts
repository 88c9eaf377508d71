import { withPaidMoment } from '../changes.ts'
import type { Change, MoneyChange, ProviderEvent, Stage } from '../contract.ts'
import type { ReadMoney } from '../money.ts'
import { idOf, isObject, list, obj, str } from '../narrow.ts'
import { toCustomerData } from './customer.ts'
import { places, type StripeKind, toRef } from './facts.ts'
import { isExcerpt } from './long-lists.ts'
import {
  invoiceSubscriptions,
  toCharge,
  toCheckout,
  toDispute,
  toIntent,
  toInvoice,
  toInvoicePayment,
  toRefund,
} from './money.ts'
import type { Common, Schedule, StripeEvent, StripeObjects } from './payload.ts'
import { hidesAmount, toSubscriptionBefore, toSubscriptionData } from './subscription.ts'
import { hidesTerms } from './terms.ts'

/** Reads one Stripe event. Pure and total: unknown events yield no change. */
export function stripeChanges(
  event: Pick<ProviderEvent, 'type' | 'object'> & { readonly occurred_at?: string },
): Change[] {
  if (!isObject(event.object)) return []
  const message = event.object as StripeEvent
  if (message.object === 'v2.core.event') return touchRelated(message)
  const data = obj(message.data)
  const raw = obj(data.object)
  if (event.type.startsWith('subscription_schedule.')) return touchManaged(raw as Schedule)
  const kind = isObject(data.object) ? kindOf(event.type, raw) : null
  if (kind === null) return []
  const changes = changesOf(kind, raw as StripeObjects[typeof kind], {
    type: event.type,
    livemode: message.livemode === true,
    previous: data.previous_attributes,
  })
  // A debit succeeds days after its charge was made: https://docs.stripe.com/payments/sepa-debit
  const isCollected = event.type === 'charge.succeeded' || event.type === 'charge.captured'
  return isCollected ? withPaidMoment(changes, event.occurred_at ?? null) : changes
}

/** Reads one fetched API object; `livemode` is for objects that do not contain it (refunds). */
export function fetchedChange<K extends StripeKind>(
  kind: K,
  raw: StripeObjects[K],
  livemode: boolean,
): Change | null {
  return readers[kind](raw, { type: '', livemode, previous: null })
}

type MoneyObject = Exclude<StripeKind, 'subscription' | 'customer'>

interface Context {
  readonly type: string
  readonly livemode: boolean
  readonly previous: unknown
}

type Readers = { readonly [K in StripeKind]: (raw: StripeObjects[K], context: Context) => Change | null }

function changesOf<K extends StripeKind>(kind: K, raw: StripeObjects[K], context: Context): Change[] {
  const change = readers[kind](raw, context)
  return change === null
    ? []
    : [change, ...touchExcerpt(kind, raw), ...(touches[kind]?.(raw, { type: context.type, change }) ?? [])]
}

const ofSubscription: Readers['subscription'] = (raw, { type, livemode, previous }) => {
  const data = toSubscriptionData(raw, livemode)
  if (data === null) return null
  const before = toSubscriptionBefore(raw, previous, livemode)
  return {
    type: 'subscription',
    id: data.id,
    stage: stageOf(type),
    data,
    ...(before === null ? {} : { before }),
  }
}

const ofCustomer: Readers['customer'] = (raw, { type, livemode, previous }) => {
  const stage = stageOf(type)
  const data = toCustomerData(raw, stage === 'deleted', livemode)
  if (data === null) return null
  const changed = { type: 'customer', id: data.id, stage: data.deleted ? 'deleted' : stage, data } as const
  return paysOtherwise(previous) ? { ...changed, pays_otherwise: true } : changed
}

function ofMoney<K extends MoneyObject>(
  kind: K,
  toFact: (raw: StripeObjects[K]) => ReadMoney | null,
): Readers[K] {
  return (raw, { type, livemode }) => {
    const fact = toFact(raw)
    if (fact === null) return null
    const data = { livemode, ...fact, ...(isOver(type, kind) ? { state: 'failed' as const } : {}) }
    return { ...placeOf(kind), type: 'money', id: fact.id, stage: stageOf(type), data }
  }
}

function placeOf(kind: MoneyObject) {
  return places[kind] as Pick<MoneyChange, 'kind' | 'part'>
}

function paysOtherwise(previous: unknown): boolean {
  return 'default_payment_method' in obj(obj(previous).invoice_settings) || 'default_source' in obj(previous)
}

// Only the event's type shows that they stay so: the session still says `unpaid`, and the invoice `draft`.
function isOver(type: string, kind: MoneyObject): boolean {
  return (
    (kind === 'checkout' && type === 'checkout.session.async_payment_failed') ||
    (kind === 'invoice' && type === 'invoice.deleted')
  )
}

const readers: Readers = {
  subscription: ofSubscription,
  customer: ofCustomer,
  checkout: ofMoney('checkout', toCheckout),
  intent: ofMoney('intent', toIntent),
  charge: ofMoney('charge', toCharge),
  invoice: ofMoney('invoice', toInvoice),
  invoice_payment: ofMoney('invoice_payment', toInvoicePayment),
  refund: ofMoney('refund', toRefund),
  dispute: ofMoney('dispute', toDispute),
}

function stageOf(type: string): Stage {
  return type.endsWith('.created') ? 'created' : type.endsWith('.deleted') ? 'deleted' : 'updated'
}

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

/**
 * Returns the kind of an object: the event's type gives the family, the object's own `object` field decides
 * within it.
 */
function kindOf(type: string, raw: Common): StripeKind | null {
  // It previews an invoice that does not exist yet.
  if (type === 'invoice.upcoming') return null
  const family = kindOfType.find(([pattern]) => pattern.test(type))?.[1] ?? null
  if (family === null || str(raw.object) === null) return family
  return kindOfObject.get(raw.object) ?? null
}

/** Returns true if events of this type concern purchases. */
export function handles(type: string): boolean {
  return type.startsWith('subscription_schedule.') || kindOf(type, {}) !== null
}

function touchExcerpt(kind: StripeKind, raw: Common): Change[] {
  const id = str(raw.id)
  return id !== null && isExcerpt(kind, raw) ? [{ type: 'touch', ref: toRef(kind, id) }] : []
}

function touch(kind: StripeKind, id: string | null): Change[] {
  return id === null ? [] : [{ type: 'touch', ref: toRef(kind, id) }]
}

/** Objects that an event mentions in part and that are worth fetching. */
const touches: {
  readonly [K in StripeKind]?: (
    raw: StripeObjects[K],
    told: { readonly type: string; readonly change: Change },
  ) => Change[]
} = {
  subscription: (raw, { change }) =>
    (hidesTerms(raw) || hidesAmount(raw)) && change.type === 'subscription'
      ? touch('subscription', change.id)
      : [],
  invoice: (raw, { type, change }) =>
    type === 'invoice.paid' || type === 'invoice.payment_failed'
      ? [...invoiceSubscriptions(raw).flatMap((id) => touch('subscription', id)), ...touchUnlinked(change)]
      : [],
  checkout: (raw, { type, change }) =>
    completes.has(type) ? [...touch('subscription', idOf(raw.subscription)), ...touchUnpriced(change)] : [],
  dispute: (raw) => touch('charge', idOf(raw.charge)),
  // A refund that did not reach the buyer counts as paid again. That changes the charge's total, but causes
  // no event of the charge.
  refund: (raw) =>
    raw.status === 'failed' || raw.status === 'canceled' ? touch('charge', idOf(raw.charge)) : [],
  // Until API 2022-11-15 a charge listed its refunds.
  charge: (raw, { type }) =>
    type === 'charge.refunded' ? list(raw.refunds).flatMap((refund) => touch('refund', idOf(refund))) : [],
}

const completes = new Set(['checkout.session.completed', 'checkout.session.async_payment_succeeded'])

// Webhooks contain no line items, so a purchase without a noted price is fetched.
function touchUnpriced(change: Change): Change[] {
  return change.type === 'money' && change.data.purpose === 'one_time' && change.data.price_id === undefined
    ? [{ type: 'touch', ref: toRef('checkout', change.id) }]
    : []
}

// Since API 2025-03-31 only `invoice_payment.paid` names an invoice's payment. Not every endpoint receives
// it, and a failed attempt never causes it. A fetched invoice names its payment. An invoice over zero has
// none.
function touchUnlinked(change: Change): Change[] {
  return change.type === 'money' &&
    change.data.amount !== 0 &&
    !change.data.refs.some(({ kind }) => kind === 'payment')
    ? [{ type: 'touch', ref: toRef('invoice', change.id) }]
    : []
}

// A schedule's change is reported with its subscription.
function touchManaged(schedule: Schedule): Change[] {
  const id = idOf(schedule.subscription) ?? idOf(schedule.released_subscription)
  return id === null ? [] : [{ type: 'touch', ref: toRef('subscription', id) }]
}

// `related_object.type` is the object's name, such as `v2.core.account` or `customer`.
function touchRelated(message: StripeEvent): Change[] {
  const related = obj(message.related_object)
  const [kind, id] = [kindOfObject.get(related.type), str(related.id)]
  return kind === undefined || id === null ? [] : [{ type: 'touch', ref: toRef(kind, id) }]
}
