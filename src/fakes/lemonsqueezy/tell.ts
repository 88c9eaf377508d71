import {
  type Charge,
  type Checkout,
  type Fact,
  findPage,
  type Invoice,
  reportSubscriptions,
  type TellFact,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { toInvoice, toOrder, toSubscription } from './shapes.ts'

/**
 * Sends the events by which Lemon Squeezy reports a fact:
 * https://docs.lemonsqueezy.com/help/webhooks/event-types. It sends none about customers, prices and
 * chargebacks.
 */
export const tellFact: TellFact<Account> = (account, fact, object, before) => {
  if (object.kind === 'checkout') tellOrder(account, fact, object)
  tellSubscription(account, fact, object, before)
  if (object.kind === 'invoice') tellInvoice(account, fact, object, before as Invoice | undefined)
  if (fact === 'charge refunded') tellRefund(account, object as Charge)
}

function customOf(page: Checkout | undefined): unknown {
  return (page?.own?.checkout_data as { custom?: unknown } | undefined)?.custom ?? undefined
}

function tellOrder(account: Account, fact: Fact, page: Checkout): void {
  if (page.status !== 'complete' || page.paid === 'unpaid') return
  if (fact !== 'checkout completed' && fact !== 'checkout paid') return
  const custom = customOf(page)
  account.emit('order_created', toOrder(account, page), custom)
  const { store } = account.world
  const begun = store.find('subscription', page.subscription)
  if (begun === undefined) return
  account.announced.add(begun.id)
  account.emit('subscription_created', toSubscription(account, begun), custom)
  const [first] = account.listInvoices().filter(({ id }) => id === page.invoice)
  if (first !== undefined) account.emit('subscription_payment_success', toInvoice(account, first))
}

const tellSubscription = reportSubscriptions<Account>((account, fact, subscription, before) => {
  const shown = toSubscription(account, subscription)
  const custom = customOf(findPage(account.world.store, { subscription: subscription.id }))
  const tell = (what: string) => account.emit(`subscription_${what}`, shown, custom)
  if (fact === 'subscription ended') tell('expired')
  else if (before?.cancel_at === null && subscription.cancel_at !== null) tell('cancelled')
  else if (before && before.cancel_at !== null && subscription.cancel_at === null) tell('resumed')
  if (before?.collection === null && subscription.collection !== null) tell('paused')
  if (before && before.collection !== null && subscription.collection === null) tell('unpaused')
  tell('updated')
})

function tellInvoice(account: Account, fact: Fact, invoice: Invoice, before?: Invoice): void {
  if (!account.listInvoices().some(({ id }) => id === invoice.id)) return
  const shown = toInvoice(account, invoice)
  if (fact === 'invoice failed') account.emit('subscription_payment_failed', shown)
  if (fact !== 'invoice paid') return
  account.emit('subscription_payment_success', shown)
  if (before?.was_tried) account.emit('subscription_payment_recovered', shown)
}

function tellRefund(account: Account, { payment }: Charge): void {
  const page = account.pageOf(payment)
  if (page !== undefined) account.emit('order_refunded', toOrder(account, page), customOf(page))
  const invoice = account.listInvoices().find((invoice) => invoice.payment === payment)
  if (invoice !== undefined) account.emit('subscription_payment_refunded', toInvoice(account, invoice))
}
