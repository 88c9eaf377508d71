import type { AnyObject, Charge, Checkout, Fact, Invoice } from '../engine/index.ts'
import type { Account } from './account.ts'
import { toCapture, toDispute, toOrder, toRefund, toSale } from './shapes-money.ts'
import { toSubscription } from './shapes-subscription.ts'

/** One event of PayPal. */
export interface PayPalEvent {
  readonly type: string
  readonly resource: Record<string, unknown>
}

/**
 * Returns the events by which PayPal reports a fact. Events that no fact of the engine causes have their own
 * name. A renewal is reported by its payment only.
 * https://developer.paypal.com/api/rest/webhooks/event-names/
 */
export function messagesOf(
  account: Account,
  fact: Fact | string,
  object: AnyObject,
  before?: AnyObject,
): PayPalEvent[] {
  switch (object.kind) {
    case 'checkout':
      return ofPage(account, fact, object)
    case 'subscription':
      return ofSubscription(fact, object, before).map((type) => ({
        type,
        resource: revised(account, object.id),
      }))
    case 'invoice':
      return ofInvoice(account, fact, object)
    case 'charge':
      return ofCharge(account, fact, object, before === undefined)
    case 'refund': {
      const type = `PAYMENT.${isSale(account, object) ? 'SALE' : 'CAPTURE'}.REFUNDED`
      return [{ type, resource: toRefund(account, object) }]
    }
    case 'dispute': {
      const type = `CUSTOMER.DISPUTE.${fact === 'dispute opened' ? 'CREATED' : 'RESOLVED'}`
      return [{ type, resource: toDispute(account, object) }]
    }
    default:
      return []
  }
}

function ofPage(account: Account, fact: Fact | string, page: Checkout): PayPalEvent[] {
  const isDone = fact === 'checkout completed'
  if (page.mode === 'payment')
    return isDone || fact === 'CHECKOUT.ORDER.APPROVED'
      ? [{ type: isDone ? 'CHECKOUT.ORDER.COMPLETED' : fact, resource: toOrder(account, page) }]
      : []
  return isDone || fact === 'BILLING.SUBSCRIPTION.CREATED'
    ? [
        {
          type: isDone ? 'BILLING.SUBSCRIPTION.ACTIVATED' : fact,
          // A page that another program opened has an id of its own.
          resource: toSubscription(account, page.subscription ?? page.id),
        },
      ]
    : []
}

function ofInvoice(account: Account, fact: Fact | string, { subscription }: Invoice): PayPalEvent[] {
  const { status } = account.world.store.get('subscription', subscription)
  return fact === 'invoice failed' && status !== 'incomplete'
    ? [{ type: 'BILLING.SUBSCRIPTION.PAYMENT.FAILED', resource: revised(account, subscription) }]
    : []
}

function ofCharge(account: Account, fact: Fact | string, charge: Charge, isNew: boolean): PayPalEvent[] {
  const word = chargeWords.get(fact)
  if (word === undefined) return []
  // What is declined at once is neither a sale nor a capture; only a pending one can be denied.
  if (fact === 'charge failed' && isNew) return []
  return isSale(account, charge)
    ? [{ type: `PAYMENT.SALE.${word}`, resource: toSale(account, charge) }]
    : [{ type: `PAYMENT.CAPTURE.${word}`, resource: toCapture(account, charge) }]
}

function isSale({ world }: Account, { payment }: { readonly payment: string }): boolean {
  return world.store.get('payment', payment).invoice !== null
}

/** Returns the current object, marked as changed because it is reported. */
function revised(account: Account, id: string): Record<string, unknown> {
  account.note(id, {})
  return toSubscription(account, id)
}

const chargeWords: ReadonlyMap<string, string> = new Map([
  ['charge paid', 'COMPLETED'],
  ['charge pending', 'PENDING'],
  ['charge failed', 'DENIED'],
])

function ofSubscription(
  fact: Fact | string,
  object: AnyObject & { readonly kind: 'subscription' },
  before: AnyObject | undefined,
): string[] {
  if (fact === 'subscription ended') return ['BILLING.SUBSCRIPTION.CANCELLED']
  if (fact === 'subscription paused') return ['BILLING.SUBSCRIPTION.SUSPENDED']
  if (fact === 'subscription resumed') return ['BILLING.SUBSCRIPTION.ACTIVATED']
  if (fact === 'BILLING.SUBSCRIPTION.UPDATED') return [fact]
  if (fact !== 'subscription changed' || before?.kind !== 'subscription') return []
  const [was, is] = [before.status, object.status]
  if (is === 'unpaid' && was !== is) return ['BILLING.SUBSCRIPTION.SUSPENDED']
  return was === 'unpaid' && is === 'active' ? ['BILLING.SUBSCRIPTION.ACTIVATED'] : []
}
