import { methodOf } from './cards.ts'
import { endSubscription } from './ending.ts'
import { draftInvoice, periodLines, waitingLines } from './invoices.ts'
import type { Invoice, Item, Subscription } from './objects.ts'
import { markPaused } from './pausing.ts'
import { periodEnd } from './periods.ts'
import { rhythmOf, soonestOf } from './proration.ts'
import type { World } from './world.ts'

/** Begins the next period of the items whose period ends first; its invoice is a draft for a while. */
export function renew(world: World, id: string): Invoice {
  const before = world.store.get('subscription', id)
  const items = nextPeriod(before)
  const { currency, status } = before
  const { start = 0, end = 0 } = soonestOf(before.items) ?? {}
  const due = items.filter((item, i) => item.end !== before.items[i]!.end)
  const next = { ...before, items }
  const invoice = draftInvoice(world, next, {
    lines: [...waitingLines(world, before), ...periodLines(world, due, { currency, isTrial: false })],
    reason: 'cycle',
    // An unpaid subscription's invoices are not collected.
    draftUntil: status === 'unpaid' ? null : world.clock.seconds() + world.settings.draftSeconds,
    period: { start, end },
  })
  const renewed = {
    items,
    invoice: invoice.id,
    status: status === 'trialing' ? ('active' as const) : status,
  }
  world.change('subscription', id, renewed, 'subscription changed')
  world.tell('invoice added', invoice)
  return invoice
}

/** Returns the items once the period that ends first is over. */
export function nextPeriod({ items, anchor }: Subscription): Item[] {
  return items.map((item) =>
    item.end > soonestOf(items)!.end
      ? item
      : { ...item, start: item.end, end: periodEnd(anchor, item.end, rhythmOf(item.price)) },
  )
}

/** Ends a trial without a card as the subscription defines. */
export function endTrial(world: World, id: string): void {
  const subscription = world.store.get('subscription', id)
  const { without_method } = subscription
  if (methodOf(world, subscription) !== null || without_method === 'bill') renew(world, id)
  else if (without_method === 'cancel') endSubscription(world, id, null)
  else markPaused(world, id)
}
