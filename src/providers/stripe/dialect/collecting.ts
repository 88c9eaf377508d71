import { day } from '../../../merchant/index.ts'
import { methodOf, refusalOf, testCardOf } from './cards.ts'
import { beginDebit, isAccount } from './debits.ts'
import { cancelNow } from './ending.ts'
import { askBank, openIntent, tryIntent } from './payments.ts'
import type { Invoice, Subscription } from './types.ts'
import type { World } from './world.ts'

/** Makes a draft final; what is free, or covered by the customer's credit, is paid with that.
 *  https://docs.stripe.com/invoicing/integration/workflow-transitions */
export const finalizeInvoice = (world: World, id: string): Invoice => {
  const draft = world.store.get('invoice', id)
  const now = world.clock.seconds()
  const customer = world.store.get('customer', draft.customer)
  const balance = draft.total + customer.balance
  const due = Math.max(0, balance)
  const ending_balance = Math.min(0, balance)
  const open = world.change(
    'invoice',
    id,
    {
      amount_due: due,
      amount_remaining: due,
      automatically_finalizes_at: null,
      effective_at: now,
      ending_balance,
      hosted_invoice_url: `${world.settings.url}/i/${id}`,
      next_payment_attempt: null,
      number: `${customer.id.slice(4, 12).toUpperCase()}-${invoiceCount(world, draft)}`,
      starting_balance: customer.balance,
      status: 'open',
      status_transitions: { ...draft.status_transitions, finalized_at: now },
    },
    'invoice.finalized',
  )
  if (customer.balance !== ending_balance)
    world.change('customer', customer.id, { balance: ending_balance }, 'customer.updated')
  if (due === 0) return markPaid(world, open.id)
  openPayment(world, open)
  return open
}

const invoiceCount = (world: World, { customer }: Invoice): string => {
  const before = world.store
    .list('invoice')
    .filter((one) => one.customer === customer && typeof one.number === 'string')
  return String(before.length + 1).padStart(4, '0')
}

/** The intent and what joins the two. https://docs.stripe.com/api/invoice-payment/object */
const openPayment = (world: World, invoice: Invoice): void => {
  const { amount_due, currency, customer } = invoice
  const intent = openIntent(world, { amount: amount_due, currency, customer, description: 'Subscription' })
  const id = world.ids('inpay')
  world.notes.paymentOf.set(invoice.id, id)
  world.notes.invoiceOf.set(intent.id, invoice.id)
  world.add<'invoice_payment'>({
    id,
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: amount_due,
    created: world.clock.seconds(),
    currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  })
}

/** One try to collect an open invoice; says whether it is paid now. What follows for the subscription happens, too. */
export const collect = (
  world: World,
  invoiceId: string,
  { method: given, isOwnerThere = false }: { method?: string; isOwnerThere?: boolean } = {},
): boolean => {
  const invoice = world.store.get('invoice', invoiceId)
  const subscription = subscriptionOf(world, invoice)
  const method = given ?? methodOf(world, subscription)
  const payment = world.store.get('invoice_payment', world.notes.paymentOf.get(invoiceId) ?? null)
  const card = method === null ? undefined : world.notes.cards.get(method)
  // Without a card there is nothing to charge, and the try fails all the same.
  if (method !== null && card !== undefined && testCardOf(card)?.asks && !isOwnerThere) {
    askBank(world, payment.payment.payment_intent, method)
    world.emit('invoice.payment_action_required', invoice)
  } else if (method !== null && card !== undefined) {
    const customer = world.store.get('customer', invoice.customer)
    const { email, name } = customer
    // The bank answers in days.
    if (isAccount(card)) {
      beginDebit(world, payment.payment.payment_intent, { card, method, email, name })
      return false
    }
    const charge = tryIntent(world, payment.payment.payment_intent, {
      card,
      method,
      email,
      name,
      refusal: refusalOf(world, card, [subscription.id, invoice.customer]),
    })
    if (charge.paid) {
      markPaid(world, invoiceId)
      return true
    }
  }
  afterFailure(world, invoiceId, subscription)
  return false
}

