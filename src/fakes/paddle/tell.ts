import {
  type Checkout,
  type Dispute,
  type Fact,
  type Invoice,
  type Json,
  type Refund,
  reportSubscriptions,
  type TellFact,
} from '../engine/index.ts'
import { type Account, soldId } from './account.ts'
import { toAdjustment, toReversal } from './adjustments.ts'
import { toCustomer, toPrice, toProduct, toSubscription } from './shapes.ts'
import { toTransaction } from './transactions.ts'

/** Sends the notifications by which Paddle reports a fact. https://developer.paddle.com/webhooks/overview */
export const tellFact: TellFact<Account> = (account, fact, object, before) => {
  const { emit } = account
  if (object.kind === 'product') emit('product.created', toProduct(account, object))
  if (object.kind === 'price') emit('price.created', toPrice(account, object))
  if (object.kind === 'customer')
    emit(fact === 'customer added' ? 'customer.created' : 'customer.updated', toCustomer(account, object))
  if (object.kind === 'checkout') tellCheckout(account, fact, object)
  tellSubscription(account, fact, object, before)
  if (object.kind === 'invoice') tellInvoice(account, fact, object, before as Invoice | undefined)
  if (object.kind === 'refund') tellRefund(account, object)
  if (fact === 'dispute opened') emit('adjustment.created', toAdjustment(account, object as Dispute))
  if (fact === 'dispute won') emit('adjustment.created', toReversal(account, object as Dispute))
}

/** Reports a refund and its approval, which a test account gives automatically. */
function tellRefund(account: Account, refund: Refund): void {
  account.emit('adjustment.created', toAdjustment(account, refund))
  account.approved.add(refund.id)
  account.touch(refund.id)
  account.emit('adjustment.updated', toAdjustment(account, refund))
}

function tellTransaction(account: Account, id: string, type: string, patch: Json = {}): void {
  const sold = account.findSold(id)
  if (sold !== undefined) account.emit(`transaction.${type}`, { ...toTransaction(account, sold), ...patch })
}

const unpaid: Partial<Record<Fact, string>> = {
  'checkout expired': 'canceled',
  'checkout failed': 'payment_failed',
}

function tellCheckout(account: Account, fact: Fact, { id, paid, subscription }: Checkout): void {
  const early = unpaid[fact] ?? (paid === 'unpaid' ? 'ready' : null)
  if (early !== null) {
    tellTransaction(account, id, early)
    return
  }
  tellTransaction(account, id, 'paid', { status: 'paid', subscription_id: null })
  const begun = account.world.store.find('subscription', subscription)
  if (begun !== undefined) {
    account.announced.add(begun.id)
    account.touch(begun.id)
    const shown = toSubscription(account, begun)
    account.emit('subscription.created', { ...shown, transaction_id: id })
    account.emit(begun.status === 'trialing' ? 'subscription.trialing' : 'subscription.activated', shown)
  }
  account.touch(id)
  tellTransaction(account, id, 'completed')
}

const tellSubscription = reportSubscriptions<Account>((account, fact, subscription, before) => {
  const shown = toSubscription(account, subscription)
  account.emit('subscription.updated', shown)
  if (fact === 'subscription ended') account.emit('subscription.canceled', shown)
  if (fact === 'subscription paused') account.emit('subscription.paused', shown)
  if (fact === 'subscription resumed') account.emit('subscription.resumed', shown)
  if (before?.status !== 'past_due' && subscription.status === 'past_due')
    account.emit('subscription.past_due', shown)
  if (before?.status === 'trialing' && subscription.status === 'active')
    account.emit('subscription.activated', shown)
})

function tellInvoice(account: Account, fact: Fact, invoice: Invoice, before?: Invoice): void {
  const sold = account.findSold(invoice.id)
  if (sold === undefined || soldId(sold) !== invoice.id) return
  const tell = (type: string, patch?: Json) => tellTransaction(account, invoice.id, type, patch)
  if (fact === 'invoice added') tell('created')
  if (fact === 'invoice finalized') tell('billed')
  if (fact === 'invoice paid') {
    tell('paid', { status: 'paid' })
    account.touch(invoice.id)
    tell('completed')
  }
  if (fact === 'invoice failed') {
    tell('payment_failed')
    if (before?.was_tried === false) tell('past_due')
  }
  if (fact === 'invoice voided' || fact === 'invoice given up') tell('canceled')
}
