import type { Change, MoneyChange, MoneyFact, ProviderEvent } from '../contract.ts'
import { isObject, type Json } from '../narrow.ts'
import { toCarriedCustomer } from './customer.ts'
import { toCheckout, toDispute, toOrder, toRefund, toRenewal } from './money.ts'
import { toSubscriptionData } from './subscription.ts'

/** What one message says. Pure and total: whatever it does not know says nothing. Objects change without a new
 *  `updated_at` (a period that expires, a payment that is added): the moment of the event is the revision. */
export const creemChanges = ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] =>
  isObject(object) ? (readers.get(type)?.(object, type) ?? []) : []

type Reader = (raw: Json, type: string) => Change[]

const stage = 'updated' as const

const ofSubscription: Reader = (raw, type) => {
  const data = toSubscriptionData(raw, type === 'subscription.expired')
  if (data === null) return []
  return [
    ...toCarriedCustomer(raw),
    { type: 'subscription', id: data.id, stage, data },
    ...(type === 'subscription.paid' ? money({ kind: 'payment' }, toRenewal(raw, data.id)) : []),
  ]
}

// The subscription in it is a copy without its period: its own messages tell of it.
const ofCheckout: Reader = (raw) => [
  ...toCarriedCustomer(raw),
  ...money({ kind: 'payment', part: 'bill' }, toOrder(raw)),
  ...money({ kind: 'checkout' }, toCheckout(raw)),
]

const ofRefund: Reader = (raw) => money({ kind: 'refund' }, toRefund(raw))

const ofDispute: Reader = (raw) => money({ kind: 'dispute' }, toDispute(raw))

const money = (role: Pick<MoneyChange, 'kind' | 'part'>, data: MoneyFact | null): MoneyChange[] =>
  data === null ? [] : [{ type: 'money', ...role, id: data.id, stage, data }]

// Source: https://docs.creem.io/code/webhooks
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...'active paid trialing update past_due unpaid paused scheduled_cancel canceled expired'
    .split(' ')
    .map((happened) => [`subscription.${happened}`, ofSubscription] as const),
  ['checkout.completed', ofCheckout],
  ['refund.created', ofRefund],
  ['dispute.created', ofDispute],
])
