import type { Kind, Objects } from '../engine/index.ts'
import type { Account } from './account.ts'
import { subscriptionOf, toCapture, toDispute, toOrder, toRefund, toSale } from './shapes-money.ts'
import { toPlan, toSubscription } from './shapes-subscription.ts'

/** What PayPal shows; what it has no object for is shown as the merchant keeps it. */
export type PayPalViews = {
  readonly [K in Kind]: { readonly id?: string } & Readonly<Record<string, unknown>>
}

/** An object of the merchant's as PayPal shows it. */
export const show = <K extends Kind>(account: Account, object: Objects[K]): PayPalViews[K] => {
  const one = object as Objects[Kind]
  switch (one.kind) {
    case 'price':
      return one.rhythm === null ? { ...one } : toPlan(account.world, one)
    case 'checkout':
      return one.mode === 'subscription' ? toSubscription(account, one.id) : toOrder(account, one)
    case 'subscription':
      return toSubscription(account, one.id)
    case 'charge':
      return subscriptionOf(account.world, one) === undefined ? toCapture(account, one) : toSale(account, one)
    case 'refund':
      return toRefund(account, one)
    case 'dispute':
      return { id: one.id, ...toDispute(account, one) }
    default:
      return { ...one }
  }
}
