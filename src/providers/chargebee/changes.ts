import { customerChange, eventTypes, moneyChange, type Stamp } from '../changes.ts'
import type { Change, ProviderEvent, Ref } from '../contract.ts'
import { isObject, list, obj, str } from '../narrow.ts'
import { toCustomerData } from './customer.ts'
import { revisedAt } from './facts.ts'
import { toCheckout, toPayment, toRefunds, unpaidBy } from './money.ts'
import type { Content, Customer, Invoice, Revised, Subscription, Transaction } from './payload.ts'
import { type Beside, toSubscriptionData } from './subscription.ts'

/**
 * Reads one webhook event. Pure and total: unknown events yield no change. An event carries further complete
 * objects besides its own, each with its own revision. That revision counts; an object without one is
 * ignored.
 */
export function chargebeeChanges({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] {
  if (!known.has(type) || !isObject(object)) return []
  // The event may show the former customer; `subscription_moved_in` shows the new one.
  const content = object as Content
  if (type === 'subscription_moved_out') return touched('subscription', obj(content.subscription).id)
  return objectChanges(content, {}, type)
}

/** Reads the objects of an event or an answer. `fetched` holds what was asked about subscriptions, by their ids. */
export function objectChanges(
  { customer, subscription, subscriptions, invoice, transaction, ramp }: Content,
  fetched: Readonly<Record<string, Beside>> = {},
  type = '',
): Change[] {
  return [
    ...inTime(obj(customer), type === 'customer_created', ofCustomer),
    ...[obj(subscription), ...list(subscriptions)].flatMap((raw) =>
      inTime(raw, type === 'subscription_created', (item, stamp) =>
        ofSubscription(item, stamp, { invoices: [obj(invoice)], ...fetched[String(item.id)] }),
      ),
    ),
    ...inTime(obj(invoice), type.startsWith('invoice_generated'), ofInvoice),
    ...inTime(obj(transaction), false, ofTransaction),
    // A ramp lists additions and removals, but not the resulting subscription.
    ...touched('subscription', obj(ramp).subscription_id),
  ]
}

type Reader<T> = (raw: T, stamp: Stamp & { readonly at: string }) => Change[]

function inTime<T extends Revised>(raw: T, isNew: boolean, read: Reader<T>): Change[] {
  const at = revisedAt(raw)
  if (at === null) return []
  return read(raw, { stage: raw.deleted === true ? 'deleted' : isNew ? 'created' : 'updated', at })
}

const ofCustomer: Reader<Customer> = (raw, stamp) => customerChange(toCustomerData(raw), stamp)

function ofSubscription(raw: Subscription, stamp: Stamp, beside: Beside): Change[] {
  const data = toSubscriptionData(raw, beside)
  if (data === null) return []
  return [
    { type: 'subscription', id: data.id, ...stamp, data },
    ...moneyChange('checkout', toCheckout(raw, data), stamp),
  ]
}

const ofInvoice: Reader<Invoice> = (raw, stamp) => moneyChange('payment', toPayment(raw), stamp)

const ofTransaction: Reader<Transaction> = (raw, stamp) => [
  ...toRefunds(raw).flatMap((refund) => moneyChange('refund', refund, stamp)),
  ...unpaidBy(raw).flatMap((invoice) => touched('payment', invoice)),
]

function touched(kind: Ref['kind'], id: unknown): Change[] {
  const known = str(id)
  return known === null ? [] : [{ type: 'touch', ref: { kind, id: known } }]
}

function types(about: string, endings: string): string[] {
  return eventTypes(`${about}_`, endings, null).map(([type]) => type)
}

// Source: https://apidocs.chargebee.com/docs/api/events/event-types
export const known: ReadonlySet<string> = new Set([
  ...types(
    'subscription',
    'created created_with_backdating started activated activated_with_backdating changed changed_with_backdating renewed',
  ),
  ...types('subscription', 'items_renewed ramp_applied moved_in moved_out business_entity_changed'),
  ...types('subscription', 'trial_extended changes_scheduled scheduled_changes_removed deleted'),
  ...types('subscription', 'cancellation_scheduled scheduled_cancellation_removed cancelled reactivated'),
  ...types('subscription', 'canceled_with_backdating reactivated_with_backdating'),
  ...types('subscription', 'paused pause_scheduled scheduled_pause_removed'),
  ...types('subscription', 'resumed resumption_scheduled scheduled_resumption_removed'),
  ...types('customer', 'created changed deleted'),
  ...types('invoice', 'generated generated_with_backdating updated deleted'),
  ...types('payment', 'succeeded failed refunded'),
  ...types('transaction', 'created updated deleted'),
  'refund_initiated',
])
