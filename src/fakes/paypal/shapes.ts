import type { Kind, Objects } from '../engine/index.ts'
import type { Account } from './account.ts'
import { subscriptionOf, toCapture, toDispute, toOrder, toRefund, toSale } from './shapes-money.ts'
import { toPlan, toSubscription } from './shapes-subscription.ts'

/** PayPal's view of each object; kinds that it lacks are shown as the engine stores them. */
export type PayPalViews = {
  readonly [K in Kind]: { readonly id?: string } & Readonly<Record<string, unknown>>
}

/** Shows an object of the engine as PayPal does. */
export function show<K extends Kind>(account: Account, object: Objects[K]): PayPalViews[K] {
  const invoice = object as Objects[Kind]
  switch (invoice.kind) {
    case 'price':
      return invoice.rhythm === null ? { ...invoice } : toPlan(account.world, invoice)
    case 'checkout':
      return invoice.mode === 'subscription' ? toSubscription(account, invoice.id) : toOrder(account, invoice)
    case 'subscription':
      return toSubscription(account, invoice.id)
    case 'charge':
      return subscriptionOf(account.world, invoice) === undefined
        ? toCapture(account, invoice)
        : toSale(account, invoice)
    case 'refund':
      return toRefund(account, invoice)
    case 'dispute':
      return { id: invoice.id, ...toDispute(account, invoice) }
    default:
      return { ...invoice }
  }
}
