import { eventTypes, moneyChange, updated, withPaidMoment } from '../changes.ts'
import type { Change, ProviderEvent } from '../contract.ts'
import { isObject, obj } from '../narrow.ts'
import { toContact, toCustomerChange } from './customer.ts'
import { toCheckout, toDispute, toFirstPage, toPayment, toRefund } from './money.ts'
import type { DodoObjects } from './payload.ts'
import { toSubscriptionData } from './subscription.ts'

/**
 * Reads one webhook event. Pure and total: unknown events yield no change. Objects have no revision and show
 * their state at delivery, so the event's time is the only safe revision.
 */
export function dodoChanges({
  type,
  object,
  occurred_at,
}: Pick<ProviderEvent, 'type' | 'object' | 'occurred_at'>): Change[] {
  const kind = kinds.get(type)
  if (kind === undefined || !isObject(object)) return []
  const changes = answeredChanges(kind, object as DodoObjects[typeof kind])
  return type === 'payment.succeeded' ? withPaidMoment(changes, occurred_at) : changes
}

/** Reads changes from an answer, as a webhook would report them. */
export function answeredChanges<K extends keyof DodoObjects>(kind: K, raw: DodoObjects[K]): Change[] {
  return readers[kind](raw)
}

type Readers = { readonly [K in keyof DodoObjects]: (raw: DodoObjects[K]) => Change[] }

// An event of any type may be delivered with a later state, so its type only shows that something changed.
const { stage } = updated

const ofSubscription: Readers['subscription'] = (raw) => {
  const data = toSubscriptionData(raw)
  if (data === null) return []
  const contact = toContact(raw)
  return [
    { type: 'subscription', id: data.id, stage, data, ...(contact === null ? {} : { contact }) },
    ...moneyChange('checkout', toFirstPage(raw, data.id)),
  ]
}

const ofPayment: Readers['payment'] = (raw) => {
  const data = toPayment(raw)
  if (data === null) return []
  return [
    ...toCustomerChange(obj(raw.customer)),
    ...moneyChange('payment', data),
    ...moneyChange('checkout', toCheckout(raw, data)),
  ]
}

const readers: Readers = {
  customer: (raw) => toCustomerChange(raw),
  subscription: ofSubscription,
  payment: ofPayment,
  refund: (raw) => moneyChange('refund', toRefund(raw)),
  dispute: (raw) => moneyChange('dispute', toDispute(raw)),
}

// Source: https://docs.dodopayments.com/developer-resources/webhooks/intents/webhook-events-guide
export const kinds: ReadonlyMap<string, keyof DodoObjects> = new Map<string, keyof DodoObjects>([
  ...eventTypes(
    'subscription.',
    'active renewed updated on_hold past_due paused unpaused cancelled failed expired plan_changed update_payment_method',
    'subscription',
  ),
  ...eventTypes('payment.', 'succeeded failed processing cancelled', 'payment'),
  ...eventTypes('refund.', 'succeeded failed', 'refund'),
  ...eventTypes('dispute.', 'opened expired accepted cancelled challenged won lost', 'dispute'),
])
