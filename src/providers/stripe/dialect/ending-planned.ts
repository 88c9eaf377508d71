import { cancelNow } from './ending.ts'
import { draftInvoice } from './invoices.ts'
import { pendingLines } from './renewing.ts'
import type { World } from './world.ts'

/** A cancellation that was announced. What earlier changes left is collected with a last invoice at the end of a
 *  period, and dropped before it. https://docs.stripe.com/billing/subscriptions/cancel */
export const endAsPlanned = (world: World, id: string): void => {
  const before = world.store.get('subscription', id)
  const pending = pendingLines(world, before)
  const { current_period_start: start = 0, current_period_end: end = 0 } = before.items.data[0] ?? {}
  const ended = cancelNow(world, id, null)
  const now = world.clock.seconds()
  if (pending.length === 0 || before.status === 'unpaid') return
  if (end > now) {
    dropPending(world, id)
    return
  }
  const invoice = draftInvoice(world, ended, {
    lines: pending,
    reason: 'subscription_cycle',
    draftUntil: now + world.settings.draftSeconds,
    period: { start, end },
  })
  world.change('subscription', id, { latest_invoice: invoice.id })
  world.emit('invoice.created', invoice)
}

/** Prorations that nobody will bill any more. */
export const dropPending = (world: World, id: string): void => {
  for (const item of [...world.notes.pendingLines.keys()]) {
    const found = world.store.get('invoiceitem', item)
    if (found.subscription !== id) continue
    world.notes.pendingLines.delete(item)
    world.emit('invoiceitem.deleted', found)
  }
}

/** A change that nobody paid for in time. https://docs.stripe.com/billing/subscriptions/pending-updates */
export const expireUpdate = (world: World, id: string): void => {
  const { latest_invoice } = world.store.get('subscription', id)
  const invoice = world.store.get('invoice', latest_invoice)
  if (world.notes.pendingUpdates.delete(invoice.id)) {
    const status_transitions = { ...invoice.status_transitions, voided_at: world.clock.seconds() }
    const patch = { next_payment_attempt: null, status: 'void' as const, status_transitions }
    world.change('invoice', invoice.id, patch, 'invoice.updated', 'invoice.voided')
  }
  const after = world.change('subscription', id, { pending_update: null }, 'customer.subscription.updated')
  world.emit('customer.subscription.pending_update_expired', after)
}
