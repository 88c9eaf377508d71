import { customerChange, eventTypes, moneyChange, type Stamp, stampOf } from '../changes.ts'
import type { Change, ProviderEvent, Stage } from '../contract.ts'
import { isObject, type Json, str } from '../narrow.ts'
import { toCarriedCustomer, toCustomerData } from './customer.ts'
import { revisedAt } from './facts.ts'
import { toCheckout, toFirstPage, toPayment, toRefund } from './money.ts'
import { toSubscriptionData } from './subscription.ts'

/** Reads one webhook event. Pure and total: unknown events yield no change. */
export const polarChanges = ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
  const read = readers.get(type)
  if (read === undefined || !isObject(object)) return []
  return read(object, stampOf(stageOf(type), revisedAt(object)))
}

/** Reads an answer, as a webhook would report it. */
export const answeredChanges = (kind: PolarKind, raw: Json): Change[] =>
  polarChanges({ type: `${kind}.updated`, object: raw })

/** Objects of Polar that concern purchases. */
export type PolarKind = 'customer' | 'subscription' | 'order' | 'checkout' | 'refund'

type Reader = (raw: Json, stamp: Stamp) => Change[]

const stageOf = (type: string): Stage =>
  type === 'customer.deleted' ? 'deleted' : type.endsWith('.created') ? 'created' : 'updated'

const ofSubscription: Reader = (raw, stamp) => {
  const data = toSubscriptionData(raw)
  if (data === null) return []
  return [
    ...toCarriedCustomer(raw),
    { type: 'subscription', id: data.id, ...stamp, data },
    ...moneyChange('link', toFirstPage(raw, data.id), lasting(raw, stamp)),
  ]
}

// The checkout of a subscription never changes, so repeating it counts from the moment of creation.
const lasting = ({ created_at }: Json, stamp: Stamp): Stamp => ({
  ...stamp,
  at: str(created_at) ?? stamp.at,
})

const ofCustomer: Reader = (raw, stamp) => {
  const data = toCustomerData(raw)
  const deleted = data?.deleted || stamp.stage === 'deleted'
  return customerChange(data && { ...data, deleted }, stamp)
}

const ofOrder: Reader = (raw, stamp) => [
  ...toCarriedCustomer(raw),
  ...moneyChange('payment', toPayment(raw), stamp),
]

const ofCheckout: Reader = (raw, stamp) => moneyChange('checkout', toCheckout(raw), stamp)

const ofRefund: Reader = (raw, stamp) => moneyChange('refund', toRefund(raw), stamp)

// Source: https://polar.sh/docs/integrate/webhooks/events. `subscription.updated` accompanies each of the
// others.
export const readers: ReadonlyMap<string, Reader> = new Map([
  ...eventTypes(
    'subscription.',
    'created active updated cycled past_due canceled uncanceled revoked paused resumed migrated',
    ofSubscription,
  ),
  ...eventTypes('customer.', 'created updated deleted state_changed', ofCustomer),
  ...eventTypes('order.', 'created updated paid refunded', ofOrder),
  ...eventTypes('checkout.', 'created updated expired', ofCheckout),
  ...eventTypes('refund.', 'created updated', ofRefund),
])
