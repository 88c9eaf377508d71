import { addIntervals } from '../../../merchant/index.ts'
import { methodOf } from './cards.ts'
import { addInvoiceItem, billNow, settleNow } from './changing.ts'
import { cancelNow } from './ending.ts'
import { dropPending } from './ending-planned.ts'
import { invalid } from './errors.ts'
import { periodLines } from './lines.ts'
import { markPaused } from './pausing.ts'
import { prorationLine } from './proration.ts'
import { pendingLines } from './renewing.ts'
import type { Subscription } from './types.ts'
import type { World } from './world.ts'

interface Cancellation {
  readonly details: { comment?: string; feedback?: string }
  /** Bills now what is pending. */
  readonly invoiceNow: boolean
  /** Credits the time that is not used. */
  readonly prorate: boolean
}

/** Ends a subscription at once. https://docs.stripe.com/api/subscriptions/cancel */
export const cancelSubscription = (
  world: World,
  before: Subscription,
  { details, invoiceNow, prorate }: Cancellation,
): Subscription => {
  const at = world.clock.seconds()
  // What is neither credited nor billed now is forgotten.
  if (!prorate && !invoiceNow) dropPending(world, before.id)
  if (prorate && before.status !== 'trialing')
    for (const item of before.items.data)
      addInvoiceItem(world, before, prorationLine(world, item, { at, sign: -1, currency: before.currency }))
  world.change('subscription', before.id, {
    cancellation_details: { ...before.cancellation_details, ...details },
  })
  const ended = cancelNow(world, before.id, 'cancellation_requested')
  const pending = pendingLines(world, before)
  if (!invoiceNow || pending.length === 0) return ended
  const invoice = billNow(world, ended, pending)
  const after = world.change('subscription', before.id, { latest_invoice: invoice.id })
  settleNow(world, invoice)
  return after
}

/** Nothing is billed and nothing may be used until it is resumed. */
export const pauseSubscription = (world: World, before: Subscription): Subscription => {
  if (before.status !== 'active' && before.status !== 'trialing')
    throw invalid(`A subscription with the status \`${before.status}\` cannot be paused.`)
  if (before.schedule !== null) throw invalid('Cannot pause subscriptions with attached schedules.')
  return markPaused(world, before.id)
}

/** A paused subscription goes on when what is due for it is paid. https://docs.stripe.com/api/subscriptions/resume */
export const resumeSubscription = (
  world: World,
  before: Subscription,
  anchor: 'now' | 'unchanged',
): Subscription => {
  if (before.status !== 'paused') throw invalid('Only paused subscriptions can be resumed.')
  if (methodOf(world, before) === null)
    throw invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      undefined,
      'resource_missing',
    )
  const now = world.clock.seconds()
  const isNow = anchor === 'now' || (before.items.data[0]?.current_period_end ?? 0) <= now
  const data = before.items.data.map((item) =>
    isNow
      ? {
          ...item,
          current_period_start: now,
          current_period_end: addIntervals(
            now,
            item.price.recurring ?? { interval: 'month', interval_count: 1 },
          ),
        }
      : item,
  )
  const patch = {
    ...(isNow ? { billing_cycle_anchor: now } : {}),
    items: { ...before.items, data },
    status: 'active' as const,
    status_details: undefined,
  }
  if (!isNow) return resumed(world, before.id, patch)
  const lines = periodLines(world, data, { currency: before.currency, isTrial: false })
  const invoice = billNow(world, before, lines)
  world.change('subscription', before.id, { latest_invoice: invoice.id })
  if (settleNow(world, invoice)) return resumed(world, before.id, patch)
  // It stays paused, and nobody tries again.
  world.change('invoice', invoice.id, { next_payment_attempt: null })
  return world.store.get('subscription', before.id)
}

const resumed = (world: World, id: string, patch: Partial<Subscription>): Subscription => {
  const after = world.change('subscription', id, patch, 'customer.subscription.updated')
  world.emit('customer.subscription.resumed', after)
  return after
}