/** Paid in another way. */
export const payOutOfBand = (world: World, invoiceId: string): Invoice => markPaid(world, invoiceId)

/** What an invoice is for. @throws TypeError when it is not there */
export const subscriptionOf = (world: World, invoice: Invoice): Subscription =>
  world.store.get('subscription', invoice.parent.subscription_details.subscription)

/** The money of an invoice is there; a subscription that waited for it begins or goes on. */
export const markPaid = (world: World, invoiceId: string): Invoice => {
  const now = world.clock.seconds()
  const before = world.store.get('invoice', invoiceId)
  const isCharged = before.amount_due > 0
  const invoice = world.change(
    'invoice',
    invoiceId,
    {
      amount_paid: before.amount_due,
      amount_remaining: 0,
      attempt_count: before.attempt_count + (isCharged ? 1 : 0),
      attempted: true,
      auto_advance: false,
      next_payment_attempt: null,
      status: 'paid',
      status_transitions: { ...before.status_transitions, paid_at: now },
    },
    'invoice.updated',
    'invoice.paid',
    'invoice.payment_succeeded',
  )
  const payment = world.notes.paymentOf.get(invoiceId)
  if (payment !== undefined)
    world.change(
      'invoice_payment',
      payment,
      {
        amount_paid: before.amount_due,
        status: 'paid',
        status_transitions: { canceled_at: null, paid_at: now },
      },
      'invoice_payment.paid',
    )
  const subscription = subscriptionOf(world, invoice)
  applyPending(world, invoice)
  const waits = ['incomplete', 'past_due', 'unpaid'].includes(subscription.status)
  if (waits && subscription.latest_invoice === invoiceId)
    world.change('subscription', subscription.id, { status: 'active' }, 'customer.subscription.updated')
  return invoice
}

/** A change that waited for this payment. https://docs.stripe.com/billing/subscriptions/pending-updates */
const applyPending = (world: World, invoice: Invoice): void => {
  const update = world.notes.pendingUpdates.get(invoice.id)
  if (update === undefined) return
  world.notes.pendingUpdates.delete(invoice.id)
  const { subscription } = invoice.parent.subscription_details
  const after = world.change(
    'subscription',
    subscription,
    { ...update, pending_update: null },
    'customer.subscription.updated',
  )
  world.emit('customer.subscription.pending_update_applied', after)
}

/** https://docs.stripe.com/billing/revenue-recovery/smart-retries */
export const afterFailure = (world: World, invoiceId: string, subscription: Subscription): void => {
  const { retryDays, outcome } = world.settings.dunning
  const before = world.store.get('invoice', invoiceId)
  const first = world.notes.firstFailure.get(invoiceId) ?? world.clock.seconds()
  world.notes.firstFailure.set(invoiceId, first)
  // Whoever wants a change that waits has to pay for it themselves.
  const isPending = world.notes.pendingUpdates.has(invoiceId)
  const next = isPending
    ? undefined
    : retryDays.map((days) => first + days * day).find((at) => at > world.clock.seconds())
  world.change(
    'invoice',
    invoiceId,
    { attempt_count: before.attempt_count + 1, attempted: true, next_payment_attempt: next ?? null },
    'invoice.updated',
    'invoice.payment_failed',
  )
  if (isPending) return
  if (subscription.status === 'active')
    world.change('subscription', subscription.id, { status: 'past_due' }, 'customer.subscription.updated')
  if (next !== undefined || subscription.status === 'canceled' || subscription.status === 'paused') return
  if (outcome === 'cancel') cancelNow(world, subscription.id, 'payment_failed')
  if (outcome === 'unpaid')
    world.change('subscription', subscription.id, { status: 'unpaid' }, 'customer.subscription.updated')
}
