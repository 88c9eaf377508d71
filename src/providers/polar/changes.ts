import { customerChange, eventTypes, moneyChange, type Stamp, stampOf, withPaidMoment } from '../changes.ts'
import type { Change, ProviderEvent, Stage } from '../contract.ts'
import { isObject, str } from '../narrow.ts'
import { toCarriedCustomer, toCustomerData } from './customer.ts'
import { revisedAt } from './facts.ts'
import { toCheckout, toFirstPage, toPayment, toRefund } from './money.ts'
import type { PolarObjects, Subscription } from './payload.ts'
import { toSubscriptionData } from './subscription.ts'

/** Reads one webhook event. Pure and total: unknown events yield no change. */
export function polarChanges({ type, object, occurred_at }: Told): Change[] {
  const kind = kinds.get(type)
  if (kind === undefined || !isObject(object)) return []
  const changes = changesOf(kind, object as PolarObjects[typeof kind], stageOf(type))
  // An order that is charged again keeps its moment of creation.
  return type === 'order.paid' ? withPaidMoment(changes, occurred_at) : changes
}

type Told = Pick<ProviderEvent, 'type' | 'object' | 'occurred_at'>

/** Reads an answer, as a webhook would report it. */
export function answeredChanges<K extends keyof PolarObjects>(kind: K, raw: PolarObjects[K]): Change[] {
  return changesOf(kind, raw, 'updated')
}

function changesOf<K extends keyof PolarObjects>(kind: K, raw: PolarObjects[K], stage: Stage): Change[] {
  return readers[kind](raw, stampOf(stage, revisedAt(raw)))
}

type Readers = { readonly [K in keyof PolarObjects]: (raw: PolarObjects[K], stamp: Stamp) => Change[] }

function stageOf(type: string): Stage {
  return type === 'customer.deleted' ? 'deleted' : type.endsWith('.created') ? 'created' : 'updated'
}

const ofSubscription: Readers['subscription'] = (raw, stamp) => {
  const data = toSubscriptionData(raw)
  if (data === null) return []
  return [
    ...toCarriedCustomer(raw),
    { type: 'subscription', id: data.id, ...stamp, data },
    ...moneyChange('link', toFirstPage(raw, data.id), lasting(raw, stamp)),
  ]
}

// The checkout of a subscription never changes, so repeating it counts from the moment of creation.
function lasting({ created_at }: Subscription, stamp: Stamp): Stamp {
  return {
    ...stamp,
    at: str(created_at) ?? stamp.at,
  }
}

const ofCustomer: Readers['customer'] = (raw, stamp) => {
  const data = toCustomerData(raw)
  const deleted = data?.deleted || stamp.stage === 'deleted'
  return customerChange(data && { ...data, deleted }, stamp)
}

const ofOrder: Readers['order'] = (raw, stamp) => [
  ...toCarriedCustomer(raw),
  ...moneyChange('payment', toPayment(raw), stamp),
]

const readers: Readers = {
  subscription: ofSubscription,
  customer: ofCustomer,
  order: ofOrder,
  checkout: (raw, stamp) => moneyChange('checkout', toCheckout(raw), stamp),
  refund: (raw, stamp) => moneyChange('refund', toRefund(raw), stamp),
}

// Source: https://polar.sh/docs/integrate/webhooks/events. `subscription.updated` accompanies each of the
// others.
export const kinds: ReadonlyMap<string, keyof PolarObjects> = new Map<string, keyof PolarObjects>([
  ...eventTypes(
    'subscription.',
    'created active updated cycled past_due canceled uncanceled revoked paused resumed migrated',
    'subscription',
  ),
  ...eventTypes('customer.', 'created updated deleted state_changed', 'customer'),
  ...eventTypes('order.', 'created updated paid refunded', 'order'),
  ...eventTypes('checkout.', 'created updated expired', 'checkout'),
  ...eventTypes('refund.', 'created updated', 'refund'),
])
