import type { AnyObject, Fact } from '../../../merchant/index.ts'
import type { Account } from './account.ts'
import { toCapture, toDispute, toOrder, toRefund, toSale } from './shapes-money.ts'
import { toSubscription } from './shapes-subscription.ts'

/** One message of PayPal's. */
export interface Told {
  readonly type: string
  readonly resource: Record<string, unknown>
}

/** The messages by which PayPal tells of a fact; by their own name, those that no fact of the merchant's causes. Of a
 *  renewal it tells the payment, and nothing of the subscription.
 *  https://developer.paypal.com/api/rest/webhooks/event-names/ */
export const messagesOf = (
  account: Account,
  fact: Fact | string,
  object: AnyObject,
  before?: AnyObject,
): Told[] => {
  const { store } = account.world
  switch (object.kind) {
    case 'checkout':
      if (object.mode === 'subscription') {
        if (fact === 'BILLING.SUBSCRIPTION.CREATED' || fact === 'checkout completed')
          return [
            {
              type: fact === 'checkout completed' ? 'BILLING.SUBSCRIPTION.ACTIVATED' : fact,
              resource: toSubscription(account, object.id),
            },
          ]
        return []
      }
      if (fact === 'CHECKOUT.ORDER.APPROVED') return [{ type: fact, resource: toOrder(account, object) }]
      if (fact === 'checkout completed')
        return [{ type: 'CHECKOUT.ORDER.COMPLETED', resource: toOrder(account, object) }]
      return []
    case 'subscription':
      return ofSubscription(fact, object, before).map((type) => ({
        type,
        resource: revised(account, object.id),
      }))
    case 'invoice':
      return fact === 'invoice failed' &&
        store.get('subscription', object.subscription).status !== 'incomplete'
        ? [
            {
              type: 'BILLING.SUBSCRIPTION.PAYMENT.FAILED',
              resource: revised(account, object.subscription),
            },
          ]
        : []
    case 'charge': {
      const word = chargeWords.get(fact)
      if (word === undefined) return []
      const isSale = store.get('payment', object.payment).invoice !== null
      // Of a card that was refused on a page there is no capture.
      if (!isSale && fact === 'charge failed' && before === undefined) return []
      return [
        isSale
          ? { type: `PAYMENT.SALE.${word}`, resource: toSale(account, object) }
          : { type: `PAYMENT.CAPTURE.${word}`, resource: toCapture(account, object) },
      ]
    }
    case 'refund': {
      const isSale = store.get('payment', object.payment).invoice !== null
      return [
        {
          type: `PAYMENT.${isSale ? 'SALE' : 'CAPTURE'}.REFUNDED`,
          resource: toRefund(account, object),
        },
      ]
    }
    case 'dispute':
      return [
        {
          type: `CUSTOMER.DISPUTE.${fact === 'dispute opened' ? 'CREATED' : 'RESOLVED'}`,
          resource: toDispute(account, object),
        },
      ]
    default:
      return []
  }
}

/** As it is now: what is told of has changed. */
const revised = (account: Account, id: string): Record<string, unknown> => {
  account.note(id, {})
  return toSubscription(account, id)
}

const chargeWords: ReadonlyMap<string, string> = new Map([
  ['charge paid', 'COMPLETED'],
  ['charge pending', 'PENDING'],
  ['charge failed', 'DENIED'],
])

const ofSubscription = (
  fact: Fact | string,
  object: AnyObject & { readonly kind: 'subscription' },
  before: AnyObject | undefined,
): string[] => {
  if (fact === 'subscription ended') return ['BILLING.SUBSCRIPTION.CANCELLED']
  if (fact === 'subscription paused') return ['BILLING.SUBSCRIPTION.SUSPENDED']
  if (fact === 'subscription resumed') return ['BILLING.SUBSCRIPTION.ACTIVATED']
  if (fact === 'BILLING.SUBSCRIPTION.UPDATED') return [fact]
  if (fact !== 'subscription changed' || before?.kind !== 'subscription') return []
  const [was, is] = [before.status, object.status]
  if (is === 'unpaid' && was !== is) return ['BILLING.SUBSCRIPTION.SUSPENDED']
  return was === 'unpaid' && is === 'active' ? ['BILLING.SUBSCRIPTION.ACTIVATED'] : []
}
