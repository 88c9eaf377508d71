import { periodEnd } from '../../../merchant/index.ts'
import { methodOf } from './cards.ts'
import { cancelNow } from './ending.ts'
import { draftInvoice } from './invoices.ts'
import { periodLines } from './lines.ts'
import { markPaused } from './pausing.ts'
import type { DraftLine, Invoice, Subscription, SubscriptionItem } from './types.ts'
import type { World } from './world.ts'

/** The next period begins; its invoice is a draft for an hour. https://docs.stripe.com/billing/invoices/subscription */
export const renew = (world: World, id: string): Invoice => {
  const before = world.store.get('subscription', id)
  const data = nextPeriod(before)
  const next = { ...before, items: { ...before.items, data } }
  // Nobody collects for a subscription that is unpaid.
  const draftUntil = before.status === 'unpaid' ? null : world.clock.seconds() + world.settings.draftSeconds
  const invoice = draftInvoice(world, next, {
    lines: [
      ...pendingLines(world, before),
      ...periodLines(world, data, { currency: before.currency, isTrial: false }),
    ],
    reason: 'subscription_cycle',
    draftUntil,
    period: {
      start: before.items.data[0]?.current_period_start ?? 0,
      end: before.items.data[0]?.current_period_end ?? 0,
    },
  })
  world.change(
    'subscription',
    id,
    {
      items: next.items,
      latest_invoice: invoice.id,
      ...(before.status === 'trialing' ? { status: 'active' } : {}),
    },
    'customer.subscription.updated',
  )
  world.emit('invoice.created', invoice)
  return invoice
}

/** The items one period on. */
export const nextPeriod = (subscription: Subscription): SubscriptionItem[] =>
  subscription.items.data.map((item) => ({
    ...item,
    current_period_start: item.current_period_end,
    current_period_end: periodEnd(
      subscription.billing_cycle_anchor,
      item.current_period_end,
      item.price.recurring ?? { interval: 'month', interval_count: 1 },
    ),
  }))

/** What earlier changes left for the next invoice. */
export const pendingLines = (world: World, subscription: Subscription): DraftLine[] =>
  [...world.notes.pendingLines].flatMap(([id, line]) => {
    const item = world.store.get('invoiceitem', id)
    return item.subscription === subscription.id && item.invoice === null ? [line] : []
  })

/** What happens without a card is in the subscription's `trial_settings`.
 *  https://docs.stripe.com/billing/subscriptions/trials#create-free-trials-without-payment */
export const endTrial = (world: World, id: string): void => {
  const subscription = world.store.get('subscription', id)
  const behavior = subscription.trial_settings.end_behavior.missing_payment_method
  if (methodOf(world, subscription) !== null || behavior === 'create_invoice') {
    renew(world, id)
    return
  }
  if (behavior === 'cancel') {
    cancelNow(world, id, null)
    return
  }
  markPaused(world, id)
}
