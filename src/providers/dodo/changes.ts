import { eventTypes, moneyChange, updated } from '../changes.ts'
import type { Change, ProviderEvent } from '../contract.ts'
import { isObject, type Json } from '../narrow.ts'
import { toContact, toCustomerChange } from './customer.ts'
import { toCheckout, toDispute, toFirstPage, toPayment, toRefund } from './money.ts'
import { toSubscriptionData } from './subscription.ts'

/** Reads one webhook event. Pure and total: unknown events yield no change. Objects have no revision and
 *  show their state at delivery, so the event's time is the only safe revision. */
export const dodoChanges = ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] =>
  isObject(object) ? (readers.get(type)?.(object) ?? []) : []

/** Reads changes from an answer, as a webhook would report them. */
export const answeredChanges = (kind: DodoKind, raw: Json): Change[] => answers[kind](raw)

/** Objects that can be fetched from Dodo. */
export type DodoKind = 'customer' | 'subscription' | 'payment' | 'refund' | 'dispute'

type Reader = (raw: Json) => Change[]

// An event of any type may be delivered with a later state, so its type only shows that something changed.
const { stage } = updated

const ofSubscription: Reader = (raw) => {
  const data = toSubscriptionData(raw)
  if (data === null) return []
  const contact = toContact(raw)
  return [
    { type: 'subscription', id: data.id, stage, data, ...(contact === null ? {} : { contact }) },
    ...moneyChange('checkout', toFirstPage(raw, data.id)),
  ]
}

const ofPayment: Reader = (raw) => {
  const data = toPayment(raw)
  if (data === null) return []
  return [
    ...toCustomerChange(raw),
    ...moneyChange('payment', data),
    ...moneyChange('checkout', toCheckout(raw, data)),
  ]
}

const ofRefund: Reader = (raw) => moneyChange('refund', toRefund(raw))

const ofDispute: Reader = (raw) => moneyChange('dispute', toDispute(raw))

const answers: Readonly<Record<DodoKind, Reader>> = {
  customer: (raw) => toCustomerChange({ customer: raw }),
  subscription: ofSubscription,
  payment: ofPayment,
  refund: ofRefund,
  dispute: ofDispute,
}

// Source: https://docs.dodopayments.com/developer-resources/webhooks/intents/webhook-events-guide
export const readers: ReadonlyMap<string, Reader> = new Map([
  ...eventTypes(
    'subscription.',
    'active renewed updated on_hold past_due paused unpaused cancelled failed expired plan_changed update_payment_method',
    ofSubscription,
  ),
  ...eventTypes('payment.', 'succeeded failed processing cancelled', ofPayment),
  ...eventTypes('refund.', 'succeeded failed', ofRefund),
  ...eventTypes('dispute.', 'opened expired accepted cancelled challenged won lost', ofDispute),
])
