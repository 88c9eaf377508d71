import {
  type Checkout,
  type Dispute,
  type Fact,
  type Invoice,
  type Payment,
  reportSubscriptions,
  type Subscription,
  type TellFact,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { toDispute, toPayment, toRefund, toSubscription } from './shapes.ts'

/**
 * Sends the events by which Dodo reports a fact:
 * https://docs.dodopayments.com/developer-resources/webhooks/intents/webhook-events-guide. It sends none
 * about customers and products.
 */
export const tellFact: TellFact<Account> = (account, fact, object, before) => {
  const { emit } = account
  if (object.kind === 'checkout') tellPage(account, fact, object)
  tellSubscription(account, fact, object, before)
  if (object.kind === 'invoice') tellBill(account, fact, object)
  if (fact === 'payment failed') tellRefusal(account, object as Payment)
  if (object.kind === 'refund') emit('refund.succeeded', toRefund(account, object))
  if (object.kind === 'dispute') emit(`dispute.${fact.split(' ')[1]}`, toDispute(account, object as Dispute))
}

function tellPayment(account: Account, id: string | null, happened: string): void {
  const payment = account.world.store.find('payment', id)
  if (payment !== undefined) account.emit(`payment.${happened}`, toPayment(account, payment))
}

// Reports the result of a completed page; a debit is reported as processing.
function tellPage(account: Account, fact: Fact, page: Checkout): void {
  const { store } = account.world
  if (page.status !== 'complete' || fact === 'checkout expired') return
  const payment = page.payment ?? store.find('invoice', page.invoice)?.payment ?? null
  const words = { paid: 'succeeded', free: 'succeeded', unpaid: 'processing' } as const
  tellPayment(account, payment, fact === 'checkout failed' ? 'failed' : words[page.paid])
  const begun = store.find('subscription', page.subscription)
  if (begun === undefined || page.paid === 'unpaid' || account.announced.has(begun.id)) return
  account.announced.add(begun.id)
  const shown = toSubscription(account, begun)
  for (const happened of ['active', 'renewed', 'updated']) account.emit(`subscription.${happened}`, shown)
}

const tellSubscription = reportSubscriptions<Account>((account, fact, subscription, before) => {
  const shown = toSubscription(account, subscription)
  const happened = happenedTo(fact, subscription, before)
  if (happened !== null) account.emit(`subscription.${happened}`, shown)
  account.emit('subscription.updated', shown)
})

function happenedTo(fact: Fact, subscription: Subscription, before: Subscription | undefined): string | null {
  if (fact === 'subscription ended') return 'cancelled'
  if (fact === 'subscription paused') return 'paused'
  if (fact === 'subscription resumed') return 'unpaused'
  if (before === undefined) return null
  if (before.status !== subscription.status && subscription.status === 'past_due') return 'on_hold'
  if (before.status === 'past_due' && subscription.status === 'active') return 'active'
  if (before.items[0]?.start !== subscription.items[0]?.start) return 'renewed'
  return soldAs(before) === soldAs(subscription) ? null : 'plan_changed'
}

function soldAs({ items: [item] }: Subscription): string {
  return `${item?.quantity} ${item?.price.id}`
}

function tellBill(account: Account, fact: Fact, { payment, reason, paid }: Invoice): void {
  if (reason === 'start') return
  if (fact === 'invoice paid' && paid > 0) tellPayment(account, payment, 'succeeded')
  if (fact === 'invoice failed') tellPayment(account, payment, 'failed')
}

/** Reports a declined payment on a page, where the buyer may try again. */
function tellRefusal(account: Account, { id, invoice }: Payment): void {
  if (invoice === null) tellPayment(account, id, 'failed')
}
