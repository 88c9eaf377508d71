import { methodOf } from './cards.ts'
import { billNow, settleNow } from './changing.ts'
import { endSubscription } from './ending.ts'
import { addWaiting, dropWaiting, periodLines, waitingLines } from './invoices.ts'
import type { Cancellation, Subscription } from './objects.ts'
import { prorationLine, startingAt } from './proration.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** Ends a subscription at once. `billsNow` bills waiting items, `prorates` credits unused time. */
export function cancelSubscription(
  world: World,
  before: Subscription,
  given: {
    details?: Partial<Omit<Cancellation, 'reason'>>
    billsNow?: boolean
    prorates?: boolean
  } = {},
): Subscription {
  const { details, billsNow = false, prorates = false } = given
  const { id, currency } = before
  const at = world.clock.seconds()
  // Amounts that are neither credited nor billed now are dropped.
  if (!prorates && !billsNow) dropWaiting(world, id)
  if (prorates && before.status !== 'trialing')
    for (const item of before.items)
      addWaiting(world, before, prorationLine(world, item, { at, sign: -1, currency }))
  world.change('subscription', id, { cancellation: { ...before.cancellation, ...details } })
  const ended = endSubscription(world, id, 'asked')
  const waiting = waitingLines(world, before)
  if (!billsNow || waiting.length === 0) return ended
  const invoice = billNow(world, ended, waiting)
  const after = world.change('subscription', id, { invoice: invoice.id })
  settleNow(world, invoice)
  return after
}

/**
 * Resumes a paused subscription when its due amount is paid; `anchor` decides if a new period begins now. A
 * planned pause is undone.
 * @throws Refusal
 */
export function resumeSubscription(
  world: World,
  before: Subscription,
  anchor: 'now' | 'unchanged',
): Subscription {
  const { id, currency } = before
  if (before.status !== 'paused' && before.pause_at !== null)
    return world.change('subscription', id, { pause_at: null, resumes_at: null }, 'subscription changed')
  if (before.status !== 'paused') throw new Refusal('is not paused')
  if (methodOf(world, before) === null) throw new Refusal('no method')
  const now = world.clock.seconds()
  const isNow = anchor === 'now' || (before.items[0]?.end ?? 0) <= now
  const items = isNow ? before.items.map((item) => startingAt(item, now)) : before.items
  const patch = {
    ...(isNow ? { anchor: now } : {}),
    items,
    status: 'active' as const,
    paused_at: null,
    resumes_at: null,
  }
  const goOn = () => world.change('subscription', id, patch, 'subscription resumed')
  if (!isNow) return goOn()
  const invoice = billNow(world, before, periodLines(world, items, { currency, isTrial: false }))
  world.change('subscription', id, { invoice: invoice.id })
  if (settleNow(world, invoice)) return goOn()
  // It stays paused, and the payment is not retried.
  world.change('invoice', invoice.id, { next_try: null })
  return world.store.get('subscription', id)
}

/** Ends a planned pause. If the payment fails, the subscription stays paused until somebody resumes it. */
export function endPause(world: World, id: string): void {
  const before = world.change('subscription', id, { resumes_at: null })
  if (methodOf(world, before) !== null) resumeSubscription(world, before, 'now')
}
