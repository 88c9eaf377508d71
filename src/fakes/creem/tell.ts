import {
  type Charge,
  type Checkout,
  type Fact,
  type Invoice,
  reportSubscriptions,
  type Subscription,
  type TellFact,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { toCheckout, toDispute, toRefund, toSubscription } from './shapes.ts'

/**
 * Sends the events by which Creem reports a fact: https://docs.creem.io/code/webhooks. It sends none about
 * customers, products and the end of a dispute.
 */
export const tellFact: TellFact<Account> = (account, fact, object, before) => {
  if (object.kind === 'checkout') tellCheckout(account, fact, object)
  tellSubscription(account, fact, object, before)
  if (object.kind === 'invoice') tellInvoice(account, fact, object)
  if (fact === 'charge refunded') tellRefund(account, object as Charge)
  if (fact === 'dispute opened' && object.kind === 'dispute')
    account.emit('dispute.created', toDispute(account, object))
}

function tellCheckout(account: Account, fact: Fact, page: Checkout): void {
  if (page.status !== 'complete' || page.paid === 'unpaid') return
  if (fact !== 'checkout completed' && fact !== 'checkout paid') return
  account.emit('checkout.completed', toCheckout(account, page))
  const begun = account.world.store.find('subscription', page.subscription)
  if (begun === undefined) return
  account.announced.add(begun.id)
  const isTrial = begun.status === 'trialing'
  for (const what of isTrial ? ['trialing'] : page.paid === 'paid' ? ['active', 'paid'] : ['active'])
    account.emit(`subscription.${what}`, toSubscription(account, begun))
}

const tellSubscription = reportSubscriptions<Account>((account, fact, subscription, before) => {
  account.emit(
    `subscription.${happenedTo(fact, subscription, before)}`,
    toSubscription(account, subscription),
  )
})

function happenedTo(fact: Fact, subscription: Subscription, before: Subscription | undefined): string {
  if (fact === 'subscription ended') return 'canceled'
  if (before?.cancel_at === null && subscription.cancel_at !== null) return 'scheduled_cancel'
  if (
    before?.status !== subscription.status &&
    (subscription.status === 'past_due' || subscription.status === 'unpaid')
  )
    return subscription.status
  return fact === 'subscription paused' ? 'paused' : 'update'
}

function tellInvoice(account: Account, fact: Fact, { subscription, paid, reason }: Invoice): void {
  if (fact !== 'invoice paid' || paid === 0 || reason === 'start') return
  const knownSubscription = account.world.store.find('subscription', subscription)
  if (knownSubscription !== undefined && account.announced.has(knownSubscription.id))
    account.emit('subscription.paid', toSubscription(account, knownSubscription))
}

function tellRefund(account: Account, { id }: Charge): void {
  const made = account.world.store.list('refund').findLast(({ charge }) => charge === id)
  if (made !== undefined) account.emit('refund.created', toRefund(account, made))
}
