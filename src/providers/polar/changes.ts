import type { Change, MoneyFact, MoneyKind, ProviderEvent, Stage } from '../contract.ts'
import { isObject, type Json, str } from '../narrow.ts'
import { toCarriedCustomer, toCustomerData } from './customer.ts'
import { revisedAt } from './facts.ts'
import { toCheckout, toFirstPage, toPayment, toRefund } from './money.ts'
import { toSubscriptionData } from './subscription.ts'

/** Reads one webhook event. Pure and total: unknown events yield no change. */
export const polarChanges = ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
  const read = readers.get(type)
  if (read === undefined || !isObject(object)) return []
  const at = revisedAt(object)
  return read(object, { stage: stageOf(type), ...(at === null ? {} : { at }) })
}

/** Reads an answer, as a webhook would report it. */
export const answeredChanges = (kind: PolarKind, raw: Json): Change[] =>
  polarChanges({ type: `${kind}.updated`, object: raw })

/** Objects of Polar that concern purchases. */
export type PolarKind = 'customer' | 'subscription' | 'order' | 'checkout' | 'refund'

interface Stamp {
  readonly stage: Stage
  readonly at?: string
}
type Reader = (raw: Json, stamp: Stamp) => Change[]

const stageOf = (type: string): Stage =>
  type === 'customer.deleted' ? 'deleted' : type.endsWith('.created') ? 'created' : 'updated'

const ofSubscription: Reader = (raw, stamp) => {
  const data = toSubscriptionData(raw)
  if (data === null) return []
  return [
    ...toCarriedCustomer(raw),
    { type: 'subscription', id: data.id, ...stamp, data },
    ...money('link', toFirstPage(raw, data.id), lasting(raw, stamp)),
  ]
}

// The checkout of a subscription never changes, so repeating it counts from the moment of creation.
const lasting = ({ created_at }: Json, stamp: Stamp): Stamp => ({
  ...stamp,
  at: str(created_at) ?? stamp.at,
})

const ofCustomer: Reader = (raw, stamp) => {
  const data = toCustomerData(raw)
  if (data === null) return []
  const deleted = data.deleted || stamp.stage === 'deleted'
  return [{ type: 'customer', id: data.id, ...stamp, data: { ...data, deleted } }]
}

const ofOrder: Reader = (raw, stamp) => [
  ...toCarriedCustomer(raw),
  ...money('payment', toPayment(raw), stamp),
]

const ofCheckout: Reader = (raw, stamp) => money('checkout', toCheckout(raw), stamp)

const ofRefund: Reader = (raw, stamp) => money('refund', toRefund(raw), stamp)

const money = (kind: MoneyKind, data: MoneyFact | null, stamp: Stamp): Change[] =>
  data === null ? [] : [{ type: 'money', kind, id: data.id, ...stamp, data }]

const named = (about: string, happenings: string, read: Reader): [string, Reader][] =>
  happenings.split(' ').map((happened) => [`${about}.${happened}`, read])

// Source: https://polar.sh/docs/integrate/webhooks/events. `subscription.updated` accompanies each of the
// others.
export const readers: ReadonlyMap<string, Reader> = new Map([
  ...named(
    'subscription',
    'created active updated cycled past_due canceled uncanceled revoked paused resumed migrated',
    ofSubscription,
  ),
  ...named('customer', 'created updated deleted state_changed', ofCustomer),
  ...named('order', 'created updated paid refunded', ofOrder),
  ...named('checkout', 'created updated expired', ofCheckout),
  ...named('refund', 'created updated', ofRefund),
])
