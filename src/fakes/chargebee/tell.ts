import {
  type Checkout,
  type Fact,
  type Invoice,
  type Json,
  releaseSchedule,
  reportSubscriptions,
  type Schedule,
  type Subscription,
  type TellFact,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { type Back, toBack, toCreditNote, toPayment } from './backs.ts'
import { type Bill, billPaidBy, findBill, listBills, toInvoice } from './bills.ts'
import { toCustomer, toSubscription } from './shapes.ts'

/**
 * Sends the events by which Chargebee reports a fact.
 * https://apidocs.chargebee.com/docs/api/events/event-types
 */
export const tellFact: TellFact<Account> = (account, fact, object, before) => {
  if (object.kind === 'customer') {
    const what = fact === 'customer added' ? 'created' : fact === 'customer deleted' ? 'deleted' : 'changed'
    account.emit(`customer_${what}`, { customer: toCustomer(account, object) })
  }
  if (object.kind === 'checkout') tellCheckout(account, fact, object)
  tellSubscription(account, fact, object, before)
  if (object.kind === 'schedule') tellSchedule(account, fact, object)
  if (object.kind === 'invoice') tellInvoice(account, fact, object)
  if (object.kind === 'refund') tellBack(account, object)
  if (object.kind === 'dispute' && fact === 'dispute opened') tellBack(account, object)
}

/** Builds a subscription with its customer, as most events contain them. */
function contentOf(account: Account, subscription: string | null): Json {
  const { store } = account.world
  const knownSubscription = store.find('subscription', subscription)
  const customer = store.find('customer', knownSubscription?.customer ?? null)
  return {
    ...(knownSubscription === undefined ? {} : { subscription: toSubscription(account, knownSubscription) }),
    ...(customer === undefined ? {} : { customer: toCustomer(account, customer) }),
  }
}

function tellCheckout(
  account: Account,
  fact: Fact,
  { id, mode, subscription, invoice, customer }: Checkout,
): void {
  if (fact === 'checkout completed' && subscription !== null) {
    account.announced.add(subscription)
    account.touch(subscription)
    const bill = findBill(account, invoice ?? '')
    const shown = bill === undefined ? {} : { invoice: toInvoice(account, bill) }
    account.emit('subscription_created', { ...contentOf(account, subscription), ...shown })
    if (bill !== undefined) tellBill(account, bill)
  }
  if (mode !== 'payment') return
  const bill = listBills(account).find(({ from }) => from.includes(id))
  const buyer = account.world.store.find('customer', customer)
  if (bill !== undefined) tellBill(account, bill, buyer && { customer: toCustomer(account, buyer) })
}

/** Reports a new invoice and the result of its payment. */
function tellBill(account: Account, bill: Bill, beside = contentOf(account, bill.subscription)): void {
  account.emit('invoice_generated', { invoice: toInvoice(account, bill) })
  tellPayment(account, bill, beside)
}

function tellPayment(account: Account, bill: Bill, beside: Json): void {
  const { store } = account.world
  const charge = store.find('charge', store.find('payment', bill.payment)?.charge ?? null)
  const type = bill.status === 'paid' ? 'payment_succeeded' : 'payment_failed'
  const invoice = toInvoice(account, bill)
  if (charge === undefined) account.emit('invoice_updated', { invoice })
  else if (charge.status !== 'pending')
    account.emit(type, { transaction: toPayment(account, charge, bill), invoice, ...beside })
}

const tellSubscription = reportSubscriptions<Account>((account, fact, subscription, before) => {
  account.emit(`subscription_${happenedTo(fact, subscription, before)}`, contentOf(account, subscription.id))
  if (fact !== 'subscription ended') return
  // They are no longer retried.
  for (const bill of listBills(account))
    if (bill.subscription === subscription.id && bill.status === 'not_paid')
      account.emit('invoice_updated', { invoice: toInvoice(account, bill) })
})

function happenedTo(fact: Fact, subscription: Subscription, before?: Subscription): string {
  if (fact === 'subscription ended') return 'cancelled'
  if (fact === 'subscription paused') return 'paused'
  if (fact === 'subscription resumed') return 'resumed'
  if (before?.cancel_at === null && subscription.cancel_at !== null) return 'cancellation_scheduled'
  if (before?.cancel_at && subscription.cancel_at === null) return 'scheduled_cancellation_removed'
  if (before?.pause_at === null && subscription.pause_at !== null) return 'pause_scheduled'
  if (before?.pause_at && subscription.pause_at === null) return 'scheduled_pause_removed'
  if (before?.status === 'trialing' && subscription.status === 'active') return 'activated'
  return before?.items[0]?.start !== subscription.items[0]?.start ? 'renewed' : 'changed'
}

function tellSchedule(account: Account, fact: Fact, schedule: Schedule): void {
  const last = schedule.phases.at(-1)
  // The scheduled change has happened, so nothing is scheduled any more.
  if (fact === 'schedule changed' && schedule.phases.length > 1 && schedule.current?.start === last?.start) {
    releaseSchedule(account.world, schedule)
    return
  }
  const id = schedule.subscription ?? schedule.released
  if (id === null || !account.announced.has(id)) return
  account.touch(id)
  if (fact === 'schedule changed') account.emit('subscription_changes_scheduled', contentOf(account, id))
  if (fact === 'schedule released')
    account.emit('subscription_scheduled_changes_removed', contentOf(account, id))
}

function tellInvoice(account: Account, fact: Fact, { id, subscription }: Invoice): void {
  const bill = findBill(account, id)
  if (bill === undefined || !account.announced.has(subscription)) return
  const invoice = toInvoice(account, bill)
  if (fact === 'invoice finalized') account.emit('invoice_generated', { invoice })
  if (fact === 'invoice paid' || fact === 'invoice failed')
    tellPayment(account, bill, contentOf(account, subscription))
  if (fact === 'invoice voided' || fact === 'invoice given up') account.emit('invoice_updated', { invoice })
}

function tellBack(account: Account, back: Back): void {
  const bill = billPaidBy(account, back.payment)
  account.emit('payment_refunded', {
    transaction: toBack(account, back),
    credit_note: toCreditNote(account, back),
    ...(bill === undefined ? {} : { invoice: toInvoice(account, bill) }),
  })
}
