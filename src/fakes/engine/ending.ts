import { draftInvoice, dropWaiting, voidInvoice, waitingLines } from './invoices.ts'
import type { Cancellation, Subscription } from './objects.ts'
import { soonestOf } from './proration.ts'
import type { World } from './world.ts'

/** Ends a subscription and its schedule. Its open invoices are not retried. */
export function endSubscription(world: World, id: string, reason: Cancellation['reason']): Subscription {
  const now = world.clock.seconds()
  const before = world.store.get('subscription', id)
  for (const invoice of world.store.having('invoice', 'subscription', id))
    if (invoice.status === 'draft' || invoice.status === 'open')
      world.change('invoice', invoice.id, { is_automatic: false, draft_until: null, next_try: null })
  if (before.schedule !== null)
    world.change(
      'schedule',
      before.schedule,
      { current: null, ended_at: now, status: 'canceled' },
      'schedule canceled',
    )
  return world.change(
    'subscription',
    id,
    {
      canceled_at: before.canceled_at ?? now,
      cancellation: { ...before.cancellation, reason: reason ?? before.cancellation.reason },
      ended_at: now,
      status: 'canceled',
    },
    'subscription ended',
  )
}

/** Plans a cancellation at a moment, or at the end of the period. */
export function cancellationAt(world: World, before: Subscription, at: number | null): Partial<Subscription> {
  return {
    cancel_at: at ?? soonestOf(before.items)?.end ?? null,
    cancel_at_period_end: at === null,
    canceled_at: before.canceled_at ?? world.clock.seconds(),
    cancellation: { ...before.cancellation, reason: 'asked' },
  }
}

/** Removes a planned cancellation. */
export function noCancellation(before: Subscription): Partial<Subscription> {
  return {
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation: { ...before.cancellation, reason: null },
  }
}

/** Cancels at the end of the period, and reports it. */
export function cancelLater(world: World, before: Subscription): Subscription {
  return world.change('subscription', before.id, cancellationAt(world, before, null), 'subscription changed')
}

/** Keeps a subscription that was to end, and reports it. */
export function keepSubscription(world: World, before: Subscription): Subscription {
  return world.change('subscription', before.id, noCancellation(before), 'subscription changed')
}

/**
 * Carries out a planned cancellation. At the end of a period, a last invoice collects what earlier changes
 * left; before that, it is dropped.
 */
export function endAsPlanned(world: World, id: string): void {
  const before = world.store.get('subscription', id)
  const lines = waitingLines(world, before)
  const { start = 0, end = 0 } = soonestOf(before.items) ?? {}
  const ended = endSubscription(world, id, null)
  const now = world.clock.seconds()
  if (lines.length === 0 || before.status === 'unpaid') return
  if (end > now) {
    dropWaiting(world, id)
    return
  }
  const draftUntil = now + world.settings.draftSeconds
  const invoice = draftInvoice(world, ended, { lines, reason: 'cycle', draftUntil, period: { start, end } })
  world.change('subscription', id, { invoice: invoice.id })
  world.tell('invoice added', invoice)
}

/** Expires a change that was not paid in time. */
export function expireChange(world: World, id: string): void {
  const { pending } = world.store.get('subscription', id)
  if (pending !== null) voidInvoice(world, pending.invoice)
  world.change('subscription', id, { pending: null }, 'change expired')
}
