import { eventTypes, inMode, moneyChange, updated, withPaidMoment } from '../changes.ts'
import type { Change, ProviderEvent } from '../contract.ts'
import { isObject, str } from '../narrow.ts'
import { toCarriedCustomer, toCustomerChange } from './customer.ts'
import { livemodeOf } from './facts.ts'
import { toCheckout, toDispute, toOrder, toRefund, toRenewal, toTransaction } from './money.ts'
import type { CreemObjects, Return, Subscription } from './payload.ts'
import { toSubscriptionData } from './subscription.ts'

/**
 * Reads one webhook event. Pure and total: unknown events yield no change. Objects change without a new
 * `updated_at` (a period expires, a payment is added), so the event's time is the revision.
 */
export function creemChanges(site: CreemSite) {
  return ({
    type,
    object,
    occurred_at,
  }: Pick<ProviderEvent, 'type' | 'object' | 'occurred_at'>): Change[] => {
    const kind = kinds.get(type)
    if (kind === undefined || !isObject(object)) return []
    const changes = changesOf(kind, object as Told[typeof kind], { ...site, type })
    // A transaction that is charged again may keep its moment of creation.
    return type === 'subscription.paid' ? withPaidMoment(changes, occurred_at) : changes
  }
}

/** Facts about the site that reading events needs. */
export interface CreemSite {
  /**
   * True if Creem's API is used too. Its lists of payments show neither the product nor the purchase's note.
   * Only the checkout has them, and a later answer without them must not erase them.
   */
  readonly isAsked: boolean
}

/** Reads an answer. The object contains its mode, because no event surrounds it. */
export function answeredChanges<K extends keyof CreemObjects>(
  kind: K,
  raw: CreemObjects[K],
  at: string,
): Change[] {
  const livemode = livemodeOf(raw)
  const changes = answers[kind](raw, at)
  return livemode === null ? changes : changes.map((change) => inMode(change, livemode))
}

/** The objects that events are about. */
interface Told extends Pick<CreemObjects, 'subscription' | 'checkout'> {
  readonly refund: Return
  readonly dispute: Return
}

type Context = CreemSite & { readonly type: string }
type Readers = { readonly [K in keyof Told]: (raw: Told[K], context: Context) => Change[] }

function changesOf<K extends keyof Told>(kind: K, raw: Told[K], context: Context): Change[] {
  return readers[kind](raw, context)
}

const { stage } = updated

const ofSubscription: Readers['subscription'] = (raw, { type, isAsked }) => {
  const data = toSubscriptionData(raw, type === 'subscription.expired')
  if (data === null) return []
  return [
    ...toCarriedCustomer(raw),
    { type: 'subscription', id: data.id, stage, data },
    ...(type === 'subscription.paid' ? moneyChange('payment', toRenewal(raw, data.id, { isAsked })) : []),
  ]
}

// The subscription in it is a copy without its period, so only the subscription's own events are used.
const ofCheckout: Readers['checkout'] = (raw, { isAsked }) => [
  ...toCarriedCustomer(raw),
  ...moneyChange({ kind: 'payment', part: 'bill' }, toOrder(raw, { isAsked })),
  ...moneyChange('checkout', toCheckout(raw)),
]

const readers: Readers = {
  subscription: ofSubscription,
  checkout: ofCheckout,
  refund: (raw) => moneyChange('refund', toRefund(raw)),
  dispute: (raw) => moneyChange('dispute', toDispute(raw)),
}

const asked = { isAsked: true } as const

// A period that ended an hour ago was not paid, whatever its status: https://docs.creem.io/code/webhooks,
// `subscription.expired`
const hourMs = 3_600_000
function hasExpired(raw: Subscription, at: string): boolean {
  return Date.parse(str(raw.current_period_end_date) ?? '') < Date.parse(at) - hourMs
}

const answers: { readonly [K in keyof CreemObjects]: (raw: CreemObjects[K], at: string) => Change[] } = {
  customer: toCustomerChange,
  subscription: (raw, at) => {
    const data = toSubscriptionData(raw, hasExpired(raw, at))
    return data === null
      ? []
      : [...toCarriedCustomer(raw), { type: 'subscription', id: data.id, stage, data }]
  },
  transaction: (raw) => moneyChange('payment', toTransaction(raw)),
  order: (order) =>
    moneyChange({ kind: 'payment', part: 'bill' }, toOrder({ product: order.product }, asked, order)),
  // A page without a payment sold nothing.
  checkout: (raw) =>
    raw.status === 'completed' ? ofCheckout(raw, { ...asked, type: 'checkout.completed' }) : [],
}

// Source: https://docs.creem.io/code/webhooks
export const kinds: ReadonlyMap<string, keyof Told> = new Map<string, keyof Told>([
  ...eventTypes(
    'subscription.',
    'active paid trialing update past_due unpaid paused scheduled_cancel canceled expired',
    'subscription',
  ),
  ['checkout.completed', 'checkout'],
  ['refund.created', 'refund'],
  ['dispute.created', 'dispute'],
])
