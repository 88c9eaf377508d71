import { isAccount, methodOf, refusalOf, testCardOf } from './cards.ts'
import { endSubscription } from './ending.ts'
import { voidInvoice } from './invoices.ts'
import type { Invoice, Subscription } from './objects.ts'
import { answerDebit, askBank, charge, openPayment } from './payments.ts'
import { day } from './periods.ts'
import type { World } from './world.ts'

/** Finalises a draft. A free invoice is paid at once, as is one covered by the customer's credit. */
export function finalizeInvoice(world: World, id: string): Invoice {
  const draft = world.store.get('invoice', id)
  const customer = world.store.get('customer', draft.customer)
  const balance = draft.total + customer.balance
  const due = Math.max(0, balance)
  const ending_balance = Math.min(0, balance)
  const earlier = world.store
    .having('invoice', 'customer', draft.customer)
    .filter((invoice) => invoice.number !== null)
  const open = world.change(
    'invoice',
    id,
    {
      due,
      remaining: due,
      draft_until: null,
      next_try: null,
      starting_balance: customer.balance,
      ending_balance,
      number: earlier.length + 1,
      status: 'open',
      finalized_at: world.clock.seconds(),
    },
    'invoice finalized',
  )
  if (customer.balance !== ending_balance)
    world.change('customer', customer.id, { balance: ending_balance }, 'customer changed')
  if (due === 0) return markPaid(world, open.id)
  const of = { customer: customer.id, invoice: id, currency: open.currency, description: 'Subscription' }
  const payment = openPayment(world, { ...of, amount: due })
  return world.change('invoice', id, { payment: payment.id })
}

/**
 * Tries once to collect an open invoice, with the consequences for its subscription. Returns true if it is
 * paid now.
 */
export function collect(
  world: World,
  id: string,
  { method: given, isOwnerThere = false }: { method?: string; isOwnerThere?: boolean } = {},
): boolean {
  const invoice = world.store.get('invoice', id)
  const subscription = world.store.get('subscription', invoice.subscription)
  const method = world.store.find('method', given ?? methodOf(world, subscription))
  // Without a card nothing can be charged, and the attempt still fails.
  if (method !== undefined && testCardOf(method.number)?.asks && !isOwnerThere) {
    askBank(world, invoice.payment!, method.id)
    world.tell('invoice asks', invoice)
  } else if (method !== undefined) {
    const { number, days } = method
    const { email, name } = world.store.get('customer', invoice.customer)
    const refusal = isAccount(number)
      ? null
      : refusalOf(world, number, { subscription: subscription.id, customer: invoice.customer })
    const made = charge(world, invoice.payment!, { number, method: method.id, days, email, name }, refusal)
    // The bank answers in days.
    if (made.status === 'pending') return false
    if (made.status === 'paid') {
      markPaid(world, id)
      return true
    }
  }
  afterFailure(world, id, subscription)
  return false
}

/** Marks an invoice as paid; a subscription that waited for it begins or continues. */
export function markPaid(world: World, id: string): Invoice {
  const before = world.store.get('invoice', id)
  const invoice = world.change(
    'invoice',
    id,
    {
      paid: before.due,
      remaining: 0,
      attempts: before.attempts + (before.due > 0 ? 1 : 0),
      was_tried: true,
      is_automatic: false,
      next_try: null,
      status: 'paid',
      paid_at: world.clock.seconds(),
    },
    'invoice paid',
  )
  applyPending(world, invoice)
  const { status, invoice: newest } = world.store.get('subscription', invoice.subscription)
  if (['incomplete', 'past_due', 'unpaid'].includes(status) && newest === id)
    world.change('subscription', invoice.subscription, { status: 'active' }, 'subscription changed')
  return invoice
}

/**
 * Applies a change that waited for this payment.
 * https://docs.stripe.com/billing/subscriptions/pending-updates
 */
function applyPending(world: World, { id, subscription }: Invoice): void {
  const { pending } = world.store.get('subscription', subscription)
  if (pending?.invoice !== id) return
  world.change('subscription', subscription, { ...pending.change, pending: null }, 'change applied')
}

/** Handles a failed attempt: sets the next one, or applies the outcome after the last. */
export function afterFailure(world: World, id: string, subscription: Subscription): void {
  const { retryDays, outcome } = world.settings.dunning
  const now = world.clock.seconds()
  const before = world.store.get('invoice', id)
  const first_failure = before.first_failure ?? now
  // A pending change is not retried; the customer must pay it.
  const isPending = subscription.pending?.invoice === id
  const tries = isPending ? [] : retryDays.map((days) => first_failure + days * day)
  const next_try = tries.find((at) => at > now) ?? null
  const failed = { attempts: before.attempts + 1, was_tried: true, first_failure, next_try }
  world.change('invoice', id, failed, 'invoice failed')
  if (isPending) return
  if (subscription.status === 'active')
    world.change('subscription', subscription.id, { status: 'past_due' }, 'subscription changed')
  if (next_try !== null || subscription.status === 'canceled' || subscription.status === 'paused') return
  if (outcome === 'cancel') endSubscription(world, subscription.id, 'unpaid')
  if (outcome === 'unpaid')
    world.change('subscription', subscription.id, { status: 'unpaid' }, 'subscription changed')
}

/**
 * Ends a debit, which succeeds or is returned days later. Its invoice, subscription and unpaid checkout
 * follow.
 */
export function endDebit(world: World, payment: string): void {
  const settled = answerDebit(world, payment)
  const invoice = world.store.find('invoice', world.store.get('payment', payment).invoice)
  if (invoice !== undefined && settled) markPaid(world, invoice.id)
  else if (invoice !== undefined) comeBack(world, invoice)
  const checkout = world.store
    .list('checkout')
    .find(
      (checkout) =>
        checkout.payment === payment || (invoice !== undefined && checkout.invoice === invoice.id),
    )
  if (checkout === undefined) return
  if (settled) world.change('checkout', checkout.id, { paid: 'paid' }, 'checkout paid')
  else world.tell('checkout failed', checkout)
}

// A first payment has 23 hours, which are over by now.
function comeBack(world: World, invoice: Invoice): void {
  const subscription = world.store.get('subscription', invoice.subscription)
  if (subscription.status !== 'incomplete') {
    afterFailure(world, invoice.id, subscription)
    return
  }
  world.tell('invoice failed', invoice)
  world.change('invoice', invoice.id, { is_automatic: false })
  voidInvoice(world, invoice.id)
  const over = { status: 'expired' as const, ended_at: world.clock.seconds() }
  world.change('subscription', subscription.id, over, 'subscription changed')
}
