import { afterFailure, markPaid, subscriptionOf } from './collecting.ts'
import { answerDebit } from './debits.ts'
import type { Invoice } from './types.ts'
import type { World } from './world.ts'

/** A debit settles or comes back, days after it was asked for; its invoice, its subscription and the session that was
 *  completed unpaid follow. https://docs.stripe.com/payments/checkout/fulfillment#delayed-notification */
export const endDebit = (world: World, intentId: string): void => {
  const settled = answerDebit(world, world.store.get('payment_intent', intentId))
  const invoice = world.store.find('invoice', world.notes.invoiceOf.get(intentId) ?? null)
  if (invoice !== undefined && settled) markPaid(world, invoice.id)
  else if (invoice !== undefined) comeBack(world, invoice)
  const session = world.store
    .list('checkout.session')
    .find((one) => one.payment_intent === intentId || (invoice !== undefined && one.invoice === invoice.id))
  if (session === undefined) return
  if (!settled) {
    world.emit('checkout.session.async_payment_failed', session)
    return
  }
  const paid = { payment_status: 'paid' as const }
  world.change('checkout.session', session.id, paid, 'checkout.session.async_payment_succeeded')
}

// A first payment has 23 hours, which are over by now.
const comeBack = (world: World, invoice: Invoice): void => {
  const subscription = subscriptionOf(world, invoice)
  if (subscription.status !== 'incomplete') {
    afterFailure(world, invoice.id, subscription)
    return
  }
  const status_transitions = { ...invoice.status_transitions, voided_at: world.clock.seconds() }
  const givenUp = { auto_advance: false, next_payment_attempt: null, status_transitions }
  world.emit('invoice.payment_failed', invoice)
  world.change('invoice', invoice.id, { ...givenUp, status: 'void' }, 'invoice.voided')
  const over = { status: 'incomplete_expired' as const, ended_at: world.clock.seconds() }
  world.change('subscription', subscription.id, over, 'customer.subscription.updated')
}
