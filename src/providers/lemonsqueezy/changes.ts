import type { Change, MoneyFact, MoneyKind, ProviderEvent, Stage } from '../contract.ts'
import { isObject, type Json, obj } from '../narrow.ts'
import { contactIn } from './customer.ts'
import { idText, revisedAt } from './facts.ts'
import { toBill, toCheckout, toFirstOrder, toPayment, toRefund } from './money.ts'
import { toSubscriptionData } from './subscription.ts'

/** What one message says, where the site's plans tell what is sold once. Total: whatever it does not know says nothing. */
export const lemonSqueezyChanges =
  (isSoldOnce: (variant: string) => boolean) =>
  ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
    const [about, read] = readers.get(type) ?? []
    if (read === undefined || !isObject(object)) return []
    const { id: given, type: kind, attributes } = obj(object.data)
    const id = idText(given)
    if (id === null || kind !== about || !isObject(attributes)) return []
    const at = revisedAt(attributes)
    const stamp = {
      stage: type.endsWith('_created') ? 'created' : 'updated',
      ...(at === null ? {} : { at }),
    } as const
    return read({ id, raw: attributes, custom: obj(obj(object.meta).custom_data), stamp, isSoldOnce })
  }

interface Stamp {
  readonly stage: Stage
  readonly at?: string
}

interface Said {
  readonly id: string
  readonly raw: Json
  /** What was given to the checkout. */
  readonly custom: Json
  readonly stamp: Stamp
  readonly isSoldOnce: (variant: string) => boolean
}
type Reader = (said: Said) => Change[]

const ofSubscription: Reader = ({ id, raw, custom, stamp }) => [
  {
    type: 'subscription',
    id,
    ...stamp,
    data: toSubscriptionData(id, raw, custom),
    contact: contactIn(raw),
  },
  ...money('link', toFirstOrder(id, raw), stamp),
]

const ofOrder: Reader = ({ id, raw, custom, stamp, isSoldOnce }) => {
  const data = toPayment(id, raw, custom, isSoldOnce)
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

const named = (
  about: string,
  prefix: string,
  happenings: string,
  read: Reader,
): [string, readonly [about: string, read: Reader]][] =>
  happenings.split(' ').map((happened) => [`${prefix}_${happened}`, [about, read]])

// Source: https://docs.lemonsqueezy.com/help/webhooks/event-types. What tells of a subscription's payment has an invoice.
const readers = new Map([
  ...named(
    'subscriptions',
    'subscription',
    'created updated cancelled resumed expired paused unpaused',
    ofSubscription,
  ),
  ...named('subscription-invoices', 'subscription_payment', 'success failed recovered refunded', ofInvoice),
  ...named('orders', 'order', 'created refunded', ofOrder),
])
