import type { Change, MoneyFact, MoneyKind, ProviderEvent, Stage } from '../contract.ts'
import { isObject, type Json, obj, str } from '../narrow.ts'
import { contactIn, toCustomerData } from './customer.ts'
import { idText, revisedAt } from './facts.ts'
import { toBill, toCheckout, toFirstOrder, toPayment, toRefund } from './money.ts'
import { toSubscriptionData } from './subscription.ts'

/** Settings of the site that reading events needs. */
export interface LemonSqueezySite {
  /** Returns true if the site's plans sell the variant once. */
  isSoldOnce(variant: string): boolean
  /** True if the API is used too. Only events contain a checkout's custom data. It is therefore stored
   *  with the purchase, where a later answer without it cannot erase it. */
  readonly isAsked: boolean
}

/** Reads one webhook event. Total: unknown events yield no change. */
export const lemonSqueezyChanges =
  (site: LemonSqueezySite) =>
  ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
    const about = subjects.get(type)
    if (about === undefined || !isObject(object) || obj(object.data).type !== about) return []
    const stage = type.endsWith('_created') ? 'created' : 'updated'
    return changesOf(site, { raw: obj(object.data), custom: obj(obj(object.meta).custom_data), stage })
  }

/** Reads an answer or a list. The object contains its mode, because no event surrounds it. */
export const answeredChanges = (site: LemonSqueezySite, shown: Omit<Shown, 'stage'>): Change[] => {
  const { test_mode: isTest } = obj(shown.raw.attributes)
  const changes = changesOf(site, shown)
  return typeof isTest === 'boolean' ? changes.map((change) => inMode(change, !isTest)) : changes
}

const inMode = (change: Change, livemode: boolean): Change =>
  change.type === 'touch' ? change : ({ ...change, data: { ...change.data, livemode } } as Change)

const changesOf = (
  site: LemonSqueezySite,
  { raw: { id: given, type, attributes }, custom = {}, stage = 'updated' }: Shown,
): Change[] => {
  const id = idText(given)
  const read = readers.get(type)
  if (id === null || read === undefined || !isObject(attributes)) return []
  const at = revisedAt(attributes)
  const stamp = { stage, ...(at === null ? {} : { at }) }
  return read({ id, raw: attributes, custom, stamp, site })
}

interface Shown {
  /** Includes type and id beside the attributes: https://jsonapi.org/format/#document-resource-objects */
  readonly raw: Json
  readonly custom?: Json
  readonly stage?: Stage
}

interface Stamp {
  readonly stage: Stage
  readonly at?: string
}

interface Said {
  readonly id: string
  readonly raw: Json
  /** Custom data of the checkout. */
  readonly custom: Json
  readonly stamp: Stamp
  readonly site: LemonSqueezySite
}
type Reader = (said: Said) => Change[]

const ofSubscription: Reader = ({ id, raw, custom, stamp, site }) => [
  {
    type: 'subscription',
    id,
    ...stamp,
    data: toSubscriptionData(id, raw, site.isAsked ? {} : custom),
    contact: contactIn(raw),
  },
  ...money('link', toFirstOrder(id, raw), lasting(raw, stamp)),
]

// The order that began a subscription never changes, so repeating it counts from the moment of creation.
const lasting = ({ created_at }: Json, stamp: Stamp): Stamp => ({
  ...stamp,
  at: str(created_at) ?? stamp.at,
})

const ofOrder: Reader = ({ id, raw, custom, stamp, site }) => {
  const data = toPayment(id, raw, site.isAsked ? {} : custom, site.isSoldOnce)
  if (data === null) return []
  return [...money('payment', data, stamp), ...money('checkout', toCheckout(data, custom), stamp)]
}

const ofInvoice: Reader = ({ id, raw, stamp }) => {
  const data = toBill(id, raw)
  if (data === null) return []
  return [
    { type: 'money', kind: 'payment', part: 'bill', id: data.id, ...stamp, data },
    ...money('refund', toRefund(raw, data), stamp),
  ]
}

const money = (kind: MoneyKind, data: MoneyFact | null, stamp: Stamp): Change[] =>
  data === null ? [] : [{ type: 'money', kind, id: data.id, ...stamp, data }]

// An address may be copied from an older object, so it counts from the moment of the request.
const ofCustomer: Reader = ({ id, raw, stamp: { stage } }) => [
  { type: 'customer', id, stage, data: toCustomerData(id, raw) },
]

const readers: ReadonlyMap<unknown, Reader> = new Map([
  ['subscriptions', ofSubscription],
  ['orders', ofOrder],
  ['subscription-invoices', ofInvoice],
  ['customers', ofCustomer],
])

const named = (about: string, prefix: string, happenings: string): [type: string, about: string][] =>
  happenings.split(' ').map((happened) => [`${prefix}_${happened}`, about])

// Source: https://docs.lemonsqueezy.com/help/webhooks/event-types. Events about a subscription's payment
// contain an invoice.
export const subjects: ReadonlyMap<string, string> = new Map([
  ...named('subscriptions', 'subscription', 'created updated cancelled resumed expired paused unpaused'),
  ...named('subscription-invoices', 'subscription_payment', 'success failed recovered refunded'),
  ...named('orders', 'order', 'created refunded'),
])
