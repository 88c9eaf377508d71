import { siteKey } from '../../core/access/index.ts'
import {
  customerChange,
  eventTypes,
  inMode,
  moneyChange,
  type Stamp,
  stampOf,
  withPaidMoment,
} from '../changes.ts'
import type { Change, ProviderEvent, Stage } from '../contract.ts'
import { isObject, type Json, obj, str } from '../narrow.ts'
import { siteNoteIn } from '../sessions.ts'
import { contactIn, toBuyer, toCustomerData } from './customer.ts'
import { idText, revisedAt } from './facts.ts'
import { toBill, toCheckout, toFirstOrder, toPayment, toRefund } from './money.ts'
import type { Common, LemonSqueezyObjects, Resource, WebhookEvent } from './payload.ts'
import { toSubscriptionData } from './subscription.ts'

/** Settings of the site that reading events needs. */
export interface LemonSqueezySite {
  /** Returns true if the site's plans sell the variant once. */
  isSoldOnce(variant: string): boolean
  /**
   * True if the API is used too. Only events contain a checkout's custom data. It is therefore stored with
   * the purchase, where a later answer without it cannot erase it.
   */
  readonly isAsked: boolean
}

/** Reads one webhook event. Total: unknown events yield no change. */
export function lemonSqueezyChanges(site: LemonSqueezySite) {
  return ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
    const about = subjects.get(type)
    if (about === undefined || !isObject(object)) return []
    const { data, meta } = object as WebhookEvent
    if (obj(data).type !== about) return []
    const stage = type.endsWith('_created') ? 'created' : 'updated'
    const changes = changesOf(site, { raw: obj(data), custom: obj(obj(meta).custom_data), stage })
    // Events have no time of their own. The payment was the invoice's last change when it was reported.
    return reportsPayment.has(type)
      ? withPaidMoment(changes, revisedAt(obj(obj(data).attributes) as Common))
      : changes
  }
}

const reportsPayment: ReadonlySet<string> = new Set([
  'subscription_payment_success',
  'subscription_payment_recovered',
])

/** Reads an answer or a list. The object contains its mode, because no event surrounds it. */
export function answeredChanges(site: LemonSqueezySite, shown: Omit<Shown, 'stage'>): Change[] {
  const { test_mode: isTest } = obj((shown.raw as Resource<Common>).attributes)
  const changes = changesOf(site, shown)
  return typeof isTest === 'boolean' ? changes.map((change) => inMode(change, !isTest)) : changes
}

function changesOf(
  site: LemonSqueezySite,
  { raw: { id: given, type, attributes }, custom = {}, stage = 'updated' }: Shown,
): Change[] {
  const id = idText(given)
  if (id === null || !isKind(type) || !isObject(attributes)) return []
  const raw = attributes as LemonSqueezyObjects[typeof type]
  return readAs(type, { id, raw, custom, stamp: stampOf(stage, revisedAt(raw)), site })
}

interface Shown {
  /** Includes type and id beside the attributes: https://jsonapi.org/format/#document-resource-objects */
  readonly raw: Resource
  readonly custom?: Json
  readonly stage?: Stage
}

interface Said<T> {
  readonly id: string
  readonly raw: T
  /** Custom data of the checkout. */
  readonly custom: Json
  readonly stamp: Stamp
  readonly site: LemonSqueezySite
}
type Readers = { readonly [K in keyof LemonSqueezyObjects]: (said: Said<LemonSqueezyObjects[K]>) => Change[] }

function readAs<K extends keyof LemonSqueezyObjects>(kind: K, said: Said<LemonSqueezyObjects[K]>): Change[] {
  return readers[kind](said)
}

const ofSubscription: Readers['subscriptions'] = ({ id, raw, custom, stamp, site }) => [
  {
    type: 'subscription',
    id,
    ...stamp,
    data: toSubscriptionData(id, raw, site.isAsked ? {} : custom),
    contact: contactIn(raw),
    ...siteIn(custom),
  },
  ...moneyChange('link', toFirstOrder(id, raw), lasting(raw, stamp)),
]

// Only events name it.
function siteIn(custom: Json): { site?: string } {
  const { [siteKey]: site } = siteNoteIn(custom)
  return site === undefined ? {} : { site }
}

// The order that began a subscription never changes, so repeating it counts from the moment of creation.
function lasting({ created_at }: Common, stamp: Stamp): Stamp {
  return {
    ...stamp,
    at: str(created_at) ?? stamp.at,
  }
}

const ofOrder: Readers['orders'] = ({ id, raw, custom, stamp, site }) => {
  const data = toPayment(id, raw, site.isAsked ? {} : custom, site.isSoldOnce)
  if (data === null) return []
  return [
    ...moneyChange('payment', data, stamp),
    ...moneyChange('checkout', toCheckout(data, custom), stamp),
    ...customerChange(toBuyer(raw), stamp),
  ]
}

const ofInvoice: Readers['subscription-invoices'] = ({ id, raw, stamp }) => {
  const data = toBill(id, raw)
  if (data === null) return []
  return [
    ...moneyChange({ kind: 'payment', part: 'bill' }, data, stamp),
    ...moneyChange('refund', toRefund(raw, data), stamp),
  ]
}

// An address may be copied from an older object, so it counts from the moment of the request.
const ofCustomer: Readers['customers'] = ({ id, raw, stamp: { stage } }) => [
  { type: 'customer', id, stage, data: toCustomerData(id, raw) },
]

const readers: Readers = {
  subscriptions: ofSubscription,
  orders: ofOrder,
  'subscription-invoices': ofInvoice,
  customers: ofCustomer,
}

function isKind(type: unknown): type is keyof LemonSqueezyObjects {
  return typeof type === 'string' && Object.hasOwn(readers, type)
}

// Source: https://docs.lemonsqueezy.com/help/webhooks/event-types. Events about a subscription's payment
// contain an invoice.
export const subjects: ReadonlyMap<string, string> = new Map([
  ...eventTypes(
    'subscription_',
    'created updated cancelled resumed expired paused unpaused',
    'subscriptions',
  ),
  ...eventTypes('subscription_payment_', 'success failed recovered refunded', 'subscription-invoices'),
  ...eventTypes('order_', 'created refunded', 'orders'),
])
