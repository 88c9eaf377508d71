import { customerChange, moneyChange } from '../changes.ts'
import type { Change, ProviderEvent, TouchChange } from '../contract.ts'
import { isObject, str } from '../narrow.ts'
import { isGranted, livemodeOf, storeOf, temporaryGrant } from './facts.ts'
import { toPurchase, toRefund, toRefunds, toRenewals } from './money.ts'
import type { Bought, WebhookEvent, WholeCustomer } from './payload.ts'
import { toSubscriptionData, toTemporaryGrant } from './subscription.ts'

/**
 * Reads one event. RevenueCat recommends to ask for the customer after each event, because an event tells a
 * part of the state. The amount of a subscription's refund is told by events alone.
 * https://www.revenuecat.com/docs/integrations/webhooks (Syncing Subscription Status)
 */
export function revenuecatChanges(stores: ReadonlySet<string>) {
  return ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
    if (!isObject(object) || !kinds.has(type)) return []
    const event: WebhookEvent = { ...object, type }
    const people = [event.app_user_id, event.transferred_from, event.transferred_to]
    const ids = [...new Set(people.flat())].map(str).filter((id) => id !== null)
    const granted =
      type === temporaryGrant && stores.has(storeOf(event) ?? '') ? toTemporaryGrant(event) : null
    return [
      ...ids.map(toTouch),
      ...(granted === null
        ? []
        : [{ type: 'subscription', id: granted.id, stage: 'created', data: granted } as const]),
      ...moneyChange('refund', toRefund(event)),
    ]
  }
}

function toTouch(id: string): TouchChange {
  return { type: 'touch', ref: { kind: 'customer', id } }
}

/**
 * The events after which a customer is asked for. Tests of the integration, experiments, virtual currencies
 * and unpaid invoices change no access.
 */
export const kinds: ReadonlySet<string> = new Set([
  'INITIAL_PURCHASE',
  'RENEWAL',
  'CANCELLATION',
  'UNCANCELLATION',
  'NON_RENEWING_PURCHASE',
  'SUBSCRIPTION_PAUSED',
  'EXPIRATION',
  'BILLING_ISSUE',
  'PRODUCT_CHANGE',
  'TRANSFER',
  'SUBSCRIPTION_EXTENDED',
  'SUBSCRIBER_ALIAS',
  temporaryGrant,
  'REFUND_REVERSED',
])

/** Purchases that are read here: those of these stores, and of this mode unless the site has none. */
export interface Reading {
  readonly stores: ReadonlySet<string>
  readonly livemode: boolean | null
}

/** Reads a customer with everything bought that is read here. One key shows the purchases of both modes. */
export function customerChanges(
  { id, email, name, subscriptions, purchases }: WholeCustomer,
  { stores, livemode }: Reading,
): Change[] {
  const isRead = ({ raw }: { readonly raw: Bought }) =>
    (isGranted(raw) || stores.has(storeOf(raw) ?? '')) && (livemode === null || livemodeOf(raw) !== !livemode)
  return [
    ...customerChange({ id, email, name, deleted: false }),
    ...subscriptions.filter(isRead).flatMap((whole): Change[] => {
      const data = toSubscriptionData(whole, id)
      if (data === null) return []
      const renewals = toRenewals(whole, { customerId: id, price_id: data.price_id })
      return [
        { type: 'subscription', id: data.id, stage: 'updated', data },
        ...renewals.flatMap((renewal) => moneyChange('payment', renewal)),
        ...toRefunds(whole).flatMap((refund) => moneyChange('refund', refund)),
      ]
    }),
    ...purchases.filter(isRead).flatMap((whole) => {
      const bought = toPurchase(whole, id)
      return bought === null
        ? []
        : [...moneyChange('payment', bought.payment), ...moneyChange('refund', bought.refund)]
    }),
  ]
}
