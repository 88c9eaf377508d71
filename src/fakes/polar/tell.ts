import {
  type Charge,
  type Checkout,
  type Fact,
  type Refund,
  reportSubscriptions,
  type TellFact,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { toOrder, toRefund } from './orders.ts'
import { toCheckout, toCustomer, toSubscription } from './shapes.ts'

/** Sends the webhooks by which Polar reports a fact. https://polar.sh/docs/integrate/webhooks/events */
export const tellFact: TellFact<Account> = (account, fact, object, before) => {
  const { emit } = account
  if (object.kind === 'customer')
    emit(`customer.${customerWords[fact] ?? 'updated'}`, toCustomer(account, object))
  if (object.kind === 'checkout') tellCheckout(account, fact, object)
  tellSubscription(account, fact, object, before)
  if (object.kind === 'invoice' && object.reason !== 'start') tellBill(account, fact, object.id)
  if (fact === 'refund made') emit('refund.created', toRefund(account, object as Refund))
  if (fact === 'charge refunded') tellOrder(account, (object as Charge).payment, 'updated', 'refunded')
}

const customerWords: Partial<Record<Fact, string>> = {
  'customer added': 'created',
  'customer deleted': 'deleted',
}

function tellOrder(account: Account, payment: string, ...words: readonly string[]): void {
  const order = account.orderPaidBy(payment) ?? account.findOrder(payment)
  if (order === undefined) return
  const shown = toOrder(account, order)
  for (const word of words) account.emit(`order.${word}`, shown)
}

function tellCheckout(account: Account, fact: Fact, page: Checkout): void {
  const { emit, world } = account
  emit(fact === 'checkout expired' ? 'checkout.expired' : 'checkout.updated', toCheckout(account, page))
  const begun = world.store.find('subscription', page.subscription)
  const isNew = begun !== undefined && !account.announced.has(begun.id)
  if (isNew) {
    account.announced.add(begun.id)
    const shown = toSubscription(account, begun)
    emit('subscription.created', shown)
    emit('subscription.updated', shown)
    if (begun.status === 'active' || begun.status === 'trialing') emit('subscription.active', shown)
  }
  const order = page.invoice ?? page.payment
  if (order === null) return
  if (fact === 'checkout completed') tellOrder(account, order, 'created')
  if (page.paid === 'paid') tellOrder(account, order, 'updated', 'paid')
}

const tellSubscription = reportSubscriptions<Account>((account, fact, subscription, before) => {
  const shown = toSubscription(account, subscription)
  const words = [
    'updated',
    fact === 'subscription ended' ? 'revoked' : null,
    fact === 'subscription paused' ? 'paused' : null,
    fact === 'subscription resumed' ? 'resumed' : null,
    before?.status !== 'past_due' && subscription.status === 'past_due' ? 'past_due' : null,
    before?.cancel_at === null && subscription.cancel_at !== null ? 'canceled' : null,
    before && before.cancel_at !== null && subscription.cancel_at === null ? 'uncanceled' : null,
    before && before.items[0]?.start !== subscription.items[0]?.start ? 'cycled' : null,
  ]
  for (const word of words) if (word !== null) account.emit(`subscription.${word}`, shown)
})

function tellBill(account: Account, fact: Fact, id: string): void {
  if (fact === 'invoice added') tellOrder(account, id, 'created')
  else if (fact === 'invoice paid') tellOrder(account, id, 'updated', 'paid')
  else tellOrder(account, id, 'updated')
}
